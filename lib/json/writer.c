#include "json/writer.h"

#include "base/utf8.h"

#include <string.h>

void
mg_jw_init(struct mg_jw *w, struct mg_str *out)
{
    w->out = out;
    w->depth = 0;
    w->failed = false;
    w->any[0] = false;
    w->close[0] = 0;
}

/* Length of the run that needs no escape, starting at p. */
static size_t
plain_run(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && (unsigned char)p[i] >= 0x20 && p[i] != '"' && p[i] != '\\')
        i++;
    return i;
}

static void
escape(struct mg_str *out, unsigned char c)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *simple = c ? strchr(from, c) : NULL;
    if (simple != NULL) {
        mg_str_addc(out, '\\');
        mg_str_addc(out, to[simple - from]);
    } else {
        mg_str_addf(out, "\\u%04x", c);
    }
}

static void
add_valid(struct mg_str *out, const char *p, size_t n)
{
    while (n > 0) {
        size_t run = plain_run(p, n);
        mg_str_add(out, p, run);
        if (run < n)
            escape(out, (unsigned char)p[run++]);
        p += run;
        n -= run;
    }
}

/* Replaces every byte that is not part of a well-formed sequence. The slow way, for the rare
 * text that needs it. */
static void
add_repaired(struct mg_str *out, const char *p, size_t n)
{
    while (n > 0) {
        size_t len = 1;
        while (len <= 4 && len <= n && !mg_utf8_valid(p, len))
            len++;
        if (len <= 4 && len <= n) {
            add_valid(out, p, len);
        } else {
            mg_str_addz(out, "\xef\xbf\xbd");
            len = 1;
        }
        p += len;
        n -= len;
    }
}

static void
add_text(struct mg_str *out, const char *p, size_t n)
{
    if (mg_utf8_valid(p, n))
        add_valid(out, p, n);
    else
        add_repaired(out, p, n);
}

void
mg_json_quote(struct mg_str *out, const char *text, size_t n)
{
    mg_str_addc(out, '"');
    add_text(out, text, n);
    mg_str_addc(out, '"');
}

/* The comma and the key that come before a value. */
static void
before(struct mg_jw *w, const char *key)
{
    bool in_object = w->close[w->depth] == '}';
    if (in_object != (key != NULL) || (w->depth == 0 && w->any[0]))
        w->failed = true;
    if (w->any[w->depth])
        mg_str_addc(w->out, ',');
    w->any[w->depth] = true;
    if (key != NULL) {
        mg_json_quote(w->out, key, strlen(key));
        mg_str_addc(w->out, ':');
    }
}

static void
open_nested(struct mg_jw *w, const char *key, char open, char close)
{
    before(w, key);
    if (w->depth + 1 >= MG_JW_DEPTH) {
        w->failed = true;
        return;
    }
    mg_str_addc(w->out, open);
    w->depth++;
    w->any[w->depth] = false;
    w->close[w->depth] = close;
}

void
mg_jw_object(struct mg_jw *w, const char *key)
{
    open_nested(w, key, '{', '}');
}

void
mg_jw_array(struct mg_jw *w, const char *key)
{
    open_nested(w, key, '[', ']');
}

void
mg_jw_end(struct mg_jw *w)
{
    if (w->depth == 0) {
        w->failed = true;
        return;
    }
    mg_str_addc(w->out, w->close[w->depth--]);
}

void
mg_jw_bytes(struct mg_jw *w, const char *key, const char *text, size_t n)
{
    before(w, key);
    mg_json_quote(w->out, text, n);
}

void
mg_jw_string(struct mg_jw *w, const char *key, const char *text)
{
    if (text == NULL)
        mg_jw_null(w, key);
    else
        mg_jw_bytes(w, key, text, strlen(text));
}

void
mg_jw_raw(struct mg_jw *w, const char *key, struct mg_span json)
{
    before(w, key);
    if (json.n == 0)
        w->failed = true;
    mg_str_addspan(w->out, json);
}

void
mg_jw_int(struct mg_jw *w, const char *key, int64_t value)
{
    before(w, key);
    mg_str_addf(w->out, "%lld", (long long)value);
}

void
mg_jw_bool(struct mg_jw *w, const char *key, bool value)
{
    mg_jw_raw(w, key, mg_span_z(value ? "true" : "false"));
}

void
mg_jw_null(struct mg_jw *w, const char *key)
{
    mg_jw_raw(w, key, mg_span_z("null"));
}

void
mg_jw_string_begin(struct mg_jw *w, const char *key)
{
    before(w, key);
    mg_str_addc(w->out, '"');
}

void
mg_jw_string_part(struct mg_jw *w, const char *text, size_t n)
{
    add_text(w->out, text, n);
}

void
mg_jw_string_end(struct mg_jw *w)
{
    mg_str_addc(w->out, '"');
}

bool
mg_jw_done(const struct mg_jw *w)
{
    return !w->failed && w->depth == 0 && w->any[0] && mg_str_ok(w->out);
}
