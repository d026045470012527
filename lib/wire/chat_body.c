/* The neutral form into Chat Completions requests. */
#include "wire/effort.h"
#include "wire/media.h"
#include "wire/reasoning.h"
#include "wire/requests.h"
#include "wire/settings.h"
#include "wire/tools.h"

#include <string.h>

#define CALL_ID_PLACE "tool_call_id"

/* All words of the blocks in one string. Pieces of one message of the model belong together;
 * otherwise `between` stands between them. */
static void
write_joined(struct mg_crossing *x, struct mg_jw *w, const struct mg_block *first, bool model,
             const char *prefix, const char *between)
{
    bool any = false;
    mg_jw_string_begin(w, "content");
    mg_jw_string_part(w, prefix, strlen(prefix));
    for (const struct mg_block *b = first; b != NULL; b = b->next) {
        if (!mg_block_has_words(b))
            continue;
        struct mg_span text = mg_block_words(x->pool, b);
        if (any && (!model || b->opens))
            mg_jw_string_part(w, between, strlen(between));
        mg_jw_string_part(w, text.p, text.n);
        any = true;
    }
    mg_jw_string_end(w);
}

static void
write_text_part(struct mg_crossing *x, struct mg_jw *w, const struct mg_block *b)
{
    struct mg_span text = mg_block_words(x->pool, b);
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", "text");
    mg_jw_bytes(w, "text", text.p, text.n);
    if (b->breakpoint.n > 0)
        mg_jw_raw(w, "prompt_cache_breakpoint", b->breakpoint);
    if (b->cache.n > 0 && x->in->client == MG_CHAT)
        mg_jw_raw(w, "cache_control", b->cache);
    mg_jw_end(w);
}

static void
write_parts(struct mg_crossing *x, struct mg_jw *w, const struct mg_block *first)
{
    mg_jw_array(w, "content");
    for (const struct mg_block *b = first; b != NULL; b = b->next) {
        if (mg_block_has_words(b))
            write_text_part(x, w, b);
        else if (b->type == MG_BLOCK_IMAGE || b->type == MG_BLOCK_FILE)
            mg_media_chat(w, b);
    }
    mg_jw_end(w);
}

static void
write_user(struct mg_crossing *x, struct mg_jw *w, const struct mg_message *m)
{
    bool single = m->first == m->last && m->first->breakpoint.n == 0 &&
                  mg_block_has_words(m->first);
    mg_jw_object(w, NULL);
    mg_jw_string(w, "role", "user");
    if (single)
        write_joined(x, w, m->first, false, "", "");
    else
        write_parts(x, w, m->first);
    mg_jw_end(w);
}

static void
write_system(struct mg_crossing *x, struct mg_jw *w, const struct mg_message *m)
{
    bool marked = false;
    for (const struct mg_block *b = m->first; b != NULL; b = b->next)
        marked |= b->breakpoint.n > 0;
    mg_jw_object(w, NULL);
    mg_jw_string(w, "role", "system");
    if (marked)
        write_parts(x, w, m->first);
    else
        write_joined(x, w, m->first, false, "", "\n\n");
    mg_jw_end(w);
}

/* The arguments as a JSON string; a custom tool that is known as such keeps its bare text. */
static void
write_call(struct mg_crossing *x, struct mg_jw *w, const struct mg_block *b)
{
    const struct mg_translated_tool *tool = mg_tools_of_call(x, &b->call);
    bool custom = b->call.custom && !tool->wrapped;
    mg_jw_object(w, NULL);
    mg_jw_string(w, "id", b->call.up_id);
    mg_jw_string(w, "type", custom ? "custom" : "function");
    mg_jw_object(w, custom ? "custom" : "function");
    mg_jw_string(w, "name", tool->upstream);
    if (custom) {
        mg_jw_bytes(w, "input", b->call.arguments.p, b->call.arguments.n);
    } else {
        struct mg_span arguments = mg_tools_arguments(x, &b->call);
        mg_jw_bytes(w, "arguments", arguments.p, arguments.n);
    }
    mg_jw_end(w);
    mg_jw_end(w);
}

