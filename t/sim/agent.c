/*
 * The scripted agent: finds, among the tools that a coding client offers, the one that runs a
 * shell command, and fills its arguments by looking at its schema.
 */
#include "schema.h"
#include "tokens.h"
#include "turn.h"

#include <string.h>
#include <strings.h>

/* Names under which coding clients offer their shell, in order of preference. */
static const char *const shell_names[] = {
    "exec_command", "shell", "shell_command", "local_shell", "container.exec", "bash",
    "run_shell_command", "execute_command", "run_commands", "exec",
};

static struct json_object *property(const struct sim_tool *tool, const char *name)
{
    return sim_js_get(sim_js_get(tool->schema, "properties"), name);
}

/* The member that takes the command line, NULL when there is none. */
static const char *command_member(const struct sim_tool *tool)
{
    static const char *const names[] = { "command", "cmd", "commands", "script" };
    size_t i;

    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (property(tool, names[i])) {
            return names[i];
        }
    }
    return NULL;
}

/* A free-text tool that someone wrapped into a function with one text member. */
static bool is_wrapped(const struct sim_tool *tool)
{
    return tool->kind == SIM_TOOL_FUNCTION && !command_member(tool) && property(tool, "input");
}

static bool usable(const struct sim_tool *tool)
{
    if (!tool->name) {
        return false;
    }
    if (tool->kind == SIM_TOOL_HOSTED) {
        return strcmp(tool->type ? tool->type : "", "local_shell") == 0;
    }
    return tool->kind == SIM_TOOL_CUSTOM || command_member(tool) || is_wrapped(tool);
}

/* name is the shell's name, alone or after a namespace ("functions__exec"). */
static bool is_named(const char *name, const char *shell)
{
    size_t n = strlen(name);
    size_t m = strlen(shell);

    return n >= m && strcasecmp(name + n - m, shell) == 0 &&
           (n == m || strchr("._-/:", name[n - m - 1]));
}

static const struct sim_tool *find_shell(const struct sim_ask *ask)
{
    size_t i, k;

    for (k = 0; k < sizeof shell_names / sizeof shell_names[0]; k++) {
        for (i = 0; i < ask->tools; i++) {
            const struct sim_tool *tool = &ask->tool[i];

            if (usable(tool) && is_named(tool->name, shell_names[k])) {
                return tool;
            }
        }
    }
    for (i = 0; i < ask->tools; i++) {
        if (ask->tool[i].kind == SIM_TOOL_FUNCTION && command_member(&ask->tool[i])) {
            return &ask->tool[i];
        }
    }
    return NULL;
}

static void put_command(struct sim_buf *b, const struct sim_tool *tool, const char *member,
                        const char *line)
{
    if (!sim_js_is(property(tool, member), "type", "array")) {
        sim_j_str(b, member, line);
        return;
    }
    sim_j_open(b, member, '[');
    if (strcmp(member, "commands") != 0) {
        sim_j_str(b, NULL, "bash");
        sim_j_str(b, NULL, "-lc");
    }
    sim_j_str(b, NULL, line);
    sim_j_close(b, ']');
}

/* The text for a free-text tool: one named exec takes JavaScript that calls the client's tools. */
static const char *custom_input(struct sim_turn *turn, const struct sim_tool *tool,
                                const char *line)
{
    struct sim_buf arg = {0};
    const char *input = line;

    if (is_named(tool->name, "exec")) {
        sim_j_open(&arg, NULL, '{');
        sim_j_str(&arg, "cmd", line);
        sim_j_close(&arg, '}');
        input = sim_pool_fmt(turn->pool, "const r = await tools.exec_command(%s);\ntext(r);\n",
                             sim_buf_cstr(&arg));
        sim_buf_free(&arg);
    }
    return input;
}

/* {"command": …, and the smallest value for everything else that is required} */
static const char *function_args(struct sim_turn *turn, const struct sim_tool *tool,
                                 const char *line)
{
    struct json_object *required = sim_js_get(tool->schema, "required");
    const char *member = is_wrapped(tool) ? "input" : command_member(tool);
    struct sim_buf b = {0};
    const char *args;
    size_t i;

    sim_j_open(&b, NULL, '{');
    put_command(&b, tool, member, is_wrapped(tool) ? custom_input(turn, tool, line) : line);
    if (property(tool, "description")) {
        sim_j_str(&b, "description", "Run the scripted command");
    }
    for (i = 0; i < sim_js_len(required); i++) {
        const char *name = json_object_get_string(sim_js_at(required, i));
        struct sim_buf one = {0};

        if (!name || strcmp(name, member) == 0 || strcmp(name, "description") == 0) {
            continue;
        }
        sim_schema_instance(&one, property(tool, name), tool->schema);
        sim_j_raw(&b, name, sim_buf_cstr(&one));
        sim_buf_free(&one);
    }
    sim_j_close(&b, '}');
    args = sim_pool_copy(turn->pool, b.p, b.len);
    sim_buf_free(&b);
    return args;
}

static void add_call(struct sim_turn *turn, const struct sim_tool *tool, const char *line)
{
    struct sim_part *part;

    if (tool->kind == SIM_TOOL_HOSTED) {
        part = sim_turn_add(turn, SIM_PART_SHELL, line);
    } else if (tool->kind == SIM_TOOL_CUSTOM) {
        part = sim_turn_add(turn, SIM_PART_CUSTOM, custom_input(turn, tool, line));
    } else {
        part = sim_turn_add(turn, SIM_PART_TOOL, function_args(turn, tool, line));
    }
    part->name = tool->name;
    part->ns = tool->ns;
    part->piece = turn->cmd->args_chunk >= 0 ? turn->cmd->args_chunk : SIM_TOKENS_ARGS;
}

int sim_turn_agent(struct sim_turn *turn, const char **text)
{
    const struct sim_ask *ask = turn->ask;
    const struct sim_tool *tool;

    if (!turn->cmd->agents || !ask->tools || ask->output != SIM_OUT_TEXT ||
        ask->choice == SIM_CHOICE_NONE) {
        return 0;
    }
    if (ask->results >= turn->cmd->agents) {
        if (!*text) {
            *text = sim_pool_fmt(turn->pool, "The command printed:\n%s",
                                 ask->last_result ? ask->last_result : "");
        }
        return 0;
    }
    tool = find_shell(ask);
    if (!tool) {
        *text = "None of the offered tools runs a shell command.";
        return 0;
    }
    add_call(turn, tool, turn->cmd->agent[ask->results]);
    return 1;
}
