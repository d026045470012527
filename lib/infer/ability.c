#include "infer/ability.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "upstream/call.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define PLACES 256        /* more upstreams than an operator has; they share places then */
#define ASK_MS 5000
#define HAS_S 3600
#define LACKS_S 600       /* an upstream that is upgraded is noticed in this time */
#define UNCLEAR_S 20
#define REPLY_MAX ((size_t)256 * 1024)
#define URL_MAX 512

struct memory {
    uint64_t upstream;
    enum mg_known known;
    int64_t until_ms; /* monotonic */
};

struct mg_abilities {
    pthread_mutex_t lock;
    struct memory memory[PLACES][MG_ABILITIES];
};

struct mg_abilities *
mg_abilities_new(void)
{
    struct mg_abilities *a = mg_calloc(1, sizeof(*a));
    pthread_mutex_init(&a->lock, NULL);
    return a;
}

void
mg_abilities_free(struct mg_abilities **abilities)
{
    if (*abilities == NULL)
        return;
    pthread_mutex_destroy(&(*abilities)->lock);
    free(*abilities);
    *abilities = NULL;
}

enum mg_known
mg_ability_recall(struct mg_abilities *a, const struct mg_upstream *upstream,
                  enum mg_ability what)
{
    pthread_mutex_lock(&a->lock);
    const struct memory *m = &a->memory[upstream->id % PLACES][what];
    bool valid = m->upstream == upstream->id && mg_mono_ms() < m->until_ms;
    enum mg_known known = valid ? m->known : MG_UNKNOWN;
    pthread_mutex_unlock(&a->lock);
    return known;
}

void
mg_ability_note(struct mg_abilities *a, const struct mg_upstream *upstream,
                enum mg_ability what, enum mg_known known, int seconds)
{
    pthread_mutex_lock(&a->lock);
    a->memory[upstream->id % PLACES][what] =
        (struct memory){upstream->id, known, mg_mono_ms() + (int64_t)seconds * 1000};
    pthread_mutex_unlock(&a->lock);
}

/* A body without its required members: refused before anything is done, where it is known. */
static int
ask_for_nothing(const struct mg_upstream *upstream)
{
    char url[URL_MAX], bearer[4300];
    struct mg_err err = MG_ERR_INIT;
    struct mg_str reply;
    int status = 0;
    snprintf(url, sizeof(url), "%s/responses/compact", upstream->url);
    snprintf(bearer, sizeof(bearer), "Bearer %s", upstream->key);
    const struct mg_transfer_header headers[] = {
        {"content-type", "application/json"}, {"authorization", bearer}};
    const struct mg_call call = {.method = "POST", .url = url, .headers = headers,
                                 .header_count = *upstream->key != '\0' ? 2 : 1,
                                 .body = mg_span_z("{}"), .connect_ms = ASK_MS,
                                 .total_ms = ASK_MS};
    mg_str_init(&reply, REPLY_MAX);
    if (mg_call_run(&call, &status, &reply, &err) != 0)
        status = 0;
    mg_str_free(&reply);
    mg_err_free(&err);
    return status;
}

bool
mg_ability_compacts(struct mg_abilities *a, const struct mg_upstream *upstream)
{
    enum mg_known known = mg_ability_recall(a, upstream, MG_COMPACTS);
    if (known != MG_UNKNOWN)
        return known == MG_HAS;
    int status = ask_for_nothing(upstream), seconds = UNCLEAR_S;
    known = MG_LACKS;
    if (status == 400 || status == 422 || (status >= 200 && status < 300)) {
        known = MG_HAS;
        seconds = HAS_S;
    } else if (status == 404 || status == 405 || status == 501) {
        seconds = LACKS_S;
    }
    mg_info("upstream %s %s compaction (status %d)", upstream->name,
            known == MG_HAS ? "has" : "lacks", status);
    mg_ability_note(a, upstream, MG_COMPACTS, known, seconds);
    return known == MG_HAS;
}
