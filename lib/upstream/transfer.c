#include "upstream/transfer.h"

#include "base/alloc.h"
#include "upstream/easy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_MAX ((int64_t)256 * 1024) /* bytes of a reply's head */
#define RETRY_MS 50                    /* before the second connect; doubled for the next */
#define LOOKS_A_SILENCE 4              /* looks at the clock before an upstream is given up */

struct mg_transfer {
    struct mg_loop *loop;
    struct mg_multi *multi;
    struct mg_multi_member member;
    struct mg_transfer_request request;
    struct mg_transfer_calls calls;
    void *arg;
    char *url;
    struct curl_slist *headers;
    CURL *easy;
    struct mg_timer clock;      /* silence and total time */
    struct mg_timer later;      /* the next step, outside of libcurl */
    struct mg_transfer_result result;
    char problem[CURL_ERROR_SIZE];
    int64_t started, last;      /* loop time: start, last byte in either direction */
    int64_t head_bytes, uploaded;
    bool running;               /* handed to libcurl */
    bool given_out;             /* on_status was called */
    bool connected;             /* a connection was there to send on */
    bool paused, holding;       /* asked for; libcurl keeps bytes back */
    bool cancelled, in_call, too_large, late, resent;
};

static void
release(struct mg_transfer *t)
{
    mg_timer_clear(t->loop, &t->clock);
    mg_timer_clear(t->loop, &t->later);
    if (t->easy != NULL) {
        if (t->running)
            mg_multi_remove(t->multi, t->easy);
        mg_easy_clear(t->easy);
        mg_multi_give(t->multi, t->easy);
    }
    mg_multi_leave(&t->member);
    curl_slist_free_all(t->headers);
    free(t->url);
    free(t);
}

/* Says how it ended, and is no more. Never from inside libcurl. */
static void
end(struct mg_transfer *t, enum mg_transfer_end how, const char *text)
{
    mg_timer_clear(t->loop, &t->clock);
    t->result.end = how;
    snprintf(t->result.text, sizeof(t->result.text), "%s", text);
    t->in_call = true; /* a cancel from inside only clears the caller's pointer */
    t->calls.on_end(t->arg, &t->result);
    release(t);
}

/* --- what libcurl calls --- */

/* The connection stands, the request is about to be written. A second time with bytes of the
 * request already sent means that libcurl would send it again over a fresh connection, because
 * the kept one died: the upstream may have acted on it, so that must not be. */
int
mg_easy_on_ready(void *arg, char *remote_ip, char *local_ip, int remote_port, int local_port)
{
    struct mg_transfer *t = arg;
    (void)remote_ip, (void)local_ip, (void)remote_port, (void)local_port;
    long sent = 0;
    curl_easy_getinfo(t->easy, CURLINFO_REQUEST_SIZE, &sent);
    if (t->connected && sent > 0) {
        t->resent = true;
        return CURL_PREREQFUNC_ABORT;
    }
    t->connected = true;
    t->last = mg_loop_now(t->loop);
    return CURL_PREREQFUNC_OK;
}

static bool
give_status(struct mg_transfer *t)
{
    long status = 0;
    curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200 || t->given_out)
        return true;
    t->given_out = true;
    t->result.status = (int)status;
    t->in_call = true;
    t->calls.on_status(t->arg, t, (int)status);
    t->in_call = false;
    return !t->cancelled;
}

size_t
mg_easy_on_header(char *bytes, size_t one, size_t n, void *arg)
{
    struct mg_transfer *t = arg;
    (void)one;
    t->last = mg_loop_now(t->loop);
    t->head_bytes += (int64_t)n;
    t->too_large = t->head_bytes > HEAD_MAX;
    if (t->cancelled || t->too_large)
        return 0;
    bool empty = n == 1 ? bytes[0] == '\n' : n == 2 && bytes[0] == '\r';
    return !empty || give_status(t) ? n : 0;
}

size_t
mg_easy_on_body(char *bytes, size_t one, size_t n, void *arg)
{
    struct mg_transfer *t = arg;
    (void)one;
    t->last = mg_loop_now(t->loop);
    if (t->cancelled)
        return 0;
    if (t->paused) { /* libcurl keeps these bytes and gives them again after the resume */
        t->holding = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    t->result.bytes += (int64_t)n;
    if (t->request.reply_limit > 0 && t->result.bytes > t->request.reply_limit) {
        t->too_large = true;
        return 0;
    }
    t->in_call = true;
    bool more = t->calls.on_data(t->arg, t, bytes, n);
    t->in_call = false;
    t->paused = !more;
    return t->cancelled ? 0 : n;
}

/* --- how it goes on --- */

static void start_connect(void *arg);

static enum mg_transfer_end
meaning(const struct mg_transfer *t, CURLcode code)
{
    if (code == CURLE_OK)
        return MG_TRANSFER_COMPLETE;
    if (t->connected)
        return t->too_large ? MG_TRANSFER_TOO_LARGE : MG_TRANSFER_CUT;
    switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_BAD_FUNCTION_ARGUMENT:
        return MG_TRANSFER_INVALID;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
        return MG_TRANSFER_TLS;
    default:
        return MG_TRANSFER_UNSENT;
    }
}

/* Connects that fail quickly are tried again; those that hang have used up their time. */
static bool
may_connect_again(const struct mg_transfer *t)
{
    int most = t->request.connect_tries > 0 ? t->request.connect_tries : 3;
    return t->result.tries < most
           && mg_loop_now(t->loop) - t->started < t->request.connect_ms;
}

