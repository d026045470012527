/* mgctl model, alias, price: what customers may ask for and what it costs. */
#include "base/money.h"
#include "catalogue/edit.h"
#include "catalogue/snapshot.h"
#include "catalogue/words.h"
#include "ctl/command.h"
#include "ctl/sheet.h"

#include <stdio.h>
#include <string.h>

#define FACT_OPTIONS \
    {"capabilities", "LIST", "what it can take, see above (default: any)", false}, \
    {"thinking", "WAY", "budget or adaptive, see above (default: budget)", false}, \
    {"efforts", "LIST", "of none, minimal, low, medium, high, xhigh, max", false}
#define FACT_HELP \
    "Capabilities are image, pdf, tools, structured, reasoning, sampling and system-midway,\n" \
    "with commas between, or none, or any: not stated, so that whatever clients ask for is\n" \
    "asked of the destination. What a stated list leaves out is kept from it: images,\n" \
    "documents, tools and schemas are refused; in translation efforts and sampling\n" \
    "(temperature, top_p, top_k) are left out, and system messages in the middle of a\n" \
    "conversation become the user's, which any means too. Thinking is how the Messages format\n" \
    "tells the model to think: with a budget of tokens, or adaptive with an effort, which is\n" \
    "the default where efforts are stated. Efforts that are not stated are low, medium, high."
#define PRICE_OPTIONS \
    {"input", "P", "credits per million tokens of input", true}, \
    {"output", "P", "credits per million tokens of output", true}, \
    {"cache-read", "P", "of input read from a cache (default: as input)", false}, \
    {"cache-write-5m", "P", "of input cached with short life (default: as input)", false}, \
    {"cache-write-1h", "P", "of input cached with long life (default: as with short life)", false}
#define PRICE_HELP \
    "Prices are decimal credits per million tokens with at most six places after the point; one\n" \
    "credit buys one dollar of provider list price. Nothing is derived but as the options say."

static const struct mg_option add_options[] = {
    {"upstream", "NAME", "destination", true},
    PRICE_OPTIONS,
    {"upstream-model", "ID", "the destination's id of it (default: the same)", false},
    {"label", "TEXT", "name shown to customers", false},
    {"premium", NULL, "its usage carries the premium billing label", false},
    {"context", "N", "tokens of the context window", false},
    {"max-output", "N", "tokens of the longest answer", false},
    {"token-factor", "F", "tokens it counts for one of o200k (default: 1)", false},
    FACT_OPTIONS,
    {0},
};

static const struct mg_option set_options[] = {
    {"upstream", "NAME", "destination", false},
    {"upstream-model", "ID", "the destination's id of it", false},
    {"label", "TEXT", "name shown to customers; '' takes it away", false},
    {"premium", NULL, "its usage carries the premium billing label", false},
    {"no-premium", NULL, "it does not", false},
    {"context", "N", "tokens of the context window; 0 = not stated", false},
    {"max-output", "N", "tokens of the longest answer; 0 = not stated", false},
    {"token-factor", "F", "tokens it counts for one of o200k, as 1.15", false},
    FACT_OPTIONS,
    {0},
};

static const struct mg_option price_options[] = {PRICE_OPTIONS, {0}};

/* What the options of `model add` and `model set` have in common. 0 or MG_CTL_USAGE. */
static int
read_model(struct mg_ctl *ctl, struct mg_edit_model *m)
{
    *m = (struct mg_edit_model){
        .id = ctl->operand[0],
        .upstream = mg_ctl_option(ctl, "upstream"),
        .upstream_model = mg_ctl_option(ctl, "upstream-model"),
        .label = mg_ctl_option(ctl, "label"),
        .capabilities = mg_ctl_option(ctl, "capabilities"),
        .thinking = mg_ctl_option(ctl, "thinking"),
        .efforts = mg_ctl_option(ctl, "efforts"),
        .premium = mg_ctl_option(ctl, "premium") != NULL ? 1 : -1,
        .context = -1,
        .max_output = -1,
        .token_factor = -1,
    };
    const char *factor = mg_ctl_option(ctl, "token-factor");
    if (factor != NULL &&
        (mg_money_parse(factor, 3, &m->token_factor) != 0 || m->token_factor < 0))
        return mg_ctl_misuse(ctl, "--token-factor: '%s' is no number with at most three places "
                                  "after the point", factor);
    int status = mg_ctl_number(ctl, "context", &m->context);
    return status != 0 ? status : mg_ctl_number(ctl, "max-output", &m->max_output);
}

