#include "wire/purge.h"

#include "base/pool.h"
#include "json/scan.h"
#include "json/splice.h"
#include "json/writer.h"
#include "wire/compaction.h"

#include <string.h>

#define MARK "\"mg1." /* a string that looks like a pack, as bytes of a body */
#define UNPACKED 5       /* bytes of JSON text that one byte of a pack can become, at most */

struct purge {
    const uint8_t *key;
    uint64_t owner;
    struct mg_err *err;
    size_t taken; /* packs taken out or unpacked */
};

/* How the elements of a list are treated. */
struct rule {
    bool (*drops)(const struct purge *p, struct mg_span element);
    /* Writes an element that stays. 0 or -1. */
    int (*write)(struct purge *p, struct mg_span element, struct mg_str *out);
};

static bool
has_mark(struct mg_span json)
{
    return memmem(json.p, json.n, MARK, sizeof(MARK) - 1) != NULL;
}

static bool
is_text(struct mg_span object, const char *key, const char *text)
{
    struct mg_span value = mg_scan_value(object, key);
    return value.n > 2 && value.p[0] == '"' &&
           mg_span_is((struct mg_span){value.p + 1, value.n - 2}, text);
}

static bool
is_pack(struct mg_span object, const char *key)
{
    struct mg_span value = mg_scan_value(object, key);
    return value.n > 2 && value.p[0] == '"' &&
           mg_pack_looks((struct mg_span){value.p + 1, value.n - 2});
}

static int
keep(struct purge *p, struct mg_span element, struct mg_str *out)
{
    (void)p;
    mg_str_addspan(out, element);
    return 0;
}

/* Writes a list without what its rule drops. What stays keeps the bytes around it. */
static int
write_list(struct purge *p, struct mg_span list, const struct rule *rule, struct mg_str *out)
{
    struct mg_span element;
    size_t at = 0, gap = 0, first = 0; /* gap: where the bytes before the element begin */
    bool any = false;
    for (; mg_scan_element(list, &at, &element) == 1; gap = at) {
        size_t start = (size_t)(element.p - list.p);
        if (gap == 0)
            first = start;
        if (rule->drops(p, element)) {
            p->taken++;
            continue;
        }
        mg_str_add(out, list.p + (any ? gap : 0), any ? start - gap : first);
        any = true;
        if (rule->write(p, element, out) != 0)
            return -1;
    }
    if (!any)
        mg_str_add(out, list.p, first > 0 ? first : at);
    mg_str_add(out, list.p + at, list.n - at);
    return 0;
}

/* Writes an object with one of its members, a list, filtered. */
static int
write_member(struct purge *p, struct mg_span object, const char *key, const struct rule *rule,
             struct mg_str *out)
{
    struct mg_span list = mg_scan_value(object, key);
    if (list.n == 0 || list.p[0] != '[')
        return keep(p, object, out);
    size_t before = (size_t)(list.p - object.p), behind = before + list.n;
    mg_str_add(out, object.p, before);
    if (write_list(p, list, rule, out) != 0)
        return -1;
    mg_str_add(out, object.p + behind, object.n - behind);
    return 0;
}

/* True when the rule drops every element of a list that has any. */
static bool
drops_all(const struct purge *p, struct mg_span list, const struct rule *rule)
{
    struct mg_span element;
    size_t at = 0, count = 0;
    if (list.n == 0 || list.p[0] != '[')
        return false;
    for (; mg_scan_element(list, &at, &element) == 1; count++)
        if (!rule->drops(p, element))
            return false;
    return count > 0;
}

/* ---- Messages ---- */

static bool
drops_block(const struct purge *p, struct mg_span block)
{
    (void)p;
    return (is_text(block, "type", "thinking") && is_pack(block, "signature")) ||
           (is_text(block, "type", "redacted_thinking") && is_pack(block, "data"));
}

static const struct rule blocks = {drops_block, keep};

static bool
drops_message(const struct purge *p, struct mg_span message)
{
    return has_mark(message) && drops_all(p, mg_scan_value(message, "content"), &blocks);
}

static int
write_message(struct purge *p, struct mg_span message, struct mg_str *out)
{
    return has_mark(message) ? write_member(p, message, "content", &blocks, out)
                             : keep(p, message, out);
}

static const struct rule messages = {drops_message, write_message};

/* True when a block of this type is among the content. */
static bool
has_block(struct mg_span content, const char *type)
{
    struct mg_span block;
    for (size_t at = 0; mg_scan_element(content, &at, &block) == 1;)
        if (is_text(block, "type", type))
            return true;
    return false;
}

/* True when the thinking that stays is where the content begins. */
static bool
begins_with_thinking(const struct purge *p, struct mg_span content)
{
    struct mg_span block;
    for (size_t at = 0; mg_scan_element(content, &at, &block) == 1;)
        if (!drops_block(p, block))
            return is_text(block, "type", "thinking") ||
                   is_text(block, "type", "redacted_thinking");
    return false;
}

static bool
loses_thinking(const struct purge *p, struct mg_span content)
{
    struct mg_span block;
    for (size_t at = 0; mg_scan_element(content, &at, &block) == 1;)
        if (drops_block(p, block))
            return true;
    return false;
}

