#include "ledger/audit.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK 500 /* wallets looked at together */

/* Every check is a query for what is wrong, over the wallets of a range of ids. Columns: wallet,
 * row or lot (0 = the wallet), expected, found. */
#define RANGE " BETWEEN ? AND ? "
#define MONTH "EXTRACT(YEAR_MONTH FROM '1970-01-01' + INTERVAL created_ms DIV 1000 SECOND)"
static const struct check {
    const char *what;
    const char *sql;
} checks[] = {
    {"the balance is not the sum of its ledger rows",
     "SELECT w.id, 0, COALESCE(l.amount, 0), w.balance FROM wallet w LEFT JOIN"
     " (SELECT wallet_id, SUM(amount) AS amount FROM ledger WHERE wallet_id" RANGE
     "GROUP BY wallet_id) l ON l.wallet_id = w.id"
     " WHERE w.id" RANGE "AND w.balance <> COALESCE(l.amount, 0)"},
    {"the rows are not numbered from 1 to seq",
     "SELECT w.id, 0, w.seq, COALESCE(l.rows_, 0) FROM wallet w LEFT JOIN"
     " (SELECT wallet_id, COUNT(*) AS rows_, MAX(seq) AS last FROM ledger"
     " WHERE wallet_id" RANGE "GROUP BY wallet_id) l ON l.wallet_id = w.id"
     " WHERE w.id" RANGE
     "AND (w.seq <> COALESCE(l.rows_, 0) OR w.seq <> COALESCE(l.last, 0))"},
    {"balance_after is not the one before plus the amount",
     "SELECT l.wallet_id, l.seq, COALESCE(p.balance_after, 0) + l.amount, l.balance_after"
     " FROM ledger l FORCE INDEX (PRIMARY) LEFT JOIN ledger p FORCE INDEX (PRIMARY)"
     " ON p.wallet_id = l.wallet_id AND p.seq = l.seq - 1"
     " WHERE l.wallet_id" RANGE
     "AND l.balance_after <> COALESCE(p.balance_after, 0) + l.amount"},
    {"an amount has the wrong sign for its kind",
     "SELECT wallet_id, seq, 0, amount FROM ledger FORCE INDEX (PRIMARY) WHERE wallet_id" RANGE
     "AND ((kind IN ('charge', 'clawback', 'expire') AND amount > 0)"
     " OR (kind IN ('trial', 'topup', 'reward') AND amount <= 0))"},
    {"the lots do not hold what is left of the balance",
     "SELECT w.id, 0, GREATEST(w.balance, 0), COALESCE(l.remaining, 0) FROM wallet w LEFT JOIN"
     " (SELECT wallet_id, SUM(remaining) AS remaining FROM credit_lot WHERE wallet_id" RANGE
     "GROUP BY wallet_id) l ON l.wallet_id = w.id"
     " WHERE w.id" RANGE "AND GREATEST(w.balance, 0) <> COALESCE(l.remaining, 0)"},
    {"a lot holds less than nothing or more than it was given",
     "SELECT wallet_id, seq, granted, remaining FROM credit_lot WHERE wallet_id" RANGE
     "AND NOT remaining BETWEEN 0 AND granted"},
    {"a lot is not of the row that granted it",
     "SELECT c.wallet_id, c.seq, COALESCE(l.amount, 0), c.granted FROM credit_lot c"
     " LEFT JOIN ledger l ON l.wallet_id = c.wallet_id AND l.seq = c.seq"
     " WHERE c.wallet_id" RANGE
     "AND (l.seq IS NULL OR CAST(l.kind AS CHAR) <> CAST(c.kind AS CHAR)"
     " OR l.amount < c.granted)"},
    {"next_expiry_ms is not the earliest expiry of its lots",
     "SELECT w.id, 0, COALESCE(l.expires, 0), COALESCE(w.next_expiry_ms, 0) FROM wallet w"
     " LEFT JOIN (SELECT wallet_id, MIN(expires_ms) AS expires FROM credit_lot"
     " WHERE remaining > 0 AND wallet_id" RANGE "GROUP BY wallet_id) l ON l.wallet_id = w.id"
     " WHERE w.id" RANGE "AND COALESCE(l.expires, 0) <> COALESCE(w.next_expiry_ms, 0)"},
    {"held is not the sum of its holds",
     "SELECT w.id, 0, COALESCE(h.amount, 0), w.held FROM wallet w LEFT JOIN"
     " (SELECT wallet_id, SUM(amount) AS amount FROM hold WHERE wallet_id" RANGE
     "GROUP BY wallet_id) h ON h.wallet_id = w.id"
     " WHERE w.id" RANGE "AND w.held <> COALESCE(h.amount, 0)"},
    {"a request that is charged has its hold still",
     "SELECT h.wallet_id, l.seq, 0, h.amount FROM hold h JOIN ledger l"
     " ON l.ref = h.request_id AND l.kind = 'charge' WHERE h.wallet_id" RANGE},
    {"a request is charged more than once",
     "SELECT l.wallet_id, MAX(l.seq), 1, COUNT(*) FROM ledger l FORCE INDEX (PRIMARY)"
     " WHERE l.kind = 'charge' AND l.wallet_id" RANGE
     "GROUP BY l.wallet_id, l.ref HAVING COUNT(*) > 1"},
    {"what a key spent in a month is not the sum of its charges",
     "SELECT s.wallet_id, s.key_id, s.amount, COALESCE(m.spent, 0) FROM"
     " (SELECT MIN(wallet_id) AS wallet_id, api_key_id AS key_id, " MONTH " AS month,"
     " -SUM(amount) AS amount FROM ledger FORCE INDEX (PRIMARY) WHERE wallet_id" RANGE
     "AND kind = 'charge' AND api_key_id > 0 AND amount < 0 GROUP BY api_key_id, 3) s"
     " LEFT JOIN key_month m ON m.key_id = s.key_id AND m.month = s.month"
     " WHERE COALESCE(m.spent, 0) <> s.amount"},
    {"its connections are not its holds under a window",
     "SELECT w.id, 0, COALESCE(h.count_, 0), w.connections FROM wallet w LEFT JOIN"
     " (SELECT wallet_id, COUNT(*) AS count_ FROM hold WHERE unlimited = 1 AND wallet_id" RANGE
     "GROUP BY wallet_id) h ON h.wallet_id = w.id"
     " WHERE w.id" RANGE "AND w.connections <> COALESCE(h.count_, 0)"},
    {"more connections than a window allows",
     "SELECT id, 0, 2, connections FROM wallet WHERE id" RANGE "AND connections > 2"},
    {"a hold under a window holds credit",
     "SELECT wallet_id, 0, 0, amount FROM hold WHERE wallet_id" RANGE
     "AND unlimited = 1 AND amount <> 0"},
    {"a request under a window is charged",
     "SELECT wallet_id, seq, 0, amount FROM ledger FORCE INDEX (PRIMARY) WHERE wallet_id" RANGE
     "AND kind = 'charge' AND flags & 128 AND amount <> 0"},
    {"its benefits are not those that wait or run",
     "SELECT w.id, 0, COALESCE(u.count_, 0), w.benefits FROM wallet w LEFT JOIN"
     " (SELECT wallet_id, COUNT(*) AS count_ FROM unlimited WHERE is_over = 0 AND wallet_id" RANGE
     "GROUP BY wallet_id) u ON u.wallet_id = w.id"
     " WHERE w.id" RANGE "AND w.benefits <> COALESCE(u.count_, 0)"},
    {"a window does not last as long as its benefit",
     "SELECT wallet_id, seq, started_ms + 1000 * duration_s, COALESCE(expires_ms, 0)"
     " FROM unlimited WHERE wallet_id" RANGE
     "AND NOT expires_ms <=> started_ms + 1000 * duration_s"},
    {"two windows run at the same time",
     "SELECT a.wallet_id, b.seq, a.expires_ms, b.started_ms FROM unlimited a JOIN unlimited b"
     " ON b.wallet_id = a.wallet_id AND b.started_ms >= a.started_ms AND b.seq <> a.seq"
     " AND b.started_ms < a.expires_ms WHERE a.wallet_id" RANGE},
    {"an alert's bounds are not those of its thresholds",
     "SELECT w.id, 0, COALESCE(MAX(IF(a.armed, a.threshold, NULL)), 0),"
     " COALESCE(w.alert_below, 0) FROM wallet w LEFT JOIN alert a ON a.wallet_id = w.id"
     " WHERE w.id" RANGE "GROUP BY w.id, w.alert_below, w.alert_above"
     " HAVING NOT w.alert_below <=> MAX(IF(a.armed, a.threshold, NULL))"
     " OR NOT w.alert_above <=> MIN(IF(a.armed, NULL, a.threshold))"},
    {"ledger rows without a wallet",
     "SELECT l.wallet_id, 0, 0, COUNT(*) FROM ledger l LEFT JOIN wallet w ON w.id = l.wallet_id"
     " WHERE w.id IS NULL AND l.wallet_id" RANGE "GROUP BY l.wallet_id"},
    {"lots without a wallet",
     "SELECT l.wallet_id, 0, 0, COUNT(*) FROM credit_lot l LEFT JOIN wallet w"
     " ON w.id = l.wallet_id WHERE w.id IS NULL AND l.wallet_id" RANGE "GROUP BY l.wallet_id"},
    {"holds without a wallet",
     "SELECT h.wallet_id, 0, 0, COUNT(*) FROM hold h LEFT JOIN wallet w ON w.id = h.wallet_id"
     " WHERE w.id IS NULL AND h.wallet_id" RANGE "GROUP BY h.wallet_id"},
};
#define CHECKS (sizeof(checks) / sizeof(checks[0]))

