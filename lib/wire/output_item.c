#include "wire/output_item.h"

#include <string.h>

/* The members of the open call; without its arguments while it is `added`. */
static void
write_call(const struct mg_window *v, struct mg_jw *w, const char *status)
{
    bool added = strcmp(status, "in_progress") == 0;
    mg_jw_string(w, "type", v->custom ? "custom_tool_call" : "function_call");
    mg_jw_string(w, "id", v->id);
    mg_jw_string(w, "status", status);
    mg_jw_bytes(w, "call_id", v->call_id.p, v->call_id.len);
    mg_jw_bytes(w, "name", v->name.p, v->name.len);
    if (v->space.len > 0)
        mg_jw_bytes(w, "namespace", v->space.p, v->space.len);
    mg_jw_bytes(w, v->custom ? "input" : "arguments", v->text.p, added ? 0 : v->text.len);
}

static void
write_reasoning(const struct mg_window *v, struct mg_jw *w)
{
    mg_jw_string(w, "type", "reasoning");
    mg_jw_string(w, "id", v->id);
    mg_jw_array(w, "summary");
    if (v->text.len > 0) {
        mg_jw_object(w, NULL);
        mg_jw_string(w, "type", "summary_text");
        mg_jw_bytes(w, "text", v->text.p, v->text.len);
        mg_jw_end(w);
    }
    mg_jw_end(w);
    if (v->proof.len > 0)
        mg_jw_bytes(w, "encrypted_content", v->proof.p, v->proof.len);
}

void
mg_output_item(const struct mg_window *v, struct mg_jw *w, const char *key, const char *status)
{
    mg_jw_object(w, key);
    if (v->message) {
        mg_jw_string(w, "type", "message");
        mg_jw_string(w, "id", v->id);
        mg_jw_string(w, "status", status);
        mg_jw_string(w, "role", "assistant");
        mg_jw_array(w, "content");
        mg_str_addspan(w->out, mg_str_span(&v->content));
        mg_jw_end(w);
    } else if (v->part == MG_PART_TOOL) {
        write_call(v, w, status);
    } else if (v->part == MG_PART_REASONING) {
        write_reasoning(v, w);
    } else {
        mg_jw_string(w, "type", "compaction");
        mg_jw_string(w, "id", v->id);
        mg_jw_bytes(w, "encrypted_content", v->proof.p, v->proof.len);
    }
    mg_jw_end(w);
}

void
mg_output_part(const struct mg_window *v, struct mg_jw *w, const char *key, bool whole)
{
    bool refusal = v->part == MG_PART_REFUSAL;
    mg_jw_object(w, key);
    mg_jw_string(w, "type", refusal ? "refusal" : "output_text");
    mg_jw_bytes(w, refusal ? "refusal" : "text", v->text.p, whole ? v->text.len : 0);
    if (!refusal) {
        mg_jw_array(w, "annotations");
        for (size_t i = 0; whole && i < v->cites.count; i++)
            mg_cites_write(&v->cites, i, false, w);
        mg_jw_end(w);
        mg_jw_array(w, "logprobs");
        if (whole)
            mg_str_addspan(w->out, mg_str_span(&v->logprobs));
        mg_jw_end(w);
    }
    mg_jw_end(w);
}
