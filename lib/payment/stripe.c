#include "payment/stripe.h"

#include "base/money.h"
#include "json/parse.h"
#include "payment/form.h"
#include "payment/rate.h"
#include "upstream/call.h"

#include <stdio.h>
#include <string.h>

#define REPLY_MOST ((size_t)1 << 20)
#define FORM_MOST ((size_t)16 * 1024)
#define CONNECT_MS 5000
#define TOTAL_MS 15000

static int
open_stripe(struct mg_payment *p, const struct mg_vault *vault, struct mg_err *err)
{
    (void)vault;
    if (*p->conf->stripe_key_file == '\0' || *p->conf->stripe_webhook_secret_file == '\0')
        return mg_err_internal(err, "payment_providers names stripe: stripe_key_file and "
                                    "stripe_webhook_secret_file are needed");
    p->stripe_key = mg_conf_secret(p->conf->stripe_key_file, 512, err);
    if (p->stripe_key == NULL)
        return -1;
    p->stripe_secret = mg_conf_secret(p->conf->stripe_webhook_secret_file, 512, err);
    return p->stripe_secret != NULL ? 0 : -1;
}

/* A refusal: what Stripe says is for the log, the customer can do nothing about it. */
static int
refused(int status, struct json_object *tree, struct mg_err *err)
{
    struct json_object *error = mg_json_get(tree, "error");
    const char *text = mg_json_text(error, "message"), *code = mg_json_text(error, "code");
    mg_err_set(err, status == 429 || status >= 500 ? 503 : 502, "payment_provider_error",
               "The payment provider refused the request; nothing was charged. Try again later.");
    mg_err_detail(err, "stripe: status %d %.60s: %.300s", status, code != NULL ? code : "",
                  text != NULL ? text : "");
    return -1;
}

/* One call to the API: `form` NULL is a GET, `key` NULL no Idempotency-Key. The tree of a good
 * answer. */
static int
call(struct mg_payment *p, const char *path, const struct mg_str *form, const char *key,
     struct mg_pool *pool, struct json_object **tree, struct mg_err *err)
{
    struct mg_transfer_header headers[5] = {
        {"authorization", mg_pool_printf(pool, "Bearer %s", p->stripe_key)},
        {"stripe-version", MG_STRIPE_VERSION},
        {"accept", "application/json"}};
    struct mg_call c = {.method = form != NULL ? "POST" : "GET",
                        .url = mg_pool_printf(pool, "%s%s", p->conf->stripe_url, path),
                        .headers = headers, .header_count = 3,
                        .connect_ms = CONNECT_MS, .total_ms = TOTAL_MS};
    struct mg_str reply;
    int status;
    if (form != NULL) {
        headers[c.header_count++] =
            (struct mg_transfer_header){"content-type", "application/x-www-form-urlencoded"};
        c.body = mg_str_span(form);
    }
    if (key != NULL)
        headers[c.header_count++] = (struct mg_transfer_header){"idempotency-key", key};
    mg_str_init(&reply, REPLY_MOST);
    *tree = NULL;
    int rc = mg_call_run(&c, &status, &reply, err);
    if (rc == 0 && mg_json_parse(reply.p, reply.len, tree, err) != 0)
        rc = mg_err_set(err, 502, "payment_provider_error",
                        "The answer of the payment provider could not be read.");
    if (rc == 0 && (status < 200 || status > 299))
        rc = refused(status, *tree, err);
    if (rc != 0) {
        json_object_put(*tree);
        *tree = NULL;
    }
    mg_str_free(&reply);
    return rc;
}

