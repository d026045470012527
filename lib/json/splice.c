#include "json/splice.h"

#include "json/scan.h"

#include <stdint.h>
#include <string.h>

void
mg_splice_span(struct mg_span json, struct mg_span part, struct mg_span with, struct mg_str *out)
{
    size_t before = (size_t)(part.p - json.p);
    mg_str_add(out, json.p, before);
    mg_str_addspan(out, with);
    mg_str_add(out, part.p + part.n, json.n - before - part.n);
}

static const struct mg_edit *
edit_for(struct mg_span key, const struct mg_edit *edits, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (mg_scan_key_is(key, edits[i].key))
            return &edits[i];
    return NULL;
}

/* Adds the edits that met no member (`met` has a bit for each); `any`: a member stands before
 * them. */
static void
add_missing(const struct mg_edit *edits, size_t count, uint64_t met, bool any, struct mg_str *out)
{
    for (size_t i = 0; i < count; i++) {
        if (edits[i].value.n == 0 || met & UINT64_C(1) << i)
            continue;
        mg_str_addf(out, "%s\"%s\":", any ? "," : "", edits[i].key);
        mg_str_addspan(out, edits[i].value);
        any = true;
    }
}

int
mg_splice(struct mg_span json, const struct mg_edit *edits, size_t count, struct mg_str *out)
{
    struct mg_member member;
    size_t at = 0, copied = 0;
    uint64_t met = 0; /* bits of the edits whose member was there */
    bool any = false; /* a member has been written */
    int more;
    if (count > 64)
        return -1;
    while ((more = mg_scan_next(json, &at, &member)) == 1) {
        const struct mg_edit *edit = edit_for(member.key, edits, count);
        if (edit != NULL)
            met |= UINT64_C(1) << (edit - edits);
        size_t start = (size_t)(member.key.p - json.p) - 1;
        size_t value = (size_t)(member.value.p - json.p);
        if (edit != NULL && edit->value.n == 0) {
            /* Leave the member out, and the separator that stood before it, or after it when
             * it was the first: then the opening brace has to be written alone. */
            if (!any && copied == 0)
                mg_str_add(out, json.p, (size_t)((const char *)memchr(json.p, '{', json.n) -
                                                 json.p) + 1);
            copied = at;
            continue;
        }
        size_t from = copied;
        if (!any && copied > 0) /* everything before was removed: skip the separator too */
            from = start;
        if (edit != NULL) {
            mg_str_add(out, json.p + from, value - from);
            mg_str_addspan(out, edit->value);
        } else {
            mg_str_add(out, json.p + from, at - from);
        }
        copied = at;
        any = true;
    }
    if (more < 0)
        return -1;
    if (copied == 0) { /* an empty object: `at` is at its closing brace */
        mg_str_add(out, json.p, at);
        copied = at;
    }
    add_missing(edits, count, met, any, out);
    mg_str_add(out, json.p + copied, json.n - copied);
    return mg_str_ok(out) ? 0 : -1;
}
