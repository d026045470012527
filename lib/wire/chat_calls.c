#include "wire/chat_calls.h"

#include "base/alloc.h"
#include "json/parse.h"
#include "wire/balance.h"

#include <stdlib.h>
#include <string.h>

#define CALLS_MAX 1024

struct mg_chat_call {
    int64_t index;          /* -1 = the upstream does not number its calls */
    char *id, *name;        /* NULL = not known */
    unsigned number;        /* of its block, once begun */
    bool begun, ended, custom;
    bool blank;             /* its arguments so far are `{}` */
    struct mg_str early;    /* arguments that came before the name */
    struct mg_balance balance;
};

void
mg_chat_calls_free(struct mg_chat_calls *calls)
{
    for (size_t i = 0; i < calls->count; i++) {
        free(calls->call[i].id);
        free(calls->call[i].name);
        mg_str_free(&calls->call[i].early);
    }
    free(calls->call);
    calls->call = NULL;
    calls->count = calls->room = 0;
}

static struct mg_chat_call *
add(struct mg_chat_calls *calls, int64_t index, const char *id)
{
    if (calls->count >= CALLS_MAX)
        return NULL;
    if (calls->count == calls->room) {
        calls->room = calls->room ? calls->room * 2 : 4;
        calls->call = mg_realloc(calls->call, calls->room * sizeof(*calls->call));
    }
    struct mg_chat_call *c = &calls->call[calls->count++];
    *c = (struct mg_chat_call){.index = index, .id = id ? mg_strdup(id) : NULL};
    mg_str_init(&c->early, (size_t)32 << 20);
    return c;
}

static bool
is_whole(const struct mg_chat_call *c)
{
    return c->blank || mg_balance_whole(&c->balance);
}

/* A piece goes on with this call, unless it names another function, or one where a whole call is
 * already: then the upstream gives all its calls the same index. Another id begins another call,
 * but some upstreams make a new id for every piece: those that have no name, or come in the
 * middle of arguments. */
static bool
goes_on(const struct mg_chat_call *c, const char *id, const char *name)
{
    bool other_id = id != NULL && c->id != NULL && strcmp(id, c->id) != 0;
    if (id != NULL && c->id != NULL && !other_id)
        return true;
    if (name == NULL)
        return !other_id || !is_whole(c);
    if (c->name == NULL)
        return !other_id;
    if (strcmp(name, c->name) != 0)
        return false;
    return other_id ? mg_balance_torn(&c->balance) : !is_whole(c);
}

static struct mg_chat_call *
find(struct mg_chat_calls *calls, int64_t index, const char *id, const char *name)
{
    for (size_t i = calls->count; i-- > 0;) {
        struct mg_chat_call *c = &calls->call[i];
        if (index >= 0 ? c->index != index : id != NULL && c->id && strcmp(id, c->id) != 0)
            continue;
        return goes_on(c, id, name) ? c : NULL;
    }
    return NULL;
}

static const char *
nonempty(const char *text)
{
    return text != NULL && *text != '\0' ? text : NULL;
}

static void
begin(struct mg_chat_calls *calls, const struct mg_decoder *d, struct mg_chat_call *c,
      const char *name)
{
    c->begun = true;
    c->name = mg_strdup(name);
    c->number = (*calls->blocks)++;
    struct mg_event event = {.kind = MG_EVENT_BEGIN, .number = c->number,
                             .part = MG_PART_TOOL, .custom = c->custom,
                             .id = mg_span_z(c->id ? c->id : ""), .name = mg_span_z(name)};
    mg_sink_put(d->sink, &event);
    if (c->early.len > 0)
        mg_decoder_say(d, MG_EVENT_DELTA, c->number, mg_str_span(&c->early));
}

static bool
is_blank(struct mg_span text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (strchr(" \t\r\n", text.p[i]) == NULL || text.p[i] == '\0')
            return false;
    }
    return true;
}

/* `{}` at the beginning waits for the end: some upstreams send the arguments behind it. */
static void
arguments(const struct mg_decoder *d, struct mg_chat_call *c, struct mg_span text)
{
    bool first = !c->custom && !c->balance.begun && !c->balance.odd;
    if (text.n == 0 || c->ended || (first && is_blank(text)))
        return;
    if (first && mg_span_is(text, "{}")) {
        c->blank = true;
        return;
    }
    c->blank = false;
    mg_balance_feed(&c->balance, text);
    if (c->begun)
        mg_decoder_say(d, MG_EVENT_DELTA, c->number, text);
    else
        mg_str_addspan(&c->early, text);
}

int
mg_chat_calls_take(struct mg_chat_calls *calls, const struct mg_decoder *d,
                   struct json_object *piece, bool alone)
{
    struct json_object *custom = mg_json_get(piece, "custom");
    struct json_object *body = custom ? custom : mg_json_get(piece, "function");
    const char *id = nonempty(mg_json_text(piece, "id"));
    const char *name = nonempty(mg_json_text(body, "name"));
    int64_t index = mg_json_int(piece, "index", -1);
    struct mg_chat_call *c = alone ? NULL : find(calls, index, id, name);
    if (c == NULL) {
        (void)mg_chat_calls_end(calls, d, false);
        c = add(calls, index, id);
    }
    if (c == NULL)
        return -1;
    if (c->id == NULL && id != NULL && !c->begun)
        c->id = mg_strdup(id);
    c->custom |= custom != NULL;
    if (!c->begun && name != NULL)
        begin(calls, d, c, name);
    arguments(d, c, mg_json_arguments(mg_json_get(body, custom ? "input" : "arguments")));
    return 0;
}

int
mg_chat_calls_end(struct mg_chat_calls *calls, const struct mg_decoder *d, bool all)
{
    int rc = 0;
    for (size_t i = 0; i < calls->count; i++) {
        struct mg_chat_call *c = &calls->call[i];
        if (!c->begun && c->early.len > 0)
            rc = all ? -1 : rc;
        if (c->ended || !c->begun || !(all || is_whole(c)))
            continue;
        c->ended = true;
        if (c->blank)
            mg_decoder_say(d, MG_EVENT_DELTA, c->number, mg_span_z("{}"));
        mg_decoder_say(d, MG_EVENT_END, c->number, (struct mg_span){NULL, 0});
    }
    return rc;
}

bool
mg_chat_calls_whole(const struct mg_chat_calls *calls)
{
    for (size_t i = 0; i < calls->count; i++) {
        const struct mg_chat_call *c = &calls->call[i];
        if (!c->begun && c->early.len > 0)
            return false;
        if (!c->custom && c->balance.begun && !mg_balance_whole(&c->balance))
            return false;
    }
    return true;
}
