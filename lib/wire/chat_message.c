#include "wire/chat_message.h"

#include "wire/encoder.h"
#include "wire/logprobs.h"

#define STRINGS 7

static void
strings(struct mg_chat_message *m, struct mg_str *all[STRINGS])
{
    struct mg_str *list[STRINGS] = {&m->content, &m->refusal, &m->reasoning, &m->details,
                                    &m->calls, &m->notes, &m->logprobs};
    for (int i = 0; i < STRINGS; i++)
        all[i] = list[i];
}

void
mg_chat_message_init(struct mg_chat_message *m)
{
    struct mg_str *all[STRINGS];
    strings(m, all);
    for (int i = 0; i < STRINGS; i++)
        mg_str_init(all[i], MG_REPLY_MAX);
}

void
mg_chat_message_free(struct mg_chat_message *m)
{
    struct mg_str *all[STRINGS];
    strings(m, all);
    for (int i = 0; i < STRINGS; i++)
        mg_str_free(all[i]);
}

/* Appends to a string that is being built as JSON. */
static void
add_escaped(struct mg_str *to, struct mg_span text)
{
    struct mg_jw w;
    mg_jw_init(&w, to);
    mg_jw_string_part(&w, text.p, text.n);
}

void
mg_chat_message_text(struct mg_chat_message *m, enum mg_part part, struct mg_span text)
{
    add_escaped(part == MG_PART_TEXT      ? &m->content
                : part == MG_PART_REFUSAL ? &m->refusal
                                          : &m->reasoning,
                text);
}

/* Makes a list ready for one more element. */
static void
comma(struct mg_str *list)
{
    if (list->len > 0)
        mg_str_addc(list, ',');
}

void
mg_chat_message_logprobs(struct mg_chat_message *m, struct mg_span json)
{
    mg_logprobs_append(&m->logprobs, json);
}

void
mg_chat_call_head(struct mg_jw *w, const struct mg_event *event, int index)
{
    const char *type = event->custom ? "custom" : "function";
    mg_jw_object(w, NULL);
    if (index >= 0)
        mg_jw_int(w, "index", index);
    mg_jw_bytes(w, "id", event->id.p, event->id.n);
    mg_jw_string(w, "type", type);
    mg_jw_object(w, type);
    mg_jw_bytes(w, "name", event->name.p, event->name.n);
    mg_jw_string_begin(w, event->custom ? "input" : "arguments");
}

void
mg_chat_message_call(struct mg_chat_message *m, const struct mg_event *event)
{
    struct mg_jw w;
    comma(&m->calls);
    mg_jw_init(&w, &m->calls);
    mg_chat_call_head(&w, event, -1);
}

void
mg_chat_message_arguments(struct mg_chat_message *m, struct mg_span text)
{
    add_escaped(&m->calls, text);
}

void
mg_chat_message_call_end(struct mg_chat_message *m)
{
    mg_str_addz(&m->calls, "\"}}");
}

void
mg_chat_proof(struct mg_jw *w, struct mg_span proof)
{
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", "reasoning.encrypted");
    mg_jw_bytes(w, "data", proof.p, proof.n);
    mg_jw_end(w);
}

void
mg_chat_message_proof(struct mg_chat_message *m, struct mg_span proof)
{
    struct mg_jw w;
    comma(&m->details);
    mg_jw_init(&w, &m->details);
    mg_chat_proof(&w, proof);
}

void
mg_chat_message_notes(struct mg_chat_message *m, const struct mg_cites *cites)
{
    struct mg_jw w;
    for (size_t i = 0; i < cites->count; i++) {
        comma(&m->notes);
        mg_jw_init(&w, &m->notes);
        mg_cites_write(cites, i, true, &w);
    }
}

static void
text_or_null(struct mg_jw *w, const char *key, const struct mg_str *text)
{
    if (text->len == 0) {
        mg_jw_null(w, key);
        return;
    }
    mg_jw_string_begin(w, key);
    mg_str_addspan(w->out, mg_str_span(text));
    mg_jw_string_end(w);
}

static void
list(struct mg_jw *w, const char *key, const struct mg_str *elements)
{
    mg_jw_array(w, key);
    mg_str_addspan(w->out, mg_str_span(elements));
    mg_jw_end(w);
}

static void
write_message(const struct mg_chat_message *m, struct mg_jw *w)
{
    mg_jw_object(w, "message");
    mg_jw_string(w, "role", "assistant");
    text_or_null(w, "content", &m->content);
    text_or_null(w, "refusal", &m->refusal);
    if (m->reasoning.len > 0)
        text_or_null(w, "reasoning_content", &m->reasoning);
    if (m->details.len > 0)
        list(w, "reasoning_details", &m->details);
    list(w, "annotations", &m->notes);
    if (m->calls.len > 0)
        list(w, "tool_calls", &m->calls);
    mg_jw_end(w);
}

bool
mg_chat_message_write(const struct mg_chat_message *m, const char *finish_reason,
                      struct mg_jw *w)
{
    mg_jw_object(w, NULL);
    mg_jw_int(w, "index", 0);
    write_message(m, w);
    if (m->logprobs.len > 0) {
        mg_jw_object(w, "logprobs");
        list(w, "content", &m->logprobs);
        mg_jw_null(w, "refusal");
        mg_jw_end(w);
    } else {
        mg_jw_null(w, "logprobs");
    }
    mg_jw_string(w, "finish_reason", finish_reason);
    mg_jw_end(w);
    return mg_str_ok(&m->content) && mg_str_ok(&m->refusal) && mg_str_ok(&m->reasoning)
           && mg_str_ok(&m->details) && mg_str_ok(&m->calls) && mg_str_ok(&m->notes)
           && mg_str_ok(&m->logprobs);
}