/* The loop is what came since the user last said something that was no tool's result. */
static bool
loop_is_bare(const struct purge *p, struct mg_span list)
{
    struct mg_span message;
    bool open = false, lost = false, begins = false;
    for (size_t at = 0; mg_scan_element(list, &at, &message) == 1;) {
        struct mg_span content = mg_scan_value(message, "content");
        if (is_text(message, "role", "assistant")) {
            lost |= has_mark(content) && loses_thinking(p, content);
            begins = begins_with_thinking(p, content);
            open = false;
        } else if (is_text(message, "role", "user")) {
            open = has_block(content, "tool_result");
            lost &= open;
        }
    }
    return open && lost && !begins;
}

/* Thinking off, where the upstream would want to see what was taken out. */
static int
close_thinking(struct mg_str *body)
{
    struct mg_edit edits[2] = {{"thinking", mg_span_z("{\"type\":\"disabled\"}")}};
    struct mg_span now = mg_str_span(body), edited = mg_scan_value(now, "context_management");
    struct mg_str closed;
    size_t n = 1;
    if (!is_text(mg_scan_value(now, "thinking"), "type", "enabled"))
        return 0;
    if (memmem(edited.p, edited.n, "thinking", 8) != NULL)
        edits[n++] = (struct mg_edit){"context_management", {NULL, 0}};
    mg_str_init(&closed, body->len + 64);
    int rc = mg_splice(now, edits, n, &closed);
    mg_str_reset(body);
    mg_str_addspan(body, mg_str_span(&closed));
    mg_str_free(&closed);
    return rc;
}

/* ---- Responses ---- */

static bool
drops_item(const struct purge *p, struct mg_span item)
{
    (void)p;
    return has_mark(item) && is_text(item, "type", "reasoning") &&
           is_pack(item, "encrypted_content");
}

static void
write_summary(struct mg_span text, struct mg_str *out)
{
    struct mg_jw w;
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "type", "message");
    mg_jw_string(&w, "role", "user");
    mg_jw_array(&w, "content");
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "type", "input_text");
    mg_jw_string_begin(&w, "text");
    mg_jw_string_part(&w, MG_COMPACTION_INTRO, strlen(MG_COMPACTION_INTRO));
    mg_jw_string_part(&w, text.p, text.n);
    mg_jw_string_end(&w);
    mg_jw_end(&w);
    mg_jw_end(&w);
    mg_jw_end(&w);
}

static int
write_item(struct purge *p, struct mg_span item, struct mg_str *out)
{
    struct mg_span summary;
    if (!has_mark(item) || !is_text(item, "type", "compaction") ||
        !is_pack(item, "encrypted_content"))
        return keep(p, item, out);
    struct mg_span sealed = mg_scan_value(item, "encrypted_content");
    struct mg_pool *pool = mg_pool_new();
    bool good = mg_compaction_read(p->key, p->owner,
                                   (struct mg_span){sealed.p + 1, sealed.n - 2}, pool, &summary);
    if (good)
        write_summary(summary, out);
    mg_pool_free(&pool);
    p->taken++;
    return good ? 0 : mg_err_param(p->err, 400, "invalid_value", "input",
                                   "A compaction in `input` was altered or belongs to another "
                                   "account; send the conversation itself.");
}

static const struct rule items = {drops_item, write_item};

/* ---- Chat ---- */

static bool
drops_detail(const struct purge *p, struct mg_span detail)
{
    (void)p;
    return is_pack(detail, "data");
}

static const struct rule details = {drops_detail, keep};

static bool
drops_nothing(const struct purge *p, struct mg_span message)
{
    (void)p;
    (void)message;
    return false;
}

static int
write_chat_message(struct purge *p, struct mg_span message, struct mg_str *out)
{
    const struct mg_edit without = {"reasoning_details", {NULL, 0}};
    if (!has_mark(message))
        return keep(p, message, out);
    if (!drops_all(p, mg_scan_value(message, without.key), &details))
        return write_member(p, message, without.key, &details, out);
    p->taken++;
    return mg_splice(message, &without, 1, out);
}

static const struct rule chat_messages = {drops_nothing, write_chat_message};

static int
purge(struct purge *p, enum mg_family family, struct mg_span body, struct mg_str *out)
{
    switch (family) {
    case MG_CHAT:
        return write_member(p, body, "messages", &chat_messages, out);
    case MG_RESPONSES:
        return write_member(p, body, "input", &items, out);
    case MG_MESSAGES:
        if (write_member(p, body, "messages", &messages, out) != 0)
            return -1;
        return p->taken > 0 && loop_is_bare(p, mg_scan_value(body, "messages"))
                   ? close_thinking(out) : 0;
    case MG_COMPLETIONS: /* a prompt has no place for proofs */
    case MG_FAMILIES:
        break;
    }
    return 0;
}

int
mg_purge_body(const uint8_t *key, uint64_t owner, enum mg_family family, struct mg_span body,
              struct mg_str *out, struct mg_err *err)
{
    struct purge p = {.key = key, .owner = owner, .err = err};
    struct mg_str clean;
    if (!has_mark(body))
        return 0;
    mg_str_init(&clean, body.n * UNPACKED + 4096);
    int rc = purge(&p, family, body, &clean);
    if (rc == 0 && p.taken > 0)
        mg_str_addspan(out, mg_str_span(&clean));
    if (!mg_err_is(err) && (rc != 0 || !mg_str_ok(&clean) || !mg_str_ok(out)))
        rc = mg_err_internal(err, "the request does not fit its buffer");
    mg_str_free(&clean);
    return rc != 0 ? -1 : p.taken > 0;
}
