/*
 * The answer before it takes a wire format: its parts in order, its usage, why it ended. Made from
 * what the request asks (ask.h) and what the script commands (cmd.h). Holds no JSON of any family.
 */
#ifndef SIM_TURN_H
#define SIM_TURN_H

#include "ask.h"
#include "cmd.h"

enum sim_part_kind {
    SIM_PART_TEXT,
    SIM_PART_REASONING,
    SIM_PART_TOOL,   /* text holds the arguments */
    SIM_PART_CUSTOM, /* text holds the free input */
    SIM_PART_SHELL,  /* hosted local_shell; text holds the command line */
    SIM_PART_REFUSAL,
    SIM_PART_COMPACTION
};

struct sim_part {
    enum sim_part_kind kind;
    const char *text;
    size_t len;
    const char *name;
    const char *ns;
    int64_t piece; /* bytes of an argument piece; <= 0: all at once */
};

enum sim_end {
    SIM_END_STOP,
    SIM_END_SEQUENCE, /* stop_hit says which */
    SIM_END_LENGTH,
    SIM_END_TOOLS,
    SIM_END_FILTER,
    SIM_END_REFUSAL,
    SIM_END_RAW /* end_raw goes out as it is */
};

/* in excludes the cache figures; out includes reasoning. */
struct sim_usage {
    int64_t in, cache_read, write_5m, write_1h, out, reasoning;
};

enum { SIM_PARTS_MAX = 64 };

struct sim_turn {
    const struct sim_ask *ask;
    const struct sim_cmd *cmd;
    struct sim_pool *pool;
    const char *model;
    const char *id; /* what follows the prefix in every id of the reply */
    int64_t created;
    struct sim_part part[SIM_PARTS_MAX];
    size_t parts;
    enum sim_end end;
    const char *end_raw;
    const char *stop_hit;
    struct sim_usage usage;
};

/* Fills turn; id and created are taken from the commands when given there. */
void sim_turn_make(struct sim_turn *turn, const struct sim_ask *ask, const struct sim_cmd *cmd,
                   struct sim_pool *pool, uint64_t serial, int64_t now);

/* Adds a zeroed part; at the limit the last one is given again. */
struct sim_part *sim_turn_add(struct sim_turn *turn, enum sim_part_kind kind, const char *text);

/* The next streamed piece of the part from *pos on: its bytes and length; NULL at the end. */
const char *sim_part_next(const struct sim_part *part, size_t *pos, size_t *n);

/* Adds the tool calls that the script or the request demands. Returns how many (toolcall.c). */
int sim_turn_tools(struct sim_turn *turn);

/*
 * The agent script (agent.c). Returns 1 when it added a tool call, 0 when it has nothing to do;
 * at the end of the script *text becomes what the model says about the last result.
 */
int sim_turn_agent(struct sim_turn *turn, const char **text);

/* All text of the answer's text parts, joined, in the pool. */
const char *sim_turn_text(const struct sim_turn *turn);

bool sim_turn_has(const struct sim_turn *turn, enum sim_part_kind kind);

#endif
