/* Signing in without HTTP: how many hashes an attempt costs, what is counted over days, which pages
 * are ours. */
#include "base/clock.h"
#include "identity/password.h"
#include "identity/session.h"
#include "identity/signin.h"
#include "identity/throttle.h"
#include "identity/ticket.h"
#include "identity/token.h"
#include "scratch.h"
#include "service/origin.h"

#include <libscrypt.h>

#define MINUTE 60000LL

static struct scratch scratch;
static struct mg_db *db;
static struct mg_db_pool *pool;
static struct mg_vault vault;

/* Stands in for the library's own, so that hashes are counted, not timed. A hash here is
 * "$s1$0f0801$PASSWORD". */
static int checked;

int
libscrypt_check(char *mcf, const char *password)
{
    checked++;
    return strcmp(mcf + 11, password) == 0;
}

int
libscrypt_hash(char *mcf, const char *password, uint32_t n, uint8_t r, uint8_t p)
{
    int bits = 0;
    while (n >> bits > 1)
        bits++;
    snprintf(mcf, SCRYPT_MCF_LEN, "$s1$%02x%02x%02x$%s", bits, r, p, password);
    return 1;
}

static uint64_t
make_account(const char *username, const char *email, const char *pending, const char *password)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_account account;
    char secret[MG_KEY_SIZE];
    const struct mg_account_spec spec = {
        .username = username, .email = email, .pending_email = pending, .password = password};
    if (mg_account_create(db, &vault, &spec, &account, secret, &err) != 0) {
        printf("Bail out! %s %s\n", err.message, err.detail);
        exit(1);
    }
    return account.id;
}

/* Tries a sign-in: the account's id, 0 for a refusal; how many hashes it cost in *hashes. */
static uint64_t
try(struct mg_hasher *hasher, const char *name, const char *password, int *hashes)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_account account = {0};
    checked = 0;
    int found = mg_signin_try(pool, hasher, name, password, &account, &err);
    *hashes = checked;
    if (found < 0)
        printf("# %s %s\n", err.message, err.detail);
    mg_err_free(&err);
    return found == 1 ? account.id : 0;
}

static void
test_cost(void)
{
    struct mg_hasher *hasher = mg_hasher_new(15);
    uint64_t alice = make_account("alice", "alice@example.com", NULL, "$s1$0f0801$right");
    uint64_t bob = make_account("bob", NULL, "bob@example.com", "$s1$0f0801$right");
    uint64_t thief = make_account("thief", NULL, "alice@example.com", "$s1$0f0801$theirs");
    make_account("silent", "silent@example.com", NULL, NULL);
    static const char *const names[] = {"alice", "silent", "nobody", "no body", "1"};
    static const char *const addresses[] = {"alice@example.com", "bob@example.com",
                                            "silent@example.com", "nobody@example.com", "@", "a@b"};
    int hashes;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        is_int((long long)try(hasher, names[i], "wrong", &hashes), 0, names[i]);
        is_int(hashes, 1, "a wrong sign-in by a name costs one hash, known or not");
    }
    for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
        is_int((long long)try(hasher, addresses[i], "wrong", &hashes), 0, addresses[i]);
        is_int(hashes, 2, "by an address two, known or not");
    }
    is_int((long long)try(hasher, "nobody", "\xffnobody", &hashes), 0,
           "nobody's own password opens nothing");
    is_int((long long)try(hasher, "alice@example.com", "right", &hashes), (long long)alice,
           "an address is its owner's");
    is_int((long long)try(hasher, "alice@example.com", "theirs", &hashes), (long long)thief,
           "one that only stated it signs in to its own account");
    is_int((long long)try(hasher, "BOB@example.com", "right", &hashes), (long long)bob,
           "an unconfirmed address is a name, too");
    make_account("bob2", NULL, "bob@example.com", "$s1$0f0801$other");
    is_int((long long)try(hasher, "bob@example.com", "right", &hashes), 0,
           "of several that state one, the newest is meant");
    mg_hasher_free(&hasher);
}

static void
test_renewal(void)
{
    struct mg_hasher *hasher = mg_hasher_new(16);
    int hashes;
    ok(mg_hasher_is_old(hasher, "$s1$0f0801$x") && !mg_hasher_is_old(hasher, "$s1$100801$x"),
       "a hash of less work is old, one of today is not");
    ok(mg_hasher_is_old(hasher, "") && mg_hasher_is_old(hasher, "$s1$") &&
           mg_hasher_is_old(hasher, "$2y$10$bcrypt"),
       "what is no hash of ours is old");
    try(hasher, "alice", "right", &hashes);
    is_int(scratch_number(&scratch, "SELECT password = '$s1$100801$right' FROM account"
                                    " WHERE username = 'alice'"),
           1, "a sign-in renews an old one");
    mg_hasher_free(&hasher);
}

