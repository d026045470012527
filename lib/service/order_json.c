#include "service/order_json.h"

#include "payment/rate.h"
#include "service/account_json.h"

void
mg_json_rates(struct mg_jw *w, const char *key)
{
    size_t count;
    const struct mg_rate *rates = mg_rate_table(&count);
    mg_jw_array(w, key);
    for (size_t i = 0; i < count; i++) {
        mg_jw_object(w, NULL);
        mg_jw_int(w, "from_cents", rates[i].from_cents);
        mg_jw_int(w, "rate", rates[i].rate);
        mg_jw_end(w);
    }
    mg_jw_end(w);
}

void
mg_json_topup_options(const struct mg_payment *payment, struct mg_str *out)
{
    const struct mg_provider *p;
    struct mg_jw w;
    size_t count;
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "topup_options");
    mg_jw_array(&w, "payment_providers");
    for (size_t at = 0; (p = mg_provider_next(payment, &at)) != NULL;)
        mg_jw_string(&w, NULL, p->name);
    mg_jw_end(&w);
    mg_jw_string(&w, "currency", payment->conf->topup_currency);
    mg_jw_int(&w, "minimum_cents", mg_rate_table(&count)[0].from_cents);
    mg_jw_int(&w, "maximum_cents", payment->conf->topup_max_cents);
    mg_json_rates(&w, "rates");
    mg_jw_end(&w);
}

void
mg_json_topup_quote(const struct mg_payment *payment, int64_t cents, struct mg_str *out)
{
    int64_t rate = mg_rate_of(cents), next = mg_rate_of(cents + 1);
    struct mg_jw w;
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "quote");
    mg_jw_int(&w, "amount_cents", cents);
    mg_jw_string(&w, "currency", payment->conf->topup_currency);
    mg_jw_int(&w, "rate", rate);
    mg_json_amount(&w, "credit", mg_rate_credit(cents, rate));
    mg_jw_bool(&w, "vip",
               payment->conf->vip_enabled && cents >= payment->conf->vip_minimum_cents);
    if (next != rate && cents < payment->conf->topup_max_cents) {
        mg_jw_object(&w, "one_cent_more");
        mg_json_amount(&w, "credit", mg_rate_credit(cents + 1, next));
        mg_jw_int(&w, "rate", next);
        mg_jw_end(&w);
    } else {
        mg_jw_null(&w, "one_cent_more");
    }
    mg_jw_end(&w);
}

/* What checkout and order have in common; leaves the object open. */
static void
begin(struct mg_jw *w, const char *object, const struct mg_order *o)
{
    char id[MG_ORDER_ID_SIZE];
    mg_jw_object(w, NULL);
    mg_jw_string(w, "object", object);
    mg_jw_string(w, "id", mg_order_id(o->id, id));
    mg_jw_string(w, "payment_provider", o->provider);
    mg_jw_int(w, "amount_cents", o->cents);
    mg_jw_string(w, "currency", o->currency);
    mg_jw_int(w, "rate", o->rate);
    mg_json_amount(w, "credit", mg_rate_credit(o->cents, o->rate));
}

void
mg_json_checkout(const struct mg_order *o, struct mg_str *out)
{
    struct mg_jw w;
    mg_jw_init(&w, out);
    begin(&w, "checkout", o);
    mg_jw_string(&w, "url", o->url);
    mg_json_time(&w, "expires_at", o->expires_ms);
    mg_jw_end(&w);
}

static void
write_order(struct mg_jw *w, const struct mg_order *o)
{
    begin(w, "order", o);
    mg_jw_string(w, "status", mg_order_status(o));
    mg_json_time(w, "created_at", o->created_ms);
    mg_json_time(w, "expires_at", o->expires_ms);
    mg_json_time(w, "paid_at", o->paid_ms);
    mg_jw_int(w, "refunded_cents", o->refunded_cents);
    mg_jw_int(w, "disputed_cents", o->disputed_cents);
    mg_json_amount(w, "clawed_back", o->clawed);
    mg_jw_string(w, "receipt_url", *o->receipt_url != '\0' ? o->receipt_url : NULL);
    mg_jw_string(w, "url",
                 o->state == MG_PAYMENT_UNSAID && *o->url != '\0' ? o->url : NULL);
    mg_jw_bool(w, "under_review", *o->problem != '\0');
    mg_jw_end(w);
}

void
mg_json_order(const struct mg_order *o, struct mg_str *out)
{
    struct mg_jw w;
    mg_jw_init(&w, out);
    write_order(&w, o);
}

void
mg_json_orders(const struct mg_order *orders, size_t count, bool more, struct mg_str *out)
{
    char id[MG_ORDER_ID_SIZE];
    struct mg_jw w;
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "list");
    mg_jw_array(&w, "data");
    for (size_t i = 0; i < count; i++)
        write_order(&w, &orders[i]);
    mg_jw_end(&w);
    mg_jw_bool(&w, "has_more", more);
    mg_jw_string(&w, "next_before",
                 more && count > 0 ? mg_order_id(orders[count - 1].id, id) : NULL);
    mg_jw_end(&w);
}
