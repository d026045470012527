#include "ledger/vip.h"

#include "base/alloc.h"
#include "ledger/wallet.h"

#include <stdlib.h>
#include <string.h>

#define DAY_MS INT64_C(86400000)

enum query { ACCOUNT, ADD, REVOKE, RESTORE, REVOKE_ALL, TERMS, SET, READ };
static const char *const sql[] = {
    [ACCOUNT] = "SELECT 1 FROM account WHERE id = ? AND state = 'active'"
                " AND email_verified_ms IS NOT NULL AND created_ms <= ?",
    [ADD] = "INSERT IGNORE INTO vip_term (ref, wallet_id, source, cents, length_ms, given_ms)"
            " VALUES (?, ?, ?, ?, ?, ?)",
    [REVOKE] = "UPDATE vip_term SET revoked_ms = ?, revoked_by = 1 WHERE ref = ? AND wallet_id = ?"
               " AND revoked_ms IS NULL",
    [RESTORE] = "UPDATE vip_term SET revoked_ms = NULL, revoked_by = NULL"
                " WHERE ref = ? AND wallet_id = ? AND revoked_by = 1",
    /* Those that a refund has taken stay taken, whatever comes of the refund. */
    [REVOKE_ALL] = "UPDATE vip_term SET revoked_ms = COALESCE(revoked_ms, ?), revoked_by = 2"
                   " WHERE wallet_id = ?",
    [TERMS] = "SELECT given_ms, length_ms FROM vip_term WHERE wallet_id = ? AND revoked_ms IS NULL"
              " ORDER BY given_ms, ref",
    [SET] = "INSERT INTO vip (wallet_id, until_ms) VALUES (?, ?)"
            " ON DUPLICATE KEY UPDATE until_ms = VALUES(until_ms)",
    [READ] = "SELECT until_ms FROM vip WHERE wallet_id = ?",
};

enum source { TOPUP = 1, OPERATOR }; /* as in the column's ENUM */

int64_t
mg_vip_until(const struct mg_vip_term *terms, size_t count)
{
    int64_t until = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t from = until > terms[i].given_ms ? until : terms[i].given_ms;
        if (__builtin_add_overflow(from, terms[i].length_ms, &until))
            return INT64_MAX;
    }
    return until;
}

/* Everybody who changes terms holds the wallet's lock, so that sums are made one by one. */
static int
sum_up(struct mg_db *db, uint64_t wallet_id, struct mg_err *err)
{
    const struct mg_db_value id = mg_db_u64(wallet_id);
    struct mg_vip_term *terms = NULL;
    size_t count = 0, room = 0;
    int more;
    if (mg_db_query(db, sql[TERMS], &id, 1, err) != 0)
        return -1;
    while ((more = mg_db_next(db, err)) == 1) {
        if (count == room) {
            room = room > 0 ? 2 * room : 16;
            terms = mg_realloc(terms, room * sizeof(*terms));
        }
        terms[count++] = (struct mg_vip_term){mg_db_get_i64(db, 0), mg_db_get_i64(db, 1)};
    }
    const struct mg_db_value values[] = {id,
                                         mg_db_i64(count > 0 ? mg_vip_until(terms, count) : 0)};
    free(terms);
    return more < 0 ? -1 : mg_db_exec(db, sql[SET], values, 2, err);
}

static int
add(struct mg_db *db, uint64_t wallet_id, const uint8_t *ref, enum source source, int64_t cents,
    int64_t days, int64_t now_ms, struct mg_err *err)
{
    const struct mg_db_value values[] = {
        mg_db_bytes(ref, MG_ID_BYTES), mg_db_u64(wallet_id),     mg_db_i64(source),
        mg_db_i64(cents),              mg_db_i64(days * DAY_MS), mg_db_i64(now_ms)};
    if (mg_db_exec(db, sql[ADD], values, 6, err) != 0)
        return -1;
    return mg_db_affected(db) == 1 ? sum_up(db, wallet_id, err) : 0;
}

