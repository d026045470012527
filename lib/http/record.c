#include "http/record.h"

#include <string.h>

void
mg_record_header(uint8_t out[MG_RECORD_HEADER], int type, int request_id, size_t content)
{
    out[0] = 1; /* version */
    out[1] = (uint8_t)type;
    out[2] = (uint8_t)(request_id >> 8);
    out[3] = (uint8_t)request_id;
    out[4] = (uint8_t)(content >> 8);
    out[5] = (uint8_t)content;
    out[6] = 0; /* padding */
    out[7] = 0;
}

void
mg_record_end(uint8_t out[MG_RECORD_END_SIZE], int request_id)
{
    mg_record_header(out, MG_RECORD_STDOUT, request_id, 0);
    mg_record_header(out + MG_RECORD_HEADER, MG_RECORD_END_REQUEST, request_id, 8);
    memset(out + 2 * MG_RECORD_HEADER, 0, 8);
}

bool
mg_record_scan_abort(struct mg_record_scan *scan, const uint8_t *bytes, size_t n,
                     int request_id)
{
    while (n > 0) {
        size_t take = scan->skip < n ? scan->skip : n;
        scan->skip -= take;
        bytes += take;
        n -= take;
        while (n > 0 && scan->have < MG_RECORD_HEADER) {
            scan->head[scan->have++] = *bytes++;
            n--;
        }
        if (scan->have < MG_RECORD_HEADER)
            break;
        const uint8_t *h = scan->head;
        scan->have = 0;
        scan->skip = ((size_t)h[4] << 8 | h[5]) + h[6];
        if (h[1] == MG_RECORD_ABORT_REQUEST && (h[2] << 8 | h[3]) == request_id)
            return true;
    }
    return false;
}
