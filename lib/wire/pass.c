#include "wire/pass.h"

#include "base/alloc.h"
#include "json/parse.h"
#include "json/scan.h"
#include "json/splice.h"
#include "json/writer.h"
#include "wire/errors.h"
#include "wire/inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SNAPSHOT_MAX 65536 /* a response object larger than this is not kept for a failure */
#define EARLY_COMMENTS 3 /* a minute, as `keepalive_ms` is by default */

struct mg_pass {
    enum mg_family family;
    bool show_usage;
    struct mg_str model;      /* as JSON, with quotes */
    bool stored;              /* Responses: kept by the gateway */
    struct mg_str previous;   /* Responses: as JSON, with quotes; empty = none */
    struct mg_str id;         /* Responses in the background: as JSON; empty = the upstream's */
    char request_id[64];
    struct mg_usage usage;
    size_t output_bytes;
    struct mg_str snapshot;   /* Responses: the response object as last announced */
    int64_t sequence;         /* Responses: last sequence_number, -1 = none */
    unsigned finished;        /* Chat: choices that ended */
    int64_t choice;           /* Chat: largest choice index */
    bool stated;              /* Chat: usage was, and no content behind it */
    bool stop_reason;         /* Messages: seen */
    struct mg_err fault;      /* Responses: what its `error` event said */
    bool complete, failed, terminal;
    bool told;                /* the failure was told here: whatever follows it is not */
    bool begun;               /* an event was forwarded */
    unsigned early;           /* signs of life before that */
    bool open_line;           /* the last bytes forwarded did not end an event */
};

/* What the client was given at once is what it knows until the upstream says more. */
static void
keep_given(struct mg_pass *p, struct mg_span response)
{
    struct mg_span id;
    mg_str_addspan(&p->snapshot, response);
    if (mg_scan_member(response, "id", &id) == 1)
        mg_str_addspan(&p->id, id);
}

struct mg_pass *
mg_pass_new(const struct mg_relay_setup *setup)
{
    struct mg_pass *p = mg_calloc(1, sizeof(*p));
    p->family = setup->client;
    p->show_usage = setup->show_usage;
    p->sequence = p->choice = -1;
    mg_str_init(&p->model, 4096);
    mg_json_quote(&p->model, setup->model, strlen(setup->model));
    p->stored = setup->stored;
    mg_str_init(&p->previous, 4096);
    mg_str_init(&p->id, 4096);
    if (setup->previous != NULL)
        mg_json_quote(&p->previous, setup->previous, strlen(setup->previous));
    mg_str_init(&p->snapshot, SNAPSHOT_MAX);
    mg_err_init(&p->fault);
    if (setup->background != NULL)
        keep_given(p, mg_span_z(setup->background));
    snprintf(p->request_id, sizeof(p->request_id), "%s", setup->request_id);
    return p;
}

void
mg_pass_free(struct mg_pass **pass)
{
    if (*pass == NULL)
        return;
    mg_str_free(&(*pass)->model);
    mg_str_free(&(*pass)->previous);
    mg_str_free(&(*pass)->id);
    mg_str_free(&(*pass)->snapshot);
    mg_err_free(&(*pass)->fault);
    free(*pass);
    *pass = NULL;
}

static bool
is_openai_chunked(const struct mg_pass *p)
{
    return p->family == MG_CHAT || p->family == MG_COMPLETIONS;
}

/* Chat: usage that is stated on the way counts when nothing comes behind it and the answer ends:
 * until then some upstreams state 0, and only the first figures of some are there. */
static void
meter_chunk(struct mg_pass *p, const struct mg_inspection *seen)
{
    p->stated &= seen->content == 0;
    p->usage.has_output = false;
    if (seen->usage.n > 0)
        mg_usage_read(p->family, seen->usage, &p->usage);
    p->stated |= p->usage.has_output;
    p->usage.has_output = p->stated && (p->finished > 0 || seen->finished > 0 || seen->terminal);
}