static void
write_session_form(const struct mg_payment *p, const struct mg_order *o, struct mg_str *form)
{
    char id[MG_ORDER_ID_SIZE], url[1024], credit[MG_MONEY_SIZE], name[96];
    mg_order_id(o->id, id);
    mg_money_text(mg_rate_credit(o->cents, o->rate), credit);
    snprintf(name, sizeof(name), "API Coding Credit: %s credits", credit);
    mg_form_add(form, "mode", "payment");
    mg_form_add(form, "client_reference_id", id);
    mg_form_add(form, "line_items[0][quantity]", "1");
    mg_form_add(form, "line_items[0][price_data][currency]", o->currency);
    mg_form_add_int(form, "line_items[0][price_data][unit_amount]", o->cents);
    mg_form_add(form, "line_items[0][price_data][product_data][name]", name);
    mg_form_add(form, "metadata[order_id]", id);
    mg_form_add(form, "payment_intent_data[metadata][order_id]", id);
    snprintf(url, sizeof(url), "%s/app/credit/return/?order=%s", p->conf->base_url, id);
    mg_form_add(form, "success_url", url);
    snprintf(url, sizeof(url), "%s/app/credit/", p->conf->base_url);
    mg_form_add(form, "cancel_url", url);
}

/* Stripe gives the same session for the same Idempotency-Key, so an attempt whose answer was lost
 * is made again at once. */
static int
create(struct mg_payment *p, const struct mg_order *order, struct mg_pool *pool,
       struct mg_payment_news *news, struct mg_err *err)
{
    char id[MG_ORDER_ID_SIZE];
    struct json_object *tree = NULL;
    struct mg_str form;
    mg_str_init(&form, FORM_MOST);
    write_session_form(p, order, &form);
    mg_order_id(order->id, id);
    int rc = call(p, "/v1/checkout/sessions", &form, id, pool, &tree, err);
    if (rc != 0 && strncmp(err->code, "upstream_", 9) == 0) {
        mg_err_free(err);
        rc = call(p, "/v1/checkout/sessions", &form, id, pool, &tree, err);
    }
    mg_str_free(&form);
    if (rc == 0 && (!mg_stripe_read_object(tree, pool, news) || news->session_id == NULL ||
                    news->url == NULL))
        rc = mg_err_set(err, 502, "payment_provider_error",
                        "The payment provider gave no page to pay on.");
    json_object_put(tree);
    return rc;
}

static int
look(struct mg_payment *p, const struct mg_order *order, struct mg_pool *pool,
     struct mg_payment_news *news, struct mg_err *err)
{
    struct json_object *tree;
    struct mg_str path;
    mg_str_init(&path, 2048);
    mg_str_addz(&path, "/v1/checkout/sessions/");
    mg_form_encode(&path, order->session_id);
    mg_str_addz(&path, "?expand%5B%5D=payment_intent.latest_charge");
    int rc = call(p, path.p, NULL, NULL, pool, &tree, err);
    mg_str_free(&path);
    if (rc == 0 && !mg_stripe_read_object(tree, pool, news))
        rc = mg_err_set(err, 502, "payment_provider_error",
                        "The answer of the payment provider could not be read.");
    json_object_put(tree);
    return rc;
}

static int
find(struct mg_payment *p, const char *payment_id, struct mg_pool *pool,
     struct mg_payment_news *news, struct mg_err *err)
{
    struct json_object *tree;
    struct mg_str path;
    mg_str_init(&path, 2048);
    mg_str_addz(&path, "/v1/checkout/sessions?limit=1&payment_intent=");
    mg_form_encode(&path, payment_id);
    int rc = call(p, path.p, NULL, NULL, pool, &tree, err);
    mg_str_free(&path);
    if (rc != 0)
        return -1;
    struct json_object *data = mg_json_get(tree, "data");
    bool some = json_object_is_type(data, json_type_array) && json_object_array_length(data) > 0;
    bool read = some && mg_stripe_read_object(json_object_array_get_idx(data, 0), pool, news);
    json_object_put(tree);
    return read && news->has_order;
}

static int
read_event(const struct mg_payment *p, const char *signature, struct mg_span body,
           int64_t now_ms, struct mg_pool *pool, struct mg_payment_event *event,
           struct mg_err *err)
{
    return mg_stripe_read_event(p->stripe_secret, signature, body, now_ms, pool, event, err);
}

const struct mg_provider mg_stripe = {
    .name = "stripe",
    .signature_header = "stripe-signature",
    .open = open_stripe,
    .create = create,
    .look = look,
    .find = find,
    .read = read_event,
};
