#include "ctl/probe.h"

#include "base/clock.h"
#include "json/writer.h"
#include "upstream/call.h"

#include <string.h>

#define REPLY_MOST ((size_t)4 << 20)
#define SHOWN 160          /* bytes of a reply that are shown */
#define ANSWER_TOKENS 16   /* the least that every format allows */
#define CONNECT_MS 10000

/* What the probes of an upstream have in common. */
struct flight {
    struct mg_call call;
    struct mg_transfer_header headers[4];
};

/* The credential goes out as the format wants it. */
static void
set_headers(struct flight *f, const struct mg_upstream *u, bool messages, struct mg_pool *pool)
{
    size_t n = 0;
    f->headers[n++] = (struct mg_transfer_header){"accept", "application/json"};
    if (f->call.body.n > 0)
        f->headers[n++] = (struct mg_transfer_header){"content-type", "application/json"};
    if (messages)
        f->headers[n++] = (struct mg_transfer_header){"anthropic-version", "2023-06-01"};
    if (*u->key != '\0' && messages)
        f->headers[n++] = (struct mg_transfer_header){"x-api-key", u->key};
    else if (*u->key != '\0')
        f->headers[n++] = (struct mg_transfer_header){
            "authorization", mg_pool_printf(pool, "Bearer %s", u->key)};
    f->call.headers = f->headers;
    f->call.header_count = n;
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
    struct mg_err err = MG_ERR_INIT;
    struct mg_str reply;
    int64_t start = mg_mono_ms();
    mg_str_init(&reply, REPLY_MOST);
    bool whole = mg_call_run(&f->call, &probe->status, &reply, &err) == 0;
    probe->ms = mg_mono_ms() - start;
    probe->good = whole && probe->status >= 200 && probe->status < 300;
    probe->text = whole ? beginning(pool, reply.p, reply.len) : mg_pool_strdup(pool, err.detail);
    mg_str_free(&reply);
    mg_err_free(&err);
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
    f->call.method = "GET";
    f->call.url = mg_pool_printf(pool, "%s/models", u->url);
    f->call.body = (struct mg_span){"", 0};
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
    f->call.method = "POST";
    f->call.url = mg_pool_printf(pool, "%s%s", u->url, mg_family_path(family));
    f->call.body = mg_str_span(&body);
    set_headers(f, u, family == MG_MESSAGES, pool);
    probe->what = mg_pool_printf(pool, "POST %s", mg_family_path(family));
    send_and_wait(f, pool, probe);
    mg_str_free(&body);
}

void
mg_probe_run(const struct mg_upstream *u, const char *model, int64_t seconds,
             struct mg_pool *pool, struct mg_probe *probes, size_t *count)
{
    struct flight f = {.call = {.connect_ms = CONNECT_MS, .total_ms = seconds * 1000}};
    *count = 0;
    try_models(&f, u, pool, &probes[(*count)++]);
    for (int family = 0; family < MG_FAMILIES && model != NULL; family++)
        if (u->formats & 1u << family)
            try_format(&f, u, (enum mg_family)family, model, pool, &probes[(*count)++]);
}
