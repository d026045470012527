#include "ledger/table.h"

#include "base/alloc.h"
#include "ledger/alert.h"
#include "ledger/ledger.h"
#include "ledger/spend.h"

#include <stdlib.h>
#include <string.h>

/* FORCE INDEX: on a small table the optimizer would rather read all of it, and wait for rows
 * that other processes have locked. */
static const char load_head[] =
    "SELECT w.id, w.balance, w.held, w.seq, l.seq, CAST(l.kind AS UNSIGNED), l.granted,"
    " l.remaining, l.expires_ms, l.created_ms, w.benefits, w.connections,"
    " CAST(w.access AS UNSIGNED), w.alert_below, w.alert_above"
    " FROM wallet w FORCE INDEX (PRIMARY)"
    " LEFT JOIN credit_lot l FORCE INDEX (credit_lot_open)"
    " ON l.wallet_id = w.id AND l.is_open = 1"
    " WHERE w.id IN (";
static const char load_tail[] = ") FOR UPDATE";

static const char wallet_head[] =
    "INSERT INTO wallet (id, balance, held, seq, next_expiry_ms, benefits, connections, access)"
    " VALUES ";
static const char wallet_tail[] =
    " ON DUPLICATE KEY UPDATE balance = VALUES(balance), held = VALUES(held),"
    " seq = VALUES(seq), next_expiry_ms = VALUES(next_expiry_ms), benefits = VALUES(benefits),"
    " connections = VALUES(connections), access = VALUES(access)";
#define WALLET_WIDTH 8

static const char lot_head[] =
    "INSERT INTO credit_lot (wallet_id, seq, kind, granted, remaining, expires_ms, created_ms)"
    " VALUES ";
static const char lot_tail[] = " ON DUPLICATE KEY UPDATE remaining = VALUES(remaining)";
#define LOT_WIDTH 7

static const char entry_head[] =
    "INSERT INTO ledger (wallet_id, seq, kind, amount, balance_after, ref, created_ms, lot_seq,"
    " note, api_key_id, model, served_by, label, family, input, cache_read, cache_write_5m,"
    " cache_write_1h, output, reasoning, price_version, flags, status, first_ms, total_ms)"
    " VALUES ";
static const char entry_places[] = "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
#define ENTRY_WIDTH 25

void
mg_table_init(struct mg_table *table)
{
    memset(table, 0, sizeof(*table));
    mg_str_init(&table->sql, 1 << 16);
}

void
mg_table_free(struct mg_table *table)
{
    for (size_t i = 0; i < table->room; i++)
        mg_book_clear(&table->books[i]);
    free(table->books);
    free(table->entries.entry);
    free(table->values);
    mg_str_free(&table->sql);
    memset(table, 0, sizeof(*table));
}

struct mg_db_value *
mg_table_values(struct mg_table *table, size_t count)
{
    if (count > table->value_room) {
        table->value_room = count;
        table->values = mg_realloc(table->values, count * sizeof(*table->values));
    }
    return table->values;
}

/* The next unused book, its lots' memory kept from earlier use. */
static struct mg_book *
new_book(struct mg_table *table, uint64_t id)
{
    if (table->count == table->room) {
        size_t room = table->room > 0 ? 2 * table->room : 16;
        table->books = mg_realloc(table->books, room * sizeof(*table->books));
        memset(table->books + table->room, 0, (room - table->room) * sizeof(*table->books));
        table->room = room;
    }
    struct mg_book *book = &table->books[table->count++];
    struct mg_lot *lots = book->lots;
    size_t lot_room = book->lot_room;
    memset(book, 0, sizeof(*book));
    book->id = id;
    book->lots = lots;
    book->lot_room = lot_room;
    book->out = &table->entries;
    return book;
}

void
mg_table_read_lot(struct mg_db *db, unsigned first, struct mg_book *book)
{
    struct mg_lot lot = {
        .seq = mg_db_get_u64(db, first),
        .kind = (int)mg_db_get_i64(db, first + 1),
        .granted = mg_db_get_i64(db, first + 2),
        .remaining = mg_db_get_i64(db, first + 3),
        .expires_ms =
            mg_db_is_null(db, first + 4) ? MG_BOOK_NEVER : mg_db_get_i64(db, first + 4),
        .created_ms = mg_db_get_i64(db, first + 5),
    };
    mg_book_add_lot(book, &lot);
}

