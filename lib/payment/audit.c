#include "payment/audit.h"

#define WALLET " AND (? = 0 OR t.wallet_id = ?)"
#define CREDIT "t.cents * t.rate * 10000000" /* nano-credits of so many cents at this rate */

/* Every check is a query for what is wrong. Columns: wallet, row, expected, found. */
static const struct check {
    const char *what;
    const char *sql;
} checks[] = {
    {"a paid order has not the credit that it bought",
     "SELECT t.wallet_id, COALESCE(l.seq, 0), " CREDIT ", COALESCE(l.amount, 0) FROM topup t"
     " LEFT JOIN ledger l ON l.ref = t.id AND l.kind = 'topup' AND l.wallet_id = t.wallet_id"
     " WHERE t.state = 'paid' AND COALESCE(l.amount, 0) <> " CREDIT WALLET},
    {"an order that is not paid has credit",
     "SELECT t.wallet_id, l.seq, 0, l.amount FROM topup t JOIN ledger l ON l.ref = t.id"
     " AND l.kind = 'topup' WHERE t.state <> 'paid'" WALLET},
    {"what was taken back is not what refunds and disputes mean",
     "SELECT t.wallet_id, 0, LEAST(t.cents, t.refunded_cents + COALESCE(d.cents, 0)) * t.rate"
     " * 10000000, t.clawed FROM topup t LEFT JOIN (SELECT topup_id, SUM(cents) AS cents"
     " FROM topup_dispute WHERE state IN ('open', 'lost') GROUP BY topup_id) d"
     " ON d.topup_id = t.id WHERE t.state = 'paid' AND t.clawed <> LEAST(t.cents,"
     " t.refunded_cents + COALESCE(d.cents, 0)) * t.rate * 10000000" WALLET},
};

static const char count_sql[] = "SELECT COUNT(*) FROM topup t WHERE 1" WALLET;

struct audit {
    uint64_t wallet_id;
    mg_audit_report *report;
    void *arg;
    uint64_t orders, findings;
};

static int
make_check(struct mg_db *db, struct audit *a, const struct check *check,
           const struct mg_db_value wallet[2], struct mg_err *err)
{
    int more;
    if (mg_db_query(db, check->sql, wallet, 2, err) != 0)
        return -1;
    while ((more = mg_db_next(db, err)) == 1) {
        const struct mg_audit_finding finding = {
            .wallet_id = mg_db_get_u64(db, 0), .seq = mg_db_get_u64(db, 1), .what = check->what,
            .expected = mg_db_get_i64(db, 2), .found = mg_db_get_i64(db, 3)};
        a->findings++;
        if (a->report != NULL)
            a->report(a->arg, &finding);
    }
    return more;
}

static int
work(struct mg_db *db, void *arg, struct mg_err *err)
{
    struct audit *a = arg;
    const struct mg_db_value wallet[] = {mg_db_u64(a->wallet_id), mg_db_u64(a->wallet_id)};
    a->findings = 0;
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
        if (make_check(db, a, &checks[i], wallet, err) != 0)
            return -1;
    return mg_db_number(db, count_sql, wallet, 2, &a->orders, err) == 1 ? 0 : -1;
}

int
mg_payment_audit(struct mg_db *db, uint64_t wallet_id, mg_audit_report *report, void *arg,
                 uint64_t *orders, uint64_t *findings, struct mg_err *err)
{
    struct audit a = {.wallet_id = wallet_id, .report = report, .arg = arg};
    int rc = mg_db_snapshot(db, "payment audit", work, &a, err);
    *orders += a.orders;
    *findings += a.findings;
    return rc;
}
