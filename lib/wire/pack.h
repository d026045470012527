/* Reasoning that one format cannot say, carried through the other.
 *
 * A model's reasoning comes with a proof (a signature, an encrypted text) that only its own
 * upstream can read, and that must go back to it unchanged in the next turn. A client of another
 * format has one opaque field for such things (`encrypted_content`, `signature`, `data`). This
 * file puts the whole foreign block into that field and takes it out again.
 *
 * Chat Completions has no such field of its own; there the pack travels as an element
 * {"type":"reasoning.encrypted","data":PACK} of the assistant message's `reasoning_details`,
 * which clients that know reasoning at all send back as they got it.
 *
 * A pack is "mg1." + base64url(tag ‖ kind ‖ fields). The tag is a truncated HMAC-SHA-256 under
 * the gateway's sealing key: it tells a pack from a native signature or from one that was cut
 * or invented, so that no upstream ever sees a proof that is not its own. It does not hide the
 * contents: a native client of the upstream would be shown the very same bytes. Writing is
 * deterministic. A text that is no good pack is simply "not a pack"; nobody gets an error. */
#ifndef MG_WIRE_PACK_H
#define MG_WIRE_PACK_H

#include "base/pool.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define MG_PACK_KEY 32

enum mg_pack_kind {
    MG_PACK_THINKING = 1, /* Messages thinking: text, blob = signature */
    MG_PACK_REDACTED,     /* Messages redacted_thinking: blob = data */
    MG_PACK_REASONING,    /* Responses reasoning item: id, blob = encrypted_content, text = raw
                           * JSON of the `summary` array; the blob is bound to the id */
    MG_PACK_CHAT = 5      /* Chat reasoning without a proof (`reasoning_content`): text. Packed
                           * because such an upstream wants its own words back, while nobody
                           * else's words may be given to it as its own */
};

struct mg_pack {
    enum mg_pack_kind kind;
    struct mg_span origin; /* which upstream it belongs to; empty = any */
    struct mg_span id;
    struct mg_span text;
    struct mg_span blob;
};

/* Appends the packed form to out. `key` has MG_PACK_KEY bytes. */
void mg_pack_write(const uint8_t *key, const struct mg_pack *pack, struct mg_str *out)
    __attribute__((nonnull));
/* Reads a packed form: true and *pack (its spans live in `pool`), or false when `text` is not a
 * pack that this key made. */
bool mg_pack_read(const uint8_t *key, struct mg_span text, struct mg_pool *pool,
                  struct mg_pack *pack) __attribute__((nonnull, warn_unused_result));
/* True when the text claims to be a pack, or a compaction (wire/compaction.h): never to be sent
 * to any upstream. */
bool mg_pack_looks(struct mg_span text);

#endif
