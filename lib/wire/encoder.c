#include "wire/encoder.h"

#include "wire/facts.h"

#include <stdio.h>

struct mg_usage
mg_reply_usage(const struct mg_reply *reply)
{
    struct mg_usage usage = reply->usage;
    if (!usage.has_input)
        usage.input = reply->input_estimate;
    if (!usage.has_output)
        usage.output = mg_facts_output_tokens(reply->output_bytes);
    if (usage.reasoning > usage.output)
        usage.reasoning = usage.output;
    return usage;
}

char *
mg_reply_id(const struct mg_reply *reply, const char *prefix, int n, char buf[MG_REPLY_ID])
{
    if (n < 0)
        snprintf(buf, MG_REPLY_ID, "%s_%s", prefix, reply->seed);
    else
        snprintf(buf, MG_REPLY_ID, "%s_%s%03d", prefix, reply->seed, n);
    return buf;
}
