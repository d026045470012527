/* The ledger with its balances, and both histories as files for a spreadsheet. */
#include "fcgi/account.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "http/stream.h"
#include "identity/keyring.h"
#include "service/csv.h"
#include "service/ledger_json.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>

#define TYPE_CSV "text/csv; charset=utf-8"
#define PAGE_MOST ((size_t)1 << 20) /* bytes of MG_USAGE_PAGE lines, with room */
#define PATIENCE_MS 60000           /* for a client that takes nothing */
#define EXPORT_MS 600000            /* for one that takes little: a file is cut off then */
#define EXPORTS 4                   /* at once in a process: each has a worker for as long */
#define EXPORT_AGAIN_S 30

int
list_ledger(struct mg_request *req, void *context, struct mg_err *err)
{
    struct mg_app *app = context;
    uint64_t wallet = mg_service_caller(req)->account_id;
    struct account_usage_query q;
    struct mg_statement statement;
    struct mg_str out;
    size_t count = 0;
    bool more = false;
    if (account_usage_query(req, &q, err) != 0)
        return -1;
    q.filter.all_kinds = true;
    struct mg_db *db = mg_db_pool_get(app->db, err);
    if (db == NULL)
        return -1;
    struct mg_usage_row *rows = mg_calloc((size_t)q.limit, sizeof(*rows));
    int rc = mg_usage_page(db, wallet, &q.filter, (uint64_t)q.before, rows, (size_t)q.limit, &count,
                           &more, err);
    if (rc == 0)
        rc = mg_statement_read(db, wallet, q.filter.from_ms, q.filter.to_ms, &statement, err);
    mg_db_pool_put(app->db, db);
    if (rc == 0) {
        mg_str_init(&out, ACCOUNT_REPLY_MAX);
        mg_json_ledger(rows, count, more, &statement, q.filter.from_ms, q.filter.to_ms, &out);
        account_reply(req, &out);
    }
    free(rows);
    return rc;
}

/* What a file has. */
struct sheet {
    const char *disposition;
    bool all_kinds;
    void (*head)(struct mg_csv *csv);
    void (*row)(struct mg_csv *csv, const struct mg_usage_row *row, const char *key);
};

/* A file on its way: one page of rows at a time is in memory, and no connection to the database
 * is held while the client takes it. */
struct export {
    const struct sheet *sheet;
    struct mg_app *app;
    uint64_t wallet_id;
    struct account_usage_query q;
    struct mg_key *keys;
    size_t key_count;
    struct mg_usage_row *rows;
    size_t count;
    bool more;
    int64_t deadline; /* monotonic ms */
};

static atomic_int exports;

