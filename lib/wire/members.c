#include "wire/members.h"

#include <string.h>

/* Types a member may have. null counts as absent. */
enum { STR = 1, NUM = 2, INT = 4, BOOL = 8, LIST = 16, OBJ = 32, ANY = 64, NEED = 128 };

/* What becomes of a member. */
enum fate {
    READ,   /* a decoder turns it into the neutral form, or the gateway itself answers for it */
    CARRY,  /* goes through as it is: the upstream's format has the same member */
    DROP,   /* a wish that the upstream cannot be told; the answer is right without it */
    REFUSE  /* without it the answer would be another one */
};

struct member {
    const char *name;
    unsigned char type, chat, responses, messages; /* fate towards each upstream format */
};

static const struct member chat_members[] = {
    {"messages", LIST | NEED, READ, READ, READ},
    {"model", STR, READ, READ, READ},
    {"stream", BOOL, READ, READ, READ},
    {"stream_options", OBJ, READ, READ, READ},
    {"store", BOOL, READ, READ, READ},
    {"metadata", OBJ, READ, READ, READ},
    {"max_tokens", INT, READ, READ, READ},
    {"max_completion_tokens", INT, READ, READ, READ},
    {"temperature", NUM, READ, READ, READ},
    {"top_p", NUM, READ, READ, READ},
    {"top_k", NUM, READ, READ, READ},
    {"stop", STR | LIST, READ, READ, READ},
    {"n", INT, READ, READ, READ},
    {"tools", LIST, READ, READ, READ},
    {"tool_choice", STR | OBJ, READ, READ, READ},
    {"parallel_tool_calls", BOOL, READ, READ, READ},
    {"reasoning_effort", STR, READ, READ, READ},
    {"verbosity", STR, READ, READ, READ},
    {"response_format", OBJ, READ, READ, READ},
    {"logprobs", BOOL, READ, READ, READ},
    {"top_logprobs", INT, READ, READ, READ},
    {"user", STR, READ, READ, READ},
    {"safety_identifier", STR, READ, READ, READ},
    {"service_tier", STR, READ, READ, READ},
    {"modalities", LIST, READ, READ, READ},
    {"prompt_cache_key", STR, CARRY, CARRY, DROP},
    {"prompt_cache_retention", STR, CARRY, CARRY, DROP},
    {"prompt_cache_options", OBJ, CARRY, CARRY, DROP},
    {"seed", INT, CARRY, DROP, DROP},
    {"logit_bias", OBJ, CARRY, DROP, DROP},
    {"frequency_penalty", NUM, CARRY, DROP, DROP},
    {"presence_penalty", NUM, CARRY, DROP, DROP},
    {"prediction", OBJ, CARRY, DROP, DROP},
    {"audio", OBJ, CARRY, REFUSE, REFUSE},
    {"web_search_options", OBJ, CARRY, REFUSE, REFUSE},
    {"functions", LIST, CARRY, REFUSE, REFUSE},
    {"function_call", STR | OBJ, CARRY, REFUSE, REFUSE},
};

static const struct member responses_members[] = {
    {"input", STR | LIST | NEED, READ, READ, READ},
    {"instructions", STR, READ, READ, READ},
    {"model", STR, READ, READ, READ},
    {"stream", BOOL, READ, READ, READ},
    {"stream_options", OBJ, READ, READ, READ},
    {"store", BOOL, READ, READ, READ},
    {"background", BOOL, READ, READ, READ},
    {"metadata", OBJ, READ, READ, READ},
    {"previous_response_id", STR, READ, READ, READ},
    {"include", LIST, READ, READ, READ},
    {"max_output_tokens", INT, READ, READ, READ},
    {"temperature", NUM, READ, READ, READ},
    {"top_p", NUM, READ, READ, READ},
    {"tools", LIST, READ, READ, READ},
    {"tool_choice", STR | OBJ, READ, READ, READ},
    {"parallel_tool_calls", BOOL, READ, READ, READ},
    {"reasoning", OBJ, READ, READ, READ},
    {"text", OBJ, READ, READ, READ},
    {"top_logprobs", INT, READ, READ, READ},
    {"user", STR, READ, READ, READ},
    {"safety_identifier", STR, READ, READ, READ},
    {"service_tier", STR, READ, READ, READ},
    {"prompt_cache_key", STR, CARRY, CARRY, DROP},
    {"prompt_cache_retention", STR, CARRY, CARRY, DROP},
    {"prompt_cache_options", OBJ, CARRY, CARRY, DROP},
    {"presence_penalty", NUM, CARRY, DROP, DROP},
    {"frequency_penalty", NUM, CARRY, DROP, DROP},
    {"truncation", STR, DROP, CARRY, DROP},
    {"max_tool_calls", INT, DROP, CARRY, DROP},
    {"context_management", LIST, DROP, CARRY, DROP},
    {"moderation", OBJ, DROP, CARRY, DROP},
    {"client_metadata", OBJ, DROP, CARRY, DROP},
    {"prompt", OBJ, REFUSE, CARRY, REFUSE},
    {"conversation", STR | OBJ, REFUSE, REFUSE, REFUSE},
};

