/* Stripe's objects as news of an order. */
#include "payment/stripe.h"

#include "json/parse.h"
#include "payment/signature.h"

#include <string.h>

#define ID_MOST 255
#define URL_MOST 2000
#define TIME_MOST_S ((int64_t)1 << 40)

/* A text as it may be stored: printable ASCII, not too long; else NULL. */
static const char *
keep(struct mg_pool *pool, const char *text, size_t most)
{
    if (text == NULL || *text == '\0')
        return NULL;
    for (const char *c = text; *c != '\0'; c++)
        if (*c <= ' ' || *c >= 0x7f || (size_t)(c - text) >= most)
            return NULL;
    return mg_pool_strdup(pool, text);
}

/* A member that is an id, or the object itself when the answer expands it. */
static const char *
id_of(struct json_object *object, const char *key)
{
    struct json_object *member = mg_json_get(object, key);
    if (json_object_is_type(member, json_type_object))
        return mg_json_text(member, "id");
    return mg_json_text(object, key);
}

static void
read_order(const char *text, struct mg_payment_news *news)
{
    if (!news->has_order && text != NULL)
        news->has_order = mg_order_id_parse(text, news->order) == 0;
}

static void
read_charge(struct json_object *o, struct mg_pool *pool, struct mg_payment_news *n)
{
    read_order(mg_json_text(mg_json_get(o, "metadata"), "order_id"), n);
    n->receipt_url = keep(pool, mg_json_text(o, "receipt_url"), URL_MOST);
    n->refunded_cents = mg_json_int(o, "amount_refunded", 0);
}

static enum mg_payment_state
state_of_session(struct json_object *o)
{
    const char *status = mg_json_text(o, "status"), *paid = mg_json_text(o, "payment_status");
    if (paid != NULL && strcmp(paid, "paid") == 0)
        return MG_PAYMENT_PAID;
    return status != NULL && strcmp(status, "expired") == 0 ? MG_PAYMENT_EXPIRED
                                                            : MG_PAYMENT_UNSAID;
}

static void
read_session(struct json_object *o, struct mg_pool *pool, struct mg_payment_news *n)
{
    struct json_object *intent = mg_json_get(o, "payment_intent");
    struct json_object *charge = mg_json_get(intent, "latest_charge");
    int64_t total = mg_json_int(o, "amount_total", 0);
    n->session_id = keep(pool, mg_json_text(o, "id"), ID_MOST);
    n->payment_id = keep(pool, id_of(o, "payment_intent"), ID_MOST);
    n->url = keep(pool, mg_json_text(o, "url"), URL_MOST);
    int64_t expires_s = mg_json_int(o, "expires_at", 0);
    n->expires_ms = expires_s > 0 && expires_s < TIME_MOST_S ? expires_s * 1000 : 0;
    n->state = state_of_session(o);
    n->currency = keep(pool, mg_json_text(o, "currency"), 3);
    /* the price that we set, before tax; but a discount would make the payment smaller than it */
    n->cents = mg_json_int(o, "amount_subtotal", total);
    if (total < n->cents)
        n->cents = total;
    read_order(mg_json_text(o, "client_reference_id"), n);
    read_order(mg_json_text(mg_json_get(o, "metadata"), "order_id"), n);
    if (json_object_is_type(charge, json_type_object))
        read_charge(charge, pool, n);
}

static enum mg_dispute_state
state_of_dispute(const char *status)
{
    if (status == NULL)
        return MG_DISPUTE_OPEN;
    if (strncmp(status, "warning_", 8) == 0 || strcmp(status, "prevented") == 0)
        return MG_DISPUTE_INQUIRY;
    if (strcmp(status, "won") == 0)
        return MG_DISPUTE_WON;
    return strcmp(status, "lost") == 0 ? MG_DISPUTE_LOST : MG_DISPUTE_OPEN;
}

static void
read_dispute(struct json_object *o, struct mg_pool *pool, struct mg_payment_news *n)
{
    n->dispute_id = keep(pool, mg_json_text(o, "id"), ID_MOST);
    n->payment_id = keep(pool, id_of(o, "payment_intent"), ID_MOST);
    n->dispute = state_of_dispute(mg_json_text(o, "status"));
    n->dispute_cents = mg_json_int(o, "amount", 0);
}

bool
mg_stripe_read_object(struct json_object *o, struct mg_pool *pool, struct mg_payment_news *n)
{
    const char *kind = mg_json_text(o, "object");
    *n = (struct mg_payment_news){.has_order = false};
    if (kind == NULL)
        return false;
    if (strcmp(kind, "checkout.session") == 0) {
        read_session(o, pool, n);
    } else if (strcmp(kind, "charge") == 0) {
        n->payment_id = keep(pool, id_of(o, "payment_intent"), ID_MOST);
        read_charge(o, pool, n);
    } else if (strcmp(kind, "dispute") == 0) {
        read_dispute(o, pool, n);
    } else {
        return false;
    }
    return n->refunded_cents >= 0 && n->dispute_cents >= 0;
}

/* Types that mean something; of an object that both tell of, the type says what happened. */
static bool
read_type(struct json_object *object, struct mg_pool *pool, struct mg_payment_event *e)
{
    static const char *const types[] = {
        "checkout.session.completed", "checkout.session.async_payment_succeeded",
        "checkout.session.async_payment_failed", "checkout.session.expired", "charge.succeeded",
        "charge.updated", "charge.refunded", "charge.dispute.created", "charge.dispute.updated",
        "charge.dispute.closed", "charge.dispute.funds_withdrawn",
        "charge.dispute.funds_reinstated",
    };
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(e->type, types[i]) == 0 && mg_stripe_read_object(object, pool, &e->news)) {
            if (strcmp(e->type, "checkout.session.async_payment_failed") == 0 &&
                e->news.state != MG_PAYMENT_PAID)
                e->news.state = MG_PAYMENT_FAILED;
            return true;
        }
    return false;
}

int
mg_stripe_read_event(const char *secret, const char *signature, struct mg_span body,
                     int64_t now_ms, struct mg_pool *pool, struct mg_payment_event *event,
                     struct mg_err *err)
{
    struct json_object *tree = NULL;
    *event = (struct mg_payment_event){.ours = false};
    if (mg_signature_check(signature, secret, body, now_ms, err) != 0 ||
        mg_json_parse(body.p, body.n, &tree, err) != 0)
        return -1;
    event->id = keep(pool, mg_json_text(tree, "id"), ID_MOST);
    event->type = keep(pool, mg_json_text(tree, "type"), 63);
    int rc = 0;
    if (event->id == NULL || event->type == NULL)
        rc = mg_err_set(err, 400, "invalid_event", "The event has no id or type.");
    else
        event->ours = read_type(mg_json_get(mg_json_get(tree, "data"), "object"), pool, event);
    json_object_put(tree);
    return rc;
}
