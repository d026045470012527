#include "wire/inspect.h"

#include "json/scan.h"
#include "wire/sse.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 32 /* content nested deeper is not counted */

static bool
is_text(struct mg_span value)
{
    return value.n >= 2 && value.p[0] == '"';
}

static bool
is_null(struct mg_span value)
{
    return mg_span_is(value, "null");
}

static struct mg_span
member(struct mg_span object, const char *key)
{
    struct mg_span value = {NULL, 0};
    if (object.n == 0 || object.p[0] != '{' || mg_scan_member(object, key, &value) != 1 ||
        is_null(value))
        return (struct mg_span){NULL, 0};
    return value;
}

static bool
type_is(struct mg_span value, const char *name)
{
    size_t n = strlen(name);
    return value.n == n + 2 && value.p[0] == '"' && memcmp(value.p + 1, name, n) == 0;
}

static int64_t
number(struct mg_span value, int64_t otherwise)
{
    char digits[24];
    if (value.n == 0 || value.n >= sizeof(digits))
        return otherwise;
    memcpy(digits, value.p, value.n);
    digits[value.n] = '\0';
    char *end;
    long long n = strtoll(digits, &end, 10);
    return *end == '\0' ? n : otherwise;
}

/* A sequence_number that one can go on counting from; -1 for what can be none. */
static int64_t
sequence(int64_t n)
{
    return n >= 0 && n <= (int64_t)1 << 53 ? n : -1;
}

/* Members that are not something the model generated. */
static bool
is_frame(struct mg_span key)
{
    static const char *const frame[] = {"role", "id", "type", "call_id", "index", "name",
                                        "status", "object", "item_id"};
    for (size_t i = 0; i < sizeof(frame) / sizeof(frame[0]); i++)
        if (mg_span_is(key, frame[i]))
            return true;
    return false;
}

/* Bytes of all generated strings inside a value. */
static size_t
content_bytes(struct mg_span value, unsigned depth)
{
    struct mg_member m;
    struct mg_span element;
    size_t at = 0, sum = 0;
    if (is_text(value))
        return value.n - 2;
    if (value.n == 0 || depth >= MAX_DEPTH)
        return 0;
    if (value.p[0] == '{')
        while (mg_scan_next(value, &at, &m) == 1)
            sum += is_frame(m.key) ? 0 : content_bytes(m.value, depth + 1);
    else if (value.p[0] == '[')
        while (mg_scan_element(value, &at, &element) == 1)
            sum += content_bytes(element, depth + 1);
    return sum;
}

/* One choice of a Chat or Completions chunk or reply. */
static void
inspect_choice(struct mg_span choice, struct mg_inspection *seen)
{
    struct mg_member m;
    size_t at = 0;
    while (mg_scan_next(choice, &at, &m) == 1) {
        if (mg_span_is(m.key, "delta") || mg_span_is(m.key, "message") ||
            mg_span_is(m.key, "text"))
            seen->content += content_bytes(m.value, 0);
        else if (mg_span_is(m.key, "finish_reason"))
            seen->finished += is_text(m.value);
        else if (mg_span_is(m.key, "usage") && seen->usage.n == 0 && !is_null(m.value))
            seen->usage = m.value; /* where a vendor has it */
        else if (mg_span_is(m.key, "index") && number(m.value, -1) > seen->choice)
            seen->choice = number(m.value, -1);
    }
}

static bool
inspect_chat(struct mg_span data, struct mg_inspection *seen)
{
    struct mg_member m;
    struct mg_span choice, choices = {NULL, 0}, groq = {NULL, 0};
    size_t at = 0, count = 0;
    int more;
    while ((more = mg_scan_next(data, &at, &m)) == 1) {
        if (mg_span_is(m.key, "model") && is_text(m.value))
            seen->model = m.value;
        else if (mg_span_is(m.key, "usage") && !is_null(m.value))
            seen->usage = m.value;
        else if (mg_span_is(m.key, "choices"))
            choices = m.value;
        else if (mg_span_is(m.key, "x_groq"))
            groq = m.value;
        else if (mg_span_is(m.key, "error") && !is_null(m.value))
            seen->error = seen->terminal = true;
        else if (mg_span_is(m.key, "object") && type_is(m.value, "error"))
            seen->bare_error = true;
    }
    for (at = 0; choices.n > 0 && mg_scan_element(choices, &at, &choice) == 1; count++)
        inspect_choice(choice, seen);
    seen->usage_only = seen->usage.n > 0 && count == 0;
    if (seen->usage.n == 0)
        seen->usage = member(groq, "usage");
    return more == 0;
}

