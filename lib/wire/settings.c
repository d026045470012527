#include "wire/settings.h"

#include "base/digest.h"
#include "base/id.h"

#include <string.h>

int
mg_settings_sampling(struct mg_crossing *x, struct mg_node *body)
{
    x->turn->temperature = mg_node_raw_at(body, "temperature");
    x->turn->top_p = mg_node_raw_at(body, "top_p");
    x->turn->top_k = mg_node_raw_at(body, "top_k");
    if (x->turn->temperature.n > 0 && x->turn->temperature.p[0] == '-')
        return mg_contradiction(x, "temperature", "it cannot be negative");
    if (x->turn->top_p.n > 0 && x->turn->top_p.p[0] == '-')
        return mg_contradiction(x, "top_p", "it cannot be negative");
    return 0;
}

int
mg_settings_stops(struct mg_crossing *x, struct mg_node *body, const char *member)
{
    struct mg_turn *turn = x->turn;
    struct mg_node *stops = mg_node_get(body, member);
    if (stops == NULL)
        return 0;
    bool list = stops->type == MG_NODE_ARRAY;
    turn->stops = mg_pool_alloc(x->pool, (list ? mg_node_count(stops) : 1) * sizeof(*turn->stops) +
                                             sizeof(*turn->stops));
    if (!list) {
        turn->stops[turn->stop_count++] = mg_node_text(stops);
        return 0;
    }
    for (struct mg_node *n = mg_node_first(stops); n != NULL; n = n->next) {
        const char *at = mg_place(x, "%s[%zu]", member, turn->stop_count);
        if (mg_want(x, at, n, MG_NODE_STRING) != 0)
            return -1;
        turn->stops[turn->stop_count++] = mg_node_text(n);
    }
    return 0;
}

int
mg_settings_limit(struct mg_crossing *x, struct mg_node *body, const char *first,
                  const char *second)
{
    const char *member = mg_node_get(body, first) != NULL ? first : second;
    x->turn->limit = -1;
    x->turn->limit_at = first;
    if (member == NULL || mg_node_get(body, member) == NULL)
        return 0;
    x->turn->limit_at = member;
    x->turn->limit = mg_node_count_at(body, member);
    return x->turn->limit >= 0 ? 0 : mg_contradiction(x, member, "it cannot be negative");
}

void
mg_settings_caller(struct mg_crossing *x, struct mg_node *body)
{
    x->turn->user = mg_node_text_at(body, "user");
    x->turn->safety = mg_node_text_at(body, "safety_identifier");
    x->turn->tier = mg_node_text_at(body, "service_tier");
}

int
mg_settings_schema(struct mg_crossing *x, struct mg_node *object, const char *at)
{
    struct mg_format *format = &x->turn->format;
    struct mg_node *schema = mg_node_get(object, "schema");
    if (schema != NULL && mg_want(x, mg_place(x, "%s.schema", at), schema, MG_NODE_OBJECT) != 0)
        return -1;
    format->kind = MG_FORMAT_SCHEMA;
    format->name = mg_node_text_at(object, "name");
    format->description = mg_node_text_at(object, "description");
    format->schema = schema != NULL ? schema->raw : mg_span_z("{}");
    format->strict = mg_node_flag_at(object, "strict");
    return 0;
}

int64_t
mg_settings_told_limit(struct mg_crossing *x, int64_t otherwise, int64_t least)
{
    int64_t most = x->in->to.max_output, limit = x->turn->limit, cap = x->in->output_cap;
    if (limit < 0)
        limit = otherwise;
    if (cap > 0 && (limit < 0 || limit > cap))
        limit = cap;
    if (most > 0 && limit > most)
        limit = most;
    if (limit >= 0 && limit < least) {
        x->left->limit_raised_from = limit > 0 ? limit : 1;
        limit = least;
    }
    return limit;
}

struct mg_span
mg_settings_short(struct mg_crossing *x, struct mg_span id, size_t max)
{
    uint8_t hash[MG_SHA256_BYTES];
    if (id.n <= max)
        return id;
    mg_sha256(id.p, id.n, hash);
    char *hex = mg_pool_alloc(x->pool, 2 * sizeof(hash) + 1);
    return mg_span_z(mg_hex(hash, sizeof(hash), hex));
}

/* Messages knows two tiers; what has no equal is left to the upstream's default. */
static const char *
told_tier(const struct mg_crossing *x)
{
    if (x->in->client != MG_MESSAGES)
        return NULL;
    return mg_span_is(x->turn->tier, "standard_only") ? "default" : "auto";
}

void
mg_settings_write_caller(struct mg_crossing *x, struct mg_jw *w)
{
    const struct mg_turn *turn = x->turn;
    if (turn->safety.n > 0) {
        struct mg_span told = mg_settings_short(x, turn->safety, 64);
        mg_jw_bytes(w, "safety_identifier", told.p, told.n);
    }
    if (turn->user.n > 0)
        mg_jw_bytes(w, "user", turn->user.p, turn->user.n);
    if (turn->tier.n > 0) {
        const char *tier = told_tier(x);
        if (tier != NULL)
            mg_jw_string(w, "service_tier", tier);
        else
            mg_jw_bytes(w, "service_tier", turn->tier.p, turn->tier.n);
    }
}

void
mg_settings_write_carried(struct mg_crossing *x, struct mg_jw *w)
{
    for (const struct mg_carried *c = x->turn->carried; c != NULL; c = c->next) {
        char name[128];
        if (c->name.n >= sizeof(name) || memchr(c->name.p, '\\', c->name.n) != NULL ||
            memchr(c->name.p, '\0', c->name.n) != NULL)
            continue;
        memcpy(name, c->name.p, c->name.n);
        name[c->name.n] = '\0';
        mg_jw_raw(w, name, c->value);
    }
}
