#include "ledger/alert.h"

enum query { LOCK, LIST, FORGET, ADD, DISARM, ARM, BOUNDS, DUE, TAKEN, BALANCE };
static const char *const sql[] = {
    [LOCK] = "SELECT balance FROM wallet WHERE id = ? FOR UPDATE",
    [LIST] = "SELECT threshold FROM alert WHERE wallet_id = ? ORDER BY threshold DESC LIMIT 5",
    [FORGET] = "DELETE FROM alert WHERE wallet_id = ? AND threshold NOT IN (?, ?, ?, ?, ?)",
    [ADD] = "INSERT IGNORE INTO alert (wallet_id, threshold, armed) VALUES (?, ?, ?)",
    [DISARM] = "UPDATE alert SET armed = 0, due_ms = ? WHERE wallet_id = ? AND armed = 1"
               " AND threshold > ?",
    [ARM] = "UPDATE alert SET armed = 1 WHERE wallet_id = ? AND armed = 0 AND threshold <= ?",
    [BOUNDS] = "UPDATE wallet SET"
               " alert_below = (SELECT MAX(threshold) FROM alert WHERE wallet_id = ?"
               " AND armed = 1),"
               " alert_above = (SELECT MIN(threshold) FROM alert WHERE wallet_id = ?"
               " AND armed = 0) WHERE id = ?",
    [DUE] = "SELECT wallet_id, threshold, due_ms FROM alert WHERE due_ms IS NOT NULL"
            " ORDER BY due_ms LIMIT 1 FOR UPDATE SKIP LOCKED",
    [TAKEN] = "UPDATE alert SET due_ms = NULL WHERE wallet_id = ? AND due_ms IS NOT NULL",
    [BALANCE] = "SELECT w.balance, (SELECT MIN(threshold) FROM alert a WHERE a.wallet_id = w.id"
                " AND a.due_ms IS NOT NULL) FROM wallet w WHERE w.id = ?",
};

int
mg_alert_read(struct mg_db *db, uint64_t wallet_id, struct mg_alerts *alerts, struct mg_err *err)
{
    const struct mg_db_value id = mg_db_u64(wallet_id);
    int more;
    alerts->count = 0;
    if (mg_db_query(db, sql[LIST], &id, 1, err) != 0)
        return -1;
    while ((more = mg_db_next(db, err)) == 1)
        alerts->threshold[alerts->count++] = mg_db_get_i64(db, 0);
    return more;
}

static int
set_bounds(struct mg_db *db, uint64_t wallet_id, struct mg_err *err)
{
    const struct mg_db_value id = mg_db_u64(wallet_id), values[] = {id, id, id};
    return mg_db_exec(db, sql[BOUNDS], values, 3, err);
}

int
mg_alert_cross(struct mg_db *db, uint64_t wallet_id, int64_t balance, int64_t now_ms,
               struct mg_err *err)
{
    const struct mg_db_value down[] = {mg_db_i64(now_ms), mg_db_u64(wallet_id),
                                       mg_db_i64(balance)};
    if (mg_db_exec(db, sql[DISARM], down, 3, err) != 0 ||
        mg_db_exec(db, sql[ARM], down + 1, 2, err) != 0)
        return -1;
    return set_bounds(db, wallet_id, err);
}

struct step {
    uint64_t wallet_id;
    const struct mg_alerts *alerts;
};

/* Removes what is not wanted any more. The list always has five places; empty ones hold an
 * amount that no threshold has. */
static int
forget_others(struct mg_db *db, const struct step *s, struct mg_err *err)
{
    struct mg_db_value values[1 + MG_ALERT_MOST] = {mg_db_u64(s->wallet_id)};
    for (size_t i = 0; i < MG_ALERT_MOST; i++)
        values[1 + i] =
            mg_db_i64(i < s->alerts->count ? s->alerts->threshold[i] : INT64_MIN);
    return mg_db_exec(db, sql[FORGET], values, 1 + MG_ALERT_MOST, err);
}

static int
work(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct step *s = arg;
    const struct mg_db_value id = mg_db_u64(s->wallet_id);
    if (mg_db_query(db, sql[LOCK], &id, 1, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    int64_t balance = found == 1 ? mg_db_get_i64(db, 0) : 0;
    mg_db_done(db);
    if (found == 0)
        mg_err_set(err, 404, "not_found", "There is no such wallet.");
    if (found != 1 || forget_others(db, s, err) != 0)
        return -1;
    for (size_t i = 0; i < s->alerts->count; i++) {
        int64_t threshold = s->alerts->threshold[i];
        const struct mg_db_value values[] = {id, mg_db_i64(threshold),
                                             mg_db_i64(balance >= threshold)};
        if (mg_db_exec(db, sql[ADD], values, 3, err) != 0)
            return -1;
    }
    return set_bounds(db, s->wallet_id, err);
}

int
mg_alert_set(struct mg_db *db, uint64_t wallet_id, const struct mg_alerts *alerts,
             struct mg_err *err)
{
    struct step s = {wallet_id, alerts};
    return mg_db_txn(db, "alerts", work, &s, err);
}

int
mg_alert_take(struct mg_db *db, struct mg_alert_due *due, struct mg_err *err)
{
    if (mg_db_query(db, sql[DUE], NULL, 0, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1)
        *due = (struct mg_alert_due){.wallet_id = mg_db_get_u64(db, 0),
                                     .threshold = mg_db_get_i64(db, 1),
                                     .due_ms = mg_db_get_i64(db, 2)};
    mg_db_done(db);
    if (found != 1)
        return found;
    const struct mg_db_value id = mg_db_u64(due->wallet_id);
    if (mg_db_query(db, sql[BALANCE], &id, 1, err) != 0)
        return -1;
    found = mg_db_next(db, err);
    if (found == 1) {
        due->balance = mg_db_get_i64(db, 0);
        due->threshold = mg_db_get_i64(db, 1);
    }
    mg_db_done(db);
    if (found < 0 || mg_db_exec(db, sql[TAKEN], &id, 1, err) != 0)
        return -1;
    return 1;
}