/* Remembers what the event told. */
static void
meter(struct mg_pass *p, const struct mg_inspection *seen)
{
    if (is_openai_chunked(p)) {
        meter_chunk(p, seen);
    } else if (seen->usage.n > 0) {
        mg_usage_read(p->family, seen->usage, &p->usage);
        if (seen->partial_usage)
            p->usage.has_output = false;
    }
    p->output_bytes += seen->content;
    p->finished += seen->finished;
    if (seen->choice > p->choice)
        p->choice = seen->choice;
    if (seen->sequence > p->sequence)
        p->sequence = seen->sequence;
    p->stop_reason |= seen->stop_reason;
    if (seen->response.n > 0 && !seen->terminal) {
        mg_str_reset(&p->snapshot);
        mg_str_addspan(&p->snapshot, seen->response);
    }
    p->failed |= seen->error;
    if (seen->terminal) {
        p->terminal = true;
        p->complete = !p->failed;
    }
}

/* Keeps the words of an `error` event: response.failed has to repeat them when the upstream says
 * no more. Code and message stand at the top or under `error`. */
static void
note_fault(struct mg_pass *p, struct mg_span data)
{
    struct json_object *tree = mg_json_of(data), *error = mg_json_get(tree, "error");
    if (error == NULL)
        error = tree;
    const char *message = mg_json_text(error, "message"), *code = mg_json_text(error, "code");
    mg_err_set(&p->fault, 502, code != NULL ? code : "server_error", "%s",
               message != NULL ? message : "The upstream reported an error.");
    json_object_put(tree);
}

/* The event written anew, for the rare one whose data is spread over several lines. */
static void
write_event(struct mg_str *out, const struct mg_sse_event *event, struct mg_span data)
{
    if (event->name.n > 0) {
        mg_str_addz(out, "event: ");
        mg_str_addspan(out, event->name);
        mg_str_addc(out, '\n');
    }
    while (data.n > 0) {
        const char *lf = memchr(data.p, '\n', data.n);
        size_t n = lf ? (size_t)(lf - data.p) : data.n;
        mg_str_addz(out, "data: ");
        mg_str_add(out, data.p, n);
        mg_str_addc(out, '\n');
        n += lf != NULL;
        data = (struct mg_span){data.p + n, data.n - n};
    }
    mg_str_addc(out, '\n');
}

/* A span of the upstream's bytes replaced by other bytes. */
static void
replace(const struct mg_sse_event *event, struct mg_span part, struct mg_span with,
        struct mg_str *out)
{
    if (event->one_line) {
        mg_splice_span(event->raw, part, with, out);
    } else {
        struct mg_str data;
        mg_str_init(&data, MG_SSE_MAX);
        mg_splice_span(event->data, part, with, &data);
        write_event(out, event, mg_str_span(&data));
        mg_str_free(&data);
    }
}

static bool
has_state(const struct mg_pass *p)
{
    return p->stored || p->previous.len > 0 || p->id.len > 0;
}

/* What a response object says of state: the upstream was told of none. */
static size_t
state_edits(const struct mg_pass *p, struct mg_edit *edits)
{
    size_t n = 0;
    if (p->stored)
        edits[n++] = (struct mg_edit){"store", mg_span_z("true")};
    if (p->previous.len > 0)
        edits[n++] = (struct mg_edit){"previous_response_id", mg_str_span(&p->previous)};
    if (p->id.len > 0) {
        edits[n++] = (struct mg_edit){"id", mg_str_span(&p->id)};
        edits[n++] = (struct mg_edit){"background", mg_span_z("true")};
    }
    return n;
}

/* A response object as the client knows it: its model, and the state that is ours alone. */
static int
own_response(struct mg_pass *p, struct mg_span response, struct mg_str *out)
{
    struct mg_edit edits[5] = {{"model", mg_str_span(&p->model)}};
    return mg_splice(response, edits, 1 + state_edits(p, edits + 1), out);
}

