#include "ctl/probe.h"

#include "base/clock.h"
#include "json/writer.h"
#include "upstream/loop.h"
#include "upstream/transfer.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define REPLY_MOST ((size_t)4 << 20)
#define SHOWN 160          /* bytes of a reply that are shown */
#define ANSWER_TOKENS 16   /* the least that every format allows */
#define CONNECT_MS 10000

/* A request in flight: filled on this thread, finished on the loop's. */
struct flight {
    struct mg_transfer_request request;
    struct mg_transfer_header headers[4];
    struct mg_loop *loop;
    struct mg_str reply;
    struct mg_transfer_result result;
    pthread_mutex_t lock;
    pthread_cond_t landed;
    bool over;
};

static void
on_status(void *arg, struct mg_transfer *transfer, int status)
{
    (void)arg, (void)transfer, (void)status; /* the result has it too */
}

static bool
on_data(void *arg, struct mg_transfer *transfer, const char *bytes, size_t n)
{
    struct flight *f = arg;
    (void)transfer;
    mg_str_add(&f->reply, bytes, n);
    return true;
}

static void
on_end(void *arg, const struct mg_transfer_result *result)
{
    struct flight *f = arg;
    pthread_mutex_lock(&f->lock);
    f->result = *result;
    f->over = true;
    pthread_cond_signal(&f->landed);
    pthread_mutex_unlock(&f->lock);
}

static void
take_off(void *arg)
{
    static const struct mg_transfer_calls calls = {on_status, on_data, on_end};
    struct flight *f = arg;
    struct mg_transfer *transfer = mg_transfer_start(f->loop, &f->request, &calls, f);
    (void)transfer; /* it is never cancelled: its time is bounded */
}

/* The credential goes out as the format wants it. */
static void
set_headers(struct flight *f, const struct mg_upstream *u, bool messages, struct mg_pool *pool)
{
    size_t n = 0;
    f->headers[n++] = (struct mg_transfer_header){"accept", "application/json"};
    if (f->request.body.n > 0)
        f->headers[n++] = (struct mg_transfer_header){"content-type", "application/json"};
    if (messages)
        f->headers[n++] = (struct mg_transfer_header){"anthropic-version", "2023-06-01"};
    if (*u->key != '\0' && messages)
        f->headers[n++] = (struct mg_transfer_header){"x-api-key", u->key};
    else if (*u->key != '\0')
        f->headers[n++] = (struct mg_transfer_header){
            "authorization", mg_pool_printf(pool, "Bearer %s", u->key)};
    f->request.headers = f->headers;
    f->request.header_count = n;
}

/* The beginning of a text on one line. */
static const char *
beginning(struct mg_pool *pool, const char *p, size_t n)
{
    char *text = mg_pool_strndup(pool, p, n < SHOWN ? n : SHOWN);
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = ' ';
    return text;
}

static void
send_and_wait(struct flight *f, struct mg_pool *pool, struct mg_probe *probe)
{
    int64_t start = mg_mono_ms();
    f->over = false;
    mg_str_init(&f->reply, REPLY_MOST);
    mg_loop_post(f->loop, take_off, f);
    pthread_mutex_lock(&f->lock);
    while (!f->over)
        pthread_cond_wait(&f->landed, &f->lock);
    pthread_mutex_unlock(&f->lock);
    bool whole = f->result.end == MG_TRANSFER_COMPLETE;
    probe->ms = mg_mono_ms() - start;
    probe->status = f->result.status;
    probe->good = whole && f->result.status >= 200 && f->result.status < 300;
    probe->text = whole ? beginning(pool, f->reply.p, f->reply.len)
                        : mg_pool_strdup(pool, f->result.text);
    mg_str_free(&f->reply);
}

/* The smallest request of a format. */
static void
write_body(enum mg_family family, const char *model, struct mg_str *out)
{
    static const char *const limits[MG_FAMILIES] = {
        [MG_CHAT] = "max_completion_tokens", /* what reasoning models insist on */
        [MG_RESPONSES] = "max_output_tokens",
        [MG_COMPLETIONS] = "max_tokens",
        [MG_MESSAGES] = "max_tokens",
    };
    struct mg_jw w;
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "model", model);
    if (family == MG_RESPONSES) {
        mg_jw_string(&w, "input", "Say ok.");
        mg_jw_bool(&w, "store", false);
    } else if (family == MG_COMPLETIONS) {
        mg_jw_string(&w, "prompt", "Say ok.");
    } else {
        mg_jw_array(&w, "messages");
        mg_jw_object(&w, NULL);
        mg_jw_string(&w, "role", "user");
        mg_jw_string(&w, "content", "Say ok.");
        mg_jw_end(&w);
        mg_jw_end(&w);
    }
    mg_jw_int(&w, limits[family], ANSWER_TOKENS);
    mg_jw_end(&w);
}

static void
try_models(struct flight *f, const struct mg_upstream *u, struct mg_pool *pool,
           struct mg_probe *probe)
{
    f->request.method = "GET";
    f->request.url = mg_pool_printf(pool, "%s/models", u->url);
    f->request.body = (struct mg_span){"", 0};
    set_headers(f, u, u->preferred == MG_MESSAGES, pool);
    probe->what = "GET /models";
    send_and_wait(f, pool, probe);
}

static void
try_format(struct flight *f, const struct mg_upstream *u, enum mg_family family,
           const char *model, struct mg_pool *pool, struct mg_probe *probe)
{
    struct mg_str body;
    mg_str_init(&body, 4096);
    write_body(family, model, &body);
    f->request.method = "POST";
    f->request.url = mg_pool_printf(pool, "%s%s", u->url, mg_family_path(family));
    f->request.body = mg_str_span(&body);
    set_headers(f, u, family == MG_MESSAGES, pool);
    probe->what = mg_pool_printf(pool, "POST %s", mg_family_path(family));
    send_and_wait(f, pool, probe);
    mg_str_free(&body);
}

int
mg_probe_run(const struct mg_upstream *u, const char *model, int64_t seconds,
             struct mg_pool *pool, struct mg_probe *probes, size_t *count, struct mg_err *err)
{
    struct flight f = {.request = {.connect_ms = CONNECT_MS,
                                   .silence_ms = seconds * 1000,
                                   .total_ms = seconds * 1000,
                                   .reply_limit = REPLY_MOST,
                                   .connect_tries = 1}};
    f.loop = mg_loop_new("probe", err);
    if (f.loop == NULL)
        return -1;
    pthread_mutex_init(&f.lock, NULL);
    pthread_cond_init(&f.landed, NULL);
    *count = 0;
    try_models(&f, u, pool, &probes[(*count)++]);
    for (int family = 0; family < MG_FAMILIES && model != NULL; family++)
        if (u->formats & 1u << family)
            try_format(&f, u, (enum mg_family)family, model, pool, &probes[(*count)++]);
    mg_loop_stop(&f.loop);
    pthread_cond_destroy(&f.landed);
    pthread_mutex_destroy(&f.lock);
    return 0;
}
