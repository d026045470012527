#include "wire/upward.h"

#include "json/scan.h"
#include "json/splice.h"
#include "json/writer.h"

#include <stdio.h>
#include <string.h>

#define MAX_EDITS 6

/* Asks for the usage chunk: stream_options as the client sent them, with include_usage true. */
static void
usage_option(struct mg_span body, struct mg_str *out)
{
    struct mg_span options;
    struct mg_edit edit = {"include_usage", mg_span_z("true")};
    if (mg_scan_member(body, "stream_options", &options) != 1 || options.n == 0 ||
        options.p[0] != '{' || mg_splice(options, &edit, 1, out) != 0) {
        mg_str_reset(out);
        mg_str_addz(out, "{\"include_usage\":true}");
    }
}

/* Stored answers are ours, and so is the chain of responses. Chat: the upstream takes metadata
 * only with its own store. */
static size_t
state_edits(enum mg_family family, const struct mg_facts *facts, struct mg_edit *edits)
{
    size_t n = 0;
    if (family == MG_RESPONSES && facts->store)
        edits[n++] = (struct mg_edit){"store", mg_span_z("false")};
    if (family == MG_RESPONSES && facts->previous != NULL)
        edits[n++] = (struct mg_edit){"previous_response_id", {NULL, 0}};
    if (family == MG_RESPONSES && facts->background) { /* ours: the upstream streams to us */
        edits[n++] = (struct mg_edit){"background", {NULL, 0}};
        edits[n++] = (struct mg_edit){"stream", mg_span_z("true")};
    }
    if (family == MG_CHAT && facts->store_stated)
        edits[n++] = (struct mg_edit){"store", {NULL, 0}};
    if (family == MG_CHAT && facts->metadata)
        edits[n++] = (struct mg_edit){"metadata", {NULL, 0}};
    return n;
}

int
mg_upward_body(const struct mg_upward *up, const struct mg_facts *facts, struct mg_span body,
               struct mg_str *out)
{
    struct mg_edit edits[MAX_EDITS];
    struct mg_str model, options;
    char limit[24];
    size_t n = 0;
    mg_str_init(&model, 4096);
    mg_str_init(&options, 65536);
    mg_json_quote(&model, up->model, strlen(up->model));
    edits[n++] = (struct mg_edit){"model", mg_str_span(&model)};
    n += state_edits(up->family, facts, edits + n);
    if (facts->stream && !facts->show_usage &&
        (up->family == MG_CHAT || up->family == MG_COMPLETIONS)) {
        usage_option(body, &options);
        edits[n++] = (struct mg_edit){"stream_options", mg_str_span(&options)};
    }
    if (up->max_output >= 0) {
        snprintf(limit, sizeof(limit), "%lld", (long long)up->max_output);
        edits[n++] = (struct mg_edit){facts->max_member, mg_span_z(limit)};
    }
    int rc = mg_splice(body, edits, n, out);
    mg_str_free(&model);
    mg_str_free(&options);
    return rc;
}
