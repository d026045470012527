/* The pure parts of payments: rates, forms, signatures, Stripe's objects. */
#include "tap.h"

#include "base/digest.h"
#include "json/parse.h"
#include "payment/form.h"
#include "payment/rate.h"
#include "payment/signature.h"
#include "payment/stripe.h"

static struct mg_err err = MG_ERR_INIT;

static void
test_rates(void)
{
    struct mg_conf conf = {.topup_max_cents = 100000};
    static const struct {
        int64_t cents, rate, credit;
    } rows[] = {{500, 10, 50000000000}, {820, 10, 82000000000}, {24999, 10, 2499900000000},
                {25000, 15, 3750000000000}, {113610, 15, 17041500000000},
                {99999999, 15, 14999999850000000}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        is_int(mg_rate_of(rows[i].cents), rows[i].rate, "the rate of an amount");
        is_int(mg_rate_credit(rows[i].cents, rows[i].rate), rows[i].credit, "and its credit");
    }
    is_int(mg_rate_of(499), 0, "below the minimum there is none");
    ok(mg_rate_check(&conf, 500, &err) == 0 && mg_rate_check(&conf, 100000, &err) == 0,
       "minimum and maximum can be paid");
    static const int64_t wrong[] = {499, 0, -1, INT64_MIN, 100001, INT64_MAX};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ok(mg_rate_check(&conf, wrong[i], &err) == -1 && err.status == 422,
           "%lld cents cannot", (long long)wrong[i]);
        mg_err_free(&err);
    }
}

static void
test_form(void)
{
    struct mg_str form;
    mg_str_init(&form, 1000);
    mg_form_add(&form, "a[b][]", "x y&z=\xc3\xa4+/?#~-._");
    mg_form_add_int(&form, "n", -5);
    mg_form_add(&form, "empty", "");
    is_str(form.p, "a[b][]=x%20y%26z%3D%C3%A4%2B%2F%3F%23~-._&n=-5&empty=", "a form is encoded");
    mg_str_free(&form);
}

static int
check(const char *header, const char *body, int64_t now_s)
{
    int rc = mg_signature_check(header, "whsec_1", mg_span_z(body), now_s * 1000, &err);
    int status = rc == 0 ? 200 : err.status;
    mg_err_free(&err);
    return status;
}

static void
test_signatures(void)
{
    char header[MG_SIGNATURE_SIZE], two[300];
    mg_signature_make("whsec_1", mg_span_z("{\"id\":1}"), 1000000000, header);
    is_int(check(header, "{\"id\":1}", 1000000), 200, "a signature that we made is right");
    is_int(check(header, "{\"id\":1}", 1000300), 200, "for 300 seconds");
    is_int(check(header, "{\"id\":1}", 1000301), 400, "and no longer");
    is_int(check(header, "{\"id\":1}", 999700), 200, "a clock may be 300 seconds ahead");
    is_int(check(header, "{\"id\":1}", 999699), 400, "and no more");
    is_int(check(header, "{\"id\":2}", 1000000), 400, "it is of these bytes alone");
    snprintf(two, sizeof(two), "t=1000000,v0=%s,v1=00,v1=%s", header + 13, header + 13);
    is_int(check(two, "{\"id\":1}", 1000000), 200, "among others it is found");
    static const char *const broken[] = {"", ",", "t=", "v1=", "t=1000000", "t=x,v1=00",
                                         "t=1000000,v1=", "t=1000000,v1=zz",
                                         "t=99999999999999999999,v1=00", "t=-1,v1=00"};
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
        is_int(check(broken[i], "{}", 1000000), 400, broken[i]);
}

static struct mg_payment_news
read(const char *json, struct mg_pool *pool)
{
    struct mg_payment_news news;
    struct json_object *tree = mg_json_of(mg_span_z(json));
    mg_stripe_read_object(tree, pool, &news);
    json_object_put(tree);
    return news;
}

static void
test_objects(void)
{
    struct mg_pool *pool = mg_pool_new();
    struct mg_payment_news n = read(
        "{\"object\":\"checkout.session\",\"id\":\"cs_1\",\"payment_status\":\"paid\","
        "\"amount_subtotal\":500,\"amount_total\":540,\"currency\":\"usd\","
        "\"client_reference_id\":\"ord_000102030405060708090a0b0c0d0e0f\"}", pool);
    ok(n.has_order && n.order[15] == 15 && n.state == MG_PAYMENT_PAID && n.cents == 500,
       "a session that is paid");
    n = read("{\"object\":\"checkout.session\",\"payment_status\":\"no_payment_required\","
             "\"status\":\"complete\"}", pool);
    is_int(n.state, MG_PAYMENT_UNSAID, "one that needs no payment is not paid");
    n = read("{\"object\":\"checkout.session\",\"id\":\"a b\",\"url\":\"https://x/\\u0001\","
             "\"payment_status\":[\"paid\"],\"amount_total\":\"500\"}", pool);
    ok(n.session_id == NULL && n.url == NULL && n.state == MG_PAYMENT_UNSAID && n.cents == 0,
       "texts that are no ids and values of other types count as not said");
    n = read("{\"object\":\"checkout.session\",\"expires_at\":9223372036854775807}", pool);
    is_int(n.expires_ms, 0, "a time that cannot be counted in ms is not said");
    n = read("{\"object\":\"dispute\",\"id\":\"dp\",\"status\":\"under_review\",\"amount\":7}",
             pool);
    ok(n.dispute == MG_DISPUTE_OPEN && n.dispute_cents == 7, "a dispute");
    n = read("{\"object\":\"charge\",\"payment_intent\":{\"id\":\"pi_9\"},"
             "\"amount_refunded\":300}", pool);
    ok(strcmp(n.payment_id, "pi_9") == 0 && n.refunded_cents == 300, "a charge of an expanded "
                                                                     "payment");
    struct json_object *odd = mg_json_of(mg_span_z("{\"object\":\"charge\","
                                                   "\"amount_refunded\":-5}"));
    ok(!mg_stripe_read_object(odd, pool, &n) && !mg_stripe_read_object(NULL, pool, &n),
       "negative amounts and nothing at all mean nothing");
    json_object_put(odd);
    mg_pool_free(&pool);
}

int
main(void)
{
    plan(0);
    test_rates();
    test_form();
    test_signatures();
    test_objects();
    return done();
}
