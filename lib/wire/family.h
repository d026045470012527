/* The wire formats and what is fixed about each: name, path, error shape, sign of life. */
#ifndef MG_WIRE_FAMILY_H
#define MG_WIRE_FAMILY_H

#include <stdbool.h>

enum mg_family {
    MG_CHAT,        /* Chat Completions */
    MG_RESPONSES,   /* Responses */
    MG_COMPLETIONS, /* legacy text Completions */
    MG_MESSAGES,    /* Messages */
    MG_FAMILIES
};

/* "chat", "responses", "completions", "messages": the operator's words. */
const char *mg_family_name(enum mg_family family);
/* The reverse; -1 when the word is none of them. */
int mg_family_parse(const char *name) __attribute__((nonnull));
/* Path of the generation endpoint behind an upstream's base, "/chat/completions" … */
const char *mg_family_path(enum mg_family family);
/* True where errors have the Messages shape. */
bool mg_family_messages_errors(enum mg_family family);

#endif
