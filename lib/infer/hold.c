#include "infer/hold.h"

#include "base/money.h"

#define FLOOR_TOKENS 256 /* an answer with less room than this is not worth beginning */

static int64_t
smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t
cost(const struct mg_price *price, int64_t input, int64_t output)
{
    return mg_money_nano(mg_money_cost(input, mg_price_dearest_input(price)) +
                         mg_money_cost(output, price->output));
}

/* Output tokens of all answers together; token counts that nobody could pay are cut off so
 * that the product stays sane. */
static int64_t
all_choices(const struct mg_facts *facts, int64_t tokens)
{
    const int64_t sane = INT64_C(1) << 40;
    return smaller(tokens, sane / facts->choices) * facts->choices;
}

void
mg_hold_first(const struct mg_price *price, const struct mg_facts *facts,
              const struct mg_model *model, int64_t slice_tokens, int64_t default_max,
              struct mg_hold *hold)
{
    int64_t most = facts->max_output;
    if (most < 0)
        most = model->max_output > 0 ? model->max_output : default_max;
    else if (model->max_output > 0)
        most = smaller(most, model->max_output);
    hold->output = most;
    int64_t first = facts->stream ? smaller(slice_tokens, most) : most;
    hold->want = cost(price, facts->input_bound, all_choices(facts, first));
    hold->least = cost(price, smaller(facts->input_estimate, facts->input_bound),
                       all_choices(facts, smaller(FLOOR_TOKENS, most)));
    hold->all = !facts->stream;
    hold->slice = cost(price, 0, all_choices(facts, slice_tokens));
}

int64_t
mg_hold_lowered(const struct mg_price *price, const struct mg_facts *facts,
                const struct mg_hold *hold, int64_t granted)
{
    if (granted >= hold->want || facts->stream)
        return -1;
    /* Pay the input by its bound if that leaves room for an answer, else by its estimate. */
    int64_t input = cost(price, facts->input_bound, 0);
    int64_t room = mg_money_tokens(granted - input, price->output) / facts->choices;
    if (granted < input || room < smaller(FLOOR_TOKENS, hold->output)) {
        input = cost(price, smaller(facts->input_estimate, facts->input_bound), 0);
        room = mg_money_tokens(granted - input, price->output) / facts->choices;
    }
    return room < hold->output ? room : -1;
}
