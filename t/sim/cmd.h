/*
 * The commands that script an answer: `key=value` pairs given in the request's text, in a header,
 * on the command line or through the control endpoint. This file reads them into one struct; what
 * they mean is known by whoever uses the member. README.md has the table for people.
 */
#ifndef SIM_CMD_H
#define SIM_CMD_H

#include "mem.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SIM_CMD_TOOLS = 8,   /* tool, tool2 … tool8 */
    SIM_CMD_AGENTS = 8,  /* shell commands of one agent script */
    SIM_CMD_HEADERS = 16 /* hdr-Name=value */
};

/* Every integer is -1 and every string NULL until a command sets it. Strings live in the pool. */
struct sim_cmd {
    /* what is said */
    const char *text;
    const char *refusal;
    const char *parts;
    int64_t words, bytes, bigline;
    /* tools */
    const char *tool[SIM_CMD_TOOLS];
    const char *args[SIM_CMD_TOOLS];
    const char *tool_index;
    int64_t tools, args_chunk, interleave, empty_tool_calls, done_only;
    const char *agent[SIM_CMD_AGENTS];
    int agents;
    /* reasoning */
    const char *reasoning_field;
    int64_t reasoning, summary, reasoning_text, redacted;
    /* usage */
    int64_t in, out, cache_read, cache_write_5m, cache_write_1h, reasoning_tokens;
    const char *usage;
    const char *usage_json;
    /* identity of the reply */
    const char *finish;
    const char *stop_sequence;
    const char *echo_model;
    const char *id;
    int64_t created;
    /* time */
    int64_t delay, first, gap, chunk_gap;
    /* framing */
    const char *eol;
    const char *gzip;
    int64_t chunk, events_per_write, crlf, comments, nospace, multiline, nofinal, no_done, noname;
    int64_t bom, pings, close;
    /* failure */
    int64_t status;
    const char *message;
    const char *code;
    const char *type;
    const char *param;
    const char *fault;
    const char *at; /* events before the fault; negative: counted from the end */
    int64_t at_byte, silence;
    const char *hdr_name[SIM_CMD_HEADERS];
    const char *hdr_value[SIM_CMD_HEADERS];
    int hdrs;
    /* the provider's own rules */
    int64_t strict, max_out, no_system_role;
    /* how often these commands count */
    const char *tag;
    int64_t times, skip;
};

/* Sets every member to "not given". */
void sim_cmd_init(struct sim_cmd *c);

/*
 * Sets one command. name is matched without regard to '-' and '_'; value is taken literally.
 * Returns NULL, or a sentence (in the pool) that says what is wrong.
 */
const char *sim_cmd_set(struct sim_cmd *c, struct sim_pool *pool, const char *name,
                        const char *value);

/*
 * Reads n bytes of `key=value` pairs that are separated by white space or ';', values
 * percent-encoded; a key alone means key=1. A leading "[[sim" and anything from "]]" on are
 * passed over. Returns NULL, or the sentence of the first error.
 */
const char *sim_cmd_read(struct sim_cmd *c, struct sim_pool *pool, const char *s, size_t n);

#endif
