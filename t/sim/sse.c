#include "reply.h"

#include <string.h>

static const char *line_end(const struct sim_cmd *c)
{
    if (c->crlf > 0 || (c->eol && strcmp(c->eol, "crlf") == 0)) {
        return "\r\n";
    }
    return c->eol && strcmp(c->eol, "cr") == 0 ? "\r" : "\n";
}

void sim_sse_begin(struct sim_reply *r, const struct sim_cmd *c)
{
    r->stream = true;
    r->type = "text/event-stream; charset=utf-8";
    sim_reply_header(r, "cache-control", "no-cache");
    if (c->bom > 0) {
        sim_buf_puts(&r->body, "\xEF\xBB\xBF");
    }
}

/* Offset just after the first comma of a JSON text that is not inside a string, or n. */
static size_t after_comma(const char *s, size_t n)
{
    bool quoted = false;
    size_t i;

    for (i = 0; i < n; i++) {
        if (quoted && s[i] == '\\') {
            i++;
        } else if (s[i] == '"') {
            quoted = !quoted;
        } else if (!quoted && s[i] == ',') {
            return i + 1;
        }
    }
    return n;
}

static void data_line(struct sim_reply *r, const struct sim_cmd *c, const char *s, size_t n)
{
    sim_buf_puts(&r->body, c->nospace > 0 ? "data:" : "data: ");
    sim_buf_add(&r->body, s, n);
    sim_buf_puts(&r->body, line_end(c));
}

void sim_sse_add(struct sim_reply *r, const struct sim_cmd *c, const char *name, const char *data,
                 size_t n)
{
    size_t cut = c->multiline > 0 ? after_comma(data, n) : n;

    if (c->comments > 0) {
        sim_buf_puts(&r->body, ": simulated comment");
        sim_buf_puts(&r->body, line_end(c));
    }
    if (name && c->noname <= 0) {
        sim_buf_puts(&r->body, c->nospace > 0 ? "event:" : "event: ");
        sim_buf_puts(&r->body, name);
        sim_buf_puts(&r->body, line_end(c));
    }
    data_line(r, c, data, cut);
    if (cut < n) {
        data_line(r, c, data + cut, n - cut);
    }
    sim_buf_puts(&r->body, line_end(c));
    sim_reply_mark(r);
}

void sim_sse_finish(struct sim_reply *r, const struct sim_cmd *c)
{
    if (c->nofinal > 0 && r->events) {
        r->body.len -= strlen(line_end(c));
        r->end[r->events - 1] = r->body.len;
    }
}
