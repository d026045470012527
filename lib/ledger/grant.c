#include "ledger/grant.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/utf8.h"
#include "ledger/book.h"
#include "ledger/table.h"

#include <string.h>

enum query { EXISTING, LOT_OF };
static const char *const sql[] = {
    [EXISTING] = "SELECT seq, amount, balance_after FROM ledger WHERE ref = ? AND kind = ?",
    [LOT_OF] = "SELECT seq FROM ledger WHERE ref = ? AND kind = 3 AND wallet_id = ?",
};

static const enum mg_entry_kind entry_kinds[] = {
    [MG_GRANT_TRIAL] = MG_ENTRY_TRIAL,   [MG_GRANT_TOPUP] = MG_ENTRY_TOPUP,
    [MG_GRANT_REWARD] = MG_ENTRY_REWARD, [MG_GRANT_ADJUST] = MG_ENTRY_ADJUST,
    [MG_GRANT_CLAWBACK] = MG_ENTRY_CLAWBACK,
};

void
mg_grant_ref(const char *space, uint64_t number, uint8_t ref[MG_ID_BYTES])
{
    uint8_t sum[MG_SHA256_BYTES];
    size_t n = strlen(space);
    memset(ref, 0, 8);
    if (n > 8) {
        mg_sha256(space, n, sum);
        memcpy(ref, sum, 8);
    } else {
        memcpy(ref, space, n);
    }
    for (int i = 0; i < 8; i++)
        ref[8 + i] = (uint8_t)(number >> (56 - 8 * i));
}

static int
check(const struct mg_grant *g, struct mg_err *err)
{
    bool sign = g->kind == MG_GRANT_ADJUST     ? g->amount != 0
                : g->kind == MG_GRANT_CLAWBACK ? g->amount < 0
                                               : g->amount > 0;
    if (!sign || g->amount > MG_BOOK_MOST || g->amount < -MG_BOOK_MOST)
        return mg_err_set(err, 400, "invalid_amount", "The amount of the credit is not possible.");
    if (g->note != NULL && (strlen(g->note) >= MG_GRANT_NOTE ||
                            !mg_utf8_valid(g->note, strlen(g->note))))
        return mg_err_set(err, 400, "invalid_note", "The note is too long or not UTF-8.");
    return 0;
}

/* An earlier row with the same (ref, kind): 1 with *result, 0, or -1. */
static int
find_existing(struct mg_db *db, const struct mg_grant *g, struct mg_granted *result,
              struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_bytes(g->ref, MG_ID_BYTES),
                                         mg_db_i64(entry_kinds[g->kind])};
    if (mg_db_query(db, sql[EXISTING], values, 2, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1)
        *result = (struct mg_granted){.seq = mg_db_get_u64(db, 0), .amount = mg_db_get_i64(db, 1),
                                      .balance = mg_db_get_i64(db, 2)};
    mg_db_done(db);
    return found;
}

/* The lot of the top-up that is clawed back, 0 = none. */
static int
find_lot(struct mg_db *db, const struct mg_grant *g, uint64_t *seq, struct mg_err *err)
{
    *seq = 0;
    if (g->of == NULL)
        return 0;
    const struct mg_db_value values[] = {mg_db_bytes(g->of, MG_ID_BYTES), mg_db_u64(g->wallet_id)};
    return mg_db_number(db, sql[LOT_OF], values, 2, seq, err) < 0 ? -1 : 0;
}

/* Makes the row in the book. */
static int
enter(struct mg_book *book, const struct mg_grant *g, uint64_t first, struct mg_granted *result,
      struct mg_err *err)
{
    int64_t now = mg_now_ms();
    enum mg_entry_kind kind = entry_kinds[g->kind];
    mg_book_expire(book, now);
    struct mg_entry *e =
        g->amount > 0 ? mg_book_grant(book, kind, g->amount,
                                      g->expires_ms > 0 ? g->expires_ms : MG_BOOK_NEVER, g->ref,
                                      now)
                      : mg_book_claw(book, kind, -g->amount, first, g->ref, now);
    if (e == NULL)
        return mg_err_set(err, 400, "invalid_amount", "The wallet cannot hold so much credit.");
    e->note = g->note;
    *result = (struct mg_granted){.applied = true, .seq = e->seq, .amount = e->amount,
                                  .balance = e->balance_after};
    mg_book_expire(book, now); /* a lot that was over before it was given */
    return 0;
}

/* Under the wallet's lock: what it finds there nobody changes before the commit. */
static int
post_locked(struct mg_table *table, struct mg_db *db, const struct mg_grant *g,
            struct mg_granted *result, struct mg_err *err)
{
    uint64_t first;
    if (mg_table_load(table, db, &g->wallet_id, 1, err) != 0)
        return -1;
    struct mg_book *book = mg_table_book(table, g->wallet_id);
    if (book == NULL)
        return mg_err_set(err, 404, "not_found", "There is no such wallet.");
    int found = find_existing(db, g, result, err);
    if (found != 0)
        return found < 0 ? -1 : 0;
    if (find_lot(db, g, &first, err) != 0 || enter(book, g, first, result, err) != 0)
        return -1;
    return mg_table_save(table, db, err);
}

int
mg_grant_post(struct mg_db *db, const struct mg_grant *grant, struct mg_granted *result,
              struct mg_err *err)
{
    struct mg_granted unused;
    struct mg_table table;
    if (check(grant, err) != 0)
        return -1;
    mg_table_init(&table);
    int rc = post_locked(&table, db, grant, result != NULL ? result : &unused, err);
    mg_table_free(&table);
    return rc;
}

struct step {
    const struct mg_grant *grant;
    struct mg_granted *result;
};

static int
post_step(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct step *s = arg;
    return mg_grant_post(db, s->grant, s->result, err);
}

int
mg_grant_apply(struct mg_db *db, const struct mg_grant *grant, struct mg_granted *result,
               struct mg_err *err)
{
    struct step s = {grant, result};
    int rc = mg_db_txn(db, "grant", post_step, &s, err);
    /* Both cases are safe to repeat, and then find the row that is there: the same grant from
     * two sides at once (of different wallets: a mistake), a commit without an answer. */
    if (rc != 0 && (mg_db_why(db) == MG_DB_UNCERTAIN || mg_db_why(db) == MG_DB_DUPLICATE)) {
        mg_err_free(err);
        rc = mg_db_txn(db, "grant", post_step, &s, err);
    }
    return rc;
}
