/* The gateway's own compaction of a conversation: a summary that its client carries along.
 *
 * The Responses format has one opaque field for it (`encrypted_content`). What the gateway puts
 * there is "mg1.c." + base64url(nonce ‖ AES-256-GCM(summary) ‖ tag) under a key made of the
 * sealing key, bound to the account: nobody else's request can be made to read it, and what was
 * altered does not open. The nonce is derived from the text, so that writing is deterministic.
 * It names no upstream: the summary is words, and goes to any model as a message. */
#ifndef MG_WIRE_COMPACTION_H
#define MG_WIRE_COMPACTION_H

#include "base/pool.h"
#include "base/str.h"
#include "wire/pack.h"

#include <stdbool.h>
#include <stdint.h>

/* What stands before the summary when it is told as a message again. */
#define MG_COMPACTION_INTRO "Summary of the conversation so far:\n\n"

/* Appends the sealed form of a summary that `owner` (an account) may bring back. `key` has
 * MG_PACK_KEY bytes. */
void mg_compaction_write(const uint8_t *key, uint64_t owner, struct mg_span summary,
                         struct mg_str *out) __attribute__((nonnull));
/* Opens a sealed form: true and *summary (in `pool`); false when this key did not make it for
 * this owner, or when it was altered. */
bool mg_compaction_read(const uint8_t *key, uint64_t owner, struct mg_span sealed,
                        struct mg_pool *pool, struct mg_span *summary)
    __attribute__((nonnull, warn_unused_result));

#endif
