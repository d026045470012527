#include "store/completion.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "json/parse.h"
#include "json/scan.h"
#include "json/splice.h"
#include "json/writer.h"
#include "store/body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_MAX (8 + 2 * MG_METADATA_PAIRS)

/* A statement put together of constant pieces, and its values. */
struct select {
    struct mg_str text;
    struct mg_db_value v[VALUES_MAX];
    size_t n;
};

static void
add(struct select *s, const char *piece, struct mg_db_value value)
{
    mg_str_addz(&s->text, piece);
    s->v[s->n++] = value;
}

/* By metadata the tags lead; else an index in the order of the list. The server would begin with
 * that index's first rows, however far behind the cursor they are, if the account were given by
 * an equality: as a list (of one, twice) it is a part of the range. */
static void
begin_select(const struct mg_completion_page *page, struct select *s)
{
    struct mg_db_value account = mg_db_u64(page->account_id);
    if (page->pairs > 0) {
        add(s, "SELECT seq, id FROM object WHERE account_id = ?", account);
        return;
    }
    add(s, page->model != NULL
               ? "SELECT seq, id FROM object FORCE INDEX (object_model) WHERE account_id IN (?"
               : "SELECT seq, id FROM object FORCE INDEX (object_list) WHERE account_id IN (?",
        account);
    add(s, ", ?)", account);
}

static void
end_select(const struct mg_completion_page *page, struct select *s)
{
    static const char *const orders[2][2] = {
        {" ORDER BY account_id, kind, created_ms, seq LIMIT ?",
         " ORDER BY account_id DESC, kind DESC, created_ms DESC, seq DESC LIMIT ?"},
        {" ORDER BY account_id, kind, model, created_ms, seq LIMIT ?",
         " ORDER BY account_id DESC, kind DESC, model DESC, created_ms DESC, seq DESC LIMIT ?"},
    };
    add(s, orders[page->model != NULL][page->descending], mg_db_i64((int64_t)page->limit + 1));
}

static void
write_select(const struct mg_completion_page *page, const struct mg_object *after,
             struct select *s)
{
    begin_select(page, s);
    add(s, " AND kind = 'completion' AND expires_ms > ?", mg_db_i64(mg_now_ms()));
    if (page->model != NULL)
        add(s, " AND model = ?", mg_db_text(page->model));
    if (after->seq != 0) {
        bool down = page->descending;
        add(s, down ? " AND created_ms <= ?" : " AND created_ms >= ?",
            mg_db_i64(after->created_ms));
        add(s, down ? " AND (created_ms < ?" : " AND (created_ms > ?",
            mg_db_i64(after->created_ms));
        add(s, down ? " OR seq < ?)" : " OR seq > ?)", mg_db_u64(after->seq));
    }
    for (size_t i = 0; i < page->pairs; i++) {
        add(s, " AND EXISTS (SELECT 1 FROM object_tag t WHERE t.object = object.seq AND t.name = ?",
            mg_db_text(page->name[i]));
        add(s, " AND t.value = ?)", mg_db_text(page->value[i]));
    }
    end_select(page, s);
}