static int
read_price(struct mg_ctl *ctl, struct mg_price *price)
{
    const struct mg_edit_price typed = {
        .input = mg_ctl_option(ctl, "input"),
        .output = mg_ctl_option(ctl, "output"),
        .cache_read = mg_ctl_option(ctl, "cache-read"),
        .cache_write_5m = mg_ctl_option(ctl, "cache-write-5m"),
        .cache_write_1h = mg_ctl_option(ctl, "cache-write-1h"),
    };
    return mg_edit_price_read(&typed, price, &ctl->err);
}

static void
add_prices(struct mg_sheet *t, const struct mg_price *p)
{
    mg_sheet_price(t, p->input);
    mg_sheet_price(t, p->output);
    mg_sheet_price(t, p->cache_read);
    mg_sheet_price(t, p->cache_write_5m);
    mg_sheet_price(t, p->cache_write_1h);
}

/* Shows a price that has just been set, every figure of it. */
static int
show_price(struct mg_ctl *ctl, const char *model, const struct mg_price *price)
{
    static const struct mg_column columns[] = {
        {"model", "model"},           {"input", "input"},
        {"output", "output"},         {"cache_read", "cache read"},
        {"cache_write_5m", "write 5m"}, {"cache_write_1h", "write 1h"}};
    struct mg_sheet t;
    mg_sheet_init(&t, ctl, columns, 6);
    mg_sheet_text(&t, model);
    add_prices(&t, price);
    return mg_sheet_print_record(&t);
}

static int
model_add(struct mg_ctl *ctl)
{
    struct mg_edit_model model;
    struct mg_price price;
    int status = read_model(ctl, &model);
    if (status != 0)
        return status;
    if (read_price(ctl, &price) != 0 ||
        mg_edit_model_add(ctl->db, &model, &price, &ctl->err) != 0)
        return -1;
    return show_price(ctl, model.id, &price);
}

static int
model_set(struct mg_ctl *ctl)
{
    struct mg_edit_model model;
    int status = read_model(ctl, &model);
    if (status != 0)
        return status;
    if (mg_ctl_option(ctl, "no-premium") != NULL) {
        if (model.premium == 1)
            return mg_ctl_misuse(ctl, "--premium and --no-premium exclude each other");
        model.premium = 0;
    }
    if (mg_edit_model_set(ctl->db, &model, &ctl->err) != 0)
        return -1;
    mg_ctl_say(ctl, "model %s is set", model.id);
    return 0;
}

static void
add_model(struct mg_sheet *t, const struct mg_model *m)
{
    char capabilities[MG_CAPABILITIES_SIZE], efforts[MG_EFFORTS_SIZE], factor[24];
    mg_sheet_text(t, m->id);
    mg_sheet_text(t, m->upstream->name);
    mg_sheet_text(t, m->upstream_model);
    mg_sheet_price(t, m->price.input);
    mg_sheet_price(t, m->price.output);
    mg_sheet_text(t, m->label);
    mg_sheet_bool(t, m->premium);
    mg_sheet_int(t, m->context);
    mg_sheet_int(t, m->max_output);
    mg_sheet_text(t, mg_words_of_capabilities(m->capabilities, capabilities));
    mg_sheet_text(t, mg_words_of_thinking(m->thinking));
    mg_sheet_text(t, mg_words_of_efforts(m->efforts, efforts));
    snprintf(factor, sizeof(factor), "%lld.%03lld", (long long)m->token_factor / MG_FACTOR_ONE,
             (long long)m->token_factor % MG_FACTOR_ONE);
    mg_sheet_text(t, factor);
}

static int
model_list(struct mg_ctl *ctl)
{
    static const struct mg_column columns[] = {
        {"model", "MODEL"},           {"upstream", "UPSTREAM"},
        {"upstream_model", "AS"},     {"input", "INPUT"},
        {"output", "OUTPUT"},         {"label", "LABEL"},
        {"premium", "PREMIUM"},       {"context", "CONTEXT"},
        {"max_output", "MAX OUTPUT"}, {"capabilities", "CAPABILITIES"},
        {"thinking", "THINKING"},     {"efforts", "EFFORTS"},
        {"token_factor", "FACTOR"}};
    struct mg_sheet t;
    struct mg_snapshot *s = mg_snapshot_load(ctl->db, NULL, 0, &ctl->err);
    if (s == NULL)
        return -1;
    mg_sheet_init(&t, ctl, columns, 13);
    for (size_t i = 0; i < s->catalogue.model_count; i++)
        add_model(&t, &s->catalogue.models[i]);
    mg_sheet_print(&t);
    mg_snapshot_unref(s);
    return 0;
}

static int
model_remove(struct mg_ctl *ctl)
{
    if (mg_edit_model_remove(ctl->db, ctl->operand[0], &ctl->err) != 0)
        return -1;
    mg_ctl_say(ctl, "model %s is removed", ctl->operand[0]);
    return 0;
}

