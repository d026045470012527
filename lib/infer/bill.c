#include "infer/bill.h"

static void
fill_missing(const struct mg_facts *facts, size_t output_bytes, struct mg_bill *bill)
{
    if (!bill->usage.has_input) {
        bill->usage.input = facts->input_estimate;
        bill->estimated = true;
    }
    if (!bill->usage.has_output) {
        /* A figure stated before the end (Messages begins with one) is a lower bound. */
        int64_t counted = mg_facts_scaled(facts, mg_facts_output_tokens(output_bytes));
        if (counted > bill->usage.output)
            bill->usage.output = counted;
        bill->estimated = true;
    }
}

void
mg_bill_make(const struct mg_price *price, const struct mg_facts *facts,
             const struct mg_outcome *outcome, struct mg_bill *bill)
{
    *bill = (struct mg_bill){.usage = outcome->usage};
    bool nothing = outcome->output_bytes == 0 && !outcome->usage.has_output;
    if (!outcome->accepted || (outcome->failed && nothing)) {
        *bill = (struct mg_bill){.release = true};
        return;
    }
    fill_missing(facts, outcome->output_bytes, bill);
    bill->charge = mg_price_charge(price, &bill->usage);
}

int64_t
mg_bill_so_far(const struct mg_price *price, const struct mg_facts *facts,
               const struct mg_usage *usage, size_t output_bytes)
{
    struct mg_bill bill = {.usage = *usage};
    fill_missing(facts, output_bytes, &bill);
    return mg_price_charge(price, &bill.usage);
}