static void
forward(struct mg_pass *p, const struct mg_sse_event *event, const struct mg_inspection *seen,
        struct mg_str *out)
{
    if (seen != NULL && seen->response.n > 0 && has_state(p)) {
        struct mg_str own;
        mg_str_init(&own, MG_SSE_MAX);
        if (own_response(p, seen->response, &own) != 0)
            mg_str_addspan(&own, seen->response);
        replace(event, seen->response, mg_str_span(&own), out);
        mg_str_free(&own);
    } else if (seen != NULL && seen->model.n > 0) {
        replace(event, seen->model, mg_str_span(&p->model), out);
    } else {
        mg_str_addspan(out, event->raw);
    }
    p->open_line = event->raw.n > 0 && strchr("\r\n", event->raw.p[event->raw.n - 1]) == NULL;
}

/* An error that clients would take for a chunk without choices, and the answer for whole. */
static bool
is_misshapen(const struct mg_pass *p, const struct mg_sse_event *event,
             const struct mg_inspection *seen)
{
    return is_openai_chunked(p) && !seen->error
           && (seen->bare_error || mg_span_is(event->name, "error"));
}

int
mg_pass_event(struct mg_pass *p, const struct mg_sse_event *event, struct mg_str *out)
{
    struct mg_inspection seen;
    if (p->told)
        return 0;
    if (!event->has_data || event->data.n == 0) { /* a comment, or only a name */
        forward(p, event, NULL, out);
        return 0;
    }
    if (!mg_inspect_event(p->family, event->data, &seen))
        return -1;
    meter(p, &seen);
    if (is_misshapen(p, event, &seen)) {
        note_fault(p, event->data);
        mg_pass_fail(p, &p->fault, out);
        return 0;
    }
    if (seen.error && !seen.terminal)
        note_fault(p, event->data);
    if (seen.usage_only && is_openai_chunked(p) && !p->show_usage)
        return 0; /* asked for by us, for metering */
    forward(p, event, &seen, out);
    p->begun = true;
    return mg_str_ok(out) ? 0 : -1;
}

/* The status of a response object (JSON text) made "failed", its error filled. */
static void
fail_snapshot(struct mg_pass *p, const struct mg_err *err, struct mg_str *object)
{
    struct mg_str error;
    struct mg_jw w;
    mg_str_init(&error, 4096);
    mg_jw_init(&w, &error);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "code", err->code[0] != '\0' ? err->code : "server_error");
    mg_jw_string(&w, "message", err->message);
    mg_jw_end(&w);
    struct mg_edit edits[7] = {
        {"status", mg_span_z("\"failed\"")},
        {"error", mg_str_span(&error)},
        {"model", mg_str_span(&p->model)},
    };
    size_t n = 3 + state_edits(p, edits + 3);
    struct mg_span from = mg_span_z("{\"object\":\"response\",\"output\":[]}");
    if (p->snapshot.len > 0)
        from = mg_str_span(&p->snapshot);
    if (mg_splice(from, edits, n, object) != 0)
        mg_str_reset(object);
    mg_str_free(&error);
}

static void
write_response_failed(struct mg_pass *p, const struct mg_err *err, struct mg_str *out)
{
    struct mg_str object;
    struct mg_jw w;
    mg_str_init(&object, SNAPSHOT_MAX + 8192);
    fail_snapshot(p, err, &object);
    mg_str_addz(out, "event: response.failed\ndata: ");
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "type", "response.failed");
    mg_jw_int(&w, "sequence_number", ++p->sequence);
    mg_jw_raw(&w, "response", object.len > 0 ? mg_str_span(&object) : mg_span_z("{}"));
    mg_jw_end(&w);
    mg_str_addz(out, "\n\n");
    mg_str_free(&object);
    p->terminal = true;
}