static int
price_set(struct mg_ctl *ctl)
{
    struct mg_price price;
    if (read_price(ctl, &price) != 0 ||
        mg_edit_price_set(ctl->db, ctl->operand[0], &price, &price.version, &ctl->err) != 0)
        return -1;
    return show_price(ctl, ctl->operand[0], &price);
}

static int
price_list(struct mg_ctl *ctl)
{
    static const struct mg_column columns[] = {
        {"version", "VERSION"},         {"model", "MODEL"},
        {"input", "INPUT"},             {"output", "OUTPUT"},
        {"cache_read", "CACHE READ"},   {"cache_write_5m", "WRITE 5M"},
        {"cache_write_1h", "WRITE 1H"}, {"created", "SINCE"}};
    struct mg_edit_price_row *rows;
    struct mg_sheet t;
    size_t count;
    const char *model = ctl->operands > 0 ? ctl->operand[0] : NULL;
    if (mg_edit_price_list(ctl->db, model, ctl->pool, &rows, &count, &ctl->err) != 0)
        return -1;
    mg_sheet_init(&t, ctl, columns, 8);
    for (size_t i = 0; i < count; i++) {
        mg_sheet_int(&t, (int64_t)rows[i].price.version);
        mg_sheet_text(&t, rows[i].model);
        add_prices(&t, &rows[i].price);
        mg_sheet_time(&t, rows[i].created_ms);
    }
    return mg_sheet_print(&t);
}

static int
alias_set(struct mg_ctl *ctl)
{
    if (mg_edit_alias_set(ctl->db, ctl->operand[0], ctl->operand[1], &ctl->err) != 0)
        return -1;
    mg_ctl_say(ctl, "%s means %s", ctl->operand[0], ctl->operand[1]);
    return 0;
}

static int
alias_list(struct mg_ctl *ctl)
{
    static const struct mg_column columns[] = {
        {"alias", "ALIAS"}, {"model", "MODEL"}, {"upstream", "UPSTREAM"}, {"created", "CREATED"}};
    struct mg_sheet t;
    struct mg_snapshot *s = mg_snapshot_load(ctl->db, NULL, 0, &ctl->err);
    if (s == NULL)
        return -1;
    mg_sheet_init(&t, ctl, columns, 4);
    for (size_t i = 0; i < s->catalogue.alias_count; i++) {
        const struct mg_alias *a = &s->catalogue.aliases[i];
        mg_sheet_text(&t, a->id);
        mg_sheet_text(&t, a->model->id);
        mg_sheet_text(&t, a->model->upstream->name);
        mg_sheet_time(&t, a->created_ms);
    }
    mg_sheet_print(&t);
    mg_snapshot_unref(s);
    return 0;
}

static int
alias_remove(struct mg_ctl *ctl)
{
    if (mg_edit_alias_remove(ctl->db, ctl->operand[0], &ctl->err) != 0)
        return -1;
    mg_ctl_say(ctl, "alias %s is removed", ctl->operand[0]);
    return 0;
}

const struct mg_command mg_model_commands[] = {
    {"model", "add", "MODEL", 1, 1, MG_NEEDS_DB, model_add, NULL, add_options,
     "offer a model",
     "MODEL is the id that clients write.\n" PRICE_HELP "\n\n" FACT_HELP},
    {"model", "set", "MODEL", 1, 1, MG_NEEDS_DB, model_set, NULL, set_options,
     "change a model; what is not named stays",
     "Prices are changed with `mgctl price set`. An empty text ('') takes a statement back,\n"
     "for capabilities the word any.\n\n" FACT_HELP},
    {"model", "list", "", 0, 0, MG_NEEDS_DB, model_list, NULL, NULL, "list the models", NULL},
    {"model", "remove", "MODEL", 1, 1, MG_NEEDS_DB, model_remove, NULL, NULL,
     "offer a model no more; its prices stay for old bills", NULL},
    {"alias", "set", "ALIAS MODEL", 2, 2, MG_NEEDS_DB, alias_set, NULL, NULL,
     "let a model id mean another model from now on",
     "Requests that are running keep the model they began with."},
    {"alias", "list", "", 0, 0, MG_NEEDS_DB, alias_list, NULL, NULL, "list the aliases", NULL},
    {"alias", "remove", "ALIAS", 1, 1, MG_NEEDS_DB, alias_remove, NULL, NULL, "remove an alias",
     NULL},
    {"price", "set", "MODEL", 1, 1, MG_NEEDS_DB, price_set, NULL, price_options,
     "give a model a new price",
     PRICE_HELP "\nA price is stated whole. Running requests keep the old one; old bills name\n"
                "the version they were made with."},
    {"price", "list", "[MODEL]", 0, 1, MG_NEEDS_DB, price_list, NULL, NULL,
     "list the prices of today and before, newest first", NULL},
    {0},
};