static int
by_id(const void *a, const void *b)
{
    const struct mg_book *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void
read_wallet(struct mg_db *db, struct mg_book *book)
{
    book->balance = mg_db_get_i64(db, 1);
    book->held = mg_db_get_i64(db, 2);
    book->seq = mg_db_get_u64(db, 3);
    book->benefits = (uint32_t)mg_db_get_u64(db, 10);
    book->connections = (uint32_t)mg_db_get_u64(db, 11);
    book->access = (enum mg_book_access)mg_db_get_i64(db, 12);
    book->alert_below = mg_db_is_null(db, 13) ? INT64_MIN : mg_db_get_i64(db, 13);
    book->alert_above = mg_db_is_null(db, 14) ? INT64_MAX : mg_db_get_i64(db, 14);
}

static int
read_books(struct mg_table *table, struct mg_db *db, struct mg_err *err)
{
    struct mg_book *book = NULL;
    int more;
    while ((more = mg_db_next(db, err)) == 1) {
        uint64_t id = mg_db_get_u64(db, 0);
        if (book == NULL || book->id != id) {
            book = new_book(table, id);
            read_wallet(db, book);
        }
        if (!mg_db_is_null(db, 4))
            mg_table_read_lot(db, 4, book);
    }
    for (size_t i = 0; i < table->count; i++)
        mg_book_sort(&table->books[i]);
    if (table->count > 1)
        qsort(table->books, table->count, sizeof(*table->books), by_id);
    return more;
}

int
mg_table_load(struct mg_table *table, struct mg_db *db, const uint64_t *ids, size_t count,
              struct mg_err *err)
{
    table->count = 0;
    table->entries.count = 0;
    if (count == 0)
        return 0;
    size_t length = mg_list_round(count);
    struct mg_db_value *v = mg_table_values(table, length);
    for (size_t i = 0; i < length; i++)
        v[i] = mg_db_u64(ids[i < count ? i : count - 1]);
    mg_list_sql(&table->sql, load_head, "?", length, load_tail);
    if (mg_db_query(db, table->sql.p, v, length, err) != 0)
        return -1;
    return read_books(table, db, err);
}

struct mg_book *
mg_table_book(struct mg_table *table, uint64_t id)
{
    struct mg_book key = {.id = id};
    if (table->count == 0)
        return NULL;
    return bsearch(&key, table->books, table->count, sizeof(*table->books), by_id);
}

int
mg_table_insert(struct mg_table *table, struct mg_db *db, const char *head, const char *places,
                const char *tail, size_t rows, size_t width, struct mg_err *err)
{
    for (size_t done = 0; done < rows; done += MG_LIST_ROWS) {
        size_t n = rows - done < MG_LIST_ROWS ? rows - done : MG_LIST_ROWS;
        mg_list_sql(&table->sql, head, places, n, tail);
        if (mg_db_exec(db, table->sql.p, table->values + done * width, n * width, err) != 0)
            return -1;
    }
    return 0;
}

static struct mg_db_value
or_null(int64_t expires_ms)
{
    return expires_ms == MG_BOOK_NEVER ? mg_db_null() : mg_db_i64(expires_ms);
}

static int
save_wallets(struct mg_table *table, struct mg_db *db, struct mg_err *err)
{
    struct mg_db_value *v = mg_table_values(table, table->count * WALLET_WIDTH);
    size_t rows = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct mg_book *b = &table->books[i];
        if (!b->changed)
            continue;
        struct mg_db_value *to = v + WALLET_WIDTH * rows++;
        to[0] = mg_db_u64(b->id);
        to[1] = mg_db_i64(b->balance);
        to[2] = mg_db_i64(b->held);
        to[3] = mg_db_u64(b->seq);
        to[4] = or_null(mg_book_next_expiry(b));
        to[5] = mg_db_u64(b->benefits);
        to[6] = mg_db_u64(b->connections);
        to[7] = mg_db_i64(b->access);
    }
    return mg_table_insert(table, db, wallet_head, "(?,?,?,?,?,?,?,?)", wallet_tail, rows,
                           WALLET_WIDTH, err);
}