static void
write_reasoning(struct mg_jw *w, const struct mg_message *m)
{
    bool any = false;
    for (const struct mg_block *b = m->first; b != NULL; b = b->next) {
        if (b->type != MG_BLOCK_REASONING)
            continue;
        if (!any)
            mg_jw_string_begin(w, "reasoning_content");
        any = true;
        mg_jw_string_part(w, b->reasoning.text.p, b->reasoning.text.n);
    }
    if (any)
        mg_jw_string_end(w);
}

static void
write_assistant(struct mg_crossing *x, struct mg_jw *w, const struct mg_message *m)
{
    bool text = false, calls = false;
    for (const struct mg_block *b = m->first; b != NULL; b = b->next) {
        text |= mg_block_has_words(b) && b->text.n > 0;
        calls |= b->type == MG_BLOCK_CALL;
    }
    if (!text && !calls)
        return;
    mg_jw_object(w, NULL);
    mg_jw_string(w, "role", "assistant");
    if (text)
        write_joined(x, w, m->first, true, "", "\n\n");
    else
        mg_jw_null(w, "content");
    write_reasoning(w, m);
    if (calls) {
        mg_jw_array(w, "tool_calls");
        for (const struct mg_block *b = m->first; b != NULL; b = b->next) {
            if (b->type == MG_BLOCK_CALL)
                write_call(x, w, b);
        }
        mg_jw_end(w);
    }
    mg_jw_end(w);
}

static bool
is_media(const struct mg_block *b)
{
    return b->type == MG_BLOCK_IMAGE || (b->type == MG_BLOCK_FILE && !mg_block_has_words(b));
}

static bool
result_media(const struct mg_block *result)
{
    for (const struct mg_block *b = result->call.content; b != NULL; b = b->next) {
        if (is_media(b))
            return true;
    }
    return false;
}

/* A tool message holds text only. */
static void
write_result(struct mg_crossing *x, struct mg_jw *w, const struct mg_block *result)
{
    const char *prefix = result->call.error ? "Error: " : "";
    bool text = false;
    for (const struct mg_block *b = result->call.content; b != NULL; b = b->next)
        text |= mg_block_has_words(b);
    if (!text && result_media(result))
        prefix = result->call.error ? "Error: see the next message." : "See the next message.";
    mg_jw_object(w, NULL);
    mg_jw_string(w, "role", "tool");
    mg_jw_string(w, CALL_ID_PLACE, result->call.up_id);
    write_joined(x, w, result->call.content, false, prefix, "\n");
    mg_jw_end(w);
}

/* Images and documents of tool results, in one user message behind all of the turn's results. */
static void
write_lifted(struct mg_crossing *x, struct mg_jw *w, const struct mg_message *m)
{
    bool any = false;
    for (const struct mg_block *result = m->first; result != NULL; result = result->next) {
        if (!result_media(result))
            continue;
        if (!any) {
            mg_jw_object(w, NULL);
            mg_jw_string(w, "role", "user");
            mg_jw_array(w, "content");
        }
        any = true;
        mg_jw_object(w, NULL);
        mg_jw_string(w, "type", "text");
        mg_jw_string(w, "text", mg_pool_printf(x->pool, "Output of the tool call %s:",
                                               result->call.up_id));
        mg_jw_end(w);
        for (const struct mg_block *b = result->call.content; b != NULL; b = b->next) {
            if (is_media(b))
                mg_media_chat(w, b);
        }
    }
    if (any) {
        mg_jw_end(w);
        mg_jw_end(w);
    }
}

static void
write_messages(struct mg_crossing *x, struct mg_jw *w)
{
    mg_jw_array(w, "messages");
    for (const struct mg_message *m = x->turn->first; m != NULL; m = m->next) {
        if (m->first == NULL)
            continue;
        if (m->role == MG_ROLE_USER) {
            write_user(x, w, m);
        } else if (m->role == MG_ROLE_SYSTEM) {
            write_system(x, w, m);
        } else if (m->role == MG_ROLE_ASSISTANT) {
            write_assistant(x, w, m);
        } else {
            for (const struct mg_block *b = m->first; b != NULL; b = b->next)
                write_result(x, w, b);
            write_lifted(x, w, m);
        }
    }
    mg_jw_end(w);
}

