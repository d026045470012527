#include "identity/throttle.h"

#include "base/digest.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define BUCKET 16
#define SECOND_MS 1000LL
#define HOUR_MS 3600000LL
#define KNOWN_MS (90 * 24 * HOUR_MS)
#define KNOWN "known place"

enum query { TAKE, READ, GIVE, FORGET, KNOW, KNOWS, TIDY };

static const char *const sql[] = {
    /* A bucket that would pass its size stays as it is, and no row counts as changed. */
    [TAKE] = "INSERT INTO throttle (bucket, full_ms) VALUES (?, ?) ON DUPLICATE KEY UPDATE"
             " full_ms = IF(full_ms <= ?, GREATEST(full_ms, ?) + ?, full_ms)",
    [READ] = "SELECT full_ms FROM throttle WHERE bucket = ?",
    [GIVE] = "UPDATE throttle SET full_ms = full_ms - ? WHERE bucket = ?",
    [FORGET] = "DELETE FROM throttle WHERE bucket = ?",
    [KNOW] = "REPLACE INTO throttle (bucket, full_ms) VALUES (?, ?)",
    [KNOWS] = "SELECT 1 FROM throttle WHERE bucket = ? AND full_ms > ?",
    [TIDY] = "DELETE FROM throttle WHERE full_ms <= ?",
};

struct size {
    const char *name;
    int64_t burst, every_ms; /* so many at once; one comes back after so long */
};

static struct size
size_of(const struct mg_conf *conf, enum mg_limit limit)
{
    switch (limit) {
    case MG_LIMIT_SIGN_IN:
        return (struct size){"sign-in", conf->signin_failures, 60 * SECOND_MS};
    case MG_LIMIT_SIGN_IN_NAME:
        return (struct size){"sign-in name", conf->signin_failures * 10, 30 * SECOND_MS};
    case MG_LIMIT_SIGN_IN_PLACE:
        return (struct size){"sign-in place", conf->signin_failures * 6, 5 * SECOND_MS};
    case MG_LIMIT_CONFIRM:
        return (struct size){"confirm", conf->signin_failures, 60 * SECOND_MS};
    case MG_LIMIT_REGISTER:
        return (struct size){"register", conf->register_per_hour,
                             HOUR_MS / conf->register_per_hour};
    case MG_LIMIT_ASK:
        return (struct size){"ask", 20, 60 * SECOND_MS};
    case MG_LIMIT_MAIL:
        return (struct size){"mail", 5, 600 * SECOND_MS};
    case MG_LIMIT_TICKET:
        return (struct size){"ticket", 30, 10 * SECOND_MS};
    }
    return (struct size){"?", 1, HOUR_MS};
}

/* The bucket of a subject; case does not count, as in names and addresses. */
static struct mg_db_value
bucket_of(const char *name, const char *subject, uint8_t hash[MG_SHA256_BYTES])
{
    char text[512];
    int n = snprintf(text, sizeof(text), "%s\n%s", name, subject);
    size_t length = n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1;
    for (size_t i = 0; i < length; i++)
        text[i] = (char)tolower((unsigned char)text[i]);
    mg_sha256(text, length, hash);
    return mg_db_bytes(hash, BUCKET);
}

static int
refuse(int64_t wait_ms, struct mg_err *err)
{
    int64_t seconds = wait_ms <= 0 ? 1 : (wait_ms + SECOND_MS - 1) / SECOND_MS;
    mg_err_set(err, 429, "too_many_attempts", "Too many attempts; try again in %lld %s.",
               (long long)(seconds > 90 ? (seconds + 59) / 60 : seconds),
               seconds > 90 ? "minutes" : "seconds");
    err->retry_after_s = (int)seconds;
    return -1;
}