static bool
inspect_responses(struct mg_span data, struct mg_inspection *seen)
{
    struct mg_member m;
    struct mg_span type = {NULL, 0}, delta = {NULL, 0};
    size_t at = 0;
    int more;
    while ((more = mg_scan_next(data, &at, &m)) == 1) {
        if (mg_span_is(m.key, "type"))
            type = m.value;
        else if (mg_span_is(m.key, "response") && !is_null(m.value))
            seen->response = m.value;
        else if (mg_span_is(m.key, "delta"))
            delta = m.value;
        else if (mg_span_is(m.key, "sequence_number"))
            seen->sequence = sequence(number(m.value, -1));
    }
    seen->content = content_bytes(delta, 0);
    seen->model = member(seen->response, "model");
    seen->usage = member(seen->response, "usage");
    seen->error = type_is(type, "error") || type_is(type, "response.failed");
    seen->terminal = type_is(type, "response.completed") ||
                     type_is(type, "response.incomplete") || type_is(type, "response.failed");
    return more == 0;
}

static bool
inspect_messages(struct mg_span data, struct mg_inspection *seen)
{
    struct mg_member m;
    struct mg_span type = {NULL, 0}, delta = {NULL, 0}, message = {NULL, 0};
    size_t at = 0;
    int more;
    while ((more = mg_scan_next(data, &at, &m)) == 1) {
        if (mg_span_is(m.key, "type"))
            type = m.value;
        else if (mg_span_is(m.key, "delta"))
            delta = m.value;
        else if (mg_span_is(m.key, "message"))
            message = m.value;
        else if (mg_span_is(m.key, "usage") && !is_null(m.value))
            seen->usage = m.value;
    }
    if (type_is(type, "message_start")) {
        seen->model = member(message, "model");
        seen->usage = member(message, "usage");
        seen->partial_usage = true;
    } else if (type_is(type, "content_block_delta")) {
        seen->content = content_bytes(delta, 0);
    } else if (type_is(type, "message_delta")) {
        seen->stop_reason = member(delta, "stop_reason").n > 2; /* more than the quotes */
    }
    seen->error = type_is(type, "error");
    seen->terminal = seen->error || type_is(type, "message_stop");
    return more == 0;
}

static void
begin(struct mg_inspection *seen)
{
    *seen = (struct mg_inspection){.sequence = -1, .choice = -1};
}

bool
mg_inspect_event(enum mg_family family, struct mg_span data, struct mg_inspection *seen)
{
    begin(seen);
    if (mg_sse_is_done(data)) {
        seen->terminal = family == MG_CHAT || family == MG_COMPLETIONS;
        return true;
    }
    switch (family) {
    case MG_RESPONSES:
        return inspect_responses(data, seen);
    case MG_MESSAGES:
        return inspect_messages(data, seen);
    default:
        return inspect_chat(data, seen);
    }
}

bool
mg_inspect_body(enum mg_family family, struct mg_span body, struct mg_inspection *seen)
{
    static const char *const generated[MG_FAMILIES] = {
        [MG_CHAT] = "choices",
        [MG_RESPONSES] = "output",
        [MG_COMPLETIONS] = "choices",
        [MG_MESSAGES] = "content",
    };
    struct mg_member m;
    struct mg_span made = {NULL, 0};
    size_t at = 0;
    int more;
    begin(seen);
    while ((more = mg_scan_next(body, &at, &m)) == 1) {
        if (mg_span_is(m.key, "model") && is_text(m.value))
            seen->model = m.value;
        else if (mg_span_is(m.key, "usage") && !is_null(m.value))
            seen->usage = m.value;
        else if (mg_span_is(m.key, "error") && !is_null(m.value))
            seen->error = true;
        else if (mg_span_is(m.key, generated[family]))
            made = m.value;
    }
    /* A list with nothing behind it but an error is a failure under the flag of a 200. */
    seen->content = content_bytes(made, 0);
    seen->terminal = made.n > 0;
    return more == 0;
}