/* Balances that have passed a threshold their owner is to hear of. */
static int
cross_alerts(struct mg_table *table, struct mg_db *db, struct mg_err *err)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct mg_book *b = &table->books[i];
        bool crossed = b->balance < b->alert_below || b->balance >= b->alert_above;
        if (b->changed && crossed && mg_alert_cross(db, b->id, b->balance, err) != 0)
            return -1;
    }
    return 0;
}

static void
put_lot(struct mg_db_value *to, uint64_t wallet_id, const struct mg_lot *lot)
{
    to[0] = mg_db_u64(wallet_id);
    to[1] = mg_db_u64(lot->seq);
    to[2] = mg_db_i64(lot->kind);
    to[3] = mg_db_i64(lot->granted);
    to[4] = mg_db_i64(lot->remaining);
    to[5] = or_null(lot->expires_ms);
    to[6] = mg_db_i64(lot->created_ms);
}

static int
save_lots(struct mg_table *table, struct mg_db *db, struct mg_err *err)
{
    size_t rows = 0, most = 0;
    for (size_t i = 0; i < table->count; i++)
        most += table->books[i].lot_count;
    struct mg_db_value *v = mg_table_values(table, most * LOT_WIDTH);
    for (size_t i = 0; i < table->count; i++) {
        const struct mg_book *b = &table->books[i];
        for (size_t k = 0; k < b->lot_count; k++)
            if (b->lots[k].changed)
                put_lot(v + LOT_WIDTH * rows++, b->id, &b->lots[k]);
    }
    return mg_table_insert(table, db, lot_head, "(?,?,?,?,?,?,?)", lot_tail, rows, LOT_WIDTH,
                           err);
}

/* The columns that only a charge has; an empty settle gives every other kind its defaults. */
static void
put_settle(struct mg_db_value *to, const struct mg_settle *s)
{
    to[0] = mg_db_u64(s->api_key_id);
    to[1] = mg_db_text(s->model);
    to[2] = mg_db_text(s->served_by);
    to[3] = mg_db_text(s->label);
    to[4] = mg_db_text(s->family);
    to[5] = mg_db_i64(s->input);
    to[6] = mg_db_i64(s->cache_read);
    to[7] = mg_db_i64(s->cache_write_5m);
    to[8] = mg_db_i64(s->cache_write_1h);
    to[9] = mg_db_i64(s->output);
    to[10] = mg_db_i64(s->reasoning);
    to[11] = mg_db_u64(s->price_version);
    to[13] = mg_db_i64(s->status);
    to[14] = mg_db_i64(s->first_ms);
    to[15] = mg_db_i64(s->total_ms);
}

static int
save_entries(struct mg_table *table, struct mg_db *db, struct mg_err *err)
{
    static const struct mg_settle nothing = {.first_ms = -1};
    size_t rows = table->entries.count;
    struct mg_db_value *v = mg_table_values(table, rows * ENTRY_WIDTH);
    for (size_t i = 0; i < rows; i++) {
        const struct mg_entry *e = &table->entries.entry[i];
        struct mg_db_value *to = v + i * ENTRY_WIDTH;
        to[0] = mg_db_u64(e->wallet_id);
        to[1] = mg_db_u64(e->seq);
        to[2] = mg_db_i64(e->kind);
        to[3] = mg_db_i64(e->amount);
        to[4] = mg_db_i64(e->balance_after);
        to[5] = mg_db_bytes(e->ref, MG_ID_BYTES);
        to[6] = mg_db_i64(e->created_ms);
        to[7] = mg_db_u64(e->lot_seq);
        to[8] = mg_db_text(e->note != NULL ? e->note : "");
        put_settle(to + 9, e->settle != NULL ? e->settle : &nothing);
        to[21] = mg_db_u64(e->flags);
    }
    return mg_table_insert(table, db, entry_head, entry_places, "", rows, ENTRY_WIDTH, err);
}

int
mg_table_save(struct mg_table *table, struct mg_db *db, struct mg_err *err)
{
    if (save_entries(table, db, err) != 0 || save_wallets(table, db, err) != 0 ||
        save_lots(table, db, err) != 0 || cross_alerts(table, db, err) != 0)
        return -1;
    return mg_spend_save(table, db, err);
}
