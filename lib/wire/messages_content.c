#include "wire/messages_content.h"

#include "json/parse.h"
#include "wire/encoder.h"

void
mg_content_init(struct mg_content *c)
{
    mg_str_init(&c->blocks, MG_REPLY_MAX);
    mg_str_init(&c->text, MG_REPLY_MAX);
    mg_str_init(&c->proof, MG_REPLY_MAX);
}

void
mg_content_free(struct mg_content *c)
{
    mg_str_free(&c->blocks);
    mg_str_free(&c->text);
    mg_str_free(&c->proof);
}

bool
mg_content_ok(const struct mg_content *c)
{
    return mg_str_ok(&c->blocks) && mg_str_ok(&c->text) && mg_str_ok(&c->proof);
}

void
mg_content_tool(struct mg_jw *w, const struct mg_event *event)
{
    mg_jw_string(w, "type", "tool_use");
    mg_jw_bytes(w, "id", event->id.p, event->id.n);
    mg_jw_bytes(w, "name", event->name.p, event->name.n);
    mg_jw_object(w, "caller");
    mg_jw_string(w, "type", "direct");
    mg_jw_end(w);
}

void
mg_content_citation(struct mg_jw *w, const char *key, const struct mg_cite *cite)
{
    mg_jw_object(w, key);
    mg_jw_string(w, "type", "web_search_result_location");
    mg_jw_bytes(w, "url", cite->url.p, cite->url.n);
    mg_jw_bytes(w, "title", cite->title.p, cite->title.n);
    mg_jw_string(w, "encrypted_index", "");
    mg_jw_string(w, "cited_text", "");
    mg_jw_end(w);
}

void
mg_content_begin(struct mg_content *c, const struct mg_event *event)
{
    struct mg_jw w;
    c->part = event->part;
    mg_str_reset(&c->text);
    mg_str_reset(&c->proof);
    if (c->blocks.len > 0)
        mg_str_addc(&c->blocks, ',');
    mg_jw_init(&w, &c->blocks);
    mg_jw_object(&w, NULL);
    if (event->part == MG_PART_TOOL)
        mg_content_tool(&w, event);
}

void
mg_content_cite(struct mg_content *c, const struct mg_cite *source)
{
    struct mg_jw w;
    if (c->proof.len > 0)
        mg_str_addc(&c->proof, ',');
    mg_jw_init(&w, &c->proof);
    mg_content_citation(&w, NULL, source);
}

/* Arguments have to be an object here. What the model made instead is kept as its text. */
static void
write_input(struct mg_content *c)
{
    struct mg_span text = mg_str_span(&c->text);
    mg_str_addz(&c->blocks, ",\"input\":");
    if (mg_json_is_object(text)) {
        mg_str_addspan(&c->blocks, text);
    } else if (text.n == 0) {
        mg_str_addz(&c->blocks, "{}");
    } else {
        mg_str_addz(&c->blocks, "{\"arguments\":");
        mg_json_quote(&c->blocks, text.p, text.n);
        mg_str_addc(&c->blocks, '}');
    }
}

void
mg_content_end(struct mg_content *c)
{
    if (c->part == MG_PART_TOOL) {
        write_input(c);
    } else if (c->part == MG_PART_REASONING) {
        mg_str_addz(&c->blocks, "\"type\":\"thinking\",\"thinking\":");
        mg_json_quote(&c->blocks, c->text.p, c->text.len);
        mg_str_addz(&c->blocks, ",\"signature\":");
        mg_json_quote(&c->blocks, c->proof.p, c->proof.len);
    } else {
        mg_str_addz(&c->blocks, "\"type\":\"text\",\"text\":");
        mg_json_quote(&c->blocks, c->text.p, c->text.len);
        mg_str_addz(&c->blocks, ",\"citations\":");
        if (c->proof.len > 0) {
            mg_str_addc(&c->blocks, '[');
            mg_str_addspan(&c->blocks, mg_str_span(&c->proof));
            mg_str_addc(&c->blocks, ']');
        } else {
            mg_str_addz(&c->blocks, "null");
        }
    }
    mg_str_addc(&c->blocks, '}');
}
