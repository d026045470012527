#include "ledger/record.h"

#include "base/digest.h"
#include "json/parse.h"
#include "json/writer.h"

#include <stdio.h>
#include <string.h>

#define SUM_BYTES 8
#define SUM_DIGITS (2 * SUM_BYTES)

/* Every number and text of a settle, by name. */
static const struct number {
    const char *key;
    size_t offset;
    size_t size;
} numbers[] = {
#define NUMBER(member) \
    {#member, offsetof(struct mg_settle, member), sizeof(((struct mg_settle *)0)->member)}
    NUMBER(wallet_id), NUMBER(api_key_id), NUMBER(charge), NUMBER(input), NUMBER(cache_read),
    NUMBER(cache_write_5m), NUMBER(cache_write_1h), NUMBER(output), NUMBER(reasoning),
    NUMBER(price_version), NUMBER(flags), NUMBER(status), NUMBER(first_ms), NUMBER(total_ms),
};
static const struct text {
    const char *key;
    size_t offset, size;
} texts[] = {
#define TEXT(member) \
    {#member, offsetof(struct mg_settle, member), sizeof(((struct mg_settle *)0)->member)}
    TEXT(model), TEXT(served_by), TEXT(label), TEXT(family),
};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Numbers travel as 64 bits; the widths of the struct differ. */
static int64_t
get_number(const struct mg_settle *s, const struct number *n)
{
    const char *at = (const char *)s + n->offset;
    int64_t wide;
    int32_t narrow;
    if (n->size == sizeof(wide)) {
        memcpy(&wide, at, sizeof(wide));
        return wide;
    }
    memcpy(&narrow, at, sizeof(narrow));
    return narrow;
}

static void
set_number(struct mg_settle *s, const struct number *n, int64_t value)
{
    char *at = (char *)s + n->offset;
    int32_t narrow = (int32_t)value;
    if (n->size == sizeof(value))
        memcpy(at, &value, sizeof(value));
    else
        memcpy(at, &narrow, sizeof(narrow));
}

static void
checksum(const char *p, size_t n, char digits[2 * MG_SHA256_BYTES + 1])
{
    uint8_t sum[MG_SHA256_BYTES];
    mg_sha256(p, n, sum);
    mg_hex(sum, SUM_BYTES, digits);
}

void
mg_record_write(struct mg_str *out, const struct mg_settle *s)
{
    char hex[MG_ID_HEX], digits[2 * MG_SHA256_BYTES + 1];
    struct mg_str json;
    struct mg_jw w;
    mg_str_init(&json, MG_RECORD_MOST);
    mg_jw_init(&w, &json);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "request_id", mg_hex(s->request_id, MG_ID_BYTES, hex));
    mg_jw_bool(&w, "release", s->release);
    for (size_t i = 0; i < COUNT(numbers); i++)
        mg_jw_int(&w, numbers[i].key, get_number(s, &numbers[i]));
    for (size_t i = 0; i < COUNT(texts); i++)
        mg_jw_string(&w, texts[i].key, (const char *)s + texts[i].offset);
    mg_jw_end(&w);
    checksum(json.p, json.len, digits);
    mg_str_add(out, digits, SUM_DIGITS);
    mg_str_addc(out, ' ');
    mg_str_add(out, json.p, json.len);
    mg_str_addc(out, '\n');
    mg_str_free(&json);
}

static int
read_object(struct json_object *o, struct mg_settle *s)
{
    const char *id = mg_json_text(o, "request_id");
    memset(s, 0, sizeof(*s));
    if (id == NULL || mg_unhex(id, strlen(id), s->request_id, MG_ID_BYTES) != 0)
        return -1;
    s->release = mg_json_bool(o, "release", 0) != 0;
    for (size_t i = 0; i < COUNT(numbers); i++)
        set_number(s, &numbers[i], mg_json_int(o, numbers[i].key, 0));
    for (size_t i = 0; i < COUNT(texts); i++) {
        const char *text = mg_json_text(o, texts[i].key);
        snprintf((char *)s + texts[i].offset, texts[i].size, "%s", text != NULL ? text : "");
    }
    return 0;
}

int
mg_record_read(const char *line, size_t n, struct mg_settle *s)
{
    char digits[2 * MG_SHA256_BYTES + 1];
    struct json_object *o = NULL;
    struct mg_err err = MG_ERR_INIT;
    if (n > 0 && line[n - 1] == '\n')
        n--;
    if (n <= SUM_DIGITS + 1 || n > MG_RECORD_MOST || line[SUM_DIGITS] != ' ')
        return -1;
    const char *json = line + SUM_DIGITS + 1;
    n -= SUM_DIGITS + 1;
    checksum(json, n, digits);
    if (memcmp(digits, line, SUM_DIGITS) != 0)
        return -1;
    int rc = mg_json_parse(json, n, &o, &err) == 0 ? read_object(o, s) : -1;
    json_object_put(o);
    mg_err_free(&err);
    return rc;
}
