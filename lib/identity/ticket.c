#include "identity/ticket.h"

#include "base/clock.h"
#include "identity/token.h"

#include <stdio.h>

#define PREFIX "mgt_"
#define HOUR_MS 3600000LL

_Static_assert(sizeof(PREFIX) + MG_TOKEN_TAIL == MG_TICKET_SIZE, "a token is so long");

enum query { INSERT, FIND, LOCK, REVOKE, TIDY };

static const char *const sql[] = {
    [INSERT] = "INSERT INTO ticket (hash, account_id, kind, email, expires_ms)"
               " VALUES (?, ?, ?, ?, ?)",
    [FIND] = "SELECT account_id, email FROM ticket WHERE hash = ? AND kind = ? AND expires_ms > ?",
    [LOCK] = "SELECT account_id, email FROM ticket WHERE hash = ? AND kind = ? AND expires_ms > ?"
             " FOR UPDATE",
    [REVOKE] = "DELETE FROM ticket WHERE account_id = ? AND kind = ?",
    [TIDY] = "DELETE FROM ticket WHERE expires_ms <= ?",
};

static const struct {
    const char *name;
    int64_t life_ms;
} kinds[] = {
    [MG_TICKET_VERIFY] = {"verify", 48 * HOUR_MS},
    [MG_TICKET_RESET] = {"reset", HOUR_MS},
};

int
mg_ticket_make(struct mg_db *db, enum mg_ticket_kind kind, uint64_t account_id, const char *email,
               char token[MG_TICKET_SIZE], struct mg_err *err)
{
    uint8_t hash[MG_SHA256_BYTES];
    mg_token_make(PREFIX, token);
    mg_token_hash(token, hash);
    const struct mg_db_value values[] = {
        mg_db_bytes(hash, sizeof(hash)), mg_db_u64(account_id), mg_db_text(kinds[kind].name),
        mg_db_text(email), mg_db_i64(mg_now_ms() + kinds[kind].life_ms)};
    return mg_db_exec(db, sql[INSERT], values, 5, err);
}

static int
refuse(struct mg_err *err)
{
    mg_err_set(err, 400, "invalid_token",
               "This link is not valid any more: it was used, is too old, or is not complete. Ask "
               "for another mail.");
    return 0;
}

static int
find(struct mg_db *db, enum query query, enum mg_ticket_kind kind, const char *token,
     struct mg_ticket *ticket, struct mg_err *err)
{
    uint8_t hash[MG_SHA256_BYTES];
    if (!mg_token_well_formed(PREFIX, token))
        return refuse(err);
    mg_token_hash(token, hash);
    const struct mg_db_value values[] = {mg_db_bytes(hash, sizeof(hash)),
                                         mg_db_text(kinds[kind].name), mg_db_i64(mg_now_ms())};
    if (mg_db_query(db, sql[query], values, 3, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1) {
        ticket->account_id = mg_db_get_u64(db, 0);
        snprintf(ticket->email, sizeof(ticket->email), "%s", mg_db_get_bytes(db, 1, NULL));
    }
    mg_db_done(db);
    return found == 0 ? refuse(err) : found;
}

int
mg_ticket_look(struct mg_db *db, enum mg_ticket_kind kind, const char *token,
               struct mg_ticket *ticket, struct mg_err *err)
{
    return find(db, FIND, kind, token, ticket, err);
}

int
mg_ticket_use(struct mg_db *db, enum mg_ticket_kind kind, const char *token,
              struct mg_ticket *ticket, struct mg_err *err)
{
    int found = find(db, LOCK, kind, token, ticket, err);
    if (found != 1)
        return found;
    return mg_ticket_revoke(db, kind, ticket->account_id, err) != 0 ? -1 : 1;
}

int
mg_ticket_revoke(struct mg_db *db, enum mg_ticket_kind kind, uint64_t account_id,
                 struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_u64(account_id), mg_db_text(kinds[kind].name)};
    return mg_db_exec(db, sql[REVOKE], values, 2, err);
}

int
mg_ticket_tidy(struct mg_db *db, struct mg_err *err)
{
    const struct mg_db_value now = mg_db_i64(mg_now_ms());
    return mg_db_exec(db, sql[TIDY], &now, 1, err);
}
