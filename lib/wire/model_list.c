#include "wire/model_list.h"

#include "base/clock.h"
#include "json/writer.h"

#define OWNER "model-gateway"

/* Told to a client that would otherwise have no instructions for a model it does not know. */
static const char codex_instructions[] =
    "You are a coding agent that works in the user's terminal and repository. Read before you "
    "change, make the smallest change that fully solves the task, use the tools you are given, "
    "check your work by running it, and report briefly what you did.";

static void
write_openai(struct mg_jw *w, const struct mg_model_info *m)
{
    mg_jw_object(w, NULL);
    mg_jw_string(w, "id", m->id);
    mg_jw_string(w, "object", "model");
    mg_jw_int(w, "created", m->created_ms / 1000);
    mg_jw_string(w, "owned_by", OWNER);
    mg_jw_end(w);
}

static bool
takes(const struct mg_model_info *m, enum mg_effort effort)
{
    unsigned efforts = m->efforts != 0 ? m->efforts : MG_EFFORTS_USUAL;
    return m->reasoning && efforts & 1U << effort;
}

/* The client reads these words into a list of its own, which ends at xhigh. */
static void
write_levels(struct mg_jw *w, const struct mg_model_info *m)
{
    mg_jw_array(w, "supported_reasoning_levels");
    for (int i = MG_EFFORT_NONE; i <= MG_EFFORT_XHIGH; i++) {
        const char *word = mg_effort_word((enum mg_effort)i);
        if (!takes(m, (enum mg_effort)i))
            continue;
        mg_jw_object(w, NULL);
        mg_jw_string(w, "effort", word);
        mg_jw_string(w, "description", word);
        mg_jw_end(w);
    }
    mg_jw_end(w);
}

static void
write_codex(struct mg_jw *w, const struct mg_model_info *m)
{
    mg_jw_object(w, NULL);
    mg_jw_string(w, "slug", m->id);
    mg_jw_string(w, "display_name", m->display_name);
    write_levels(w, m);
    mg_jw_string(w, "shell_type", "shell_command");
    mg_jw_string(w, "visibility", "list");
    mg_jw_bool(w, "supported_in_api", true);
    mg_jw_int(w, "priority", 1);
    mg_jw_bool(w, "support_verbosity", false);
    mg_jw_object(w, "truncation_policy");
    mg_jw_string(w, "mode", "bytes");
    mg_jw_int(w, "limit", 10000);
    mg_jw_end(w);
    mg_jw_bool(w, "supports_parallel_tool_calls", m->tools);
    if (m->context > 0)
        mg_jw_int(w, "context_window", m->context);
    mg_jw_array(w, "experimental_supported_tools");
    mg_jw_end(w);
    mg_jw_string(w, "base_instructions", codex_instructions);
    mg_jw_end(w);
}

void
mg_model_list_openai(const struct mg_model_info *models, size_t count, bool codex,
                     struct mg_str *out)
{
    struct mg_jw w;
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "list");
    mg_jw_array(&w, "data");
    for (size_t i = 0; i < count; i++)
        write_openai(&w, &models[i]);
    mg_jw_end(&w);
    if (codex) {
        mg_jw_array(&w, "models");
        for (size_t i = 0; i < count; i++)
            write_codex(&w, &models[i]);
        mg_jw_end(&w);
    }
    mg_jw_end(&w);
}

void
mg_model_show_openai(const struct mg_model_info *model, struct mg_str *out)
{
    struct mg_jw w;
    mg_jw_init(&w, out);
    write_openai(&w, model);
}

static void
write_supported(struct mg_jw *w, const char *key, bool supported)
{
    mg_jw_object(w, key);
    mg_jw_bool(w, "supported", supported);
    mg_jw_end(w);
}

static void
write_effort(struct mg_jw *w, const struct mg_model_info *m)
{
    static const enum mg_effort levels[] = {MG_EFFORT_LOW, MG_EFFORT_MEDIUM, MG_EFFORT_HIGH,
                                            MG_EFFORT_MAX, MG_EFFORT_XHIGH};
    mg_jw_object(w, "effort");
    mg_jw_bool(w, "supported", m->reasoning);
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        write_supported(w, mg_effort_word(levels[i]), takes(m, levels[i]));
    mg_jw_end(w);
}

static void
write_thinking(struct mg_jw *w, const struct mg_model_info *m)
{
    mg_jw_object(w, "thinking");
    mg_jw_bool(w, "supported", m->reasoning);
    mg_jw_object(w, "types");
    write_supported(w, "adaptive", m->reasoning && m->adaptive);
    write_supported(w, "enabled", m->reasoning && m->budget);
    write_supported(w, "disabled", m->reasoning);
    write_supported(w, "between_tools", false);
    mg_jw_end(w);
    mg_jw_end(w);
}

/* Context editing and tools that run at the provider are not promised for any destination: the
 * one behind an alias may change. */
static void
write_no_context_management(struct mg_jw *w)
{
    mg_jw_object(w, "context_management");
    mg_jw_bool(w, "supported", false);
    mg_jw_null(w, "clear_thinking_20251015");
    mg_jw_null(w, "clear_tool_uses_20250919");
    mg_jw_null(w, "compact_20260112");
    mg_jw_end(w);
}

static void
write_tokens(struct mg_jw *w, const char *key, int64_t tokens)
{
    if (tokens > 0)
        mg_jw_int(w, key, tokens);
    else
        mg_jw_null(w, key);
}

static void
write_messages(struct mg_jw *w, const struct mg_model_info *m)
{
    char stamp[MG_RFC3339_SIZE];
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", "model");
    mg_jw_string(w, "id", m->id);
    mg_jw_string(w, "display_name", m->display_name);
    mg_jw_string(w, "created_at", mg_rfc3339(m->created_ms, stamp));
    write_tokens(w, "max_input_tokens", m->context);
    write_tokens(w, "max_tokens", m->max_output);
    mg_jw_string(w, "lifecycle", "active");
    mg_jw_object(w, "capabilities");
    write_supported(w, "batch", false);
    write_supported(w, "citations", false);
    write_supported(w, "code_execution", false);
    write_no_context_management(w);
    write_effort(w, m);
    write_supported(w, "image_input", m->image);
    write_supported(w, "pdf_input", m->pdf);
    write_supported(w, "structured_outputs", m->structured);
    write_thinking(w, m);
    mg_jw_end(w);
    mg_jw_end(w);
}

void
mg_model_list_messages(const struct mg_model_info *models, size_t count, bool has_more,
                       struct mg_str *out)
{
    struct mg_jw w;
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_array(&w, "data");
    for (size_t i = 0; i < count; i++)
        write_messages(&w, &models[i]);
    mg_jw_end(&w);
    mg_jw_bool(&w, "has_more", has_more);
    mg_jw_string(&w, "first_id", count > 0 ? models[0].id : NULL);
    mg_jw_string(&w, "last_id", count > 0 ? models[count - 1].id : NULL);
    mg_jw_end(&w);
}

void
mg_model_show_messages(const struct mg_model_info *model, struct mg_str *out)
{
    struct mg_jw w;
    mg_jw_init(&w, out);
    write_messages(&w, model);
}
