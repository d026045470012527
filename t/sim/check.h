/*
 * The strict side: refuses what the real providers refuse, in their words, so that a client which
 * sends nonsense is noticed. One function per family; each stops at the first fault and leaves it
 * in err. strict=0 in the script passes all of it over.
 */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#include "ask.h"
#include "cmd.h"
#include "error.h"
#include "http.h"

struct sim_check {
    struct sim_pool *pool;
    const struct sim_ask *ask;
    const struct sim_cmd *cmd;
    const struct sim_request *req;
    bool counting; /* a counting or compacting route, which needs less */
    bool compacting; /* the latter, which needs a model all the same */
    struct sim_error err;
};

/* Each returns true when the request is acceptable. */
bool sim_check_chat(struct sim_check *k);
bool sim_check_completions(struct sim_check *k);
bool sim_check_messages(struct sim_check *k);
bool sim_check_responses(struct sim_check *k);

/* Parts of the above, in files of their own. */
bool sim_check_blocks(struct sim_check *k, struct json_object *content, size_t message,
                      const char *role);
bool sim_check_pairs(struct sim_check *k, struct json_object *messages);
bool sim_check_thinking(struct sim_check *k);
bool sim_check_items(struct sim_check *k, struct json_object *input);

/*
 * Structured output: an OpenAI strict schema must list every property as required and close every
 * object; a Messages schema must close every object and use no numeric or length limits.
 */
bool sim_check_openai_schema(struct sim_check *k, struct json_object *schema, const char *name,
                             const char *param);
bool sim_check_messages_schema(struct sim_check *k, struct json_object *schema);

/* Records the refusal (status 400) and returns false. */
bool sim_check_bad(struct sim_check *k, const char *param, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* First key of o that is not in the NULL-terminated list, or NULL. */
const char *sim_check_foreign_key(struct json_object *o, const char *const *known);

/* True when s is 1 to max characters of A-Z a-z 0-9 _ and -. */
bool sim_check_name(const char *s, size_t max);

#endif
