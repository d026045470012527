/* Model descriptors as clients read them: the OpenAI-style list, the Messages-style page with
 * capability descriptors, and the catalogue that the Codex client asks for. Pure writers. */
#ifndef MG_WIRE_MODEL_LIST_H
#define MG_WIRE_MODEL_LIST_H

#include "base/str.h"
#include "wire/levels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mg_model_info {
    const char *id;
    const char *display_name;
    int64_t created_ms;
    int64_t context;    /* tokens, 0 = not stated */
    int64_t max_output; /* tokens, 0 = not stated */
    bool image, pdf, tools, structured, reasoning;
    unsigned efforts;   /* bits 1 << enum mg_effort, 0 = the usual ones */
    bool adaptive;      /* Messages: thinking may be left to the model (type adaptive) */
    bool budget;        /* Messages: thinking takes a budget (type enabled) */
};

/* {"object":"list","data":[…]}; with `codex` also the `models` array that the Codex client
 * wants when it sends client_version. Appends to out. */
void mg_model_list_openai(const struct mg_model_info *models, size_t count, bool codex,
                          struct mg_str *out) __attribute__((nonnull(4)));
void mg_model_show_openai(const struct mg_model_info *model, struct mg_str *out)
    __attribute__((nonnull));
/* {"data":[…],"has_more","first_id","last_id"} of one page. */
void mg_model_list_messages(const struct mg_model_info *models, size_t count, bool has_more,
                            struct mg_str *out) __attribute__((nonnull(4)));
void mg_model_show_messages(const struct mg_model_info *model, struct mg_str *out)
    __attribute__((nonnull));

#endif