static const struct member messages_members[] = {
    {"messages", LIST | NEED, READ, READ, READ},
    {"max_tokens", INT | NEED, READ, READ, READ},
    {"model", STR, READ, READ, READ},
    {"stream", BOOL, READ, READ, READ},
    {"system", STR | LIST, READ, READ, READ},
    {"stop_sequences", LIST, READ, READ, READ},
    {"temperature", NUM, READ, READ, READ},
    {"top_p", NUM, READ, READ, READ},
    {"top_k", NUM, DROP, DROP, READ},
    {"thinking", OBJ, READ, READ, READ},
    {"tools", LIST, READ, READ, READ},
    {"tool_choice", OBJ, READ, READ, READ},
    {"metadata", OBJ, READ, READ, READ},
    {"service_tier", STR, READ, READ, READ},
    {"output_config", OBJ, READ, READ, READ},
    {"output_format", OBJ, READ, READ, READ},
    {"thread", ANY, READ, READ, READ},
    {"mcp_servers", LIST, READ, READ, READ},
    {"cache_control", OBJ, DROP, DROP, CARRY},
    {"context_management", OBJ, DROP, DROP, CARRY},
    {"diagnostics", ANY, DROP, DROP, CARRY},
    {"speed", STR, DROP, DROP, CARRY},
    {"fallbacks", ANY, DROP, DROP, CARRY},
    {"fallback_credit_token", STR, DROP, DROP, CARRY},
    {"container", STR | OBJ, REFUSE, REFUSE, CARRY},
    {"inference_geo", STR, REFUSE, REFUSE, CARRY},
};

static const struct member completions_members[] = {
    {"prompt", STR | LIST | NEED, READ, READ, READ},
    {"model", STR, READ, READ, READ},
    {"stream", BOOL, READ, READ, READ},
    {"stream_options", OBJ, READ, READ, READ},
    {"max_tokens", INT, READ, READ, READ},
    {"temperature", NUM, READ, READ, READ},
    {"top_p", NUM, READ, READ, READ},
    {"stop", STR | LIST, READ, READ, READ},
    {"n", INT, READ, READ, READ},
    {"best_of", INT, READ, READ, READ},
    {"echo", BOOL, READ, READ, READ},
    {"suffix", STR, READ, READ, READ},
    {"logprobs", INT, READ, READ, READ},
    {"user", STR, READ, READ, READ},
    {"seed", INT, CARRY, DROP, DROP},
    {"logit_bias", OBJ, CARRY, DROP, DROP},
    {"frequency_penalty", NUM, CARRY, DROP, DROP},
    {"presence_penalty", NUM, CARRY, DROP, DROP},
};

#define TABLE(t) {t, sizeof(t) / sizeof(t[0])}

static const struct {
    const struct member *rows;
    size_t count;
} tables[MG_FAMILIES] = {
    [MG_CHAT] = TABLE(chat_members),
    [MG_RESPONSES] = TABLE(responses_members),
    [MG_COMPLETIONS] = TABLE(completions_members),
    [MG_MESSAGES] = TABLE(messages_members),
};