static void
test_password_rules(void)
{
    static const struct {
        const char *password;
        bool good;
    } cases[] = {
        {"correct horse", true}, {"ten bytes.", true}, {"nine byte", false}, {"", false},
        {"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa9", true}, {"bad \xff\xff utf-8", false},
        {"0123456789", false}, {"PassWord123", false}, {"aaaaaaaaaaaaaaa", false},
        {"abababababab", false}, {"abcabcabcabc", true}, {"Longer.Name", false},
        {"LONG@example.com", false}, {"qwertyuiop", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mg_err err = MG_ERR_INIT;
        int rc = mg_password_check(cases[i].password, "longer.name", "long@example.com", "p", &err);
        is_int(rc == 0, cases[i].good, cases[i].password);
        mg_err_free(&err);
    }
}

/* Attempts at a time: how many of n are counted. */
static int
attempts(enum mg_limit limit, const char *subject, int n, int64_t now, int *retry_after)
{
    const struct mg_attempt attempt = {limit, subject};
    int counted = 0;
    for (int i = 0; i < n; i++) {
        struct mg_err err = MG_ERR_INIT;
        if (mg_throttle_enter(db, &scratch.conf, &attempt, 1, now, &err) == 0)
            counted++;
        else
            *retry_after = err.retry_after_s;
        mg_err_free(&err);
    }
    return counted;
}

static void
test_limits(void)
{
    int64_t now = 1000000000000;
    int after = 0;
    struct mg_err err = MG_ERR_INIT;
    const struct mg_attempt attempt = {MG_LIMIT_SIGN_IN, "Name place"};
    is_int(attempts(MG_LIMIT_SIGN_IN, "name place", 15, now, &after), 10, "ten at once");
    is_int(after, 60, "the next one in a minute");
    is_int(attempts(MG_LIMIT_SIGN_IN, "NAME place", 1, now + 20000, &after), 0,
           "case does not count");
    is_int(after, 40, "and less the later it is");
    is_int(attempts(MG_LIMIT_SIGN_IN, "name elsewhere", 1, now, &after), 1,
           "others have their own");
    is_int(attempts(MG_LIMIT_CONFIRM, "name place", 1, now, &after), 1, "so has another limit");
    is_int(attempts(MG_LIMIT_SIGN_IN, "name place", 5, now + 2 * MINUTE, &after), 2,
           "after two minutes two more");
    is_int(attempts(MG_LIMIT_SIGN_IN, "name place", 20, now + 100 * MINUTE, &after), 10,
           "after an hour all of them, no more");
    ok(mg_throttle_return(db, &scratch.conf, &attempt, &err) == 0 &&
           attempts(MG_LIMIT_SIGN_IN, "name place", 5, now + 100 * MINUTE, &after) == 1,
       "one that is taken back may be had again");
    ok(mg_throttle_forget(db, &attempt, &err) == 0 &&
           attempts(MG_LIMIT_SIGN_IN, "name place", 20, now + 100 * MINUTE, &after) == 10,
       "forgotten, all of them");
    const struct mg_attempt two[] = {{MG_LIMIT_REGISTER, "here"}, {MG_LIMIT_SIGN_IN, "name place"}};
    ok(mg_throttle_enter(db, &scratch.conf, two, 2, now + 100 * MINUTE, &err) != 0 &&
           err.status == 429,
       "of two limits one is used up");
    mg_err_free(&err);
    is_int(attempts(MG_LIMIT_REGISTER, "here", 30, now + 100 * MINUTE, &after), 20,
           "then nothing is counted in the other");
    ok(mg_throttle_knows(db, "name place", now, &err) == 0 &&
           mg_throttle_know(db, "name place", now, &err) == 0 &&
           mg_throttle_knows(db, "Name place", now + 89 * 1440 * MINUTE, &err) == 1 &&
           mg_throttle_knows(db, "name place", now + 91 * 1440 * MINUTE, &err) == 0,
       "a place is known for 90 days");
    ok(mg_throttle_tidy(db, now + 1000 * 1440 * MINUTE, &err) == 0 &&
           scratch_number(&scratch, "SELECT COUNT(*) FROM throttle") == 0,
       "full buckets go");
}

static void
test_places(void)
{
    static const char *const cases[][2] = {
        {"192.0.2.7", "192.0.2.7"},        {"::ffff:192.0.2.7", "192.0.2.7"},
        {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"}, {"2001:db8:1:2:ffff::1", "2001:db8:1:2::"},
        {"2001:db8:1:3::1", "2001:db8:1:3::"}, {"", ""}, {"unix:", "unix:"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char place[MG_PLACE_SIZE];
        is_str(mg_throttle_place(cases[i][0], place), cases[i][1], cases[i][0]);
    }
}

static void
test_sessions(void)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_principal who;
    char first[MG_SESSION_SIZE], token[MG_SESSION_SIZE];
    int64_t expires;
    uint64_t id = make_account("sam", NULL, NULL, NULL);
    int rc = mg_session_open(db, &scratch.conf, id, NULL, "", first, &expires, &err);
    is_int(mg_session_find(db, &scratch.conf, first, &who, &err), 1, "a session is found");
    is_int((long long)who.account_id, (long long)id, "it is its account's");
    ok(who.session_id != 0 && who.key_id == 0, "and no key");
    char long_agent[1000];
    memset(long_agent, 'a', sizeof(long_agent) - 1);
    memset(long_agent, '\xc3', 1);
    memset(long_agent + 1, '\xa4', 1);
    long_agent[sizeof(long_agent) - 1] = '\0';
    for (int i = 0; i < MG_SESSIONS_PER_ACCOUNT && rc == 0; i++)
        rc = mg_session_open(db, &scratch.conf, id, long_agent, "::1", token, &expires, &err);
    is_int(rc, 0, "many more are made");
    is_int(scratch_number(&scratch, "SELECT COUNT(*) FROM session"), MG_SESSIONS_PER_ACCOUNT,
           "an account has so many");
    is_int(mg_session_find(db, &scratch.conf, first, &who, &err), 0, "the oldest has ended for it");
    is_int(err.status, 401, "and says so");
    mg_err_free(&err);
    scratch_sql(&scratch, "USE scratch; UPDATE session SET seen_ms = seen_ms - 13 * 3600000");
    ok(mg_session_tidy(db, &scratch.conf, &err) == 0 &&
           scratch_number(&scratch, "SELECT COUNT(*) FROM session") == 0,
       "what was not used for hours is removed");
}

static void
test_tickets(void)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_ticket ticket;
    char one[MG_TICKET_SIZE], two[MG_TICKET_SIZE], other[MG_TICKET_SIZE];
    uint64_t id = make_account("tess", NULL, NULL, NULL);
    ok(mg_ticket_make(db, MG_TICKET_RESET, id, "a@b.example", one, &err) == 0 &&
           mg_ticket_make(db, MG_TICKET_RESET, id, "a@b.example", two, &err) == 0 &&
           mg_ticket_make(db, MG_TICKET_VERIFY, id, "a@b.example", other, &err) == 0,
       "tickets are made");
    is_int(mg_ticket_use(db, MG_TICKET_VERIFY, one, &ticket, &err), 0, "one is of its kind only");
    mg_err_free(&err);
    is_int(mg_ticket_look(db, MG_TICKET_RESET, one, &ticket, &err), 1, "looking leaves it");
    is_int(mg_ticket_use(db, MG_TICKET_RESET, one, &ticket, &err), 1, "it is used");
    is_str(ticket.email, "a@b.example", "and says where it was sent");
    is_int(mg_ticket_use(db, MG_TICKET_RESET, one, &ticket, &err), 0, "once");
    is_int(mg_ticket_use(db, MG_TICKET_RESET, two, &ticket, &err), 0, "and so are its twins");
    mg_err_free(&err);
    is_int(mg_ticket_use(db, MG_TICKET_VERIFY, other, &ticket, &err), 1,
           "not those of another kind");
}

static void
test_origins(void)
{
    static const struct {
        const char *base, *origin;
        bool same;
    } cases[] = {
        {"https://a.example", "https://a.example", true},
        {"https://a.example/gateway", "https://a.example", true},
        {"https://a.example:443", "https://a.example", true},
        {"http://a.example", "http://a.example:80", true},
        {"https://A.example", "https://a.example", true},
        {"http://127.0.0.1:8080", "http://127.0.0.1:8080", true},
        {"http://127.0.0.1:8080", "http://127.0.0.1:808", false},
        {"http://127.0.0.1:8080", "http://127.0.0.1:80800", false},
        {"https://a.example", "http://a.example", false},
        {"https://a.example", "https://a.example.evil", false},
        {"https://a.example", "https://evil-a.example", false},
        {"https://a.example", "https://a.example:8443", false},
        {"https://a.example", "https://a.example/", false},
        {"https://a.example", "https://a.example@evil.example", false},
        {"https://a.example", "null", false},
        {"https://a.example", "", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        is_int(mg_origin_same(cases[i].base, cases[i].origin), cases[i].same, cases[i].origin);
}

int
main(void)
{
    struct mg_err err = MG_ERR_INIT;
    plan(0);
    test_password_rules();
    test_places();
    test_origins();
    scratch_start(&scratch);
    scratch_identity_tables(&scratch);
    db = mg_db_open(&scratch.conf, MG_DB_SERVICE, &err);
    pool = mg_db_pool_new(&scratch.conf, 2);
    if (db == NULL) {
        printf("Bail out! %s\n", err.detail);
        return 1;
    }
    test_cost();
    test_renewal();
    test_limits();
    test_sessions();
    test_tickets();
    mg_db_pool_free(&pool);
    mg_db_close(&db);
    scratch_stop(&scratch);
    return done();
}
