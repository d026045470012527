/* Fuzzing of the events of payment providers: a signature header (the first line) and a body.
 *
 * Nobody without the secret makes a header that fits; an event that is signed is read whatever is
 * in it, and what it says can be stored. */
#include "base/alloc.h"
#include "json/parse.h"
#include "payment/signature.h"
#include "payment/stripe.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NOW_MS 1790000000000
#define SECRET "whsec_an_example"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool good)
{
    if (!good)
        abort();
}

/* Printable and not too long, if it is there. */
static void
check_text(const char *text, size_t most)
{
    if (text == NULL)
        return;
    must(text[0] != '\0' && strlen(text) <= most);
    for (; *text != '\0'; text++)
        must(*text > ' ' && *text < 0x7f);
}

static void
check_news(const struct mg_payment_news *n)
{
    check_text(n->session_id, 255);
    check_text(n->payment_id, 255);
    check_text(n->dispute_id, 255);
    check_text(n->url, 2000);
    check_text(n->receipt_url, 2000);
    check_text(n->currency, 3);
    must(n->state <= MG_PAYMENT_EXPIRED && n->refunded_cents >= 0 && n->dispute_cents >= 0);
}

static void
check_signed(struct mg_span body, struct mg_pool *pool)
{
    char header[MG_SIGNATURE_SIZE];
    struct mg_payment_event event;
    struct mg_err err = MG_ERR_INIT;
    mg_signature_make(SECRET, body, NOW_MS, header);
    if (mg_stripe_read_event(SECRET, header, body, NOW_MS, pool, &event, &err) == 0) {
        must(event.id != NULL && event.type != NULL);
        check_text(event.id, 255);
        check_text(event.type, 63);
        if (event.ours)
            check_news(&event.news);
    } else {
        must((err.status == 400 || err.status == 413) && !event.ours);
    }
    mg_err_free(&err);
}

/* An answer to what we asked is not signed: any JSON. */
static void
check_answer(struct mg_span body, struct mg_pool *pool)
{
    struct json_object *tree = NULL;
    struct mg_payment_news news;
    struct mg_err err = MG_ERR_INIT;
    if (mg_json_parse(body.p, body.n, &tree, &err) == 0 &&
        mg_stripe_read_object(tree, pool, &news))
        check_news(&news);
    json_object_put(tree);
    mg_err_free(&err);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = memchr(data, '\n', size);
    size_t n = end != NULL ? (size_t)(end - data) : 0;
    struct mg_span body = {(const char *)data + n, size - n};
    char *header = mg_strndup((const char *)data, n);
    struct mg_pool *pool = mg_pool_new();
    struct mg_err err = MG_ERR_INIT;
    must(mg_signature_check(header, SECRET, body, NOW_MS, &err) == -1 && err.status >= 400);
    check_signed(body, pool);
    check_answer(body, pool);
    mg_err_free(&err);
    mg_pool_free(&pool);
    free(header);
    return 0;
}