static void
close_line(struct mg_pass *p, struct mg_str *out)
{
    if (p->open_line)
        mg_str_addz(out, "\n\n");
    p->open_line = false;
}

int
mg_pass_eof(struct mg_pass *p, struct mg_str *out)
{
    if (p->terminal)
        return 0;
    if (p->failed) { /* Responses: an `error` event alone does not stop every client */
        close_line(p, out);
        write_response_failed(p, &p->fault, out);
        return 0;
    }
    /* Whole but for its end mark, which some upstreams never send and some clients wait for. */
    if (is_openai_chunked(p) && p->finished > 0 && (int64_t)p->finished > p->choice) {
        close_line(p, out);
        mg_str_addz(out, "data: [DONE]\n\n");
        p->complete = true;
    }
    if (p->family == MG_MESSAGES && p->stop_reason) {
        close_line(p, out);
        mg_str_addz(out, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
        p->complete = true;
    }
    p->terminal = p->complete;
    return p->complete ? 0 : -1;
}

void
mg_pass_fail(struct mg_pass *p, const struct mg_err *err, struct mg_str *out)
{
    if (p->terminal)
        return;
    close_line(p, out);
    p->failed = p->terminal = p->told = true;
    p->complete = false;
    mg_errors_event(p->family, err, p->request_id, p->sequence + 1, out);
    if (p->family == MG_RESPONSES) {
        p->sequence++;
        write_response_failed(p, err, out);
    }
}

/* Helpers of SDKs refuse a Responses stream that begins with any other event than
 * `response.created`, while Codex gives up after five minutes without an event: the first signs
 * before it are comments. */
static bool
is_early(struct mg_pass *p)
{
    return p->family == MG_RESPONSES && !p->begun && p->early++ < EARLY_COMMENTS;
}

void
mg_pass_keepalive(struct mg_pass *p, struct mg_str *out)
{
    static const char comment[] = ": keep-alive\n\n";
    static const char *const signs[MG_FAMILIES] = {
        [MG_CHAT] = comment,
        [MG_RESPONSES] = "event: keepalive\ndata: {\"type\":\"keepalive\"}\n\n",
        [MG_COMPLETIONS] = comment,
        [MG_MESSAGES] = "event: ping\ndata: {\"type\":\"ping\"}\n\n",
    };
    if (!p->terminal && !p->open_line)
        mg_str_addz(out, is_early(p) ? comment : signs[p->family]);
}

int
mg_pass_body(struct mg_pass *p, struct mg_span body, struct mg_str *out, struct mg_err *err)
{
    struct mg_inspection seen;
    if (!mg_inspect_body(p->family, body, &seen) || (!seen.terminal && !seen.error))
        return mg_err_set(err, 502, "upstream_invalid_reply",
                          "The upstream's reply is not a reply of the requested format.");
    if (seen.error && !seen.terminal)
        return mg_err_set(err, 502, "upstream_error", "The upstream reported an error.");
    meter(p, &seen);
    p->failed = seen.error;
    p->complete = !seen.error;
    if (p->family == MG_RESPONSES && has_state(p)) {
        if (own_response(p, body, out) != 0)
            return mg_err_internal(err, "a reply cannot be spliced");
    } else if (seen.model.n > 0) {
        mg_splice_span(body, seen.model, mg_str_span(&p->model), out);
    } else {
        mg_str_addspan(out, body);
    }
    return mg_str_ok(out) ? 0 : mg_err_internal(err, "reply larger than its buffer");
}

const struct mg_usage *
mg_pass_usage(const struct mg_pass *p)
{
    return &p->usage;
}

size_t
mg_pass_output_bytes(const struct mg_pass *p)
{
    return p->output_bytes;
}

bool
mg_pass_complete(const struct mg_pass *p)
{
    return p->complete;
}

bool
mg_pass_ended(const struct mg_pass *p)
{
    return p->terminal;
}

bool
mg_pass_failed(const struct mg_pass *p)
{
    return p->failed;
}