static int
read_page(struct export *e, struct mg_err *err)
{
    struct mg_db *db = mg_db_pool_get(e->app->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_usage_page(db, e->wallet_id, &e->q.filter, (uint64_t)e->q.before, e->rows,
                           MG_USAGE_PAGE, &e->count, &e->more, err);
    mg_db_pool_put(e->app->db, db);
    if (rc == 0 && e->count > 0)
        e->q.before = (int64_t)e->rows[e->count - 1].seq;
    return rc;
}

static int
read_keys(struct export *e, struct mg_pool *pool, struct mg_err *err)
{
    struct mg_db *db = mg_db_pool_get(e->app->db, err);
    if (db == NULL)
        return -1;
    int rc = mg_keyring_list(db, e->wallet_id, pool, &e->keys, &e->key_count, err);
    mg_db_pool_put(e->app->db, db);
    return rc;
}

static const char *
key_name(const struct export *e, uint64_t id)
{
    for (size_t i = 0; i < e->key_count; i++)
        if (e->keys[i].id == id)
            return e->keys[i].system ? "System Key" : e->keys[i].options.name;
    return "";
}

/* Waits until the socket has taken everything. -1 when the client is gone, takes nothing, or has
 * had its time. */
static int
drain(const struct export *e, struct mg_stream *stream)
{
    struct pollfd wait = {.fd = mg_stream_fd(stream), .events = POLLOUT};
    while (mg_stream_pending(stream) > 0) {
        int64_t left = e->deadline - mg_mono_ms();
        if (left <= 0 || poll(&wait, 1, left < PATIENCE_MS ? (int)left : PATIENCE_MS) <= 0 ||
            mg_stream_flush(stream) != 0)
            return -1;
    }
    return 0;
}

static int
send_page(const struct export *e, struct mg_stream *stream, bool first)
{
    struct mg_str text;
    struct mg_csv csv = {.out = &text};
    mg_str_init(&text, PAGE_MOST);
    if (first)
        e->sheet->head(&csv);
    for (size_t i = 0; i < e->count; i++)
        e->sheet->row(&csv, &e->rows[i], key_name(e, e->rows[i].api_key_id));
    int rc = mg_str_ok(&text) ? mg_stream_write(stream, text.p, text.len) : -1;
    mg_str_free(&text);
    return rc == 0 ? drain(e, stream) : -1;
}

/* From here on an error can only cut the file off: the client sees that it is not whole. */
static void
send_all(struct export *e, struct mg_request *req)
{
    struct mg_err err = MG_ERR_INIT;
    mg_reply_header(req, "content-disposition", e->sheet->disposition);
    mg_reply_header(req, "x-content-type-options", "nosniff");
    struct mg_stream *stream = mg_stream_open(req, 2 * PAGE_MOST);
    int rc = mg_stream_head(stream, 200, TYPE_CSV, -1);
    for (bool first = true; rc == 0; first = false) {
        rc = send_page(e, stream, first);
        if (rc != 0 || !e->more)
            break;
        rc = read_page(e, &err);
    }
    if (rc == 0 && mg_stream_finish(stream) == 0)
        drain(e, stream);
    mg_err_free(&err);
    mg_stream_close(&stream);
}

static int
send_file(struct mg_request *req, struct mg_app *app, const struct sheet *sheet,
          struct mg_err *err)
{
    struct export e = {.sheet = sheet, .app = app,
                       .wallet_id = mg_service_caller(req)->account_id,
                       .deadline = mg_mono_ms() + EXPORT_MS};
    if (account_usage_query(req, &e.q, err) != 0)
        return -1;
    e.q.filter.all_kinds = sheet->all_kinds;
    e.rows = mg_calloc(MG_USAGE_PAGE, sizeof(*e.rows));
    int rc = read_keys(&e, req->pool, err);
    if (rc == 0)
        rc = read_page(&e, err);
    if (rc == 0)
        send_all(&e, req);
    free(e.rows);
    if (rc == 0)
        mg_request_free(&req);
    return rc;
}

static int
export(struct mg_request *req, struct mg_app *app, const struct sheet *sheet, struct mg_err *err)
{
    int rc = -1;
    if (atomic_fetch_add(&exports, 1) < EXPORTS) {
        rc = send_file(req, app, sheet, err);
    } else {
        mg_err_set(err, 429, "busy",
                   "Too many files are being written; try again in %d seconds.",
                   EXPORT_AGAIN_S);
        err->retry_after_s = EXPORT_AGAIN_S;
    }
    atomic_fetch_sub(&exports, 1);
    return rc;
}

int
export_ledger(struct mg_request *req, void *context, struct mg_err *err)
{
    static const struct sheet sheet = {"attachment; filename=\"ledger.csv\"", true,
                                       mg_csv_ledger_head, mg_csv_ledger_row};
    return export(req, context, &sheet, err);
}

int
export_usage(struct mg_request *req, void *context, struct mg_err *err)
{
    static const struct sheet sheet = {"attachment; filename=\"usage.csv\"", false,
                                       mg_csv_usage_head, mg_csv_usage_row};
    return export(req, context, &sheet, err);
}