static void
write_format(struct mg_crossing *x, struct mg_jw *w)
{
    const struct mg_format *f = &x->turn->format;
    if (f->kind == MG_FORMAT_NONE)
        return;
    mg_jw_object(w, "response_format");
    mg_jw_string(w, "type", f->kind == MG_FORMAT_OBJECT ? "json_object" : "json_schema");
    if (f->kind == MG_FORMAT_SCHEMA) {
        mg_jw_object(w, "json_schema");
        if (f->name.n > 0)
            mg_jw_bytes(w, "name", f->name.p, f->name.n);
        else
            mg_jw_string(w, "name", "response");
        if (f->description.n > 0)
            mg_jw_bytes(w, "description", f->description.p, f->description.n);
        mg_jw_raw(w, "schema", f->schema);
        if (f->strict >= 0)
            mg_jw_bool(w, "strict", f->strict);
        mg_jw_end(w);
    }
    mg_jw_end(w);
}

static void
write_sampling(struct mg_crossing *x, struct mg_jw *w)
{
    const struct mg_turn *turn = x->turn;
    bool wanted = turn->temperature.n > 0 || turn->top_p.n > 0;
    if (wanted && !x->in->to.sampling) {
        if (turn->temperature.n > 0)
            mg_dropz(x, "temperature");
        if (turn->top_p.n > 0)
            mg_dropz(x, "top_p");
    } else {
        if (turn->temperature.n > 0)
            mg_jw_raw(w, "temperature", turn->temperature);
        if (turn->top_p.n > 0)
            mg_jw_raw(w, "top_p", turn->top_p);
    }
    if (turn->top_k.n > 0)
        mg_dropz(x, "top_k");
}

static void
write_limits(struct mg_crossing *x, struct mg_jw *w)
{
    const struct mg_turn *turn = x->turn;
    int64_t limit = mg_settings_told_limit(x, -1, 1);
    if (limit >= 0)
        mg_jw_int(w, x->in->to.reasoning ? "max_completion_tokens" : "max_tokens", limit);
    if (turn->n > 1)
        mg_jw_int(w, "n", turn->n);
    if (turn->stop_count > 0) {
        mg_jw_array(w, "stop");
        for (size_t i = 0; i < turn->stop_count; i++)
            mg_jw_bytes(w, NULL, turn->stops[i].p, turn->stops[i].n);
        mg_jw_end(w);
    }
    if (turn->logprobs) {
        mg_jw_bool(w, "logprobs", true);
        if (turn->top_logprobs >= 0)
            mg_jw_int(w, "top_logprobs", turn->top_logprobs);
    }
}

int
mg_chat_request_write(struct mg_crossing *x, struct mg_jw *w)
{
    const struct mg_turn *turn = x->turn;
    if (turn->stop_count > 4)
        return mg_refuse(x, x->in->client == MG_MESSAGES ? "stop_sequences" : "stop",
                         "this model takes at most 4 stop sequences");
    mg_jw_object(w, NULL);
    mg_jw_string(w, "model", x->in->to.model);
    write_messages(x, w);
    if (mg_tools_write_chat(x, w) != 0)
        return -1;
    write_format(x, w);
    write_sampling(x, w);
    write_limits(x, w);
    enum mg_effort effort = mg_effort_wanted(x);
    if (effort != MG_EFFORT_UNSET)
        mg_jw_string(w, "reasoning_effort", mg_effort_word(effort));
    if (turn->verbosity.n > 0)
        mg_jw_bytes(w, "verbosity", turn->verbosity.p, turn->verbosity.n);
    mg_settings_write_caller(x, w);
    mg_settings_write_carried(x, w);
    if (x->in->stream) {
        mg_jw_bool(w, "stream", true);
        mg_jw_object(w, "stream_options");
        mg_jw_bool(w, "include_usage", true);
        mg_jw_end(w);
    }
    mg_jw_end(w);
    return 0;
}
