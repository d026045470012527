#include "wire/effort.h"

#include <string.h>

#define LEAST_BUDGET 1024 /* Messages takes no smaller one */

static const struct level {
    const char *word;
    int64_t budget; /* tokens of a thinking budget that are its equal */
} levels[] = {
    [MG_EFFORT_UNSET] = {"", 0},           [MG_EFFORT_NONE] = {"none", 0},
    [MG_EFFORT_MINIMAL] = {"minimal", 1024}, [MG_EFFORT_LOW] = {"low", 2048},
    [MG_EFFORT_MEDIUM] = {"medium", 8192}, [MG_EFFORT_HIGH] = {"high", 16384},
    [MG_EFFORT_XHIGH] = {"xhigh", 32768},  [MG_EFFORT_MAX] = {"max", 49152},
};

enum mg_effort
mg_effort_parse(struct mg_span word)
{
    for (int i = MG_EFFORT_NONE; i <= MG_EFFORT_MAX; i++) {
        if (mg_span_is(word, levels[i].word))
            return (enum mg_effort)i;
    }
    return MG_EFFORT_UNSET;
}

const char *
mg_effort_word(enum mg_effort effort)
{
    return levels[effort].word;
}

enum mg_effort
mg_effort_nearest(unsigned set, enum mg_effort effort)
{
    if (set == 0)
        set = MG_EFFORTS_USUAL;
    for (int i = effort; i >= MG_EFFORT_NONE; i--) {
        if ((set & 1U << i) != 0)
            return (enum mg_effort)i;
    }
    for (int i = effort; i <= MG_EFFORT_MAX; i++) {
        if ((set & 1U << i) != 0)
            return (enum mg_effort)i;
    }
    return MG_EFFORT_UNSET;
}

/* The effort whose budget comes next to a budget: the lowest that covers it, but high covers
 * what clients ask for when they say "think hard". */
static enum mg_effort
effort_of_budget(int64_t budget)
{
    if (budget <= levels[MG_EFFORT_LOW].budget)
        return MG_EFFORT_LOW;
    if (budget <= levels[MG_EFFORT_MEDIUM].budget)
        return MG_EFFORT_MEDIUM;
    return budget <= 2 * levels[MG_EFFORT_HIGH].budget ? MG_EFFORT_HIGH : MG_EFFORT_XHIGH;
}

/* What the client asked for, as an effort. */
static enum mg_effort
asked(const struct mg_thought *thought)
{
    if (thought->mode == MG_THINKING_OFF)
        return MG_EFFORT_NONE;
    if (thought->effort != MG_EFFORT_UNSET)
        return thought->effort;
    return thought->mode == MG_THINKING_ON ? effort_of_budget(thought->budget) : MG_EFFORT_UNSET;
}

enum mg_effort
mg_effort_wanted(struct mg_crossing *x)
{
    enum mg_effort effort = asked(&x->turn->thought);
    if (effort > MG_EFFORT_NONE && !x->in->to.reasoning)
        mg_dropz(x, "reasoning");
    if (effort == MG_EFFORT_UNSET || !x->in->to.reasoning)
        return MG_EFFORT_UNSET;
    if (x->in->to.efforts == 0 && x->in->client != MG_MESSAGES)
        return effort; /* the same words on both sides: the upstream knows best */
    return mg_effort_nearest(x->in->to.efforts, effort);
}

/* An upstream that thinks by budget wants an unfinished tool loop to begin with the thinking
 * that led to it, and it counts as unfinished while results are in the last message, even if the
 * user says more beside them. True when the conversation ends in such a loop without it. */
static bool
loop_lacks_thinking(const struct mg_crossing *x)
{
    const struct mg_message *calls = NULL;
    bool open = false;
    for (const struct mg_message *m = x->turn->first; m != NULL; m = m->next) {
        if (m->role == MG_ROLE_ASSISTANT) {
            calls = m;
            open = false;
        }
        open |= m->role == MG_ROLE_TOOL;
    }
    if (!open || calls == NULL)
        return false;
    const struct mg_block *b = calls->first;
    return b == NULL || b->type != MG_BLOCK_REASONING ||
           (b->reasoning.kind != MG_PACK_THINKING && b->reasoning.kind != MG_PACK_REDACTED);
}

static int64_t
budget_for(const struct mg_thought *thought, enum mg_effort effort, int64_t limit)
{
    int64_t budget = thought->mode == MG_THINKING_ON ? thought->budget : levels[effort].budget;
    int64_t most = limit / 5 * 4; /* the rest is for the answer */
    if (budget > most)
        budget = most;
    return budget < LEAST_BUDGET ? LEAST_BUDGET : budget;
}

static enum mg_effort
messages_effort(const struct mg_crossing *x, enum mg_effort effort)
{
    const unsigned takes = 1U << MG_EFFORT_LOW | 1U << MG_EFFORT_MEDIUM | 1U << MG_EFFORT_HIGH |
                           1U << MG_EFFORT_XHIGH | 1U << MG_EFFORT_MAX;
    unsigned set = x->in->to.efforts & takes;
    return mg_effort_nearest(set, effort);
}

struct mg_thinking_plan
mg_effort_plan(const struct mg_crossing *x, int64_t limit, bool forced)
{
    struct mg_thinking_plan plan = {.mode = MG_THINKING_UNSET};
    const struct mg_thought *thought = &x->turn->thought;
    enum mg_effort effort = asked(thought);
    if (!x->in->to.reasoning || (effort == MG_EFFORT_UNSET && thought->mode == MG_THINKING_UNSET))
        return plan;
    if (effort == MG_EFFORT_NONE) {
        plan.mode = MG_THINKING_OFF;
        return plan;
    }
    if (x->in->to.thinking == MG_THINKING_EFFORT) {
        if (effort != MG_EFFORT_UNSET)
            plan.effort = messages_effort(x, effort);
        plan.mode = forced ? MG_THINKING_UNSET : MG_THINKING_ADAPTIVE;
    } else if (!forced && limit > LEAST_BUDGET && !loop_lacks_thinking(x)) {
        plan.mode = MG_THINKING_ON;
        plan.budget = budget_for(thought, effort == MG_EFFORT_UNSET ? MG_EFFORT_MEDIUM : effort,
                                 limit);
    }
    return plan;
}
