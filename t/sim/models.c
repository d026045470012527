#include "models.h"

#include "error.h"
#include "options.h"

#include <string.h>

enum { CREATED = 1767225600, CONTEXT = 200000, OUTPUT = 64000 };

static const char *const default_models[] = { "sim-model-2026", "sim-small-2026" };

static int count(void)
{
    return sim_options.models ? sim_options.models : 2;
}

static const char *name_of(int i)
{
    return sim_options.models ? sim_options.model[i] : default_models[i];
}

bool sim_models_known(const char *name)
{
    int i;

    if (!sim_options.models || !name) {
        return true;
    }
    for (i = 0; i < sim_options.models; i++) {
        if (strcmp(sim_options.model[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void put_openai(struct sim_buf *b, const char *name)
{
    sim_j_open(b, NULL, '{');
    sim_j_str(b, "id", name);
    sim_j_str(b, "object", "model");
    sim_j_int(b, "created", CREATED);
    sim_j_str(b, "owned_by", "simulation");
    sim_j_close(b, '}');
}

static void put_capabilities(struct sim_buf *b)
{
    static const char *const plain[] = {
        "batch", "citations", "code_execution", "image_input", "pdf_input", "structured_outputs",
    };
    static const char yes[] = "{\"supported\":true}";
    size_t i;

    sim_j_open(b, "capabilities", '{');
    for (i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        sim_j_raw(b, plain[i], i == 0 || i == 2 ? "{\"supported\":false}" : yes);
    }
    sim_j_raw(b, "effort", "{\"supported\":true,\"low\":{\"supported\":true},"
                           "\"medium\":{\"supported\":true},\"high\":{\"supported\":true},"
                           "\"max\":{\"supported\":true},\"xhigh\":{\"supported\":true}}");
    sim_j_raw(b, "thinking", "{\"supported\":true,\"types\":{\"adaptive\":{\"supported\":true},"
                             "\"enabled\":{\"supported\":true}}}");
    sim_j_raw(b, "context_management", "{\"supported\":false,\"clear_thinking_20251015\":null,"
                                       "\"clear_tool_uses_20250919\":null,"
                                       "\"compact_20260112\":null}");
    sim_j_close(b, '}');
}

static void put_messages(struct sim_buf *b, const char *name)
{
    sim_j_open(b, NULL, '{');
    sim_j_str(b, "type", "model");
    sim_j_str(b, "id", name);
    sim_j_str(b, "display_name", name);
    sim_j_str(b, "created_at", "2026-01-01T00:00:00Z");
    sim_j_int(b, "max_input_tokens", CONTEXT);
    sim_j_int(b, "max_tokens", OUTPUT);
    put_capabilities(b);
    sim_j_close(b, '}');
}

static void put_list(struct sim_buf *b, bool messages)
{
    int i;

    sim_j_open(b, NULL, '{');
    if (!messages) {
        sim_j_str(b, "object", "list");
    }
    sim_j_open(b, "data", '[');
    for (i = 0; i < count(); i++) {
        if (messages) {
            put_messages(b, name_of(i));
        } else {
            put_openai(b, name_of(i));
        }
    }
    sim_j_close(b, ']');
    if (messages) {
        sim_j_bool(b, "has_more", false);
        sim_j_str(b, "first_id", name_of(0));
        sim_j_str(b, "last_id", name_of(count() - 1));
    }
    sim_j_close(b, '}');
}

void sim_models(struct sim_reply *r, const struct sim_request *req, const char *name)
{
    bool messages = sim_http_header(req, "anthropic-version") != NULL;
    struct sim_error err = { 404, NULL, NULL, NULL, "The model does not exist." };
    int i;

    if (!name) {
        put_list(&r->body, messages);
        return;
    }
    for (i = 0; i < count(); i++) {
        if (strcmp(name_of(i), name) != 0) {
            continue;
        }
        if (messages) {
            put_messages(&r->body, name);
        } else {
            put_openai(&r->body, name);
        }
        return;
    }
    sim_error_reply(r, messages ? SIM_MESSAGES : SIM_CHAT, &err, NULL);
}
