/* FastCGI records as bytes: what a responder sends, and what it may still hear.
 *
 * Pure. Source: FastCGI specification 1.0, sections 3.3 (records), 5.3 (streams) and 5.5
 * (FCGI_END_REQUEST). */
#ifndef MG_HTTP_RECORD_H
#define MG_HTTP_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MG_RECORD_HEADER 8
#define MG_RECORD_CONTENT ((size_t)65528) /* the most we put into one; a multiple of 8 */
#define MG_RECORD_END_SIZE 24

enum { MG_RECORD_ABORT_REQUEST = 2, MG_RECORD_END_REQUEST = 3, MG_RECORD_STDOUT = 6 };

/* The header of a record of `type` with `content` bytes (<= MG_RECORD_CONTENT, no padding). */
void mg_record_header(uint8_t out[MG_RECORD_HEADER], int type, int request_id, size_t content)
    __attribute__((nonnull));
/* The end of a reply: an empty STDOUT record and END_REQUEST (complete, status 0). */
void mg_record_end(uint8_t out[MG_RECORD_END_SIZE], int request_id) __attribute__((nonnull));

/* Looks for an FCGI_ABORT_REQUEST among records that come in pieces of any size. Start with a
 * zeroed one. */
struct mg_record_scan {
    uint8_t head[MG_RECORD_HEADER];
    size_t have;  /* bytes of head */
    size_t skip;  /* bytes of content and padding still to come */
};
/* Takes n bytes; true when they completed an abort of `request_id`. */
bool mg_record_scan_abort(struct mg_record_scan *scan, const uint8_t *bytes, size_t n,
                          int request_id) __attribute__((nonnull));

#endif
