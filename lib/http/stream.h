/* A reply written by an event loop: FCGI_STDOUT records with sends that never block.
 *
 * The stream takes the connection out of the request; the request's data and pool stay usable
 * and are freed by the caller (mg_request_free) after the stream. It knows no event loop: after
 * every call ask mg_stream_wants_write() and watch the descriptor accordingly (EPOLLIN and
 * EPOLLRDHUP always). All calls on one stream come from one thread at a time.
 *
 * A stream ends in one of two ways. mg_stream_finish() sends END_REQUEST: the client sees a
 * complete reply. mg_stream_close() without it cuts the connection: the web server then cuts
 * the client's, so that a broken answer does not look like a whole one. That is the last
 * resort, for streams without Content-Length lighttpd cannot always keep to it: a cut that
 * reaches it together with the head becomes a clean end. So tell the error inside the stream
 * (wire/errors.h) and finish wherever the format can. */
#ifndef MG_HTTP_STREAM_H
#define MG_HTTP_STREAM_H

#include "http/request.h"

struct mg_stream;

/* Takes the connection over; from here on the request is the caller's too. The body should have
 * been read (mg_body_read); a rest is thrown away here, which may block like reading it. `max`:
 * bytes that may wait for a slow client; a write that would exceed it fails. Never NULL: when
 * the connection is broken already, the stream is born gone. */
struct mg_stream *mg_stream_open(struct mg_request *req, size_t max)
    __attribute__((nonnull, warn_unused_result));
/* Closes the descriptor and frees the stream; NULL is allowed. Cuts the reply unless
 * mg_stream_finished(). */
void mg_stream_close(struct mg_stream **stream) __attribute__((nonnull));

/* The descriptor to watch; -1 when the connection was broken from the start. */
int mg_stream_fd(const struct mg_stream *stream) __attribute__((nonnull));

/* Sends the reply's header block (see mg_reply_head; extra headers were added to the request
 * with mg_reply_header). Once, before any body byte; at once, so that the web server notices a
 * client that leaves. 0, or -1 when the peer is gone. */
int mg_stream_head(struct mg_stream *stream, int status, const char *content_type,
                   int64_t length) __attribute__((nonnull(1)));
/* Sends body bytes, each call as one record (or several when n is large), so that the web
 * server forwards them at once; what the socket does not take waits in the stream. Give whole
 * events, several together where they come together. Thrown away for a HEAD. 0, or -1 when
 * the peer is gone or more than `max` bytes would wait. */
int mg_stream_write(struct mg_stream *stream, const void *bytes, size_t n)
    __attribute__((nonnull(1)));
/* Ends the reply in order. What waits is still to be flushed. 0 or -1 as above. */
int mg_stream_finish(struct mg_stream *stream) __attribute__((nonnull));
/* For a peer that has left after everything was sent: one try to tell the web server that the
 * reply was whole, so that it does not log a broken responder. Sends nothing when bytes of the
 * reply are still waiting. */
void mg_stream_farewell(struct mg_stream *stream) __attribute__((nonnull));
/* Sends what waits, as much as the socket takes; call when the descriptor is writable. */
int mg_stream_flush(struct mg_stream *stream) __attribute__((nonnull));

/* Header, body and end in one go: a whole reply from the loop. 0 or -1 as above. */
int mg_stream_reply(struct mg_stream *stream, int status, const char *content_type,
                    const void *bytes, size_t n) __attribute__((nonnull(1)));
/* An error as a whole reply (nothing may have been sent before). */
int mg_stream_error(struct mg_stream *stream, const struct mg_err *err)
    __attribute__((nonnull));

/* Bytes that wait for the socket. Above a mark of the caller's choice, pause the upstream. */
size_t mg_stream_pending(const struct mg_stream *stream) __attribute__((nonnull));
/* Watch for EPOLLOUT too. */
bool mg_stream_wants_write(const struct mg_stream *stream) __attribute__((nonnull));
/* The header block has been given out: errors can only be told inside the stream now. */
bool mg_stream_started(const struct mg_stream *stream) __attribute__((nonnull));
/* mg_stream_finish was called and nothing waits: close it. */
bool mg_stream_finished(const struct mg_stream *stream) __attribute__((nonnull));
/* True when the client or the web server left: end of file, reset, FCGI_ABORT_REQUEST, or a
 * failed send before. Call it when the descriptor is readable or hung up; it takes what came
 * in, so a level-triggered watch does not spin. */
bool mg_stream_gone(struct mg_stream *stream) __attribute__((nonnull));

#endif
