/* The neutral form into Responses requests. */
#include "wire/effort.h"
#include "wire/media.h"
#include "wire/requests.h"
#include "wire/settings.h"
#include "wire/tools.h"

#include <string.h>

#define LEAST_LIMIT 16 /* max_output_tokens below this is refused */

static void
write_text_part(struct mg_jw *w, struct mg_span text, struct mg_span breakpoint)
{
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", "input_text");
    mg_jw_bytes(w, "text", text.p, text.n);
    if (breakpoint.n > 0)
        mg_jw_raw(w, "prompt_cache_breakpoint", breakpoint);
    mg_jw_end(w);
}

static void
write_parts(struct mg_crossing *x, struct mg_jw *w, const struct mg_block *first)
{
    for (const struct mg_block *b = first; b != NULL; b = b->next) {
        if (mg_block_has_words(b))
            write_text_part(w, mg_block_words(x->pool, b), b->breakpoint);
        else if (b->type == MG_BLOCK_IMAGE || b->type == MG_BLOCK_FILE)
            mg_media_responses(w, b);
    }
}

/* A message of the user or of the system: a string when it is one plain text. */
static void
write_input(struct mg_crossing *x, struct mg_jw *w, const struct mg_message *m)
{
    const struct mg_block *b = m->first;
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", "message");
    mg_jw_string(w, "role", m->role == MG_ROLE_USER ? "user" : "system");
    if (b->next == NULL && mg_block_has_words(b) && b->breakpoint.n == 0) {
        struct mg_span text = mg_block_words(x->pool, b);
        mg_jw_bytes(w, "content", text.p, text.n);
    } else {
        mg_jw_array(w, "content");
        write_parts(x, w, b);
        mg_jw_end(w);
    }
    mg_jw_end(w);
}

/* Texts of the model that belong together, from b on. Returns the block behind them. */
static const struct mg_block *
write_answer(struct mg_crossing *x, struct mg_jw *w, const struct mg_block *b)
{
    const struct mg_block *first = b;
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", "message");
    mg_jw_string(w, "role", "assistant");
    mg_jw_string_begin(w, "content");
    for (; b != NULL && mg_block_has_words(b) && (b == first || !b->opens); b = b->next) {
        struct mg_span text = mg_block_words(x->pool, b);
        mg_jw_string_part(w, text.p, text.n);
    }
    mg_jw_string_end(w);
    mg_jw_end(w);
    return b;
}

static void
write_call(struct mg_crossing *x, struct mg_jw *w, const struct mg_block *b)
{
    const struct mg_translated_tool *tool = mg_tools_of_call(x, &b->call);
    bool custom = b->call.custom && !tool->wrapped;
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", custom ? "custom_tool_call" : "function_call");
    mg_jw_string(w, "call_id", b->call.up_id);
    mg_jw_string(w, "name", tool->upstream);
    if (custom) {
        mg_jw_bytes(w, "input", b->call.arguments.p, b->call.arguments.n);
    } else {
        struct mg_span arguments = mg_tools_arguments(x, &b->call);
        mg_jw_bytes(w, "arguments", arguments.p, arguments.n);
    }
    mg_jw_end(w);
}

/* The item exactly as the upstream made it: its encrypted text is bound to the id. */
static void
write_reasoning(struct mg_jw *w, const struct mg_pack *pack)
{
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", "reasoning");
    if (pack->id.n > 0)
        mg_jw_bytes(w, "id", pack->id.p, pack->id.n);
    bool list = pack->text.n > 1 && pack->text.p[0] == '[';
    mg_jw_raw(w, "summary", list ? pack->text : mg_span_z("[]"));
    if (pack->blob.n > 0)
        mg_jw_bytes(w, "encrypted_content", pack->blob.p, pack->blob.n);
    mg_jw_end(w);
}

