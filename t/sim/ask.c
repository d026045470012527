#include "ask.h"

#include "tokens.h"

#include <string.h>

void sim_ask_user_text(struct sim_ask *ask, const char *text)
{
    const char *at = text;
    const char *last = NULL;

    if (!text || !*text) {
        return;
    }
    ask->user_text = text;
    while ((at = strstr(at, "[[sim")) != NULL) {
        last = strstr(at, "]]") ? at : last;
        at += 5;
    }
    if (last) {
        ask->cmd_text = last;
        ask->results = 0;
        ask->last_result = NULL;
    }
}

static const char *joined_parts(struct sim_ask *ask, struct json_object *parts,
                                struct sim_pool *pool)
{
    const char *all = NULL;
    size_t i;

    for (i = 0; i < sim_js_len(parts); i++) {
        struct json_object *part = sim_js_at(parts, i);
        const char *text = sim_js_str(part, "text");

        if (sim_js_is(part, "type", "image") || sim_js_is(part, "type", "input_image")) {
            ask->images++;
        }
        if (text) {
            all = all ? sim_pool_fmt(pool, "%s\n%s", all, text) : text;
        }
    }
    return all ? all : "";
}

void sim_ask_result(struct sim_ask *ask, struct json_object *content, struct sim_pool *pool)
{
    ask->results++;
    if (json_object_is_type(content, json_type_string)) {
        ask->last_result = json_object_get_string(content);
    } else {
        ask->last_result = joined_parts(ask, content, pool);
    }
}

struct sim_tool *sim_ask_add_tool(struct sim_ask *ask, struct sim_pool *pool)
{
    /* Doubled whenever the count is a power of two; the pool keeps the old array till the end. */
    if ((ask->tools & (ask->tools - 1)) == 0) {
        size_t cap = ask->tools ? ask->tools * 2 : 1;
        struct sim_tool *bigger = sim_pool_alloc(pool, cap * sizeof *bigger);

        if (ask->tools) {
            memcpy(bigger, ask->tool, ask->tools * sizeof *bigger);
        }
        ask->tool = bigger;
    }
    return &ask->tool[ask->tools++];
}

const struct sim_tool *sim_ask_tool(const struct sim_ask *ask, const char *name)
{
    size_t i;

    for (i = 0; name && i < ask->tools; i++) {
        if (ask->tool[i].name && strcmp(ask->tool[i].name, name) == 0) {
            return &ask->tool[i];
        }
    }
    return NULL;
}

void sim_ask_stops(struct sim_ask *ask, struct json_object *v, struct sim_pool *pool)
{
    size_t n = json_object_is_type(v, json_type_string) ? 1 : sim_js_len(v);
    size_t i;

    ask->stop = sim_pool_alloc(pool, (n + 1) * sizeof *ask->stop);
    for (i = 0; i < n; i++) {
        struct json_object *s = json_object_is_type(v, json_type_string) ? v : sim_js_at(v, i);

        if (json_object_is_type(s, json_type_string) && json_object_get_string_len(s)) {
            ask->stop[ask->stops++] = json_object_get_string(s);
        }
    }
}

void sim_ask_read(struct sim_ask *ask, enum sim_family family, struct json_object *body,
                  struct sim_pool *pool)
{
    static void (*const readers[SIM_FAMILIES])(struct sim_ask *, struct sim_pool *) = {
        [SIM_CHAT] = sim_ask_chat,
        [SIM_RESPONSES] = sim_ask_responses,
        [SIM_COMPLETIONS] = sim_ask_completions,
        [SIM_MESSAGES] = sim_ask_messages,
    };
    struct json_object *options = sim_js_get(body, "stream_options");

    memset(ask, 0, sizeof *ask);
    ask->family = family;
    ask->body = body;
    ask->model = sim_js_str(body, "model");
    ask->stream = sim_js_bool(body, "stream", false);
    ask->include_usage = sim_js_bool(options, "include_usage", false);
    ask->user_text = "";
    ask->max_tokens = -1;
    ask->logprobs = -1;
    ask->n = sim_js_int(body, "n", 1);
    readers[family](ask, pool);
    ask->input_tokens = sim_tokens_input(body);
}
