#include "infer/tally.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/digest.h"
#include "json/parse.h"
#include "upstream/call.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES 1024       /* remembered answers */
#define REMEMBER_MS 600000
#define AT_ONCE 4         /* questions under way */
#define LACKS_S 600
#define TROUBLE_S 20
#define REPLY_MAX ((size_t)64 * 1024)
#define URL_MAX 512

struct answer {
    uint8_t key[MG_SHA256_BYTES];
    int64_t tokens, until_ms; /* monotonic; 0 = none */
};

struct mg_tally {
    pthread_mutex_t lock;
    unsigned asking;
    struct answer answers[PLACES];
};

struct mg_tally *
mg_tally_new(void)
{
    struct mg_tally *t = mg_calloc(1, sizeof(*t));
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

void
mg_tally_free(struct mg_tally **tally)
{
    if (*tally == NULL)
        return;
    pthread_mutex_destroy(&(*tally)->lock);
    free(*tally);
    *tally = NULL;
}

static void
make_key(const struct mg_tally_question *q, uint8_t key[MG_SHA256_BYTES])
{
    uint8_t place[MG_SHA256_BYTES];
    char text[300];
    int n = snprintf(text, sizeof(text), "%llu %d %s", (unsigned long long)q->upstream->id,
                     (int)q->family, q->beta != NULL ? q->beta : "");
    mg_sha256(text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1, place);
    mg_hmac_sha256(place, sizeof(place), q->body.p, q->body.n, key);
}

static struct answer *
place_of(struct mg_tally *t, const uint8_t key[MG_SHA256_BYTES])
{
    return &t->answers[((unsigned)key[0] << 8 | key[1]) % PLACES];
}

/* 1: *tokens is known; 0: go and ask; -1: enough are asking. */
static int
begin(struct mg_tally *t, const uint8_t key[MG_SHA256_BYTES], int64_t *tokens)
{
    int rc = -1;
    pthread_mutex_lock(&t->lock);
    const struct answer *a = place_of(t, key);
    if (mg_mono_ms() < a->until_ms && memcmp(a->key, key, MG_SHA256_BYTES) == 0) {
        *tokens = a->tokens;
        rc = 1;
    } else if (t->asking < AT_ONCE) {
        t->asking++;
        rc = 0;
    }
    pthread_mutex_unlock(&t->lock);
    return rc;
}

static void
end(struct mg_tally *t, const uint8_t key[MG_SHA256_BYTES], int64_t tokens)
{
    pthread_mutex_lock(&t->lock);
    t->asking--;
    if (tokens >= 0) {
        struct answer *a = place_of(t, key);
        memcpy(a->key, key, MG_SHA256_BYTES);
        a->tokens = tokens;
        a->until_ms = mg_mono_ms() + REMEMBER_MS;
    }
    pthread_mutex_unlock(&t->lock);
}

static size_t
headers(const struct mg_tally_question *q, char *bearer, size_t size,
        struct mg_transfer_header *h)
{
    const char *key = q->upstream->key;
    size_t n = 0;
    h[n++] = (struct mg_transfer_header){"content-type", "application/json"};
    if (q->version != NULL)
        h[n++] = (struct mg_transfer_header){"anthropic-version", q->version};
    if (q->beta != NULL)
        h[n++] = (struct mg_transfer_header){"anthropic-beta", q->beta};
    if (*key != '\0' && q->family == MG_MESSAGES) {
        h[n++] = (struct mg_transfer_header){"x-api-key", key};
    } else if (*key != '\0') {
        snprintf(bearer, size, "Bearer %s", key);
        h[n++] = (struct mg_transfer_header){"authorization", bearer};
    }
    return n;
}

/* The number in the reply, or -1. */
static int64_t
read_reply(struct mg_span reply)
{
    struct json_object *tree = mg_json_of(reply);
    int64_t tokens = mg_json_int(tree, "input_tokens", -1);
    json_object_put(tree);
    return tokens;
}

/* The answer, or -1; *status as the upstream said, 0 = it said nothing. */
static int64_t
ask(const struct mg_tally_question *q, int *status)
{
    struct mg_transfer_header h[5];
    struct mg_err err = MG_ERR_INIT;
    struct mg_str reply;
    char url[URL_MAX], bearer[4300];
    int64_t tokens = -1;
    snprintf(url, sizeof(url), "%s%s", q->upstream->url,
             q->family == MG_MESSAGES ? "/messages/count_tokens" : "/responses/input_tokens");
    const struct mg_call call = {.method = "POST", .url = url, .headers = h,
                                 .header_count = headers(q, bearer, sizeof(bearer), h),
                                 .body = q->body, .connect_ms = q->timeout_ms,
                                 .total_ms = q->timeout_ms};
    mg_str_init(&reply, REPLY_MAX);
    if (mg_call_run(&call, status, &reply, &err) != 0)
        *status = 0;
    else if (*status == 200)
        tokens = read_reply(mg_str_span(&reply));
    mg_str_free(&reply);
    mg_err_free(&err);
    return tokens;
}

int
mg_tally_ask(struct mg_tally *t, struct mg_abilities *abilities,
             const struct mg_tally_question *q, int64_t *tokens)
{
    enum mg_ability what = q->family == MG_MESSAGES ? MG_COUNTS_MESSAGES : MG_COUNTS_RESPONSES;
    uint8_t key[MG_SHA256_BYTES];
    int status = 0;
    if (q->timeout_ms <= 0 || mg_ability_recall(abilities, q->upstream, what) == MG_LACKS)
        return 0;
    make_key(q, key);
    int known = begin(t, key, tokens);
    if (known != 0)
        return known > 0;
    int64_t said = ask(q, &status);
    end(t, key, said);
    if (said >= 0) {
        *tokens = said;
        return 1;
    }
    /* What it refuses it may take in the next request; what it lacks it will lack. */
    if (status == 404 || status == 405 || status == 501)
        mg_ability_note(abilities, q->upstream, what, MG_LACKS, LACKS_S);
    else if (status != 400 && status != 413 && status != 422)
        mg_ability_note(abilities, q->upstream, what, MG_LACKS, TROUBLE_S);
    return 0;
}
