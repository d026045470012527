/* How much credit an exchange holds. Pure arithmetic over prices and token bounds.
 *
 * A stream begins with its input and one slice of output and grows; an answer in one piece
 * holds its whole bound, and when the wallet cannot cover that, its output limit is lowered to
 * what the wallet covers. Nano-credits and tokens throughout. */
#ifndef MG_INFER_HOLD_H
#define MG_INFER_HOLD_H

#include "catalogue/catalogue.h"
#include "wire/facts.h"

#include <stdbool.h>
#include <stdint.h>

struct mg_hold {
    int64_t want;        /* held when the wallet has it */
    int64_t least;       /* refused below this */
    bool all;            /* between the two: hold all there is */
    int64_t output;      /* output tokens an answer that is not streamed may need in all */
    int64_t slice;       /* credit for one more slice of output */
};

/* The first hold. `slice_tokens` and `default_max` come from the settings. */
void mg_hold_first(const struct mg_price *price, const struct mg_facts *facts,
                   const struct mg_model *model, int64_t slice_tokens, int64_t default_max,
                   struct mg_hold *hold) __attribute__((nonnull));
/* The output limit that a granted hold pays for, in tokens per answer: -1 when it covers what
 * was asked. Only for answers that are not streamed. */
int64_t mg_hold_lowered(const struct mg_price *price, const struct mg_facts *facts,
                        const struct mg_hold *hold, int64_t granted) __attribute__((nonnull));

#endif
