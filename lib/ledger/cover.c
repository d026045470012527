#include "ledger/cover.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "ledger/window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_EVERY_MS 250 /* how long processes that were found alive are taken to live */
#define DEAD_MOST 64      /* dead processes dealt with at a time */
#define HOLDS_MOST 16     /* connections of one wallet given back at a time */

static const char open_head[] =
    "SELECT wallet_id, seq, duration_s, COALESCE(started_ms, 0), COALESCE(expires_ms, 0)"
    " FROM unlimited FORCE INDEX (unlimited_open) WHERE is_over = 0 AND wallet_id IN (";
static const char open_tail[] = ") FOR UPDATE";

enum query { CHANGE, PROCS, HOLDS, TAKE };
static const char *const sql[] = {
    [CHANGE] = "UPDATE unlimited SET started_ms = ?, expires_ms = ?, is_over = ?"
               " WHERE wallet_id = ? AND seq = ?",
    [PROCS] = "SELECT owner, place, pid, birth FROM proc",
    /* Reads the whole table, as the sweeper does, and only when a process has died. */
    [HOLDS] = "SELECT request_id FROM hold WHERE owner = ? AND wallet_id = ? AND unlimited = 1"
              " LIMIT 16",
    [TAKE] = "DELETE FROM hold WHERE request_id = ? AND unlimited = 1",
};

struct benefit {
    uint64_t wallet_id, seq;
    int64_t duration_ms, started_ms, expires_ms;
    bool over, changed;
};

struct mg_cover {
    const struct mg_proc *self;
    int64_t looked_ms;          /* monotonic; 0 = never */
    struct mg_book *wallet[MG_LIST_MOST];
    size_t wallets;
    struct benefit *benefit;    /* by wallet, then in the order of use */
    size_t count, room;
    uint64_t dead[DEAD_MOST];
    size_t dead_count;
};

struct mg_cover *
mg_cover_new(const struct mg_proc *self)
{
    struct mg_cover *cover = mg_calloc(1, sizeof(*cover));
    cover->self = self;
    return cover;
}

void
mg_cover_free(struct mg_cover **cover)
{
    if (*cover == NULL)
        return;
    free((*cover)->benefit);
    free(*cover);
    *cover = NULL;
}

void
mg_cover_begin(struct mg_cover *cover)
{
    cover->wallets = 0;
    cover->count = 0;
}

void
mg_cover_add(struct mg_cover *cover, struct mg_book *book)
{
    bool there = cover->wallets > 0 && cover->wallet[cover->wallets - 1] == book;
    if (book->benefits > 0 && !there && cover->wallets < MG_LIST_MOST)
        cover->wallet[cover->wallets++] = book;
}

static int
by_use(const void *a, const void *b)
{
    const struct benefit *x = a, *y = b;
    if (x->wallet_id != y->wallet_id)
        return x->wallet_id < y->wallet_id ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int
read_benefits(struct mg_cover *cover, struct mg_db *db, struct mg_err *err)
{
    int more;
    while ((more = mg_db_next(db, err)) == 1) {
        if (cover->count == cover->room) {
            cover->room = cover->room > 0 ? 2 * cover->room : 16;
            cover->benefit = mg_realloc(cover->benefit, cover->room * sizeof(*cover->benefit));
        }
        cover->benefit[cover->count++] = (struct benefit){
            .wallet_id = mg_db_get_u64(db, 0),
            .seq = mg_db_get_u64(db, 1),
            .duration_ms = mg_db_get_i64(db, 2) * 1000,
            .started_ms = mg_db_get_i64(db, 3),
            .expires_ms = mg_db_get_i64(db, 4),
        };
    }
    if (cover->count > 1)
        qsort(cover->benefit, cover->count, sizeof(*cover->benefit), by_use);
    return more;
}

/* The processes of this machine that are certainly dead. Those found alive are believed for a
 * moment, so that a client that keeps asking for a third connection costs next to nothing. */
static int
look_for_dead(struct mg_cover *cover, struct mg_db *db, struct mg_err *err)
{
    struct mg_proc proc;
    int more;
    if (cover->dead_count == 0 && cover->looked_ms != 0 &&
        mg_mono_ms() - cover->looked_ms < LOOK_EVERY_MS)
        return 0;
    cover->dead_count = 0;
    cover->looked_ms = mg_mono_ms();
    if (mg_db_query(db, sql[PROCS], NULL, 0, err) != 0)
        return -1;
    while ((more = mg_db_next(db, err)) == 1) {
        memset(&proc, 0, sizeof(proc));
        proc.owner = mg_db_get_u64(db, 0);
        snprintf(proc.place, sizeof(proc.place), "%s", mg_db_get_bytes(db, 1, NULL));
        proc.pid = mg_db_get_i64(db, 2);
        proc.birth = mg_db_get_u64(db, 3);
        if (cover->dead_count < DEAD_MOST && mg_proc_is_dead(cover->self, &proc))
            cover->dead[cover->dead_count++] = proc.owner;
    }
    return more;
}

/* Gives the connections of one dead process back. */
static int
give_back(struct mg_db *db, uint64_t owner, struct mg_book *book, struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_u64(owner), mg_db_u64(book->id)};
    uint8_t request[HOLDS_MOST][MG_ID_BYTES];
    size_t count = 0;
    int more;
    if (mg_db_query(db, sql[HOLDS], values, 2, err) != 0)
        return -1;
    while ((more = mg_db_next(db, err)) == 1 && count < HOLDS_MOST)
        memcpy(request[count++], mg_db_get_bytes(db, 0, NULL), MG_ID_BYTES);
    mg_db_done(db);
    for (size_t i = 0; more == 0 && i < count; i++) {
        const struct mg_db_value id = mg_db_bytes(request[i], MG_ID_BYTES);
        if (mg_db_exec(db, sql[TAKE], &id, 1, err) != 0)
            return -1;
        if (mg_db_affected(db) == 1)
            mg_book_disconnect(book);
    }
    if (more == 0 && count > 0)
        mg_info("ledger: %zu connections of a dead process given back", count);
    return more;
}

