#include "turn.h"

#include "schema.h"
#include "tokens.h"

#include <stdlib.h>
#include <string.h>

/* First tool that a model could call by itself. */
static const struct sim_tool *first_callable(const struct sim_ask *ask)
{
    size_t i;

    for (i = 0; i < ask->tools; i++) {
        if (ask->tool[i].kind != SIM_TOOL_HOSTED && ask->tool[i].name) {
            return &ask->tool[i];
        }
    }
    return NULL;
}

static const char *default_args(struct sim_turn *turn, const struct sim_tool *tool)
{
    struct sim_buf b = {0};
    const char *args;

    if (tool && tool->kind == SIM_TOOL_CUSTOM) {
        return "simulated input";
    }
    sim_schema_instance(&b, tool ? tool->schema : NULL, tool ? tool->schema : NULL);
    args = sim_pool_copy(turn->pool, b.p, b.len);
    sim_buf_free(&b);
    return args;
}

static void add_call(struct sim_turn *turn, const char *name, const char *args)
{
    const struct sim_tool *tool = sim_ask_tool(turn->ask, name);
    bool custom = tool && tool->kind == SIM_TOOL_CUSTOM;
    struct sim_part *part;

    part = sim_turn_add(turn, custom ? SIM_PART_CUSTOM : SIM_PART_TOOL,
                        args ? args : default_args(turn, tool));
    part->name = name;
    part->ns = tool ? tool->ns : NULL;
    part->piece = turn->cmd->args_chunk >= 0 ? turn->cmd->args_chunk : SIM_TOKENS_ARGS;
}

/* The name of call i: its own, else the first, "auto" meaning any that is offered. */
static const char *call_name(const struct sim_turn *turn, int i)
{
    const struct sim_cmd *cmd = turn->cmd;
    const char *name = cmd->tool[i] ? cmd->tool[i] : cmd->tool[0];
    const struct sim_tool *any = first_callable(turn->ask);

    if (!name && turn->ask->choice == SIM_CHOICE_NAMED) {
        name = turn->ask->choice_name;
    }
    if (!name || strcmp(name, "auto") == 0) {
        name = any ? any->name : "sim_tool";
    }
    return name;
}

int sim_turn_tools(struct sim_turn *turn)
{
    const struct sim_cmd *cmd = turn->cmd;
    bool forced = turn->ask->choice == SIM_CHOICE_ANY || turn->ask->choice == SIM_CHOICE_NAMED;
    int named = 0;
    int calls;
    int i;

    if (turn->ask->results > 0 && turn->ask->cmd_text) {
        return 0; /* the scripted call was answered: say something now */
    }
    for (i = 0; i < SIM_CMD_TOOLS; i++) {
        named = cmd->tool[i] ? i + 1 : named;
    }
    calls = cmd->tools > named ? (int)cmd->tools : named;
    if (!calls && forced && turn->ask->results == 0) {
        calls = 1;
    }
    calls = calls > SIM_PARTS_MAX / 2 ? SIM_PARTS_MAX / 2 : calls;
    for (i = 0; i < calls; i++) {
        int own = i < SIM_CMD_TOOLS ? i : SIM_CMD_TOOLS - 1;

        add_call(turn, call_name(turn, own), cmd->args[own] ? cmd->args[own] : cmd->args[0]);
    }
    return calls;
}
