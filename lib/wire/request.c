/* The way of a request: sort, read, settle, check, write, remember. */
#include "wire/effort.h"
#include "wire/fit.h"
#include "wire/history.h"
#include "wire/members.h"
#include "wire/names.h"
#include "wire/reasoning.h"
#include "wire/requests.h"
#include "wire/tools.h"

#include <string.h>

#define DROPPED_MAX 2048 /* bytes of names; more are not listed */

/* What the model is asked to do for a compaction_trigger. */
static const char compaction_words[] =
    "Write a summary of this conversation that will replace it: another session goes on from "
    "your summary alone. Keep the task and its constraints, decisions and their reasons, what "
    "was done and found (file names, commands, identifiers, error texts exactly), and what is "
    "still to do. Write the summary only.";

typedef int reader(struct mg_crossing *x, struct mg_node *body);
typedef int writer(struct mg_crossing *x, struct mg_jw *w);

static reader *const readers[MG_FAMILIES] = {
    [MG_CHAT] = mg_chat_request_read,
    [MG_RESPONSES] = mg_responses_request_read,
    [MG_COMPLETIONS] = mg_completions_request_read,
    [MG_MESSAGES] = mg_messages_request_read,
};
static writer *const writers[MG_FAMILIES] = {
    [MG_CHAT] = mg_chat_request_write,
    [MG_RESPONSES] = mg_responses_request_write,
    [MG_MESSAGES] = mg_messages_request_write,
};

static void
ask_for_summary(struct mg_crossing *x)
{
    struct mg_turn *turn = x->turn;
    struct mg_message *message = mg_turn_message(turn, MG_ROLE_USER, "input");
    mg_turn_text(turn, message, mg_span_z(compaction_words), "input");
    turn->choice = (struct mg_choice){.parallel = -1};
    if (turn->tools != NULL)
        turn->choice.mode = MG_CHOICE_NONE;
    turn->format.kind = MG_FORMAT_NONE;
}

static int
read_turn(struct mg_crossing *x)
{
    struct mg_node *body = mg_node_new(x->pool, x->in->body);
    if (mg_members_sort(x, body) != 0 || readers[x->in->client](x, body) != 0)
        return -1;
    if (x->turn->compaction)
        ask_for_summary(x);
    if (mg_turn_settle(x) != 0 || mg_fit_check(x) != 0)
        return -1;
    mg_reasoning_filter(x);
    return 0;
}

/* Everything the client said but the conversation, for formats that say it back. */
static struct mg_span
echo_of(struct mg_crossing *x)
{
    struct mg_str out;
    struct mg_node *body = mg_node_new(x->pool, x->in->body);
    bool any = false;
    if (x->in->client != MG_RESPONSES)
        return (struct mg_span){"", 0};
    mg_str_init(&out, x->in->body.n + 64);
    mg_str_addc(&out, '{');
    for (struct mg_node *n = mg_node_first(body); n != NULL; n = n->next) {
        if (mg_span_is(n->key, "input"))
            continue;
        mg_str_addz(&out, any ? ",\"" : "\"");
        mg_str_addspan(&out, n->key);
        mg_str_addz(&out, "\":");
        mg_str_addspan(&out, n->raw);
        any = true;
    }
    mg_str_addc(&out, '}');
    struct mg_span kept = {mg_pool_strndup(x->left->pool, out.p, out.len), out.len};
    mg_str_free(&out);
    return kept;
}

static const char *const *
text_list(struct mg_pool *pool, const struct mg_span *texts, size_t count)
{
    const char **list = mg_pool_alloc(pool, (count + 1) * sizeof(*list));
    for (size_t i = 0; i < count; i++)
        list[i] = mg_pool_strndup(pool, texts[i].p, texts[i].n);
    return list;
}

static const char *const *
dropped_list(struct mg_crossing *x)
{
    size_t count = 0;
    for (size_t i = 0; i < x->dropped->len; i++)
        count += x->dropped->p[i] == '\0';
    const char **list = mg_pool_alloc(x->left->pool, (count + 1) * sizeof(*list));
    const char *p = x->dropped->p;
    for (size_t i = 0; i < count; i++, p += strlen(p) + 1)
        list[i] = mg_pool_strdup(x->left->pool, p);
    return list;
}

static void
remember(struct mg_crossing *x)
{
    const struct mg_turn *turn = x->turn;
    struct mg_translation *left = x->left;
    left->tools = mg_names_all(x->names);
    left->tool_count = x->names->count;
    left->compaction = turn->compaction;
    left->show_reasoning = x->in->client != MG_MESSAGES ||
                           ((turn->thought.mode == MG_THINKING_ON ||
                             turn->thought.mode == MG_THINKING_ADAPTIVE) && !turn->thought.hidden);
    left->encrypted_reasoning = turn->encrypted;
    left->logprobs = turn->logprobs;
    left->stops = text_list(left->pool, turn->stops, turn->stop_count);
    left->echo = echo_of(x);
    left->n = turn->n;
    if (turn->echo)
        left->prompt = mg_pool_strndup(left->pool, turn->prompt.p, turn->prompt.n);
    left->dropped = dropped_list(x);
}

static int
cross(struct mg_crossing *x, struct mg_str *body_out)
{
    struct mg_jw w;
    if (read_turn(x) != 0)
        return -1;
    mg_tools_name(x);
    mg_jw_init(&w, body_out);
    if (writers[x->in->upstream](x, &w) != 0)
        return -1;
    if (!mg_jw_done(&w))
        return mg_err_set(x->err, 413, "request_too_large",
                          "The request is too large for this model.");
    remember(x);
    return 0;
}

int
mg_translate_request(const struct mg_translate_in *in, struct mg_str *body_out,
                     struct mg_translation **left, struct mg_err *err)
{
    struct mg_names names;
    struct mg_str dropped;
    struct mg_pool *pool = mg_pool_new();
    struct mg_crossing x = {.in = in, .pool = pool, .names = &names, .err = err,
                            .dropped = &dropped};
    mg_str_init(&dropped, DROPPED_MAX);
    x.turn = mg_turn_new(pool, in->key);
    x.left = mg_translation_new(in->client, in->upstream);
    memcpy(x.left->key, in->key, MG_PACK_KEY);
    x.left->owner = in->owner;
    if (in->to.origin != NULL)
        x.left->origin = mg_pool_strdup(x.left->pool, in->to.origin);
    mg_names_init(&names, x.left->pool, in->upstream, in->key);
    size_t before = body_out->len;
    int rc = cross(&x, body_out);
    if (rc != 0) {
        body_out->len = before; /* half a body is none */
        mg_translation_free(&x.left);
    }
    *left = x.left;
    mg_str_free(&dropped);
    mg_pool_free(&pool);
    return rc;
}