int
mg_vip_on_topup(struct mg_db *db, uint64_t wallet_id, const uint8_t ref[MG_ID_BYTES],
                int64_t cents, int64_t now_ms, struct mg_err *err)
{
    const struct mg_conf *conf = mg_db_conf(db);
    const struct mg_db_value values[] = {mg_db_u64(wallet_id),
                                         mg_db_i64(now_ms - conf->vip_account_days * DAY_MS)};
    if (conf->vip_enabled == 0 || cents < conf->vip_minimum_cents)
        return 0;
    if (mg_wallet_lock(db, wallet_id, err) != 0)
        return -1;
    int qualifies = mg_db_number(db, sql[ACCOUNT], values, 2, NULL, err);
    return qualifies == 1
               ? add(db, wallet_id, ref, TOPUP, cents, conf->vip_days, now_ms, err)
               : qualifies;
}

int
mg_vip_on_refund(struct mg_db *db, uint64_t wallet_id, const uint8_t ref[MG_ID_BYTES],
                 int64_t remaining_cents, int64_t now_ms, struct mg_err *err)
{
    bool enough = remaining_cents >= mg_db_conf(db)->vip_minimum_cents;
    const struct mg_db_value values[] = {mg_db_i64(now_ms), mg_db_bytes(ref, MG_ID_BYTES),
                                         mg_db_u64(wallet_id)};
    if (mg_wallet_lock(db, wallet_id, err) != 0)
        return -1;
    int rc = enough ? mg_db_exec(db, sql[RESTORE], values + 1, 2, err)
                    : mg_db_exec(db, sql[REVOKE], values, 3, err);
    if (rc != 0)
        return -1;
    return mg_db_affected(db) > 0 ? sum_up(db, wallet_id, err) : 0;
}

struct step {
    uint64_t wallet_id;
    int64_t days; /* 0 = take all away */
    int64_t now_ms;
    uint8_t ref[MG_ID_BYTES];
};

static int
work(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct step *s = arg;
    const struct mg_db_value values[] = {mg_db_i64(s->now_ms), mg_db_u64(s->wallet_id)};
    if (mg_wallet_lock(db, s->wallet_id, err) != 0)
        return -1;
    if (s->days > 0)
        return add(db, s->wallet_id, s->ref, OPERATOR, 0, s->days, s->now_ms, err);
    if (mg_db_exec(db, sql[REVOKE_ALL], values, 2, err) != 0)
        return -1;
    return sum_up(db, s->wallet_id, err);
}

int
mg_vip_grant(struct mg_db *db, uint64_t wallet_id, int64_t days, int64_t now_ms,
             struct mg_err *err)
{
    struct step s = {.wallet_id = wallet_id, .days = days, .now_ms = now_ms};
    if (days < 1 || days > 3650)
        return mg_err_set(err, 400, "invalid_length", "VIP access is given for 1 to 3650 days.");
    mg_id_new(s.ref);
    return mg_db_txn(db, "vip grant", work, &s, err);
}

int
mg_vip_revoke(struct mg_db *db, uint64_t wallet_id, int64_t now_ms, struct mg_err *err)
{
    struct step s = {.wallet_id = wallet_id, .now_ms = now_ms};
    return mg_db_txn(db, "vip revoke", work, &s, err);
}

int
mg_vip_read(struct mg_db *db, uint64_t wallet_id, int64_t now_ms, struct mg_vip *vip,
            struct mg_err *err)
{
    const struct mg_db_value id = mg_db_u64(wallet_id);
    memset(vip, 0, sizeof(*vip));
    if (mg_db_query(db, sql[READ], &id, 1, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1)
        vip->until_ms = mg_db_get_i64(db, 0);
    mg_db_done(db);
    vip->entitled = vip->until_ms > now_ms;
    vip->remaining_ms = vip->entitled ? vip->until_ms - now_ms : 0;
    return found < 0 ? -1 : 0;
}
