/* Short ways to do things with a ledger and to see whether its books are right. */
#ifndef MG_BOOKS_H
#define MG_BOOKS_H

#include "base/err.h"
#include "base/id.h"
#include "ledger/audit.h"
#include "ledger/grant.h"
#include "ledger/ledger.h"
#include "ledger/wallet.h"
#include "tap.h"

#include <semaphore.h>

static inline void
books_fail(const char *what, struct mg_err *e)
{
    printf("# %s: %d %s %s %s\n", what, e->status, e->code, e->message, e->detail);
    mg_err_free(e);
}

/* Gives credit under a random ref. */
static inline struct mg_granted
books_grant(struct mg_db *db, uint64_t wallet, enum mg_grant_kind kind, int64_t amount,
            int64_t expires_ms)
{
    struct mg_err e = MG_ERR_INIT;
    struct mg_granted result = {.applied = false};
    struct mg_grant g = {.wallet_id = wallet, .kind = kind, .amount = amount,
                         .expires_ms = expires_ms};
    mg_id_new(g.ref);
    if (mg_grant_apply(db, &g, &result, &e) != 0)
        books_fail("grant", &e);
    return result;
}

/* Makes a wallet with some credit that never expires. */
static inline void
books_wallet(struct mg_db *db, uint64_t wallet, int64_t amount)
{
    struct mg_err e = MG_ERR_INIT;
    if (mg_wallet_create(db, wallet, &e) != 0)
        books_fail("wallet", &e);
    if (amount > 0)
        books_grant(db, wallet, MG_GRANT_TOPUP, amount, 0);
}

static inline struct mg_wallet
books_read(struct mg_db *db, uint64_t wallet)
{
    struct mg_err e = MG_ERR_INIT;
    struct mg_wallet w = {0};
    if (mg_wallet_read(db, wallet, &w, &e) != 1)
        books_fail("read", &e);
    return w;
}

static inline struct mg_reserved
books_reserve(struct mg_ledger *ledger, const uint8_t *id, uint64_t wallet, int64_t want,
              int64_t least)
{
    struct mg_reserve r = {.wallet_id = wallet, .want = want, .least = least};
    struct mg_reserved result;
    memcpy(r.request_id, id, MG_ID_BYTES);
    mg_ledger_reserve(ledger, &r, &result);
    return result;
}

/* An answer that is waited for. */
struct books_wait {
    sem_t done;
    struct mg_reserved reserved;
    struct mg_settled settled;
};

static inline void
books_on_reserved(void *arg, const struct mg_reserved *result)
{
    struct books_wait *w = arg;
    w->reserved = *result;
    sem_post(&w->done);
}

static inline void
books_on_settled(void *arg, const struct mg_settled *result)
{
    struct books_wait *w = arg;
    w->settled = *result;
    sem_post(&w->done);
}

static inline struct mg_reserved
books_extend(struct mg_ledger *ledger, const uint8_t *id, uint64_t wallet, int64_t want)
{
    struct mg_reserve r = {.wallet_id = wallet, .want = want, .least = want};
    struct books_wait w;
    memcpy(r.request_id, id, MG_ID_BYTES);
    sem_init(&w.done, 0, 0);
    mg_ledger_extend(ledger, &r, books_on_reserved, &w);
    sem_wait(&w.done);
    return w.reserved;
}

static inline void
books_settle_begin(struct mg_ledger *ledger, const uint8_t *id, uint64_t wallet, int64_t charge,
                   uint32_t flags, struct books_wait *w)
{
    struct mg_settle t = {.wallet_id = wallet, .charge = charge, .flags = flags, .model = "m"};
    memcpy(t.request_id, id, MG_ID_BYTES);
    sem_init(&w->done, 0, 0);
    mg_ledger_settle(ledger, &t, books_on_settled, w);
}

static inline struct mg_settled
books_settle_end(struct books_wait *w)
{
    sem_wait(&w->done);
    return w->settled;
}

static inline struct mg_settled
books_settle(struct mg_ledger *ledger, const uint8_t *id, uint64_t wallet, int64_t charge,
             uint32_t flags)
{
    struct books_wait w;
    books_settle_begin(ledger, id, wallet, charge, flags, &w);
    return books_settle_end(&w);
}

static inline struct mg_settled
books_settle_with(struct mg_ledger *ledger, const struct mg_settle *settle)
{
    struct books_wait w;
    sem_init(&w.done, 0, 0);
    mg_ledger_settle(ledger, settle, books_on_settled, &w);
    return books_settle_end(&w);
}

static inline void
books_release(struct mg_ledger *ledger, const uint8_t *id, uint64_t wallet)
{
    struct mg_settle t = {.wallet_id = wallet, .release = true};
    memcpy(t.request_id, id, MG_ID_BYTES);
    books_settle_with(ledger, &t);
}

static inline void
books_report(void *arg, const struct mg_audit_finding *f)
{
    (void)arg;
    printf("# wallet %llu row %llu: %s: expected %lld, found %lld\n",
           (unsigned long long)f->wallet_id, (unsigned long long)f->seq, f->what,
           (long long)f->expected, (long long)f->found);
}

/* Are the books right? One test. */
static inline struct mg_audit_result
books_audit(struct mg_db *db, const char *when)
{
    struct mg_err e = MG_ERR_INIT;
    struct mg_audit_result r;
    int rc = mg_audit_run(db, 0, books_report, NULL, &r, &e);
    if (rc != 0)
        books_fail("audit", &e);
    ok(rc == 0 && r.findings == 0, "the books are right %s", when);
    return r;
}

#endif
