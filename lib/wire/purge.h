/* Packs out of a request that is passed through.
 *
 * A client keeps reasoning of a translated answer as a pack (wire/pack.h) in the place where its
 * own format keeps proofs. When the model behind its alias moves to an upstream of that very
 * format, the body goes through as bytes, and the packs in it would be proofs that the upstream
 * did not make: it would refuse the request. They are taken out here, and nothing else is
 * touched. A pack never holds anything that this upstream could use: packs are made in
 * translation alone, so what is in them belongs to an upstream of another format.
 *
 * | format | what goes |
 * |---|---|
 * | Messages | `thinking` blocks whose signature is a pack, `redacted_thinking` whose data is one;
 *   the message too when nothing else was in it |
 * | Responses | `reasoning` items whose encrypted_content is a pack; a `compaction` that the
 *   gateway made becomes a message with its summary, as in translation |
 * | Chat | elements of `reasoning_details` whose data is a pack; the member when it gets empty |
 *
 * A Messages upstream that thinks by a budget wants an unfinished tool loop to begin with the
 * thinking that led to it. When that is what was taken out, `thinking` becomes disabled for
 * this request, and `context_management` goes if it speaks of thinking. */
#ifndef MG_WIRE_PURGE_H
#define MG_WIRE_PURGE_H

#include "base/err.h"
#include "base/str.h"
#include "wire/family.h"

#include <stdint.h>

/* Appends the body without packs to out. `key` has MG_PACK_KEY bytes; `owner` is the account whose
 * compactions can be read. 1 when something was taken
 * out; 0 when there was nothing (out is as it was; costs one search over the bytes); -1 with err:
 * 400 for a compaction that claims to be the gateway's and is not, 500 when out is full. */
int mg_purge_body(const uint8_t *key, uint64_t owner, enum mg_family family,
                  struct mg_span body, struct mg_str *out, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
