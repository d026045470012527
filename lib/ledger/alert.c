#include "ledger/alert.h"

#include "base/log.h"
#include "base/money.h"
#include "mail/mail.h"

#include <stdio.h>

enum query { LOCK, LIST, FORGET, ADD, LOWEST, DISARM, ARM, BOUNDS };
static const char *const sql[] = {
    [LOCK] = "SELECT balance FROM wallet WHERE id = ? FOR UPDATE",
    [LIST] = "SELECT threshold FROM alert WHERE wallet_id = ? ORDER BY threshold DESC LIMIT 5",
    [FORGET] = "DELETE FROM alert WHERE wallet_id = ? AND threshold NOT IN (?, ?, ?, ?, ?)",
    [ADD] = "INSERT IGNORE INTO alert (wallet_id, threshold, armed) VALUES (?, ?, ?)",
    [LOWEST] = "SELECT MIN(threshold) FROM alert WHERE wallet_id = ? AND armed = 1"
               " AND threshold > ?",
    [DISARM] = "UPDATE alert SET armed = 0 WHERE wallet_id = ? AND armed = 1 AND threshold > ?",
    [ARM] = "UPDATE alert SET armed = 1 WHERE wallet_id = ? AND armed = 0 AND threshold <= ?",
    [BOUNDS] = "UPDATE wallet SET"
               " alert_below = (SELECT MAX(threshold) FROM alert WHERE wallet_id = ?"
               " AND armed = 1),"
               " alert_above = (SELECT MIN(threshold) FROM alert WHERE wallet_id = ?"
               " AND armed = 0) WHERE id = ?",
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

/* Posts the mail. One that cannot be written is no reason to refuse a settle. */
static int
tell(struct mg_db *db, uint64_t wallet_id, int64_t threshold, int64_t balance, struct mg_err *err)
{
    char mark[MG_MONEY_SIZE], left[MG_MONEY_SIZE], subject[128], text[1024];
    const char *base = mg_db_conf(db)->base_url;
    mg_money_text(threshold, mark);
    snprintf(subject, sizeof(subject), "Your balance is below %s credits", mark);
    snprintf(text, sizeof(text),
             "The balance of your account has fallen below %s credits: %s are left.\n\n"
             "Top up here: %.400s/app/credit/\n\n"
             "You asked to be told of this. The amounts can be changed in the same place.\n",
             mark, mg_money_text(balance, left), base);
    const struct mg_mail mail = {.account_id = wallet_id, .subject = subject, .text = text};
    if (mg_mail_post(db, &mail, err) == 0)
        return 0;
    if (err->status != 422)
        return -1;
    mg_warn("ledger: no mail about the balance of wallet %llu: %s",
            (unsigned long long)wallet_id, err->detail);
    mg_err_free(err);
    return 0;
}

/* The lowest armed threshold above the balance. 1, 0 when there is none, -1. */
static int
find_crossed(struct mg_db *db, const struct mg_db_value *values, int64_t *threshold,
             struct mg_err *err)
{
    if (mg_db_query(db, sql[LOWEST], values, 2, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1 && mg_db_is_null(db, 0))
        found = 0;
    else if (found == 1)
        *threshold = mg_db_get_i64(db, 0);
    mg_db_done(db);
    return found;
}

int
mg_alert_cross(struct mg_db *db, uint64_t wallet_id, int64_t balance, struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_u64(wallet_id), mg_db_i64(balance)};
    int64_t threshold;
    int crossed = find_crossed(db, values, &threshold, err);
    if (crossed < 0 || (crossed == 1 && tell(db, wallet_id, threshold, balance, err) != 0))
        return -1;
    if (mg_db_exec(db, sql[DISARM], values, 2, err) != 0 ||
        mg_db_exec(db, sql[ARM], values, 2, err) != 0)
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
