/* Holds and bills: exact to the nano-credit. */
#include "tap.h"

#include "infer/bill.h"
#include "infer/hold.h"

static const struct mg_price price = {
    .input = 3000000,          /* 3 credits per million */
    .output = 15000000,
    .cache_read = 300000,
    .cache_write_5m = 3750000,
    .cache_write_1h = 6000000,
};
static const struct mg_model model = {.max_output = 64000};

static void
test_invoice(void)
{
    struct mg_facts facts = {.input_estimate = 50, .choices = 1};
    struct mg_outcome o = {
        .usage = {.input = 5, .cache_read = 12963, .cache_write_5m = 3, .cache_write_1h = 4,
                  .output = 9, .reasoning = 2, .has_input = true, .has_output = true},
        .accepted = true, .complete = true};
    struct mg_bill bill;
    mg_bill_make(&price, &facts, &o, &bill);
    /* 5*3000 + 12963*300 + 3*3750 + 4*6000 + 9*15000 nano; reasoning is part of output */
    is_int(bill.charge, 15000 + 3888900 + 11250 + 24000 + 135000, "five categories, each once");
    ok(!bill.estimated && !bill.release, "nothing about it is estimated");
    struct mg_price odd = {.input = 1, .output = 1};
    o.usage = (struct mg_usage){.input = 1, .output = 1, .has_input = true, .has_output = true};
    mg_bill_make(&odd, &facts, &o, &bill);
    is_int(bill.charge, 1, "2 pico-credits round up once to 1 nano-credit");
}

static void
test_missing(void)
{
    struct mg_facts facts = {.input_estimate = 50, .choices = 1};
    struct mg_outcome o = {.accepted = true, .output_bytes = 300};
    struct mg_bill bill;
    mg_bill_make(&price, &facts, &o, &bill);
    is_int(bill.charge, 50 * 3000 + 100 * 15000, "absent usage is counted by us");
    ok(bill.estimated, "and flagged");
    o.usage = (struct mg_usage){.has_input = true, .has_output = true};
    mg_bill_make(&price, &facts, &o, &bill);
    ok(bill.charge == 0 && !bill.estimated && !bill.release, "an explicit zero is zero");
    o = (struct mg_outcome){.accepted = false};
    mg_bill_make(&price, &facts, &o, &bill);
    ok(bill.release && bill.charge == 0, "a refusal costs nothing");
    o = (struct mg_outcome){.accepted = true, .failed = true};
    mg_bill_make(&price, &facts, &o, &bill);
    ok(bill.release, "a failure before the first byte costs nothing");
    o = (struct mg_outcome){.accepted = true, .failed = true, .output_bytes = 30,
        .usage = {.input = 10, .output = 1, .has_input = true}};
    mg_bill_make(&price, &facts, &o, &bill);
    is_int(bill.charge, 10 * 3000 + 10 * 15000, "what came before a failure is charged");
}

static void
test_hold(void)
{
    struct mg_facts f = {.stream = true, .max_output = 32000, .choices = 1,
                         .input_bound = 1000, .input_estimate = 300};
    struct mg_hold h;
    mg_hold_first(&price, &f, &model, 4096, 16384, &h);
    is_int(h.want, 1000 * 6000 + 4096LL * 15000, "a stream holds its input and a slice");
    is_int(h.least, 300 * 6000 + 256 * 15000, "or, with less credit, an estimate and a floor");
    f.stream = false;
    mg_hold_first(&price, &f, &model, 4096, 16384, &h);
    is_int(h.want, 1000 * 6000 + 32000LL * 15000, "a whole answer holds its whole bound");
    is_int(mg_hold_lowered(&price, &f, &h, h.want), -1, "a covered limit stays");
    is_int(mg_hold_lowered(&price, &f, &h, 1000 * 6000 + 1000 * 15000), 1000,
           "else it is lowered to what the hold pays for");
    int64_t lowered = mg_hold_lowered(&price, &f, &h, h.least);
    ok(lowered == 256, "down to the floor");
    f.max_output = -1;
    mg_hold_first(&price, &f, &model, 4096, 16384, &h);
    is_int(h.output, 64000, "without a limit the model's own counts");
    f.choices = 4;
    f.max_output = 100;
    mg_hold_first(&price, &f, &model, 4096, 16384, &h);
    is_int(h.want, 1000 * 6000 + 4 * 100 * 15000, "every choice is held");
    f.max_output = INT64_MAX;
    f.choices = 128;
    struct mg_model boundless = {0};
    mg_hold_first(&price, &f, &boundless, 4096, 16384, &h);
    ok(h.want > 0, "an absurd limit does not overflow");
}

int
main(void)
{
    plan(0);
    test_invoice();
    test_missing();
    test_hold();
    return done();
}