static void
done(void *owner, CURLcode code)
{
    struct mg_transfer *t = owner;
    if (t->cancelled) {
        release(t);
        return;
    }
    enum mg_transfer_end how = meaning(t, code);
    if (how == MG_TRANSFER_UNSENT && may_connect_again(t)) {
        mg_multi_remove(t->multi, t->easy);
        t->running = false;
        mg_timer_set(t->loop, &t->later, (int64_t)RETRY_MS << (t->result.tries - 1),
                     start_connect, t);
        return;
    }
    const char *text = how == MG_TRANSFER_COMPLETE    ? ""
                       : how == MG_TRANSFER_TOO_LARGE ? "the reply is larger than allowed"
                       : t->resent ? "the kept connection broke after the request was sent"
                       : t->problem[0] != '\0' ? t->problem
                                               : curl_easy_strerror(code);
    end(t, how, text);
}

static void
drop(void *owner)
{
    release(owner);
}

static void
expire(void *arg)
{
    struct mg_transfer *t = arg;
    end(t, t->connected ? MG_TRANSFER_TIMEOUT : MG_TRANSFER_UNSENT,
        t->late ? "the exchange took too long" : "no byte came from the upstream in time");
}

static void
tick(void *arg)
{
    struct mg_transfer *t = arg;
    const struct mg_transfer_request *r = &t->request;
    int64_t now = mg_loop_now(t->loop), wait = INT64_MAX;
    int64_t uploaded = mg_easy_uploaded(t->easy);
    if (uploaded != t->uploaded || t->paused) /* not the upstream's silence */
        t->last = now;
    t->uploaded = uploaded;
    if (r->total_ms > 0)
        wait = t->started + r->total_ms - now;
    t->late = wait <= 0;
    if (r->silence_ms > 0 && t->last + r->silence_ms - now < wait)
        wait = t->last + r->silence_ms - now;
    if (wait <= 0) {
        expire(t);
        return;
    }
    /* What was uploaded shows only here, so looking rarely would count it late as silence. */
    int64_t look = r->silence_ms / LOOKS_A_SILENCE;
    if (look > 0 && look < wait)
        wait = look;
    if (wait < INT64_MAX)
        mg_timer_set(t->loop, &t->clock, wait, tick, t);
}

static void
fail_invalid(void *arg)
{
    struct mg_transfer *t = arg;
    end(t, MG_TRANSFER_INVALID, t->problem);
}

static void
start_connect(void *arg)
{
    struct mg_transfer *t = arg;
    t->result.tries++;
    t->problem[0] = '\0';
    CURLMcode rc = mg_multi_add(t->multi, t->easy);
    t->running = rc == CURLM_OK;
    if (!t->running) {
        snprintf(t->problem, sizeof(t->problem), "%s", curl_multi_strerror(rc));
        mg_timer_set(t->loop, &t->later, 0, fail_invalid, t);
    }
}

static void
go_on(void *arg)
{
    struct mg_transfer *t = arg;
    t->holding = false;
    mg_multi_unpause(t->multi, t->easy);
}

/* --- what the caller calls --- */

struct mg_transfer *
mg_transfer_start(struct mg_loop *loop, const struct mg_transfer_request *request,
                  const struct mg_transfer_calls *calls, void *arg)
{
    struct mg_transfer *t = mg_calloc(1, sizeof(*t));
    t->loop = loop;
    t->multi = mg_multi_of(loop, done, drop);
    mg_multi_join(t->multi, &t->member, t);
    t->request = *request;
    t->calls = *calls;
    t->arg = arg;
    t->url = mg_strdup(request->url);
    t->request.url = t->url;
    t->started = t->last = mg_loop_now(loop);
    t->easy = mg_multi_take(t->multi);
    if (t->easy == NULL)
        t->easy = mg_easy_new();
    const char *problem = mg_easy_headers(request, &t->headers);
    t->request.headers = NULL; /* the caller's may be gone from here on */
    if (problem != NULL) {
        snprintf(t->problem, sizeof(t->problem), "%s", problem);
        mg_timer_set(loop, &t->later, 0, fail_invalid, t);
        return t;
    }
    mg_easy_prepare(t->easy, &t->request, t->headers, t->problem, t);
    start_connect(t);
    tick(t); /* sets the clock: no time is over yet */
    return t;
}

void
mg_transfer_cancel(struct mg_transfer **transfer)
{
    struct mg_transfer *t = *transfer;
    if (t == NULL)
        return;
    *transfer = NULL;
    t->cancelled = true;
    mg_timer_clear(t->loop, &t->clock);
    if (t->in_call)
        return; /* libcurl is told by the callback's result and reports the end */
    if (mg_multi_busy(t->multi))
        mg_timer_set(t->loop, &t->later, 0, drop, t);
    else
        release(t);
}

void
mg_transfer_resume(struct mg_transfer *t)
{
    if (!t->paused)
        return;
    t->paused = false;
    t->last = mg_loop_now(t->loop);
    if (t->holding)
        mg_timer_set(t->loop, &t->later, 0, go_on, t);
}

const char *
mg_transfer_reply_header(struct mg_transfer *t, const char *name)
{
    struct curl_header *header;
    CURLHcode rc = curl_easy_header(t->easy, name, 0, CURLH_HEADER, -1, &header);
    return rc == CURLHE_OK ? header->value : NULL;
}

bool
mg_transfer_sent(const struct mg_transfer *t)
{
    return mg_easy_uploaded(t->easy) >= (int64_t)t->request.body.n;
}
