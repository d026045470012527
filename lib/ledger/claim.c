#include "ledger/claim.h"

#include <stdlib.h>
#include <string.h>

/* With a LIMIT below the number of rows the optimizer uses the index, however small the table is
 * (see ledger/table.c; DELETE knows no FORCE INDEX). */
static const char take_head[] = "DELETE FROM hold WHERE request_id IN (";
static const char take_tail[] = ") LIMIT ? RETURNING request_id, wallet_id, amount, unlimited";
static const char look_head[] =
    "SELECT request_id, wallet_id, amount, unlimited FROM hold FORCE INDEX (PRIMARY)"
    " WHERE request_id IN (";
static const char charged_head[] =
    "SELECT ref, wallet_id, amount, balance_after FROM ledger FORCE INDEX (ledger_ref)"
    " WHERE kind = 1 AND ref IN (";
static const char hold_head[] =
    "INSERT INTO hold (request_id, wallet_id, amount, owner, created_ms, unlimited) VALUES ";
static const char grow_tail[] = " ON DUPLICATE KEY UPDATE amount = VALUES(amount)";
#define HOLD_WIDTH 6

void
mg_claim_add(struct mg_claims *claims, const uint8_t id[MG_ID_BYTES])
{
    struct mg_claim *claim = &claims->claim[claims->count++];
    memset(claim, 0, sizeof(*claim));
    memcpy(claim->id, id, MG_ID_BYTES);
}

/* The id is the first member, so a key may be a claim or an id. */
static int
by_id(const void *a, const void *b)
{
    return memcmp(a, b, MG_ID_BYTES);
}

void
mg_claim_sort(struct mg_claims *claims)
{
    size_t n = 0;
    qsort(claims->claim, claims->count, sizeof(claims->claim[0]), by_id);
    for (size_t i = 0; i < claims->count; i++)
        if (n == 0 || by_id(&claims->claim[n - 1], &claims->claim[i]) != 0)
            claims->claim[n++] = claims->claim[i];
    claims->count = n;
}

struct mg_claim *
mg_claim_find(struct mg_claims *claims, const void *id)
{
    return bsearch(id, claims->claim, claims->count, sizeof(claims->claim[0]), by_id);
}

/* Reads rows of (request, wallet, amount, unlimited) of the hold table into the claims. */
static int
read_holds(struct mg_claims *claims, struct mg_db *db, struct mg_err *err)
{
    int more;
    while ((more = mg_db_next(db, err)) == 1) {
        struct mg_claim *claim = mg_claim_find(claims, mg_db_get_bytes(db, 0, NULL));
        if (claim == NULL || claim->wallet_id != mg_db_get_u64(db, 1))
            return mg_err_internal(err, "ledger: a request's hold is on another wallet");
        claim->held = true;
        claim->amount = claim->found = mg_db_get_i64(db, 2);
        claim->unlimited = mg_db_get_i64(db, 3) != 0;
    }
    return more;
}

/* Which claims a statement is about. */
typedef bool claim_test(const struct mg_claim *claim);

static bool
is_settled(const struct mg_claim *claim)
{
    return claim->settles;
}

static bool
is_open(const struct mg_claim *claim)
{
    return !claim->settles;
}

static bool
is_missing(const struct mg_claim *claim)
{
    return claim->settles && !claim->held;
}

/* Runs head, an IN list of the claims that pass the test, and tail, which may have a place for
 * the number of claims. 1: it was run; 0: no claim passed; -1: error. */
static int
ask(const struct mg_claims *claims, struct mg_table *t, struct mg_db *db, const char *head,
    claim_test *test, const char *tail, struct mg_err *err)
{
    struct mg_db_value *v = mg_table_values(t, MG_LIST_MOST + 1);
    size_t n = 0;
    for (size_t i = 0; i < claims->count; i++)
        if (test(&claims->claim[i]))
            v[n++] = mg_db_bytes(claims->claim[i].id, MG_ID_BYTES);
    if (n == 0)
        return 0;
    size_t length = mg_list_round(n);
    for (size_t i = n; i < length; i++)
        v[i] = v[n - 1];
    v[length] = mg_db_u64(n);
    mg_list_sql(&t->sql, head, "?", length, tail);
    bool counted = strchr(tail, '?') != NULL;
    return mg_db_query(db, t->sql.p, v, length + counted, err) == 0 ? 1 : -1;
}

static int
read_charges(struct mg_claims *claims, struct mg_db *db, struct mg_err *err)
{
    int more;
    while ((more = mg_db_next(db, err)) == 1) {
        struct mg_claim *claim = mg_claim_find(claims, mg_db_get_bytes(db, 0, NULL));
        if (claim == NULL)
            continue;
        claim->charged = true;
        claim->charge = -mg_db_get_i64(db, 2);
        claim->balance = mg_db_get_i64(db, 3);
    }
    return more;
}

int
mg_claim_load(struct mg_claims *claims, struct mg_table *table, struct mg_db *db, bool open,
              struct mg_err *err)
{
    int asked = ask(claims, table, db, take_head, is_settled, take_tail, err);
    if (asked < 0 || (asked == 1 && read_holds(claims, db, err) != 0))
        return -1;
    asked = ask(claims, table, db, charged_head, is_missing, ")", err);
    if (asked < 0 || (asked == 1 && read_charges(claims, db, err) != 0))
        return -1;
    asked = open ? ask(claims, table, db, look_head, is_open, ")", err) : 0;
    return asked == 1 ? read_holds(claims, db, err) : asked;
}

static int
save(const struct mg_claims *claims, struct mg_table *table, struct mg_db *db, uint64_t owner,
     int64_t now, bool fresh, struct mg_err *err)
{
    size_t rows = 0;
    struct mg_db_value *v = mg_table_values(table, claims->count * HOLD_WIDTH);
    for (size_t i = 0; i < claims->count; i++) {
        const struct mg_claim *c = &claims->claim[i];
        if (!(fresh ? c->fresh : c->grown && !c->fresh))
            continue;
        struct mg_db_value *to = v + HOLD_WIDTH * rows++;
        to[0] = mg_db_bytes(c->id, MG_ID_BYTES);
        to[1] = mg_db_u64(c->wallet_id);
        to[2] = mg_db_i64(c->amount);
        to[3] = mg_db_u64(owner);
        to[4] = mg_db_i64(now);
        to[5] = mg_db_i64(c->unlimited);
    }
    return mg_table_insert(table, db, hold_head, "(?,?,?,?,?,?)", fresh ? "" : grow_tail, rows,
                           HOLD_WIDTH, err);
}

int
mg_claim_save(const struct mg_claims *claims, struct mg_table *table, struct mg_db *db,
              uint64_t owner, int64_t now, struct mg_err *err)
{
    /* Apart, so that a hold that is there already is an error for who wants to make it. */
    if (save(claims, table, db, owner, now, true, err) != 0)
        return -1;
    return save(claims, table, db, owner, now, false, err);
}