/* Counts one attempt: 0, or -1 (429 or the database's error). */
static int
take(struct mg_db *db, const struct size *size, const char *subject, int64_t now,
     struct mg_err *err)
{
    uint8_t hash[MG_SHA256_BYTES];
    int64_t last = now + (size->burst - 1) * size->every_ms; /* full_ms that still has room */
    const struct mg_db_value values[] = {
        bucket_of(size->name, subject, hash), mg_db_i64(now + size->every_ms), mg_db_i64(last),
        mg_db_i64(now), mg_db_i64(size->every_ms)};
    if (mg_db_exec(db, sql[TAKE], values, 5, err) != 0)
        return -1;
    if (mg_db_affected(db) > 0)
        return 0;
    if (mg_db_query(db, sql[READ], values, 1, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    int64_t full = found == 1 ? mg_db_get_i64(db, 0) : now;
    mg_db_done(db);
    return found < 0 ? -1 : refuse(full - last, err);
}

struct entry {
    const struct mg_conf *conf;
    const struct mg_attempt *attempts;
    size_t count;
    int64_t now;
};

static int
enter(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct entry *e = arg;
    for (size_t i = 0; i < e->count; i++) {
        struct size size = size_of(e->conf, e->attempts[i].limit);
        if (take(db, &size, e->attempts[i].subject, e->now, err) != 0)
            return -1;
    }
    return 0;
}

int
mg_throttle_enter(struct mg_db *db, const struct mg_conf *conf, const struct mg_attempt *attempts,
                  size_t count, int64_t now_ms, struct mg_err *err)
{
    struct entry e = {conf, attempts, count, now_ms};
    return mg_db_txn(db, "throttle", enter, &e, err);
}

int
mg_throttle_return(struct mg_db *db, const struct mg_conf *conf, const struct mg_attempt *attempt,
                   struct mg_err *err)
{
    uint8_t hash[MG_SHA256_BYTES];
    struct size size = size_of(conf, attempt->limit);
    const struct mg_db_value values[] = {mg_db_i64(size.every_ms),
                                         bucket_of(size.name, attempt->subject, hash)};
    return mg_db_exec(db, sql[GIVE], values, 2, err);
}

int
mg_throttle_forget(struct mg_db *db, const struct mg_attempt *attempt, struct mg_err *err)
{
    static const struct mg_conf any = {.signin_failures = 1, .register_per_hour = 1};
    uint8_t hash[MG_SHA256_BYTES];
    const struct mg_db_value bucket =
        bucket_of(size_of(&any, attempt->limit).name, attempt->subject, hash);
    return mg_db_exec(db, sql[FORGET], &bucket, 1, err);
}

int
mg_throttle_know(struct mg_db *db, const char *name_and_place, int64_t now_ms, struct mg_err *err)
{
    uint8_t hash[MG_SHA256_BYTES];
    const struct mg_db_value values[] = {bucket_of(KNOWN, name_and_place, hash),
                                         mg_db_i64(now_ms + KNOWN_MS)};
    return mg_db_exec(db, sql[KNOW], values, 2, err);
}

int
mg_throttle_knows(struct mg_db *db, const char *name_and_place, int64_t now_ms,
                  struct mg_err *err)
{
    uint8_t hash[MG_SHA256_BYTES];
    const struct mg_db_value values[] = {bucket_of(KNOWN, name_and_place, hash),
                                         mg_db_i64(now_ms)};
    return mg_db_number(db, sql[KNOWS], values, 2, NULL, err);
}

char *
mg_throttle_place(const char *address, char place[MG_PLACE_SIZE])
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff}; /* ::ffff:0:0/96 is IPv4 */
    struct in6_addr six;
    snprintf(place, MG_PLACE_SIZE, "%s", address);
    if (inet_pton(AF_INET6, address, &six) != 1)
        return place;
    if (memcmp(&six, mapped, sizeof(mapped)) == 0) {
        inet_ntop(AF_INET, (const uint8_t *)&six + sizeof(mapped), place, MG_PLACE_SIZE);
        return place;
    }
    memset((uint8_t *)&six + 8, 0, 8);
    inet_ntop(AF_INET6, &six, place, MG_PLACE_SIZE);
    return place;
}

int
mg_throttle_tidy(struct mg_db *db, int64_t now_ms, struct mg_err *err)
{
    const struct mg_db_value now = mg_db_i64(now_ms);
    return mg_db_exec(db, sql[TIDY], &now, 1, err);
}
