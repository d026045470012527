#include "identity/session.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/utf8.h"
#include "identity/token.h"

#include <stdio.h>
#include <string.h>

#define PREFIX "mgs_"
#define SEEN_EVERY_MS 60000 /* how far seen_ms may be behind */
#define MINUTE_MS 60000
#define DAY_MS 86400000LL

_Static_assert(sizeof(PREFIX) + MG_TOKEN_TAIL == MG_SESSION_SIZE, "a token is so long");

enum query { INSERT, OLDEST_KEPT, DROP_OLDER, FIND, SEEN, LIST, END, END_ALL, TIDY };

static const char *const sql[] = {
    [INSERT] = "INSERT INTO session (account_id, hash, created_ms, seen_ms, expires_ms, user_agent,"
               " address) VALUES (?, ?, ?, ?, ?, ?, ?)",
    [OLDEST_KEPT] = "SELECT id FROM session WHERE account_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?",
    [DROP_OLDER] = "DELETE FROM session WHERE account_id = ? AND id < ?",
    [FIND] = "SELECT s.id, a.id, a.state = 'suspended', a.username, a.default_model, v.version,"
             " s.seen_ms FROM session s JOIN account a ON a.id = s.account_id"
             " JOIN catalogue_version v ON v.id = 1"
             " WHERE s.hash = ? AND s.expires_ms > ? AND s.seen_ms > ?",
    [SEEN] = "UPDATE session SET seen_ms = ? WHERE id = ? AND seen_ms < ?",
    [LIST] = "SELECT id, created_ms, seen_ms, expires_ms, user_agent, address FROM session"
             " WHERE account_id = ? AND expires_ms > ? AND seen_ms > ? ORDER BY id DESC LIMIT ?",
    [END] = "DELETE FROM session WHERE account_id = ? AND id = ?",
    [END_ALL] = "DELETE FROM session WHERE account_id = ? AND id <> ?",
    [TIDY] = "DELETE FROM session WHERE expires_ms <= ? OR seen_ms <= ?",
};

/* Sessions that were last seen before this are over. */
static int64_t
idle_before(const struct mg_conf *conf, int64_t now)
{
    return now - conf->session_idle_minutes * MINUTE_MS;
}

/* Copies what a stranger sent: no control characters, cut between characters, "" if it is not
 * UTF-8. */
static void
copy_clean(char *to, size_t size, const char *from)
{
    size_t n = from != NULL ? strlen(from) : 0;
    if (n >= size)
        for (n = size - 1; n > 0 && ((unsigned char)from[n] & 0xc0) == 0x80;)
            n--;
    if (!mg_utf8_valid(from, n))
        n = 0;
    for (size_t i = 0; i < n; i++)
        to[i] = (unsigned char)from[i] < 0x20 || from[i] == 0x7f ? ' ' : from[i];
    to[n] = '\0';
}

/* Ends the oldest sessions of an account that has too many. */
static int
make_room(struct mg_db *db, uint64_t account_id, struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_u64(account_id),
                                         mg_db_u64(MG_SESSIONS_PER_ACCOUNT - 1)};
    uint64_t id = 0;
    int found = mg_db_number(db, sql[OLDEST_KEPT], values, 2, &id, err);
    const struct mg_db_value older[] = {mg_db_u64(account_id), mg_db_u64(id)};
    return found == 1 ? mg_db_exec(db, sql[DROP_OLDER], older, 2, err) : found;
}

int
mg_session_open(struct mg_db *db, const struct mg_conf *conf, uint64_t account_id,
                const char *user_agent, const char *address, char token[MG_SESSION_SIZE],
                int64_t *expires_ms, struct mg_err *err)
{
    uint8_t hash[MG_SHA256_BYTES];
    char agent[256], place[46];
    int64_t now = mg_now_ms();
    mg_token_make(PREFIX, token);
    mg_token_hash(token, hash);
    copy_clean(agent, sizeof(agent), user_agent);
    copy_clean(place, sizeof(place), address);
    *expires_ms = now + conf->session_days * DAY_MS;
    const struct mg_db_value values[] = {
        mg_db_u64(account_id), mg_db_bytes(hash, sizeof(hash)), mg_db_i64(now), mg_db_i64(now),
        mg_db_i64(*expires_ms), mg_db_text(agent), mg_db_text(place)};
    if (mg_db_exec(db, sql[INSERT], values, sizeof(values) / sizeof(values[0]), err) != 0)
        return -1;
    return make_room(db, account_id, err);
}

