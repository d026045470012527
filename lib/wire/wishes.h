/* What a request wishes beside its conversation: tools and how they may be called, the form of
 * the answer, how hard the model shall think. Parts of the neutral form (wire/turn.h). */
#ifndef MG_WIRE_WISHES_H
#define MG_WIRE_WISHES_H

#include "base/str.h"
#include "wire/translate.h"

#include <stdbool.h>
#include <stdint.h>

struct mg_tool {
    struct mg_span name, space, description;
    struct mg_span schema;   /* function: JSON schema; empty = none */
    int strict;              /* -1 not said, 0, 1 */
    bool custom;
    bool allowed;            /* the choice has an allow-list, and this is in it */
    struct mg_span syntax, grammar; /* custom: "lark" or "regex" and the text; empty = free */
    struct mg_span cache;
    const char *at;
    const struct mg_translated_tool *names; /* set when the tools are written */
    struct mg_tool *next;
};

enum mg_choice_mode {
    MG_CHOICE_UNSET,
    MG_CHOICE_AUTO,
    MG_CHOICE_NONE,
    MG_CHOICE_REQUIRED,
    MG_CHOICE_NAMED
};

/* A tool named in a choice or an allow-list. */
struct mg_tool_ref {
    struct mg_span name, space;
    struct mg_tool_ref *next;
};

struct mg_choice {
    enum mg_choice_mode mode;
    struct mg_tool_ref named;    /* MG_CHOICE_NAMED */
    struct mg_tool_ref *allowed; /* only these may be called; NULL = all */
    int parallel;                /* several calls at once: -1 not said, 0, 1 */
};

enum mg_format_kind { MG_FORMAT_NONE, MG_FORMAT_OBJECT, MG_FORMAT_SCHEMA };

struct mg_format {
    enum mg_format_kind kind;
    struct mg_span name, description, schema;
    int strict; /* -1 not said */
};

enum mg_thinking { MG_THINKING_UNSET, MG_THINKING_OFF, MG_THINKING_ON, MG_THINKING_ADAPTIVE };

struct mg_thought {
    enum mg_thinking mode;
    enum mg_effort effort;
    int64_t budget;         /* tokens, 0 = not said */
    bool hidden;            /* Messages: display "omitted" */
    struct mg_span summary; /* Responses: "auto", "concise", "detailed" */
};

/* A member that goes to the upstream under its own name and as it was sent. */
struct mg_carried {
    struct mg_span name, value;
    struct mg_carried *next;
};

#endif
