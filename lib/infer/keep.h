/* Keeping what was generated: the answer as its client saw it, put away before the client has
 * seen its end, so that an id that was given out can be used at once.
 *
 * A keep is made by the worker from the request. While the answer runs it remembers the bytes
 * that go to the client; when the end has come it holds the end back, has a clerk put everything
 * away (store/record.h), and lets the end go. When the store is away or slow the end goes all the
 * same: an answer that was paid for is delivered, and the log says what became of it. */
#ifndef MG_INFER_KEEP_H
#define MG_INFER_KEEP_H

#include "infer/exchange.h"
#include "store/clerk.h"
#include "store/record.h"
#include "wire/transcript.h"

/* Inside of this room. */
struct mg_keep {
    struct mg_clerk_job job;
    struct mg_exchange *x;
    struct mg_record record;
    struct mg_str input, metadata;
    struct mg_str asked_with;    /* completion: what its request said (store/asked.h) */
    struct mg_str seen;          /* the stream, or the one body, as the client saw it */
    bool body;                   /* it is a body */
    size_t taken;                /* bytes of x->out that are in it already */
    struct mg_usage usage;
    enum mg_transcript_end end;
    struct mg_timer patience;
    bool asked, filed;           /* a clerk has it; is done with it */
    bool released;               /* the client does not wait for that any longer */
};

/* Makes the keep of a planned request whose answer is to be kept. `input` is the JSON of what
 * was asked: items, or messages. A question larger than MG_BODY_MAX is not kept: the reply's
 * header `x-not-stored` says so. 0 and plan->keep (NULL = not kept); -1 with err: 422 for
 * metadata that cannot be kept. */
int mg_keep_make(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
                 struct mg_plan *plan, struct mg_span input, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
void mg_keep_free(struct mg_keep **keep) __attribute__((nonnull));

/* Looks at x->out before it is sent. True: it is to be held back for now, mg_delivery_send will
 * be called again. On the loop; x->keep is set. */
bool mg_keep_see(struct mg_exchange *x) __attribute__((nonnull));
/* The answer is over: has it put away, unless that has been asked for already or there is
 * nothing to keep. mg_exchange_close follows. On the loop; x->keep is set. */
void mg_keep_file(struct mg_exchange *x) __attribute__((nonnull));
/* A clerk has put it away (arg: the exchange). On the loop. */
void mg_keep_filed(void *arg) __attribute__((nonnull));
/* True while a clerk is at work on it: it must not be freed. NULL is allowed. */
bool mg_keep_is_busy(const struct mg_keep *keep);
/* True while that holds up the end of the reply: for 5 s at most. NULL is allowed. */
bool mg_keep_holds(const struct mg_keep *keep);

#endif
