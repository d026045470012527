/* The neutral form into Messages requests: the conversation. */
#include "wire/messages_body.h"

#include "wire/media.h"
#include "wire/tools.h"

#include <string.h>

#define REMINDER_OPEN "<system-reminder>\n"
#define REMINDER_CLOSE "\n</system-reminder>"

/* Messages are opened when their first block comes, so that none is ever empty, and stay open
 * while the role stays. */
struct talk {
    struct mg_crossing *x;
    struct mg_jw *w;
    const char *role; /* of the open message, NULL = none */
};

static void
close_message(struct talk *t)
{
    if (t->role == NULL)
        return;
    mg_jw_end(t->w);
    mg_jw_end(t->w);
    t->role = NULL;
}

static void
open_message(struct talk *t, const char *role)
{
    if (t->role != NULL && strcmp(t->role, role) == 0)
        return;
    close_message(t);
    t->role = role;
    mg_jw_object(t->w, NULL);
    mg_jw_string(t->w, "role", role);
    mg_jw_array(t->w, "content");
}

/* A mark in Chat or Responses words means a plain one here. */
static void
write_mark(struct mg_jw *w, const struct mg_block *b)
{
    if (b->cache.n > 0)
        mg_jw_raw(w, "cache_control", b->cache);
    else if (b->breakpoint.n > 0)
        mg_jw_raw(w, "cache_control", mg_span_z("{\"type\":\"ephemeral\"}"));
}

static void
write_text(struct mg_jw *w, const struct mg_block *b)
{
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", "text");
    mg_jw_bytes(w, "text", b->text.p, b->text.n);
    write_mark(w, b);
    mg_jw_end(w);
}

static void
write_reasoning(struct mg_jw *w, const struct mg_pack *pack)
{
    mg_jw_object(w, NULL);
    if (pack->kind == MG_PACK_REDACTED) {
        mg_jw_string(w, "type", "redacted_thinking");
        mg_jw_bytes(w, "data", pack->blob.p, pack->blob.n);
    } else {
        mg_jw_string(w, "type", "thinking");
        mg_jw_bytes(w, "thinking", pack->text.p, pack->text.n);
        mg_jw_bytes(w, "signature", pack->blob.p, pack->blob.n);
    }
    mg_jw_end(w);
}

static void
write_call(struct talk *t, const struct mg_block *b)
{
    mg_jw_object(t->w, NULL);
    mg_jw_string(t->w, "type", "tool_use");
    mg_jw_string(t->w, "id", b->call.up_id);
    mg_jw_string(t->w, "name", mg_tools_of_call(t->x, &b->call)->upstream);
    mg_jw_raw(t->w, "input", mg_tools_arguments(t->x, &b->call));
    write_mark(t->w, b);
    mg_jw_end(t->w);
}

/* A block of the user's or of a tool's result; blank texts are not taken. */
static bool
writes_content(const struct mg_block *b)
{
    return b->type == MG_BLOCK_IMAGE || b->type == MG_BLOCK_FILE ||
           b->type == MG_BLOCK_TOOL_NAME ||
           ((b->type == MG_BLOCK_TEXT || b->type == MG_BLOCK_REFUSAL) && !mg_span_blank(b->text));
}

static void
write_content(struct talk *t, const struct mg_block *b)
{
    if (b->type == MG_BLOCK_IMAGE || b->type == MG_BLOCK_FILE) {
        mg_media_messages(t->w, b);
    } else if (b->type == MG_BLOCK_TOOL_NAME) {
        mg_jw_object(t->w, NULL);
        mg_jw_string(t->w, "type", "tool_reference");
        mg_jw_bytes(t->w, "tool_name", b->text.p, b->text.n);
        write_mark(t->w, b);
        mg_jw_end(t->w);
    } else {
        write_text(t->w, b);
    }
}

static void
write_result(struct talk *t, const struct mg_block *result)
{
    const struct mg_block *b = result->call.content;
    bool single = b == NULL || (b->next == NULL && b->type == MG_BLOCK_TEXT && b->cache.n == 0);
    mg_jw_object(t->w, NULL);
    mg_jw_string(t->w, "type", "tool_result");
    mg_jw_string(t->w, "tool_use_id", result->call.up_id);
    if (single) {
        mg_jw_bytes(t->w, "content", b != NULL ? b->text.p : "", b != NULL ? b->text.n : 0);
    } else {
        mg_jw_array(t->w, "content");
        for (; b != NULL; b = b->next) {
            if (writes_content(b))
                write_content(t, b);
        }
        mg_jw_end(t->w);
    }
    if (result->call.error)
        mg_jw_bool(t->w, "is_error", true);
    write_mark(t->w, result);
    mg_jw_end(t->w);
}

/* A system message in the middle stays where it is: as such when the model takes it, else as a
 * marked text of the user's. */
