/* Legacy Completions requests into the neutral form: the prompt is what the user says. */
#include "wire/requests.h"
#include "wire/settings.h"

#define DEFAULT_LIMIT 16 /* tokens, when the request names none */

/* One prompt: a string, or an array that holds one string. */
static int
read_prompt(struct mg_crossing *x, struct mg_node *body)
{
    struct mg_node *prompt = mg_node_get(body, "prompt");
    if (prompt->type == MG_NODE_ARRAY) {
        struct mg_node *first = mg_node_first(prompt);
        if (first != NULL && (first->type == MG_NODE_NUMBER || first->type == MG_NODE_ARRAY))
            return mg_refuse(x, "prompt", "prompts made of tokens cannot be translated for this "
                                          "model; send text");
        if (first == NULL || first->next != NULL)
            return mg_refuse(x, "prompt", "this model takes one prompt a request");
        if (mg_want(x, "prompt[0]", first, MG_NODE_STRING) != 0)
            return -1;
        prompt = first;
    }
    x->turn->prompt = mg_node_text(prompt);
    if (x->turn->prompt.n == 0)
        return mg_contradiction(x, "prompt", "it is empty");
    mg_turn_text(x->turn, mg_turn_message(x->turn, MG_ROLE_USER, "prompt"), x->turn->prompt,
                 "prompt");
    return 0;
}

int
mg_completions_request_read(struct mg_crossing *x, struct mg_node *body)
{
    struct mg_turn *turn = x->turn;
    if (read_prompt(x, body) != 0 || mg_settings_sampling(x, body) != 0 ||
        mg_settings_stops(x, body, "stop") != 0 ||
        mg_settings_limit(x, body, "max_tokens", NULL) != 0)
        return -1;
    if (turn->limit < 0)
        turn->limit = DEFAULT_LIMIT;
    if (mg_node_get(body, "n") != NULL)
        turn->n = mg_node_count_at(body, "n");
    if (turn->n < 1 || turn->n > 128)
        return mg_contradiction(x, "n", "it has to be from 1 to 128");
    if (turn->n > 1)
        return mg_refuse(x, "n", "this model gives one answer a request");
    if (mg_node_count_at(body, "best_of") > 1)
        return mg_refuse(x, "best_of", "this model gives no best of several answers");
    if (mg_node_text_at(body, "suffix").n > 0)
        return mg_refuse(x, "suffix", "this model cannot fill in before a suffix");
    turn->logprobs = mg_node_get(body, "logprobs") != NULL;
    turn->top_logprobs = mg_node_count_at(body, "logprobs");
    turn->echo = mg_node_flag_at(body, "echo") == 1;
    mg_settings_caller(x, body);
    return 0;
}