static const char chunk_sql[] =
    "SELECT id FROM wallet WHERE id > ? ORDER BY id LIMIT 1 OFFSET 499";
static const char totals_sql[] =
    "SELECT (SELECT COUNT(*) FROM ledger WHERE wallet_id" RANGE "),"
    " (SELECT COUNT(*) FROM credit_lot WHERE wallet_id" RANGE "),"
    " (SELECT COUNT(*) FROM hold WHERE wallet_id" RANGE "),"
    " COUNT(*), COALESCE(SUM(balance), 0), COALESCE(SUM(held), 0) FROM wallet WHERE id" RANGE;

struct audit {
    uint64_t wallet_id;
    mg_audit_report *report;
    void *arg;
    struct mg_audit_result *result;
};

/* Binds the range as often as the text asks for it. */
static int
query_range(struct mg_db *db, const char *sql, uint64_t low, uint64_t high, struct mg_err *err)
{
    struct mg_db_value values[8];
    size_t n = 0;
    for (const char *p = sql; (p = strchr(p, '?')) != NULL; p++) {
        values[n] = mg_db_u64(n % 2 == 0 ? low : high);
        n++;
    }
    return mg_db_query(db, sql, values, n, err);
}

static int
make_check(const struct audit *a, struct mg_db *db, const struct check *check, uint64_t low,
           uint64_t high, struct mg_err *err)
{
    int more;
    if (query_range(db, check->sql, low, high, err) != 0)
        return -1;
    while ((more = mg_db_next(db, err)) == 1) {
        struct mg_audit_finding finding = {.wallet_id = mg_db_get_u64(db, 0),
                                           .seq = mg_db_get_u64(db, 1),
                                           .what = check->what,
                                           .expected = mg_db_get_i64(db, 2),
                                           .found = mg_db_get_i64(db, 3)};
        a->result->findings++;
        if (a->report != NULL)
            a->report(a->arg, &finding);
    }
    return more;
}

