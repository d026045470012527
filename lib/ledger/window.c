#include "ledger/window.h"

#include "base/clock.h"
#include "ledger/grant.h"
#include "ledger/wallet.h"

#include <stdio.h>
#include <string.h>

enum query { GIVE, COUNT_UP, CONNECTIONS, LIST };
static const char *const sql[] = {
    [GIVE] = "INSERT IGNORE INTO unlimited (wallet_id, seq, source, ref, duration_s, given_ms)"
             " SELECT ?, COALESCE(MAX(seq), 0) + 1, ?, ?, ?, ? FROM unlimited"
             " WHERE wallet_id = ?",
    [COUNT_UP] = "UPDATE wallet SET benefits = benefits + 1 WHERE id = ?",
    [CONNECTIONS] = "SELECT connections FROM wallet WHERE id = ?",
    /* Open ones in the order of use, then those that are over, newest first. */
    [LIST] = "SELECT seq, source, duration_s, given_ms, COALESCE(started_ms, 0),"
             " COALESCE(expires_ms, 0) FROM unlimited WHERE wallet_id = ?"
             " ORDER BY is_over, IF(is_over, -CAST(seq AS SIGNED), seq) LIMIT 50",
};

const char *
mg_window_state_name(enum mg_window_state state)
{
    static const char *const names[] = {"none", "not_started", "active", "expired"};
    return names[state];
}

static int
check(int64_t seconds, struct mg_err *err)
{
    if (seconds >= 1 && seconds <= MG_WINDOW_MOST_S)
        return 0;
    return mg_err_set(err, 400, "invalid_length",
                      "An Unlimited benefit lasts from 1 to %d seconds.", MG_WINDOW_MOST_S);
}

int
mg_window_give(struct mg_db *db, uint64_t wallet_id, enum mg_window_source source,
               const uint8_t ref[MG_ID_BYTES], int64_t seconds, bool *given, struct mg_err *err)
{
    const struct mg_db_value values[] = {
        mg_db_u64(wallet_id),   mg_db_i64(source),      mg_db_bytes(ref, MG_ID_BYTES),
        mg_db_i64(seconds),     mg_db_i64(mg_now_ms()), mg_db_u64(wallet_id)};
    if (check(seconds, err) != 0 || mg_wallet_lock(db, wallet_id, err) != 0 ||
        mg_db_exec(db, sql[GIVE], values, 6, err) != 0)
        return -1;
    bool fresh = mg_db_affected(db) == 1;
    if (given != NULL)
        *given = fresh;
    return fresh ? mg_db_exec(db, sql[COUNT_UP], values, 1, err) : 0;
}

int
mg_window_give_trial(struct mg_db *db, uint64_t wallet_id, struct mg_err *err)
{
    int64_t seconds = mg_db_conf(db)->trial_unlimited_s;
    uint8_t ref[MG_ID_BYTES];
    if (seconds == 0)
        return 0;
    mg_grant_ref("untrial", wallet_id, ref);
    return mg_window_give(db, wallet_id, MG_WINDOW_TRIAL, ref, seconds, NULL, err);
}

static enum mg_window_state
state_of(const struct mg_benefit *b, int64_t now_ms)
{
    if (b->started_ms == 0)
        return MG_WINDOW_NOT_STARTED;
    return b->expires_ms > now_ms ? MG_WINDOW_ACTIVE : MG_WINDOW_EXPIRED;
}

/* The state of the whole: an active one counts more than one that waits, that more than none. */
static void
add(struct mg_window *window, const struct mg_benefit *b, int64_t now_ms)
{
    if (b->state == MG_WINDOW_ACTIVE) {
        window->state = MG_WINDOW_ACTIVE;
        window->remaining_ms = b->expires_ms - now_ms;
    } else if (b->state == MG_WINDOW_NOT_STARTED && window->state != MG_WINDOW_ACTIVE) {
        window->state = MG_WINDOW_NOT_STARTED;
    } else if (window->state == MG_WINDOW_NONE) {
        window->state = MG_WINDOW_EXPIRED;
    }
    window->benefit[window->count++] = *b;
}

static int
read_connections(struct mg_db *db, uint64_t wallet_id, struct mg_window *window,
                 struct mg_err *err)
{
    const struct mg_db_value id = mg_db_u64(wallet_id);
    uint64_t connections = 0;
    int found = mg_db_number(db, sql[CONNECTIONS], &id, 1, &connections, err);
    window->connections = (unsigned)connections;
    return found < 0 ? -1 : 0;
}

int
mg_window_read(struct mg_db *db, uint64_t wallet_id, int64_t now_ms, struct mg_window *window,
               struct mg_err *err)
{
    const struct mg_db_value id = mg_db_u64(wallet_id);
    int more;
    memset(window, 0, sizeof(*window));
    if (read_connections(db, wallet_id, window, err) != 0 ||
        mg_db_query(db, sql[LIST], &id, 1, err) != 0)
        return -1;
    while ((more = mg_db_next(db, err)) == 1) {
        struct mg_benefit b = {.seq = mg_db_get_u64(db, 0), .seconds = mg_db_get_i64(db, 2),
                               .given_ms = mg_db_get_i64(db, 3),
                               .started_ms = mg_db_get_i64(db, 4),
                               .expires_ms = mg_db_get_i64(db, 5)};
        snprintf(b.source, sizeof(b.source), "%s", mg_db_get_bytes(db, 1, NULL));
        b.state = state_of(&b, now_ms);
        add(window, &b, now_ms);
    }
    return more;
}
