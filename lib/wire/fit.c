#include "wire/fit.h"

#include "wire/media.h"

static bool
is_media(const struct mg_block *b)
{
    return b->type == MG_BLOCK_IMAGE || b->type == MG_BLOCK_FILE;
}

/* A block at its place; `result` for the content of a tool's result. */
static int
check_block(struct mg_crossing *x, enum mg_role role, struct mg_block *b, bool result)
{
    if (is_media(b)) {
        if (role == MG_ROLE_ASSISTANT || role == MG_ROLE_SYSTEM)
            return mg_refuse(x, b->at, "images and documents have to come from the user or a "
                                       "tool");
        return mg_media_fits(x, b);
    }
    if (b->type == MG_BLOCK_CALL && role != MG_ROLE_ASSISTANT)
        return mg_contradiction(x, b->at, "only the assistant calls tools");
    if (b->type == MG_BLOCK_RESULT && result)
        return mg_contradiction(x, b->at, "a result inside a result");
    for (struct mg_block *c = b->type == MG_BLOCK_RESULT ? b->call.content : NULL; c != NULL;
         c = c->next) {
        if (c->type == MG_BLOCK_CALL)
            return mg_contradiction(x, c->at, "only the assistant calls tools");
        if (check_block(x, MG_ROLE_TOOL, c, true) != 0)
            return -1;
    }
    return 0;
}

static bool
says_something(const struct mg_message *m)
{
    for (const struct mg_block *b = m->first; b != NULL; b = b->next) {
        if (b->type == MG_BLOCK_CALL || !mg_span_blank(b->text))
            return true;
    }
    return false;
}

/* A Messages client that ends with the assistant wants that very answer gone on with. */
static int
check_end(struct mg_crossing *x)
{
    const struct mg_message *last = NULL;
    for (const struct mg_message *m = x->turn->first; m != NULL; m = m->next) {
        if (m->role != MG_ROLE_ASSISTANT || says_something(m))
            last = m;
    }
    if (last == NULL || last->role != MG_ROLE_ASSISTANT)
        return 0;
    return mg_refuse(x, last->at, "the conversation has to end with the user or a tool result; "
                                  "this model does not go on with an answer that is begun");
}

int
mg_fit_check(struct mg_crossing *x)
{
    const struct mg_turn *turn = x->turn;
    for (struct mg_message *m = turn->first; m != NULL; m = m->next) {
        for (struct mg_block *b = m->first; b != NULL; b = b->next) {
            if (check_block(x, m->role, b, false) != 0)
                return -1;
        }
    }
    if (turn->first == NULL)
        return mg_contradiction(x, x->in->client == MG_RESPONSES ? "input" : "messages",
                                "it is empty");
    if (turn->tools != NULL && !x->in->to.tools)
        return mg_refuse(x, "tools", "this model takes no tools; choose one that does");
    if (turn->format.kind == MG_FORMAT_SCHEMA && !x->in->to.structured &&
        x->in->upstream != MG_MESSAGES)
        return mg_refuse(x, x->in->client == MG_CHAT        ? "response_format"
                            : x->in->client == MG_RESPONSES ? "text.format"
                                                            : "output_config.format",
                         "this model gives no structured output; choose one that does");
    return x->in->client == MG_MESSAGES && x->in->upstream != MG_MESSAGES ? check_end(x) : 0;
}
