/* Fuzzing of reply translation: any bytes from an upstream, in any pieces, for any client.
 *
 * The first byte picks the pair, the second the form and the size of pieces; the rest is what
 * the upstream sends. Whatever it is, a stream must have exactly one end, and a good one only
 * when the answer was whole. */
#include "wire/case.h"
#include "wire/summary.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void
check_ends(enum mg_family client, const struct outcome *o)
{
    bool success;
    if (count_ends(client, mg_str_span(&o->out), &success) != 1 || success != o->complete
        || o->complete == (o->cut || o->failed))
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const enum mg_family upstreams[] = {MG_CHAT, MG_RESPONSES, MG_MESSAGES};
    static const enum mg_family clients[] = {MG_CHAT, MG_RESPONSES, MG_MESSAGES,
                                             MG_COMPLETIONS};
    if (n < 2)
        return 0;
    enum mg_family upstream = upstreams[bytes[0] % 3], client = clients[bytes[0] / 3 % 4];
    bool stream = bytes[1] & 1;
    struct mg_span rest = {(const char *)bytes + 2, n - 2};
    struct outcome o;
    if (client == upstream)
        return 0;
    struct mg_relay *relay = case_relay(client, upstream, stream, NULL);
    if (stream) {
        case_run(relay, rest, bytes[1] >> 1, &o);
        check_ends(client, &o);
    } else {
        case_body(relay, client, rest, &o);
    }
    outcome_free(&o);
    mg_relay_free(&relay);
    return 0;
}
