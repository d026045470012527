#include "wire/chat_end.h"

#include <stddef.h>
#include <strings.h>

/* Any other word is an end of its own accord. */
static const struct {
    const char *word;
    enum mg_end end;
} ends[] = {
    {"length", MG_END_LENGTH},
    {"content_filter", MG_END_FILTER},
    {"tool_calls", MG_END_TOOLS},
    {"function_call", MG_END_TOOLS},
    {"max_tokens", MG_END_LENGTH},
    {"model_length", MG_END_LENGTH},
    {"max_length", MG_END_LENGTH},
    {"model_context_window_exceeded", MG_END_CONTEXT},
    {"content-filter", MG_END_FILTER},
    {"sensitive", MG_END_FILTER},
    {"safety", MG_END_FILTER},
    {"recitation", MG_END_FILTER},
    {"prohibited_content", MG_END_FILTER},
    {"refusal", MG_END_FILTER},
};

static const char *const broken[] = {
    "error", "network_error", "insufficient_system_resource", "abort", "malformed_function_call",
};

int
mg_chat_end(const char *reason, enum mg_end *end)
{
    if (reason == NULL || *reason == '\0' || strcasecmp(reason, "null") == 0)
        return 0;
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        if (strcasecmp(reason, broken[i]) == 0)
            return -1;
    }
    *end = MG_END_STOP;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        if (strcasecmp(reason, ends[i].word) == 0)
            *end = ends[i].end;
    }
    return 1;
}
