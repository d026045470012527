/* Fuzzing of the tokenizer: any bytes, whole and cut in two.
 *
 * A count lies between one and the number of bytes, and is the same every time; nothing is read
 * behind the end of a text (the cut falls anywhere, also into a character). */
#include "tokens/tokens.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool good)
{
    if (!good)
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    int64_t all = mg_tokens_count(text, size);
    must(size == 0 ? all == 0 : all >= 1 && all <= (int64_t)size);
    must(all == mg_tokens_count(text, size));
    if (size > 1) {
        char *half = malloc(size / 2);
        if (half == NULL)
            return 0;
        memcpy(half, text, size / 2);
        int64_t left = mg_tokens_count(half, size / 2);
        must(left >= 1 && left <= (int64_t)size / 2 && left == mg_tokens_count(text, size / 2));
        free(half);
    }
    return 0;
}
