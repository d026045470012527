#include "wire/reasoning.h"

#include <string.h>

static struct mg_block *
add(struct mg_crossing *x, struct mg_message *message, const char *at, struct mg_pack pack)
{
    struct mg_block *block = mg_turn_block(x->turn, message, MG_BLOCK_REASONING, at);
    block->reasoning = pack;
    return block;
}

bool
mg_reasoning_read_messages(struct mg_crossing *x, struct mg_message *message,
                           struct mg_node *node, const char *at)
{
    struct mg_pack pack = {.kind = MG_PACK_THINKING};
    struct mg_span proof = mg_node_text_at(node, "signature");
    if (mg_node_says(mg_node_get(node, "type"), "redacted_thinking")) {
        proof = mg_node_text_at(node, "data");
        pack.kind = MG_PACK_REDACTED;
    }
    if (mg_pack_looks(proof)) {
        if (!mg_pack_read(x->in->key, proof, x->pool, &pack))
            return false;
    } else {
        if (proof.n == 0)
            return false;
        pack.text = mg_node_text_at(node, "thinking");
        pack.blob = proof;
    }
    add(x, message, at, pack);
    return true;
}

bool
mg_reasoning_read_responses(struct mg_crossing *x, struct mg_message *message,
                            struct mg_node *item, const char *at)
{
    struct mg_pack pack = {.kind = MG_PACK_REASONING};
    struct mg_span proof = mg_node_text_at(item, "encrypted_content");
    if (mg_pack_looks(proof)) {
        if (!mg_pack_read(x->in->key, proof, x->pool, &pack))
            return false;
    } else {
        pack.id = mg_node_text_at(item, "id");
        pack.text = mg_node_raw_at(item, "summary");
        pack.blob = proof;
    }
    add(x, message, at, pack);
    return true;
}

static bool
is_welcome(const struct mg_crossing *x, const struct mg_pack *pack)
{
    const char *origin = x->in->to.origin;
    if (pack->origin.n > 0 && origin != NULL && *origin != '\0' &&
        !mg_span_is(pack->origin, origin))
        return false;
    switch (pack->kind) {
    case MG_PACK_THINKING:
    case MG_PACK_REDACTED:
        return x->in->upstream == MG_MESSAGES;
    case MG_PACK_REASONING:
        return x->in->upstream == MG_RESPONSES &&
               (pack->blob.n > 0 || x->in->client == MG_RESPONSES);
    case MG_PACK_CHAT:
        return x->in->upstream == MG_CHAT;
    }
    return false;
}

static void
filter_message(const struct mg_crossing *x, struct mg_message *message)
{
    struct mg_block **place = &message->first;
    message->last = NULL;
    while (*place != NULL) {
        struct mg_block *block = *place;
        if (block->type == MG_BLOCK_REASONING && !is_welcome(x, &block->reasoning)) {
            if (block->next != NULL)
                block->next->opens |= block->opens;
            *place = block->next;
        } else {
            message->last = block;
            place = &block->next;
        }
    }
}

void
mg_reasoning_filter(struct mg_crossing *x)
{
    for (struct mg_message *m = x->turn->first; m != NULL; m = m->next)
        filter_message(x, m);
}
