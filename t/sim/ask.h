/*
 * What a request asks for, whatever format it came in: the words, the tools, the wishes about the
 * answer. Reading is lenient; whether a real provider would have refused the request is judged in
 * check_*.c. Everything here points into the request's JSON tree or lives in the pool.
 */
#ifndef SIM_ASK_H
#define SIM_ASK_H

#include "js.h"
#include "mem.h"

enum sim_family {
    SIM_CHAT,
    SIM_RESPONSES,
    SIM_COMPLETIONS,
    SIM_MESSAGES,
    SIM_FAMILIES
};

enum sim_tool_kind {
    SIM_TOOL_FUNCTION,
    SIM_TOOL_CUSTOM, /* takes free text */
    SIM_TOOL_HOSTED  /* runs at the provider; never called here, but for local_shell */
};

struct sim_tool {
    enum sim_tool_kind kind;
    const char *name;
    const char *ns; /* namespace it was found in, or NULL */
    const char *type;
    struct json_object *schema;
};

enum sim_choice { SIM_CHOICE_AUTO, SIM_CHOICE_NONE, SIM_CHOICE_ANY, SIM_CHOICE_NAMED };

enum sim_output { SIM_OUT_TEXT, SIM_OUT_JSON_OBJECT, SIM_OUT_JSON_SCHEMA };

struct sim_ask {
    enum sim_family family;
    struct json_object *body;
    const char *model;
    bool stream, include_usage;

    const char *user_text; /* last text of the user, "" when there is none */
    const char *cmd_text;  /* from the last "[[sim" of the user on, or NULL */
    int results;           /* tool results after cmd_text (or after all, when there is none) */
    const char *last_result;
    int images, files;

    struct sim_tool *tool;
    size_t tools;
    enum sim_choice choice;
    const char *choice_name;

    int64_t max_tokens; /* -1: no limit given */
    int64_t n;
    const char **stop;
    size_t stops;
    enum sim_output output;
    struct json_object *schema;

    bool thinking, thinking_hidden;       /* Messages */
    bool summary, encrypted, compaction;  /* Responses */
    int64_t logprobs;                     /* -1 off, else how many alternatives */

    int64_t input_tokens; /* by the rule of tokens.h */
};

/* Reads body (an object) as a request of the family. */
void sim_ask_read(struct sim_ask *ask, enum sim_family family, struct json_object *body,
                  struct sim_pool *pool);

/* Family-specific halves of sim_ask_read(). */
void sim_ask_chat(struct sim_ask *ask, struct sim_pool *pool);
void sim_ask_responses(struct sim_ask *ask, struct sim_pool *pool);
void sim_ask_completions(struct sim_ask *ask, struct sim_pool *pool);
void sim_ask_messages(struct sim_ask *ask, struct sim_pool *pool);

/* Notes one text of the user, newest last. */
void sim_ask_user_text(struct sim_ask *ask, const char *text);

/* Notes one tool result: a string, or an array of parts with texts and images. */
void sim_ask_result(struct sim_ask *ask, struct json_object *content, struct sim_pool *pool);

/* Adds a tool; the caller fills the zeroed struct. */
struct sim_tool *sim_ask_add_tool(struct sim_ask *ask, struct sim_pool *pool);

/* The tool of that name, NULL when none was offered. */
const struct sim_tool *sim_ask_tool(const struct sim_ask *ask, const char *name);

/* The strings of v (one string or an array of strings) as stop sequences. */
void sim_ask_stops(struct sim_ask *ask, struct json_object *v, struct sim_pool *pool);

#endif