static int
add_totals(const struct audit *a, struct mg_db *db, uint64_t low, uint64_t high,
           struct mg_err *err)
{
    struct mg_audit_result *r = a->result;
    if (query_range(db, totals_sql, low, high, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1) {
        r->rows += mg_db_get_u64(db, 0);
        r->lots += mg_db_get_u64(db, 1);
        r->holds += mg_db_get_u64(db, 2);
        r->wallets += mg_db_get_u64(db, 3);
        r->balance += mg_db_get_i64(db, 4);
        r->held += mg_db_get_i64(db, 5);
    }
    mg_db_done(db);
    return found < 0 ? -1 : 0;
}

/* The last wallet of the next CHUNK behind `after`; UINT64_MAX when there are fewer, so that
 * the last range also has whatever belongs to no wallet. */
static int
next_bound(struct mg_db *db, uint64_t after, uint64_t *bound, struct mg_err *err)
{
    const struct mg_db_value value = mg_db_u64(after);
    *bound = UINT64_MAX;
    return mg_db_number(db, chunk_sql, &value, 1, bound, err) < 0 ? -1 : 0;
}

static int
check_range(const struct audit *a, struct mg_db *db, uint64_t low, uint64_t high,
            struct mg_err *err)
{
    for (size_t i = 0; i < CHECKS; i++)
        if (make_check(a, db, &checks[i], low, high, err) != 0)
            return -1;
    return add_totals(a, db, low, high, err);
}

static int
work(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct audit *a = arg;
    uint64_t low = 0, high;
    memset(a->result, 0, sizeof(*a->result));
    if (a->wallet_id != 0)
        return check_range(a, db, a->wallet_id, a->wallet_id, err);
    do {
        if (next_bound(db, low > 0 ? low - 1 : 0, &high, err) != 0 ||
            check_range(a, db, low, high, err) != 0)
            return -1;
        low = high + 1;
    } while (high != UINT64_MAX);
    return 0;
}

int
mg_audit_run(struct mg_db *db, uint64_t wallet_id, mg_audit_report *report, void *arg,
             struct mg_audit_result *result, struct mg_err *err)
{
    struct audit audit = {wallet_id, report, arg, result};
    return mg_db_snapshot(db, "audit", work, &audit, err);
}
