#include "turn.h"

#include "say.h"
#include "tokens.h"

#include <string.h>

static const char default_model[] = "sim-model-2026";

struct sim_part *sim_turn_add(struct sim_turn *turn, enum sim_part_kind kind, const char *text)
{
    struct sim_part *part;

    if (turn->parts < SIM_PARTS_MAX) {
        turn->parts++;
    }
    part = &turn->part[turn->parts - 1];
    memset(part, 0, sizeof *part);
    part->kind = kind;
    part->text = text;
    part->len = strlen(text);
    return part;
}

const char *sim_part_next(const struct sim_part *part, size_t *pos, size_t *n)
{
    const char *at = part->text + *pos;
    size_t left = part->len - *pos;

    if (!left) {
        return NULL;
    }
    if (part->kind == SIM_PART_TOOL || part->kind == SIM_PART_CUSTOM) {
        *n = sim_tokens_arg(at, left, part->piece);
    } else {
        *n = sim_tokens_word(at, left);
    }
    *pos += *n;
    return at;
}

bool sim_turn_has(const struct sim_turn *turn, enum sim_part_kind kind)
{
    size_t i;

    for (i = 0; i < turn->parts; i++) {
        if (turn->part[i].kind == kind) {
            return true;
        }
    }
    return false;
}

const char *sim_turn_text(const struct sim_turn *turn)
{
    const char *all = "";
    size_t i;

    for (i = 0; i < turn->parts; i++) {
        const struct sim_part *part = &turn->part[i];

        if (part->kind == SIM_PART_TEXT) {
            all = sim_pool_fmt(turn->pool, "%s%.*s", all, (int)part->len, part->text);
        }
    }
    return all;
}

static void add_text(struct sim_turn *turn, const char *text)
{
    if (turn->cmd->refusal) {
        sim_turn_add(turn, SIM_PART_REFUSAL, turn->cmd->refusal);
    } else {
        sim_turn_add(turn, SIM_PART_TEXT, text);
    }
}

static void add_reasoning(struct sim_turn *turn)
{
    if (turn->cmd->reasoning > 0) {
        sim_turn_add(turn, SIM_PART_REASONING, sim_say_words(turn->pool, turn->cmd->reasoning));
    }
}

/* parts=text,tool,… in the order given; true when there was such a command. */
static bool ordered_parts(struct sim_turn *turn, const char *text)
{
    const char *s = turn->cmd->parts;
    const char *fallback = text ? text : sim_say_greeting(turn);

    if (!s) {
        return false;
    }
    while (*s) {
        size_t n = strcspn(s, ",");

        if (strncmp(s, "text", n) == 0) {
            add_text(turn, fallback);
        } else if (strncmp(s, "reasoning", n) == 0) {
            add_reasoning(turn);
        } else if (strncmp(s, "tool", n) == 0) {
            sim_turn_tools(turn);
        }
        s += n + (s[n] == ',');
    }
    return true;
}

static void choose_parts(struct sim_turn *turn)
{
    const char *text = sim_say_wanted(turn);
    bool called;

    if (turn->ask->compaction) {
        sim_turn_add(turn, SIM_PART_COMPACTION, sim_pool_fmt(turn->pool, "Summary so far: %.500s",
                                                              turn->ask->user_text));
        return;
    }
    if (ordered_parts(turn, text)) {
        return;
    }
    add_reasoning(turn);
    if (turn->cmd->agents) {
        called = sim_turn_agent(turn, &text) > 0;
    } else {
        size_t before = turn->parts;

        if (text || turn->cmd->refusal) {
            add_text(turn, text ? text : "");
        }
        called = sim_turn_tools(turn) > 0 || turn->parts > before;
    }
    if (!called) {
        bool json = !text && turn->ask->output != SIM_OUT_TEXT;

        add_text(turn, text ? text : json ? sim_say_structured(turn) : sim_say_greeting(turn));
    }
}

/* Cuts the text parts where a stop sequence begins. */
static void apply_stops(struct sim_turn *turn)
{
    size_t i, k;

    for (i = 0; i < turn->parts; i++) {
        struct sim_part *part = &turn->part[i];

        for (k = 0; part->kind == SIM_PART_TEXT && k < turn->ask->stops; k++) {
            const char *at = strstr(part->text, turn->ask->stop[k]);

            if (at && (size_t)(at - part->text) < part->len) {
                part->len = (size_t)(at - part->text);
                turn->parts = i + 1;
                turn->end = SIM_END_SEQUENCE;
                turn->stop_hit = turn->ask->stop[k];
            }
        }
    }
}