/* A number with no fraction, as far as its spelling shows. */
static bool
is_whole(struct mg_span raw)
{
    const char *point = memchr(raw.p, '.', raw.n);
    if (memchr(raw.p, 'e', raw.n) != NULL || memchr(raw.p, 'E', raw.n) != NULL)
        return true;
    for (const char *p = point; p != NULL && ++p < raw.p + raw.n;) {
        if (*p != '0')
            return false;
    }
    return true;
}

static bool
fits(const struct mg_node *node, unsigned type)
{
    static const unsigned char kinds[] = {
        [MG_NODE_BOOL] = BOOL,   [MG_NODE_NUMBER] = NUM,  [MG_NODE_STRING] = STR,
        [MG_NODE_ARRAY] = LIST, [MG_NODE_OBJECT] = OBJ, [MG_NODE_NULL] = 0,
    };
    if ((type & ANY) != 0)
        return true;
    if ((type & INT) != 0 && node->type == MG_NODE_NUMBER)
        return is_whole(node->raw);
    return (type & kinds[node->type]) != 0;
}

static int
report_type(struct mg_crossing *x, const struct member *row, struct mg_node *node)
{
    switch (row->type & ~(unsigned)NEED) {
    case STR | LIST:
        return mg_err_field(x->err, "string_or_list_type", "Input should be a valid string or list",
                            "body/%s", row->name);
    case STR | OBJ:
        return mg_err_field(x->err, "string_or_dict_type",
                            "Input should be a valid string or object", "body/%s", row->name);
    case INT:
        return mg_err_field(x->err, "int_type", "Input should be a valid integer", "body/%s",
                            row->name);
    case NUM:
        return mg_wrong_type(x, row->name, node, MG_NODE_NUMBER);
    case BOOL:
        return mg_wrong_type(x, row->name, node, MG_NODE_BOOL);
    case LIST:
        return mg_wrong_type(x, row->name, node, MG_NODE_ARRAY);
    case OBJ:
        return mg_wrong_type(x, row->name, node, MG_NODE_OBJECT);
    default:
        return mg_wrong_type(x, row->name, node, MG_NODE_STRING);
    }
}

static const struct member *
find(enum mg_family client, struct mg_span name)
{
    for (size_t i = 0; i < tables[client].count; i++) {
        if (mg_span_is(name, tables[client].rows[i].name))
            return &tables[client].rows[i];
    }
    return NULL;
}

static enum fate
fate_of(const struct mg_crossing *x, const struct member *row)
{
    if (row == NULL)
        return x->in->client == x->in->upstream ? CARRY : DROP;
    return x->in->upstream == MG_CHAT        ? row->chat
           : x->in->upstream == MG_RESPONSES ? row->responses
                                             : row->messages;
}

static int
check_types(struct mg_crossing *x, struct mg_node *body)
{
    int rc = 0;
    const struct member *rows = tables[x->in->client].rows;
    for (size_t i = 0; i < tables[x->in->client].count; i++) {
        struct mg_node *node = mg_node_get(body, rows[i].name);
        if (node == NULL ? (rows[i].type & NEED) != 0 : !fits(node, rows[i].type))
            rc = report_type(x, &rows[i], node);
    }
    return rc;
}

int
mg_members_sort(struct mg_crossing *x, struct mg_node *body)
{
    if (!mg_node_is(body, MG_NODE_OBJECT))
        return mg_err_field(x->err, "dict_type", "Input should be a valid object", "body");
    if (check_types(x, body) != 0)
        return -1;
    for (struct mg_node *node = mg_node_first(body); node != NULL; node = node->next) {
        const struct member *row = find(x->in->client, node->key);
        if (node->type == MG_NODE_NULL)
            continue;
        switch (fate_of(x, row)) {
        case READ:
            break;
        case CARRY:
            mg_turn_carry(x->turn, node->key, node->raw);
            break;
        case DROP:
            mg_drop(x, node->key);
            break;
        case REFUSE:
            return mg_refuse(x, row->name, "the model behind this id is reached through the %s "
                             "format, which has no equal for it", mg_family_name(x->in->upstream));
        }
    }
    return 0;
}
