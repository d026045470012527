#include "ledger/wallet.h"

#include "base/clock.h"
#include "ledger/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum query { CREATE, LOCK, READ };
static const char *const sql[] = {
    [CREATE] = "INSERT IGNORE INTO wallet (id) VALUES (?)",
    [LOCK] = "SELECT id FROM wallet WHERE id = ? FOR UPDATE",
    /* One statement, so that wallet and lots are of the same instant. */
    [READ] = "SELECT w.balance, w.held, w.seq, l.seq, CAST(l.kind AS UNSIGNED),"
             " l.granted, l.remaining, l.expires_ms, l.created_ms"
             " FROM wallet w LEFT JOIN credit_lot l ON l.wallet_id = w.id AND l.is_open = 1"
             " WHERE w.id = ?",
};

/* Kinds of lots by their number. */
static const char *const kinds[] = {"", "trial", "topup", "reward", "adjust"};
#define KINDS ((int)(sizeof(kinds) / sizeof(kinds[0])))

int
mg_wallet_create(struct mg_db *db, uint64_t id, struct mg_err *err)
{
    const struct mg_db_value value = mg_db_u64(id);
    return mg_db_exec(db, sql[CREATE], &value, 1, err);
}

int
mg_wallet_lock(struct mg_db *db, uint64_t id, struct mg_err *err)
{
    const struct mg_db_value value = mg_db_u64(id);
    int found = mg_db_number(db, sql[LOCK], &value, 1, NULL, err);
    if (found == 0)
        mg_err_set(err, 404, "not_found", "There is no such wallet.");
    return found == 1 ? 0 : -1;
}

/* Reads the book of a wallet and does on the image what its next use will do for good: credit
 * whose time is over goes. 1, 0 or -1; the book is to be cleared. */
static int
read_book(struct mg_db *db, uint64_t id, struct mg_book *book, struct mg_err *err)
{
    const struct mg_db_value value = mg_db_u64(id);
    struct mg_entries entries = {0};
    int more, found = 0;
    *book = (struct mg_book){.id = id, .out = &entries};
    if (mg_db_query(db, sql[READ], &value, 1, err) != 0)
        return -1;
    while ((more = mg_db_next(db, err)) == 1) {
        book->balance = mg_db_get_i64(db, 0);
        book->held = mg_db_get_i64(db, 1);
        book->seq = mg_db_get_u64(db, 2);
        if (!mg_db_is_null(db, 3))
            mg_table_read_lot(db, 3, book);
        found = 1;
    }
    uint64_t seq = book->seq;
    mg_book_sort(book);
    mg_book_expire(book, mg_now_ms());
    book->seq = seq; /* the rows of that image are not written */
    book->out = NULL;
    free(entries.entry);
    return more < 0 ? -1 : found;
}

static int64_t
or_zero(int64_t expires_ms)
{
    return expires_ms == MG_BOOK_NEVER ? 0 : expires_ms;
}

int
mg_wallet_read(struct mg_db *db, uint64_t id, struct mg_wallet *wallet, struct mg_err *err)
{
    struct mg_book book;
    int found = read_book(db, id, &book, err);
    *wallet = (struct mg_wallet){.id = id, .balance = book.balance, .held = book.held,
                                 .available = mg_book_available(&book), .seq = book.seq,
                                 .next_expiry_ms = or_zero(mg_book_next_expiry(&book))};
    mg_book_clear(&book);
    return found;
}

int
mg_wallet_lots(struct mg_db *db, uint64_t id, struct mg_wallet_lot *lots, size_t most,
               size_t *count, struct mg_err *err)
{
    struct mg_book book;
    int found = read_book(db, id, &book, err);
    *count = 0;
    for (size_t i = 0; found == 1 && i < book.lot_count && *count < most; i++) {
        const struct mg_lot *from = &book.lots[i];
        if (from->remaining <= 0)
            continue;
        struct mg_wallet_lot *to = &lots[(*count)++];
        *to = (struct mg_wallet_lot){.seq = from->seq, .granted = from->granted,
                                     .remaining = from->remaining,
                                     .expires_ms = or_zero(from->expires_ms),
                                     .created_ms = from->created_ms};
        if (from->kind > 0 && from->kind < KINDS)
            snprintf(to->kind, sizeof(to->kind), "%s", kinds[from->kind]);
    }
    mg_book_clear(&book);
    return found < 0 ? -1 : 0;
}
