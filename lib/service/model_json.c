#include "service/model_json.h"

#include "base/money.h"

#include <string.h>

/* Pico-credits a token are micro-credits a million tokens. */
static void
write_price(struct mg_jw *w, const char *key, int64_t pico)
{
    char text[MG_MONEY_SIZE];
    mg_jw_string(w, key, mg_money_text(pico * 1000, text));
}

void
mg_json_prices(struct mg_jw *w, const char *key, const struct mg_price *price)
{
    mg_jw_object(w, key);
    write_price(w, "input", price->input);
    write_price(w, "output", price->output);
    write_price(w, "cache_read", price->cache_read);
    write_price(w, "cache_write_5m", price->cache_write_5m);
    write_price(w, "cache_write_1h", price->cache_write_1h);
    mg_jw_end(w);
}

static void
write_capabilities(struct mg_jw *w, unsigned capabilities)
{
    static const struct {
        unsigned bit;
        const char *name;
    } names[] = {
        {MG_CAP_IMAGE, "image"},           {MG_CAP_PDF, "pdf"},
        {MG_CAP_TOOLS, "tools"},           {MG_CAP_STRUCTURED, "structured"},
        {MG_CAP_REASONING, "reasoning"},
    };
    mg_jw_array(w, "capabilities");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (capabilities & names[i].bit)
            mg_jw_string(w, NULL, names[i].name);
    mg_jw_end(w);
}

static void
write_count(struct mg_jw *w, const char *key, int64_t tokens)
{
    if (tokens > 0)
        mg_jw_int(w, key, tokens);
    else
        mg_jw_null(w, key);
}

/* A model, or an alias of it under its own id. The formats are those in which clients ask: the
 * gateway translates, so that is all of them. */
static void
write_model(struct mg_jw *w, const char *id, const char *alias_of, const struct mg_model *m)
{
    mg_jw_object(w, NULL);
    mg_jw_string(w, "object", "model");
    mg_jw_string(w, "id", id);
    mg_jw_string(w, "label", alias_of == NULL && *m->label != '\0' ? m->label : NULL);
    mg_jw_bool(w, "premium", m->premium);
    mg_jw_string(w, "alias_of", alias_of);
    write_count(w, "context", m->context);
    write_count(w, "max_output", m->max_output);
    write_capabilities(w, m->capabilities);
    mg_jw_array(w, "formats");
    for (int family = 0; family < MG_FAMILIES; family++)
        mg_jw_string(w, NULL, mg_family_name(family));
    mg_jw_end(w);
    mg_json_prices(w, "prices", &m->price);
    mg_jw_end(w);
}

void
mg_json_models(const struct mg_catalogue *catalogue, struct mg_str *out)
{
    struct mg_jw w;
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "list");
    mg_jw_array(&w, "data");
    for (size_t i = 0; i < catalogue->alias_count; i++) {
        const struct mg_alias *a = &catalogue->aliases[i];
        write_model(&w, a->id, a->model->id, a->model);
    }
    for (size_t i = 0; i < catalogue->model_count; i++)
        write_model(&w, catalogue->models[i].id, NULL, &catalogue->models[i]);
    mg_jw_end(&w);
    mg_jw_bool(&w, "has_more", false);
    mg_jw_end(&w);
}

void
mg_json_labels(struct mg_jw *w, const struct mg_catalogue *catalogue, const char *chosen)
{
    mg_jw_array(w, "labels");
    for (size_t i = 0; i < catalogue->model_count; i++) {
        const struct mg_model *m = &catalogue->models[i];
        if (*m->label == '\0')
            continue;
        mg_jw_object(w, NULL);
        mg_jw_string(w, "model", m->id);
        mg_jw_string(w, "label", m->label);
        mg_jw_bool(w, "premium", m->premium);
        mg_jw_bool(w, "chosen", strcmp(m->id, chosen) == 0);
        mg_jw_end(w);
    }
    mg_jw_end(w);
}

const char *
mg_json_label_of(const struct mg_catalogue *catalogue, const char *id)
{
    const struct mg_model *m = mg_catalogue_find(catalogue, id);
    return m != NULL && strcmp(m->id, id) == 0 && *m->label != '\0' ? m->label : NULL;
}
