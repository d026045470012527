/* How a libcurl handle is set up for one exchange; private to this room.
 *
 * What is the same for every exchange is set once when the handle is made; handles are used
 * again and again, so each exchange sets only what differs. */
#ifndef MG_UPSTREAM_EASY_H
#define MG_UPSTREAM_EASY_H

#include "upstream/multi.h"
#include "upstream/transfer.h"

/* Prepares libcurl, once a process; to be called before anything of it is used. */
void mg_easy_library(void);
/* A handle with everything set that never changes. */
CURL *mg_easy_new(void) __attribute__((returns_nonnull));
/* Sets what this request wants; `owner` goes to the callbacks below, `problem` is a buffer of
 * CURL_ERROR_SIZE. URL and headers must live as long as the exchange. */
void mg_easy_prepare(CURL *easy, const struct mg_transfer_request *request,
                     struct curl_slist *headers, char *problem, void *owner)
    __attribute__((nonnull(1, 2, 4, 5)));
/* Makes the handle forget the exchange, before its buffers go. */
void mg_easy_clear(CURL *easy) __attribute__((nonnull));
/* Builds the header list. NULL, or why it cannot be: a name or value that is no header. */
const char *mg_easy_headers(const struct mg_transfer_request *request, struct curl_slist **list)
    __attribute__((nonnull));
/* Bytes of the request's body that went out. */
int64_t mg_easy_uploaded(CURL *easy) __attribute__((nonnull));

/* What libcurl calls back; written in transfer.c. */
int mg_easy_on_ready(void *owner, char *remote_ip, char *local_ip, int remote_port,
                     int local_port);
size_t mg_easy_on_header(char *bytes, size_t one, size_t n, void *owner);
size_t mg_easy_on_body(char *bytes, size_t one, size_t n, void *owner);

#endif
