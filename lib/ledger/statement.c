#include "ledger/statement.h"

enum query { LATER, PERIOD };
static const char *const sql[] = {
    [LATER] = "SELECT w.balance - COALESCE((SELECT SUM(l.amount) FROM ledger l"
              " WHERE l.wallet_id = w.id AND l.created_ms >= ?), 0) FROM wallet w WHERE w.id = ?",
    [PERIOD] = "SELECT COALESCE(SUM(GREATEST(amount, 0)), 0),"
               " COALESCE(SUM(GREATEST(-amount, 0)), 0), COUNT(*) FROM ledger"
               " WHERE wallet_id = ? AND created_ms >= ? AND created_ms < ?",
};

struct reading {
    uint64_t wallet_id;
    int64_t from_ms, to_ms;
    struct mg_statement *statement;
};

static int
read_both(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct reading *r = arg;
    struct mg_statement *s = r->statement;
    const struct mg_db_value later[] = {mg_db_i64(r->to_ms), mg_db_u64(r->wallet_id)};
    const struct mg_db_value period[] = {mg_db_u64(r->wallet_id), mg_db_i64(r->from_ms),
                                         mg_db_i64(r->to_ms)};
    *s = (struct mg_statement){.opening = 0};
    if (mg_db_query(db, sql[LATER], later, 2, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1)
        s->closing = mg_db_get_i64(db, 0);
    mg_db_done(db);
    if (found < 0 || mg_db_query(db, sql[PERIOD], period, 3, err) != 0)
        return -1;
    found = mg_db_next(db, err);
    if (found == 1) {
        s->in = mg_db_get_i64(db, 0);
        s->out = mg_db_get_i64(db, 1);
        s->rows = mg_db_get_i64(db, 2);
        s->opening = s->closing - s->in + s->out;
    }
    mg_db_done(db);
    return found < 0 ? -1 : 0;
}

int
mg_statement_read(struct mg_db *db, uint64_t wallet_id, int64_t from_ms, int64_t to_ms,
                  struct mg_statement *statement, struct mg_err *err)
{
    struct reading r = {wallet_id, from_ms, to_ms > 0 ? to_ms : INT64_MAX, statement};
    return mg_db_snapshot(db, "statement", read_both, &r, err);
}
