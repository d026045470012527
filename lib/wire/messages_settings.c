/* The neutral form into Messages requests: settings, and the frame around the conversation. */
#include "wire/effort.h"
#include "wire/messages_body.h"
#include "wire/names.h"
#include "wire/requests.h"
#include "wire/schema.h"
#include "wire/settings.h"
#include "wire/tools.h"

#include <stdlib.h>
#include <string.h>

#define LIMIT_IF_UNKNOWN 4096
#define USER_ID_MAX 256

/* How the client's wish for JSON is told. */
enum json_way {
    WAY_NONE,
    WAY_FORMAT, /* output_config.format */
    WAY_TOOL,   /* a forced tool whose arguments are the answer */
    WAY_WORDS   /* a system text: with tools or thinking, a forced tool would end both */
};

struct plan {
    enum json_way way;
    struct mg_span schema;
    struct mg_thinking_plan thinking;
    int64_t limit;
};

static bool
wants_thinking(const struct mg_thought *thought)
{
    return thought->mode == MG_THINKING_ON || thought->mode == MG_THINKING_ADAPTIVE ||
           thought->effort > MG_EFFORT_NONE;
}

static enum json_way
choose_way(struct mg_crossing *x, struct mg_span *schema)
{
    const struct mg_turn *turn = x->turn;
    *schema = turn->format.schema;
    if (turn->format.kind == MG_FORMAT_NONE)
        return WAY_NONE;
    if (turn->format.kind == MG_FORMAT_SCHEMA && x->in->to.structured &&
        (x->in->client == MG_MESSAGES || mg_schema_adapt(x->pool, schema)))
        return WAY_FORMAT;
    if (turn->tools != NULL || (x->in->to.reasoning && wants_thinking(&turn->thought)) ||
        !x->in->to.tools)
        return WAY_WORDS;
    if (turn->format.kind == MG_FORMAT_OBJECT) {
        *schema = mg_span_z("{\"type\":\"object\",\"additionalProperties\":true}");
        return WAY_TOOL;
    }
    struct mg_node *type = mg_node_get(mg_node_new(x->pool, *schema), "type");
    return mg_node_says(type, "object") ? WAY_TOOL : WAY_WORDS;
}

static struct mg_span
words_of(struct mg_crossing *x, const struct plan *plan)
{
    struct mg_str text;
    if (plan->way != WAY_WORDS)
        return (struct mg_span){"", 0};
    mg_str_init(&text, plan->schema.n + 256);
    mg_str_addz(&text, x->turn->format.kind == MG_FORMAT_OBJECT
                           ? "Answer with one JSON object and nothing else: no explanation, no "
                             "code fence."
                           : "Answer with one JSON value and nothing else: no explanation, no "
                             "code fence. It must be valid against this JSON schema:\n");
    if (x->turn->format.kind == MG_FORMAT_SCHEMA)
        mg_str_addspan(&text, x->turn->format.schema);
    struct mg_span kept = {mg_pool_strndup(x->pool, text.p, text.len), text.len};
    mg_str_free(&text);
    return kept;
}

static void
write_json_tool(struct mg_crossing *x, struct mg_jw *w, const struct plan *plan)
{
    const char *name = mg_names_own(x->names, "json");
    x->left->json = MG_JSON_TOOL;
    x->left->json_tool = name;
    mg_jw_array(w, "tools");
    mg_jw_object(w, NULL);
    mg_jw_string(w, "name", name);
    mg_jw_string(w, "description", "Gives the answer. Call it once, with the whole answer as its "
                                   "input.");
    mg_jw_raw(w, "input_schema", plan->schema);
    mg_jw_end(w);
    mg_jw_end(w);
    mg_jw_object(w, "tool_choice");
    mg_jw_string(w, "type", "tool");
    mg_jw_string(w, "name", name);
    mg_jw_bool(w, "disable_parallel_tool_use", true);
    mg_jw_end(w);
}

static void
write_thinking(struct mg_crossing *x, struct mg_jw *w, const struct plan *plan)
{
    const struct mg_thinking_plan *t = &plan->thinking;
    if (t->mode == MG_THINKING_UNSET) {
        if (wants_thinking(&x->turn->thought) && t->effort == MG_EFFORT_UNSET)
            mg_dropz(x, "reasoning");
        return;
    }
    mg_jw_object(w, "thinking");
    mg_jw_string(w, "type", t->mode == MG_THINKING_OFF  ? "disabled"
                            : t->mode == MG_THINKING_ON ? "enabled"
                                                        : "adaptive");
    if (t->mode == MG_THINKING_ON)
        mg_jw_int(w, "budget_tokens", t->budget);
    if (x->turn->thought.hidden)
        mg_jw_string(w, "display", "omitted");
    else if (t->mode == MG_THINKING_ADAPTIVE && x->turn->thought.summary.n > 0)
        mg_jw_string(w, "display", "summarized");
    mg_jw_end(w);
}