static int
read_metadata(struct mg_db *db, uint64_t seq, struct mg_str *out, struct mg_err *err)
{
    const struct mg_db_value v[] = {mg_db_u64(seq)};
    if (mg_db_query(db, "SELECT metadata FROM object WHERE seq = ?", v, 1, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1 && !mg_db_is_null(db, 0)) {
        struct mg_span json;
        json.p = mg_db_get_bytes(db, 0, &json.n);
        mg_str_addspan(out, json);
    } else {
        mg_str_addz(out, "{}");
    }
    mg_db_done(db);
    return found < 0 ? -1 : 0;
}

int
mg_completion_show(struct mg_db *db, const struct mg_object *object, struct mg_str *out,
                   struct mg_err *err)
{
    struct mg_str reply, metadata;
    mg_str_init(&reply, MG_BODY_MAX + 1);
    mg_str_init(&metadata, MG_METADATA_MAX);
    int found = mg_body_get(db, object->seq, MG_BODY_REPLY, &reply, err);
    if (found == 1 && read_metadata(db, object->seq, &metadata, err) != 0)
        found = -1;
    const struct mg_edit edit = {"metadata", mg_str_span(&metadata)};
    if (found == 1 && mg_splice(mg_str_span(&reply), &edit, 1, out) != 0)
        found = mg_err_internal(err, "a stored completion does not fit its reply");
    mg_str_free(&reply);
    mg_str_free(&metadata);
    return found;
}

static void
begin_list(struct mg_jw *w, struct mg_str *out)
{
    mg_jw_init(w, out);
    mg_jw_object(w, NULL);
    mg_jw_string(w, "object", "list");
    mg_jw_array(w, "data");
}

static void
end_list(struct mg_jw *w, const char *first, const char *last, bool more)
{
    mg_jw_end(w);
    mg_jw_string(w, "first_id", first[0] != '\0' ? first : NULL);
    mg_jw_string(w, "last_id", last[0] != '\0' ? last : NULL);
    mg_jw_bool(w, "has_more", more);
    mg_jw_end(w);
}

/* The rows of a page, one more than it shows if there are more. -1 or their number. */
static int
read_page(struct mg_db *db, const struct mg_completion_page *page, const struct mg_object *after,
          struct mg_object *rows, struct mg_err *err)
{
    struct select s = {.n = 0};
    int count = 0, more = 0;
    mg_str_init(&s.text, 65536);
    write_select(page, after, &s);
    int rc = mg_db_query(db, s.text.p, s.v, s.n, err);
    while (rc == 0 && (more = mg_db_next(db, err)) == 1) {
        rows[count].seq = mg_db_get_u64(db, 0);
        snprintf(rows[count].id, sizeof(rows[count].id), "%s", mg_db_get_bytes(db, 1, NULL));
        count++;
    }
    mg_db_done(db);
    mg_str_free(&s.text);
    return rc != 0 || more < 0 ? -1 : count;
}

int
mg_completion_list(struct mg_db *db, const struct mg_completion_page *page, struct mg_str *out,
                   struct mg_err *err)
{
    struct mg_object after = {0};
    const char *first = "", *last = "";
    struct mg_str one;
    struct mg_jw w;
    if (page->after != NULL) {
        int found = mg_object_find(db, page->account_id, MG_OBJECT_COMPLETION, page->after,
                                   &after, err);
        if (found != 1)
            return found;
    }
    struct mg_object *rows = mg_calloc(page->limit + 1, sizeof(*rows));
    int count = read_page(db, page, &after, rows, err), rc = count < 0 ? -1 : 1;
    bool more = count > (int)page->limit;
    mg_str_init(&one, out->max);
    begin_list(&w, out);
    for (int i = 0; rc == 1 && i < count - more; i++) {
        mg_str_reset(&one);
        int shown = mg_completion_show(db, &rows[i], &one, err);
        if (shown < 0)
            rc = -1;
        if (shown != 1)
            continue; /* deleted this moment */
        mg_jw_raw(&w, NULL, mg_str_span(&one));
        first = *first != '\0' ? first : rows[i].id;
        last = rows[i].id;
    }
    end_list(&w, first, last, more);
    mg_str_free(&one);
    free(rows);
    return rc;
}

/* The words of a content that is a list of parts. */
static void
write_words(struct json_object *parts, struct mg_str *out)
{
    struct mg_jw w;
    bool any = false;
    mg_jw_init(&w, out);
    for (size_t i = 0; i < json_object_array_length(parts); i++) {
        const char *text = mg_json_text(json_object_array_get_idx(parts, i), "text");
        if (text == NULL)
            continue;
        if (!any)
            mg_jw_string_begin(&w, NULL);
        any = true;
        mg_jw_string_part(&w, text, strlen(text));
    }
    if (any)
        mg_jw_string_end(&w);
    else
        mg_jw_null(&w, NULL);
}

static void
write_message(const char *id, struct mg_span message, struct mg_str *out)
{
    struct mg_str quoted, words;
    struct mg_span content = {"null", 4}, refusal;
    struct mg_edit edits[4];
    size_t n = 0;
    mg_str_init(&quoted, 1024);
    mg_str_init(&words, MG_BODY_MAX * 2);
    mg_json_quote(&quoted, id, strlen(id));
    bool there = mg_scan_member(message, "content", &content) == 1;
    edits[n++] = (struct mg_edit){"id", mg_str_span(&quoted)};
    if (mg_scan_member(message, "refusal", &refusal) != 1)
        edits[n++] = (struct mg_edit){"refusal", mg_span_z("null")};
    if (there && content.n > 0 && content.p[0] == '[') {
        struct json_object *parts = mg_json_of(content);
        if (json_object_is_type(parts, json_type_array))
            write_words(parts, &words);
        json_object_put(parts);
        edits[n++] = (struct mg_edit){"content", mg_str_span(&words)};
        edits[n++] = (struct mg_edit){"content_parts", content};
    } else {
        if (!there)
            edits[n++] = (struct mg_edit){"content", mg_span_z("null")};
        edits[n++] = (struct mg_edit){"content_parts", mg_span_z("null")};
    }
    if (mg_splice(message, edits, n, out) != 0)
        mg_str_addz(out, "{}");
    mg_str_free(&quoted);
    mg_str_free(&words);
}

/* The place that an id of a message names: -1 = none. */
static long
place_of(const char *id, const char *message_id, size_t count)
{
    size_t n = strlen(id);
    char *end;
    if (strncmp(message_id, id, n) != 0 || message_id[n] != '-' || message_id[n + 1] < '0' ||
        message_id[n + 1] > '9')
        return -1;
    long place = strtol(message_id + n + 1, &end, 10);
    return *end == '\0' && place >= 0 && (size_t)place < count ? place : -1;
}

int
mg_completion_messages(const char *id, struct mg_span input, const char *after, size_t limit,
                       bool descending, struct mg_str *out)
{
    char first[MG_OBJECT_ID + 24] = "", last[MG_OBJECT_ID + 24] = "";
    struct mg_span *list = NULL, message;
    struct mg_str one;
    struct mg_jw w;
    size_t at = 0, count = 0, from = 0;
    while (mg_scan_element(input, &at, &message) == 1) {
        if ((count & (count - 1)) == 0)
            list = mg_realloc(list, (count ? count * 2 : 1) * sizeof(*list));
        list[count++] = message;
    }
    if (after != NULL) {
        long place = place_of(id, after, count);
        if (place < 0) {
            free(list);
            return -1;
        }
        from = descending ? count - (size_t)place : (size_t)place + 1;
    }
    size_t shown = count - from < limit ? count - from : limit;
    mg_str_init(&one, out->max);
    begin_list(&w, out);
    for (size_t i = 0; i < shown; i++) {
        size_t place = descending ? count - 1 - from - i : from + i;
        snprintf(last, sizeof(last), "%s-%zu", id, place);
        if (i == 0)
            memcpy(first, last, sizeof(first));
        mg_str_reset(&one);
        write_message(last, list[place], &one);
        mg_jw_raw(&w, NULL, mg_str_span(&one));
    }
    end_list(&w, first, last, from + shown < count);
    mg_str_free(&one);
    free(list);
    return 0;
}