/* Reasoning that led to nothing is not taken without what followed it. */
static bool
only_reasoning(const struct mg_message *m)
{
    for (const struct mg_block *b = m->first; b != NULL; b = b->next) {
        if (b->type == MG_BLOCK_CALL || (mg_block_has_words(b) && b->text.n > 0))
            return false;
    }
    return true;
}

static void
write_assistant(struct mg_crossing *x, struct mg_jw *w, const struct mg_message *m)
{
    if (only_reasoning(m) && x->in->client != MG_RESPONSES)
        return;
    for (const struct mg_block *b = m->first; b != NULL;) {
        if (mg_block_has_words(b) && b->text.n > 0) {
            b = write_answer(x, w, b);
            continue;
        }
        if (b->type == MG_BLOCK_CALL)
            write_call(x, w, b);
        else if (b->type == MG_BLOCK_REASONING)
            write_reasoning(w, &b->reasoning);
        b = b->next;
    }
}

static void
write_output(struct mg_crossing *x, struct mg_jw *w, const struct mg_block *result)
{
    bool media = false, any = false;
    for (const struct mg_block *b = result->call.content; b != NULL; b = b->next)
        media |= !mg_block_has_words(b);
    if (media) {
        mg_jw_array(w, "output");
        if (result->call.error)
            write_text_part(w, mg_span_z("Error:"), (struct mg_span){"", 0});
        write_parts(x, w, result->call.content);
        mg_jw_end(w);
        return;
    }
    mg_jw_string_begin(w, "output");
    if (result->call.error)
        mg_jw_string_part(w, "Error: ", 7);
    for (const struct mg_block *b = result->call.content; b != NULL; b = b->next, any = true) {
        struct mg_span text = mg_block_words(x->pool, b);
        if (any)
            mg_jw_string_part(w, "\n", 1);
        mg_jw_string_part(w, text.p, text.n);
    }
    mg_jw_string_end(w);
}

static void
write_result(struct mg_crossing *x, struct mg_jw *w, const struct mg_block *result)
{
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", result->call.custom ? "custom_tool_call_output"
                                                : "function_call_output");
    mg_jw_string(w, "call_id", result->call.up_id);
    write_output(x, w, result);
    mg_jw_end(w);
}

/* The system text that the client's format keeps apart from the conversation. */
static const struct mg_message *
write_instructions(struct mg_crossing *x, struct mg_jw *w)
{
    const struct mg_message *m = x->turn->first;
    if (m == NULL || m->role != MG_ROLE_SYSTEM ||
        (strcmp(m->at, "system") != 0 && strcmp(m->at, "instructions") != 0))
        return m;
    mg_jw_string_begin(w, "instructions");
    for (const struct mg_block *b = m->first; b != NULL; b = b->next) {
        mg_jw_string_part(w, b->text.p, b->text.n);
        if (b->next != NULL)
            mg_jw_string_part(w, "\n\n", 2);
    }
    mg_jw_string_end(w);
    return m->next;
}

static void
write_items(struct mg_crossing *x, struct mg_jw *w)
{
    const struct mg_message *m = write_instructions(x, w);
    mg_jw_array(w, "input");
    for (; m != NULL; m = m->next) {
        if (m->first == NULL)
            continue;
        if (m->role == MG_ROLE_ASSISTANT) {
            write_assistant(x, w, m);
        } else if (m->role == MG_ROLE_TOOL) {
            for (const struct mg_block *b = m->first; b != NULL; b = b->next)
                write_result(x, w, b);
        } else {
            write_input(x, w, m);
        }
    }
    mg_jw_end(w);
}