static void
write_output(struct mg_jw *w, const struct plan *plan)
{
    if (plan->thinking.effort == MG_EFFORT_UNSET && plan->way != WAY_FORMAT)
        return;
    mg_jw_object(w, "output_config");
    if (plan->thinking.effort != MG_EFFORT_UNSET)
        mg_jw_string(w, "effort", mg_effort_word(plan->thinking.effort));
    if (plan->way == WAY_FORMAT) {
        mg_jw_object(w, "format");
        mg_jw_string(w, "type", "json_schema");
        mg_jw_raw(w, "schema", plan->schema);
        mg_jw_end(w);
    }
    mg_jw_end(w);
}

static bool
above_one(struct mg_span number)
{
    char text[32];
    size_t n = number.n < sizeof(text) - 1 ? number.n : sizeof(text) - 1;
    memcpy(text, number.p, n);
    text[n] = '\0';
    return strtod(text, NULL) > 1.0;
}

/* Messages takes temperature up to 1, not beside top_p, and neither beside thinking. */
static void
write_sampling(struct mg_crossing *x, struct mg_jw *w, const struct plan *plan)
{
    const struct mg_turn *turn = x->turn;
    bool thinks = plan->thinking.mode == MG_THINKING_ON ||
                  plan->thinking.mode == MG_THINKING_ADAPTIVE;
    bool takes = x->in->client == MG_MESSAGES || (x->in->to.sampling && !thinks);
    if (turn->temperature.n > 0) {
        if (takes)
            mg_jw_raw(w, "temperature", above_one(turn->temperature) ? mg_span_z("1")
                                                                     : turn->temperature);
        else
            mg_dropz(x, "temperature");
    }
    if (turn->top_p.n > 0) {
        if (takes && (turn->temperature.n == 0 || x->in->client == MG_MESSAGES))
            mg_jw_raw(w, "top_p", turn->top_p);
        else
            mg_dropz(x, "top_p");
    }
    if (turn->top_k.n > 0) {
        if (takes)
            mg_jw_raw(w, "top_k", turn->top_k);
        else
            mg_dropz(x, "top_k");
    }
}

static int
check(struct mg_crossing *x)
{
    const struct mg_turn *turn = x->turn;
    if (turn->n > 1)
        return mg_refuse(x, "n", "this model gives one answer a request");
    if (turn->logprobs)
        return mg_refuse(x, x->in->client == MG_RESPONSES ? "include" : "logprobs",
                         "this model gives no log probabilities");
    for (size_t i = 0; i < turn->stop_count; i++) {
        if (mg_span_blank(turn->stops[i]) && x->in->client != MG_MESSAGES)
            return mg_refuse(x, "stop", "a stop sequence of white space alone is not taken by "
                                        "this model");
    }
    if (turn->verbosity.n > 0)
        mg_dropz(x, "verbosity");
    return 0;
}

static void
write_caller(struct mg_crossing *x, struct mg_jw *w)
{
    const struct mg_turn *turn = x->turn;
    struct mg_span who = turn->safety.n > 0 ? turn->safety : turn->user;
    if (who.n > 0) {
        if (x->in->client != MG_MESSAGES)
            who = mg_settings_short(x, who, USER_ID_MAX);
        mg_jw_object(w, "metadata");
        mg_jw_bytes(w, "user_id", who.p, who.n);
        mg_jw_end(w);
    }
    if (turn->tier.n > 0) {
        bool standard = mg_span_is(turn->tier, "default") || mg_span_is(turn->tier, "flex") ||
                        mg_span_is(turn->tier, "standard_only");
        mg_jw_string(w, "service_tier", standard ? "standard_only" : "auto");
    }
}

static int
write_body(struct mg_crossing *x, struct mg_jw *w, const struct plan *plan)
{
    mg_jw_object(w, NULL);
    mg_jw_string(w, "model", x->in->to.model);
    mg_jw_int(w, "max_tokens", plan->limit);
    const struct mg_message *first = mg_messages_body_system(x, w, words_of(x, plan));
    if (mg_messages_body_talk(x, w, first) != 0)
        return -1;
    if (plan->way == WAY_TOOL)
        write_json_tool(x, w, plan);
    else if (mg_tools_write_messages(x, w) != 0)
        return -1;
    write_thinking(x, w, plan);
    write_output(w, plan);
    write_sampling(x, w, plan);
    if (x->turn->stop_count > 0) {
        mg_jw_array(w, "stop_sequences");
        for (size_t i = 0; i < x->turn->stop_count; i++)
            mg_jw_bytes(w, NULL, x->turn->stops[i].p, x->turn->stops[i].n);
        mg_jw_end(w);
    }
    write_caller(x, w);
    mg_settings_write_carried(x, w);
    if (x->in->stream)
        mg_jw_bool(w, "stream", true);
    mg_jw_end(w);
    return 0;
}

int
mg_messages_request_write(struct mg_crossing *x, struct mg_jw *w)
{
    struct plan plan;
    const struct mg_destination *to = &x->in->to;
    if (check(x) != 0)
        return -1;
    plan.way = choose_way(x, &plan.schema);
    plan.limit = mg_settings_told_limit(x, to->default_max_output > 0 ? to->default_max_output
                                           : to->max_output > 0       ? to->max_output
                                                                      : LIMIT_IF_UNKNOWN, 1);
    plan.thinking = mg_effort_plan(x, plan.limit, mg_tools_forced(x) || plan.way == WAY_TOOL);
    return write_body(x, w, &plan);
}
