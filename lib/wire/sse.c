#include "wire/sse.h"

#include <string.h>

void
mg_sse_init(struct mg_sse *sse)
{
    *sse = (struct mg_sse){.first = true};
    mg_str_init(&sse->pending, MG_SSE_MAX);
    mg_str_init(&sse->name, 256);
    mg_str_init(&sse->data, MG_SSE_MAX);
}

void
mg_sse_free(struct mg_sse *sse)
{
    mg_str_free(&sse->pending);
    mg_str_free(&sse->name);
    mg_str_free(&sse->data);
}

bool
mg_sse_feed(struct mg_sse *sse, const char *bytes, size_t n)
{
    if (sse->taken > 0) {
        mg_str_drop(&sse->pending, sse->taken);
        sse->line -= sse->taken;
        sse->scanned -= sse->taken;
        sse->taken = 0;
    }
    mg_str_add(&sse->pending, bytes, n);
    return mg_str_ok(&sse->pending);
}

/* Looks for the end of the current line. 1: *end is behind its text and *next behind its line
 * ending; 0: not there yet. */
static int
find_line(struct mg_sse *sse, size_t *end, size_t *next)
{
    const char *p = sse->pending.p;
    size_t n = sse->pending.len, from = sse->scanned;
    const char *lf = memchr(p + from, '\n', n - from);
    size_t limit = lf ? (size_t)(lf - p) : n;
    const char *cr = memchr(p + from, '\r', limit - from);
    if (cr != NULL) {
        *end = (size_t)(cr - p);
        bool blank = *end == sse->line;
        if (*end + 1 == n && !blank) {
            sse->scanned = *end; /* the LF of a CRLF may still come */
            return 0;
        }
        *next = *end + 1 < n && p[*end + 1] == '\n' ? *end + 2 : *end + 1;
        return 1;
    }
    if (lf == NULL) {
        sse->scanned = n;
        return 0;
    }
    *end = limit;
    *next = limit + 1;
    return 1;
}

static void
read_data(struct mg_sse *sse, struct mg_sse_event *event, struct mg_span value)
{
    if (!event->has_data) {
        event->has_data = event->one_line = true;
        event->data = value;
        return;
    }
    if (event->one_line) { /* a second line: from now on the joined copy */
        mg_str_addspan(&sse->data, event->data);
        event->one_line = false;
    }
    mg_str_addc(&sse->data, '\n');
    mg_str_addspan(&sse->data, value);
}

static void
read_field(struct mg_sse *sse, struct mg_sse_event *event, struct mg_span line)
{
    const char *colon = memchr(line.p, ':', line.n);
    struct mg_span field = {line.p, colon ? (size_t)(colon - line.p) : line.n};
    struct mg_span value = {line.p + line.n, 0};
    if (colon != NULL) {
        value = (struct mg_span){colon + 1, line.n - field.n - 1};
        if (value.n > 0 && value.p[0] == ' ')
            value = (struct mg_span){value.p + 1, value.n - 1};
    }
    if (mg_span_is(field, "data")) {
        read_data(sse, event, value);
    } else if (mg_span_is(field, "event")) {
        mg_str_reset(&sse->name);
        mg_str_addspan(&sse->name, value);
    }
}

/* Reads the lines of the event in pending[from, to). */
static void
read_event(struct mg_sse *sse, size_t from, size_t to, struct mg_sse_event *event)
{
    const char *p = sse->pending.p;
    mg_str_reset(&sse->name);
    mg_str_reset(&sse->data);
    *event = (struct mg_sse_event){.raw = {p + from, to - from}};
    if (sse->first && to - from >= 3 && memcmp(p + from, "\xef\xbb\xbf", 3) == 0)
        from += 3;
    sse->first = false;
    while (from < to) {
        const char *lf = memchr(p + from, '\n', to - from);
        size_t end = lf != NULL ? (size_t)(lf - p) : to;
        const char *cr = memchr(p + from, '\r', end - from);
        if (cr != NULL)
            end = (size_t)(cr - p);
        if (end > from && p[from] != ':')
            read_field(sse, event, (struct mg_span){p + from, end - from});
        from = end + 1;
    }
    event->name = mg_str_span(&sse->name);
    if (event->has_data && !event->one_line)
        event->data = mg_str_span(&sse->data);
}

bool
mg_sse_next(struct mg_sse *sse, bool eof, struct mg_sse_event *event)
{
    size_t start = sse->taken, end, next;
    if (sse->after_cr && start < sse->pending.len) {
        sse->after_cr = false;
        if (sse->pending.p[start] == '\n') {
            if (sse->line == start)
                sse->line++;
            if (sse->scanned == start)
                sse->scanned++;
        }
    }
    while (find_line(sse, &end, &next) == 1) {
        bool blank = end == sse->line;
        sse->line = sse->scanned = next;
        if (blank) {
            sse->after_cr = sse->pending.p[next - 1] == '\r';
            sse->taken = next;
            read_event(sse, start, next, event);
            return true;
        }
    }
    if (!eof || start >= sse->pending.len)
        return false;
    sse->taken = sse->line = sse->scanned = sse->pending.len;
    read_event(sse, start, sse->taken, event);
    return true;
}

bool
mg_sse_is_done(struct mg_span data)
{
    while (data.n > 0 && (data.p[data.n - 1] == ' ' || data.p[data.n - 1] == '\t'))
        data.n--;
    return mg_span_is(data, "[DONE]");
}

bool
mg_sse_is_stream(struct mg_span body)
{
    static const char *const lines[] = {":", "data:", "event:", "id:", "retry:"};
    size_t at = body.n >= 3 && memcmp(body.p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < body.n && (body.p[at] == '\r' || body.p[at] == '\n'))
        at++;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        size_t n = strlen(lines[i]);
        if (body.n - at >= n && memcmp(body.p + at, lines[i], n) == 0)
            return true;
    }
    return false;
}