/* Lets at most left word pieces of the part stand; returns how many pieces it has then. */
static int64_t limit_part(struct sim_part *part, int64_t left)
{
    size_t pos = 0;
    size_t n;
    int64_t pieces = 0;
    bool words = part->kind == SIM_PART_TEXT || part->kind == SIM_PART_REASONING;

    while ((!words || left < 0 || pieces < left) && sim_part_next(part, &pos, &n)) {
        pieces++;
    }
    part->len = pos;
    return pieces;
}

/* Counts the pieces and ends the answer where the request's limit is reached. */
static int64_t apply_limit(struct sim_turn *turn, int64_t *reasoning)
{
    int64_t limit = turn->ask->max_tokens;
    int64_t total = 0;
    size_t i;

    *reasoning = 0;
    for (i = 0; i < turn->parts; i++) {
        struct sim_part *part = &turn->part[i];
        size_t whole = part->len;
        int64_t left = limit < 0 ? -1 : limit > total ? limit - total : 0;
        int64_t pieces = limit_part(part, left);

        total += pieces;
        *reasoning += part->kind == SIM_PART_REASONING ? pieces : 0;
        if (part->len < whole) {
            turn->parts = part->len ? i + 1 : i;
            turn->end = SIM_END_LENGTH;
        }
    }
    return total;
}

static int64_t given(int64_t command, int64_t dflt)
{
    return command >= 0 ? command : dflt;
}

static void set_usage(struct sim_turn *turn)
{
    const struct sim_cmd *cmd = turn->cmd;
    struct sim_usage *u = &turn->usage;
    int64_t prompts = turn->ask->family == SIM_COMPLETIONS
                          ? (int64_t)sim_js_len(sim_js_get(turn->ask->body, "prompt"))
                          : 1;
    int64_t reasoning;
    int64_t pieces = apply_limit(turn, &reasoning);
    int64_t copies = turn->ask->n > 1 ? turn->ask->n : 1;

    copies *= prompts > 1 ? prompts : 1;
    u->in = given(cmd->in, turn->ask->input_tokens);
    u->cache_read = given(cmd->cache_read, 0);
    u->write_5m = given(cmd->cache_write_5m, 0);
    u->write_1h = given(cmd->cache_write_1h, 0);
    u->reasoning = given(cmd->reasoning_tokens, reasoning * copies);
    u->out = given(cmd->out, (pieces - reasoning) * copies + u->reasoning);
}

static void set_end(struct sim_turn *turn)
{
    static const struct {
        const char *word;
        enum sim_end end;
    } words[] = {
        { "stop", SIM_END_STOP }, { "length", SIM_END_LENGTH }, { "tool_calls", SIM_END_TOOLS },
        { "content_filter", SIM_END_FILTER }, { "refusal", SIM_END_REFUSAL },
        { "stop_sequence", SIM_END_SEQUENCE },
    };
    const char *finish = turn->cmd->finish;
    size_t i;

    if (turn->end == SIM_END_STOP && (sim_turn_has(turn, SIM_PART_TOOL) ||
                                      sim_turn_has(turn, SIM_PART_CUSTOM))) {
        turn->end = SIM_END_TOOLS;
    }
    if (turn->ask->family == SIM_MESSAGES && sim_turn_has(turn, SIM_PART_REFUSAL)) {
        turn->end = SIM_END_REFUSAL;
    }
    if (turn->cmd->stop_sequence) {
        turn->end = SIM_END_SEQUENCE;
        turn->stop_hit = turn->cmd->stop_sequence;
    }
    if (!finish) {
        return;
    }
    turn->end = SIM_END_RAW;
    turn->end_raw = finish;
    for (i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(finish, words[i].word) == 0) {
            turn->end = words[i].end;
        }
    }
}

void sim_turn_make(struct sim_turn *turn, const struct sim_ask *ask, const struct sim_cmd *cmd,
                   struct sim_pool *pool, uint64_t serial, int64_t now)
{
    memset(turn, 0, sizeof *turn);
    turn->ask = ask;
    turn->cmd = cmd;
    turn->pool = pool;
    turn->model = cmd->echo_model ? cmd->echo_model : default_model;
    turn->id = cmd->id ? cmd->id : sim_pool_fmt(pool, "sim%012llx", (unsigned long long)serial);
    turn->created = cmd->created >= 0 ? cmd->created : now;
    choose_parts(turn);
    apply_stops(turn);
    set_usage(turn);
    set_end(turn);
}