static void
write_text(struct mg_crossing *x, struct mg_jw *w)
{
    const struct mg_format *f = &x->turn->format;
    if (f->kind == MG_FORMAT_NONE && x->turn->verbosity.n == 0)
        return;
    mg_jw_object(w, "text");
    if (f->kind != MG_FORMAT_NONE) {
        mg_jw_object(w, "format");
        mg_jw_string(w, "type", f->kind == MG_FORMAT_OBJECT ? "json_object" : "json_schema");
        if (f->kind == MG_FORMAT_SCHEMA) {
            if (f->name.n > 0)
                mg_jw_bytes(w, "name", f->name.p, f->name.n);
            else
                mg_jw_string(w, "name", "response");
            if (f->description.n > 0)
                mg_jw_bytes(w, "description", f->description.p, f->description.n);
            mg_jw_raw(w, "schema", f->schema);
            if (f->strict >= 0 || x->in->client != MG_RESPONSES)
                mg_jw_bool(w, "strict", f->strict == 1);
        }
        mg_jw_end(w);
    }
    if (x->turn->verbosity.n > 0)
        mg_jw_bytes(w, "verbosity", x->turn->verbosity.p, x->turn->verbosity.n);
    mg_jw_end(w);
}

/* Effort, a summary for clients that show thinking, and proofs, so that the next turn can give
 * the reasoning back. */
static void
write_thinking(struct mg_crossing *x, struct mg_jw *w)
{
    const struct mg_thought *thought = &x->turn->thought;
    enum mg_effort effort = mg_effort_wanted(x);
    struct mg_span summary = thought->summary;
    if (x->in->to.reasoning && !thought->hidden &&
        (thought->mode == MG_THINKING_ON || thought->mode == MG_THINKING_ADAPTIVE))
        summary = mg_span_z("auto");
    if (effort != MG_EFFORT_UNSET || (summary.n > 0 && x->in->to.reasoning)) {
        mg_jw_object(w, "reasoning");
        if (effort != MG_EFFORT_UNSET)
            mg_jw_string(w, "effort", mg_effort_word(effort));
        if (summary.n > 0)
            mg_jw_bytes(w, "summary", summary.p, summary.n);
        mg_jw_end(w);
    }
    bool proofs = x->in->to.reasoning && effort != MG_EFFORT_NONE &&
                  x->in->client != MG_COMPLETIONS;
    if (!proofs && !x->turn->logprobs)
        return;
    mg_jw_array(w, "include");
    if (proofs)
        mg_jw_string(w, NULL, "reasoning.encrypted_content");
    if (x->turn->logprobs)
        mg_jw_string(w, NULL, "message.output_text.logprobs");
    mg_jw_end(w);
}

static void
write_sampling(struct mg_crossing *x, struct mg_jw *w)
{
    const struct mg_turn *turn = x->turn;
    if (!x->in->to.sampling && (turn->temperature.n > 0 || turn->top_p.n > 0)) {
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
    int64_t limit = mg_settings_told_limit(x, -1, LEAST_LIMIT);
    if (limit >= 0)
        mg_jw_int(w, "max_output_tokens", limit);
    if (turn->logprobs && turn->top_logprobs >= 0)
        mg_jw_int(w, "top_logprobs", turn->top_logprobs);
}

int
mg_responses_request_write(struct mg_crossing *x, struct mg_jw *w)
{
    const struct mg_turn *turn = x->turn;
    if (turn->stop_count > 0)
        return mg_refuse(x, x->in->client == MG_MESSAGES ? "stop_sequences" : "stop",
                         "this model is reached through a format without stop sequences");
    if (turn->n > 1)
        return mg_refuse(x, "n", "this model gives one answer a request");
    mg_jw_object(w, NULL);
    mg_jw_string(w, "model", x->in->to.model);
    write_items(x, w);
    if (mg_tools_write_responses(x, w) != 0)
        return -1;
    write_text(x, w);
    write_sampling(x, w);
    write_thinking(x, w);
    mg_settings_write_caller(x, w);
    mg_settings_write_carried(x, w);
    mg_jw_bool(w, "store", false);
    if (x->in->stream)
        mg_jw_bool(w, "stream", true);
    mg_jw_end(w);
    return 0;
}