int
mg_cover_load(struct mg_cover *cover, struct mg_table *table, struct mg_db *db,
              struct mg_err *err)
{
    if (cover->wallets == 0)
        return 0;
    size_t length = mg_list_round(cover->wallets);
    struct mg_db_value *v = mg_table_values(table, length);
    for (size_t i = 0; i < length; i++)
        v[i] = mg_db_u64(cover->wallet[i < cover->wallets ? i : cover->wallets - 1]->id);
    mg_list_sql(&table->sql, open_head, "?", length, open_tail);
    if (mg_db_query(db, table->sql.p, v, length, err) != 0 ||
        read_benefits(cover, db, err) != 0)
        return -1;
    for (size_t i = 0; i < cover->wallets; i++) {
        struct mg_book *book = cover->wallet[i];
        if (book->connections < MG_WINDOW_CONNECTIONS)
            continue;
        if (look_for_dead(cover, db, err) != 0)
            return -1;
        for (size_t k = 0; k < cover->dead_count; k++)
            if (give_back(db, cover->dead[k], book, err) != 0)
                return -1;
    }
    return 0;
}

/* The benefit that runs at `now`, else the first that waits; marks those that are over. */
static struct benefit *
current(struct mg_cover *cover, struct mg_book *book, int64_t now)
{
    struct benefit *waiting = NULL;
    for (size_t i = 0; i < cover->count; i++) {
        struct benefit *b = &cover->benefit[i];
        if (b->wallet_id != book->id || b->over)
            continue;
        if (b->started_ms == 0) {
            waiting = waiting != NULL ? waiting : b;
        } else if (b->expires_ms > now) {
            return b;
        } else {
            b->over = b->changed = true;
            book->benefits -= book->benefits > 0;
            book->changed = true;
        }
    }
    return waiting;
}

enum mg_cover_answer
mg_cover_ask(struct mg_cover *cover, struct mg_book *book, int64_t now)
{
    if (book->benefits == 0)
        return MG_COVER_NO;
    struct benefit *b = current(cover, book, now);
    if (b == NULL)
        return MG_COVER_NO;
    if (book->connections >= MG_WINDOW_CONNECTIONS)
        return MG_COVER_FULL;
    if (b->started_ms == 0) {
        b->started_ms = now;
        b->expires_ms = now + b->duration_ms;
        b->changed = true;
    }
    mg_book_connect(book);
    return MG_COVER_YES;
}

int
mg_cover_save(struct mg_cover *cover, struct mg_db *db, struct mg_err *err)
{
    for (size_t i = 0; i < cover->count; i++) {
        const struct benefit *b = &cover->benefit[i];
        const struct mg_db_value values[] = {mg_db_i64(b->started_ms), mg_db_i64(b->expires_ms),
                                             mg_db_i64(b->over), mg_db_u64(b->wallet_id),
                                             mg_db_u64(b->seq)};
        if (b->changed && mg_db_exec(db, sql[CHANGE], values, 5, err) != 0)
            return -1;
    }
    return 0;
}