/* Notes that the session is in use; a failure here is no reason to refuse anybody. */
static void
mark_seen(struct mg_db *db, uint64_t id, int64_t now)
{
    const struct mg_db_value values[] = {mg_db_i64(now), mg_db_u64(id), mg_db_i64(now)};
    struct mg_err err = MG_ERR_INIT;
    if (mg_db_exec(db, sql[SEEN], values, 3, &err) != 0)
        mg_warn("last use of session %llu not noted: %s", (unsigned long long)id, err.detail);
    mg_err_free(&err);
}

static int
refuse(struct mg_err *err)
{
    mg_err_set(err, 401, "invalid_session",
               "Sign in first: this needs a dashboard session that has not ended. An API key does "
               "not open it.");
    err->no_retry = true;
    return 0;
}

int
mg_session_find(struct mg_db *db, const struct mg_conf *conf, const char *token,
                struct mg_principal *who, struct mg_err *err)
{
    uint8_t hash[MG_SHA256_BYTES];
    int64_t now = mg_now_ms();
    if (token == NULL || !mg_token_well_formed(PREFIX, token))
        return refuse(err);
    mg_token_hash(token, hash);
    const struct mg_db_value values[] = {mg_db_bytes(hash, sizeof(hash)), mg_db_i64(now),
                                         mg_db_i64(idle_before(conf, now))};
    if (mg_db_query(db, sql[FIND], values, 3, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found <= 0) {
        mg_db_done(db);
        return found < 0 ? -1 : refuse(err);
    }
    *who = (struct mg_principal){
        .session_id = mg_db_get_u64(db, 0),
        .account_id = mg_db_get_u64(db, 1),
        .suspended = mg_db_get_i64(db, 2) != 0,
        .catalogue = mg_db_get_u64(db, 5),
    };
    snprintf(who->username, sizeof(who->username), "%s", mg_db_get_bytes(db, 3, NULL));
    snprintf(who->default_model, sizeof(who->default_model), "%s", mg_db_get_bytes(db, 4, NULL));
    int64_t seen = mg_db_get_i64(db, 6);
    mg_db_done(db);
    if (seen < now - SEEN_EVERY_MS)
        mark_seen(db, who->session_id, now);
    return 1;
}

static void
read_session(struct mg_db *db, struct mg_session *s)
{
    s->id = mg_db_get_u64(db, 0);
    s->created_ms = mg_db_get_i64(db, 1);
    s->seen_ms = mg_db_get_i64(db, 2);
    s->expires_ms = mg_db_get_i64(db, 3);
    snprintf(s->user_agent, sizeof(s->user_agent), "%s", mg_db_get_bytes(db, 4, NULL));
    snprintf(s->address, sizeof(s->address), "%s", mg_db_get_bytes(db, 5, NULL));
}

int
mg_session_list(struct mg_db *db, const struct mg_conf *conf, uint64_t account_id,
                struct mg_pool *pool, struct mg_session **sessions, size_t *count,
                struct mg_err *err)
{
    int64_t now = mg_now_ms();
    const struct mg_db_value values[] = {mg_db_u64(account_id), mg_db_i64(now),
                                         mg_db_i64(idle_before(conf, now)),
                                         mg_db_u64(MG_SESSIONS_PER_ACCOUNT)};
    struct mg_session *list = NULL;
    size_t n = 0;
    if (mg_db_query(db, sql[LIST], values, 4, err) != 0)
        return -1;
    int more;
    while ((more = mg_db_next(db, err)) == 1) {
        list = mg_pool_grow(pool, list, n, sizeof(*list));
        read_session(db, &list[n++]);
    }
    mg_db_done(db);
    *count = more == 0 ? n : 0;
    *sessions = list;
    return more;
}

int
mg_session_end(struct mg_db *db, uint64_t account_id, uint64_t session_id, struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_u64(account_id), mg_db_u64(session_id)};
    if (mg_db_exec(db, sql[END], values, 2, err) != 0)
        return -1;
    return mg_db_affected(db) > 0;
}

int
mg_session_end_all(struct mg_db *db, uint64_t account_id, uint64_t keep, uint64_t *ended,
                   struct mg_err *err)
{
    const struct mg_db_value values[] = {mg_db_u64(account_id), mg_db_u64(keep)};
    if (mg_db_exec(db, sql[END_ALL], values, 2, err) != 0)
        return -1;
    if (ended != NULL)
        *ended = mg_db_affected(db);
    return 0;
}

int
mg_session_tidy(struct mg_db *db, const struct mg_conf *conf, struct mg_err *err)
{
    int64_t now = mg_now_ms();
    const struct mg_db_value values[] = {mg_db_i64(now), mg_db_i64(idle_before(conf, now))};
    return mg_db_exec(db, sql[TIDY], values, 2, err);
}
