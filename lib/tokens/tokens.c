#include "tokens/tokens.h"

#include "tokens/merge.h"
#include "tokens/piece.h"

int64_t
mg_tokens_count(const char *text, size_t n)
{
    if (n == 0) /* also a NULL text */
        return 0;
    const char *end = text + n;
    int64_t tokens = 0;
    while (text < end) {
        const char *next = mg_piece_end(text, end);
        tokens += (int64_t)mg_merge_count(text, (size_t)(next - text));
        text = next;
    }
    return tokens;
}
