/* The event reader: however bytes are cut, no byte is lost and none is given out twice. */
#include "base/str.h"
#include "wire/sse.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mg_sse sse;
    struct mg_sse_event event;
    if (size < 1 || size > 65536)
        return 0;
    size_t step = 1 + data[0], given = 0;
    const char *bytes = (const char *)data + 1;
    size--;
    mg_sse_init(&sse);
    for (size_t at = 0; at < size; at += step) {
        if (!mg_sse_feed(&sse, bytes + at, size - at < step ? size - at : step))
            abort();
        while (mg_sse_next(&sse, false, &event)) {
            if (memcmp(event.raw.p, bytes + given, event.raw.n) != 0)
                abort();
            given += event.raw.n;
        }
    }
    while (mg_sse_next(&sse, true, &event))
        given += event.raw.n;
    if (given != size)
        abort();
    mg_sse_free(&sse);
    return 0;
}