static void
write_system(struct talk *t, const struct mg_message *m)
{
    bool native = t->x->in->to.system_midway;
    for (const struct mg_block *b = m->first; b != NULL; b = b->next) {
        if (mg_span_blank(b->text))
            continue;
        open_message(t, native ? "system" : "user");
        if (native) {
            write_text(t->w, b);
            continue;
        }
        mg_jw_object(t->w, NULL);
        mg_jw_string(t->w, "type", "text");
        mg_jw_string_begin(t->w, "text");
        mg_jw_string_part(t->w, REMINDER_OPEN, strlen(REMINDER_OPEN));
        mg_jw_string_part(t->w, b->text.p, b->text.n);
        mg_jw_string_part(t->w, REMINDER_CLOSE, strlen(REMINDER_CLOSE));
        mg_jw_string_end(t->w);
        write_mark(t->w, b);
        mg_jw_end(t->w);
    }
}

/* Thinking that led to nothing cannot end a message. */
static void
write_assistant(struct talk *t, const struct mg_message *m)
{
    bool any = false;
    for (const struct mg_block *b = m->first; b != NULL; b = b->next)
        any |= b->type == MG_BLOCK_CALL || writes_content(b);
    if (!any)
        return;
    open_message(t, "assistant");
    for (const struct mg_block *b = m->first; b != NULL; b = b->next) {
        if (b->type == MG_BLOCK_REASONING)
            write_reasoning(t->w, &b->reasoning);
        else if (b->type == MG_BLOCK_CALL)
            write_call(t, b);
        else if (writes_content(b))
            write_content(t, b);
    }
}

static void
write_user(struct talk *t, const struct mg_message *m)
{
    for (const struct mg_block *b = m->first; b != NULL; b = b->next) {
        if (b->type == MG_BLOCK_RESULT) {
            open_message(t, "user");
            write_result(t, b);
        } else if (writes_content(b)) {
            open_message(t, "user");
            write_content(t, b);
        }
    }
}

/* How many texts the system messages at the beginning hold, and whether one is marked. */
static size_t
count_leading(const struct mg_message *m, bool *marked)
{
    size_t count = 0;
    for (; m != NULL && (m->role == MG_ROLE_SYSTEM || m->first == NULL); m = m->next) {
        for (const struct mg_block *b = m->first; b != NULL; b = b->next) {
            count += !mg_span_blank(b->text);
            *marked |= b->cache.n > 0 || b->breakpoint.n > 0;
        }
    }
    return count;
}

const struct mg_message *
mg_messages_body_system(struct mg_crossing *x, struct mg_jw *w, struct mg_span more)
{
    bool marked = false;
    const struct mg_message *m = x->turn->first;
    size_t count = count_leading(m, &marked) + (more.n > 0);
    bool list = marked || count > 1;
    if (list)
        mg_jw_array(w, "system");
    for (; m != NULL && (m->role == MG_ROLE_SYSTEM || m->first == NULL); m = m->next) {
        for (const struct mg_block *b = m->first; b != NULL; b = b->next) {
            if (mg_span_blank(b->text))
                continue;
            if (list)
                write_text(w, b);
            else
                mg_jw_bytes(w, "system", b->text.p, b->text.n);
        }
    }
    if (more.n > 0 && list) {
        struct mg_block b = {.type = MG_BLOCK_TEXT, .text = more};
        write_text(w, &b);
    } else if (more.n > 0) {
        mg_jw_bytes(w, "system", more.p, more.n);
    }
    if (list)
        mg_jw_end(w);
    return m;
}

/* Chat and Responses take what no user has begun; programs of one instruction are written so. */
static void
write_beginning(struct talk *t)
{
    struct mg_block b = {.type = MG_BLOCK_TEXT, .text = mg_span_z("(The conversation begins.)")};
    open_message(t, "user");
    write_text(t->w, &b);
}

int
mg_messages_body_talk(struct mg_crossing *x, struct mg_jw *w, const struct mg_message *first)
{
    struct talk t = {.x = x, .w = w};
    bool any = false, marked = false;
    const char *last = NULL, *at = "messages";
    mg_jw_array(w, "messages");
    for (const struct mg_message *m = first; m != NULL; m = m->next) {
        if (!any && m->role == MG_ROLE_ASSISTANT && x->in->client != MG_MESSAGES)
            write_beginning(&t);
        if (m->role == MG_ROLE_ASSISTANT)
            write_assistant(&t, m);
        else if (m->role == MG_ROLE_SYSTEM)
            write_system(&t, m);
        else
            write_user(&t, m);
        any |= t.role != NULL;
        last = t.role;
        at = m->at;
    }
    if (!any && count_leading(x->turn->first, &marked) > 0 && x->in->client != MG_MESSAGES) {
        write_beginning(&t);
        last = t.role;
        any = true;
    }
    close_message(&t);
    mg_jw_end(w);
    if (!any)
        return mg_contradiction(x, x->in->client == MG_RESPONSES ? "input" : "messages",
                                "there is no text, image or tool result in it");
    if (strcmp(last, "assistant") == 0 && x->in->client != MG_MESSAGES)
        return mg_refuse(x, at, "the conversation has to end with the user or a tool result; "
                                "this model does not go on with an answer that is begun");
    return 0;
}
