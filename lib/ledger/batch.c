#include "ledger/batch.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "ledger/claim.h"
#include "ledger/cover.h"

#include <stdlib.h>
#include <string.h>

static const char wallet_sql[] = "INSERT IGNORE INTO wallet (id) VALUES (?)";
struct mg_batch {
    uint64_t owner;
    struct mg_table table;
    struct mg_job *const *queue; /* as given: in order of arrival */
    size_t count;
    struct mg_job *jobs[MG_BATCH_MOST]; /* by wallet: settles first, then as they came */
    struct mg_claims claims;
    struct mg_cover *cover;
    uint64_t ids[MG_BATCH_MOST];
    bool again;
    int64_t now;
};

struct mg_batch *
mg_batch_new(const struct mg_proc *self)
{
    struct mg_batch *batch = mg_calloc(1, sizeof(*batch));
    batch->owner = self->owner;
    batch->cover = mg_cover_new(self);
    mg_table_init(&batch->table);
    return batch;
}

void
mg_batch_free(struct mg_batch **batch)
{
    if (*batch == NULL)
        return;
    mg_table_free(&(*batch)->table);
    mg_cover_free(&(*batch)->cover);
    free(*batch);
    *batch = NULL;
}

static const uint8_t *
request_of(const struct mg_job *job)
{
    return job->kind == MG_JOB_SETTLE ? job->settle.request_id : job->reserve.request_id;
}

static uint64_t
wallet_of(const struct mg_job *job)
{
    return job->kind == MG_JOB_SETTLE ? job->settle.wallet_id : job->reserve.wallet_id;
}

/* One claim for each request of the batch. */
static void
make_claims(struct mg_batch *batch)
{
    batch->claims.count = 0;
    for (size_t i = 0; i < batch->count; i++)
        mg_claim_add(&batch->claims, request_of(batch->queue[i]));
    mg_claim_sort(&batch->claims);
    for (size_t i = 0; i < batch->count; i++) {
        struct mg_job *job = batch->queue[i];
        job->claim = mg_claim_find(&batch->claims, request_of(job));
        job->claim->wallet_id = wallet_of(job);
        job->claim->settles |= job->kind == MG_JOB_SETTLE;
    }
}

struct place {
    struct mg_job *job;
    uint64_t wallet;
    size_t order; /* settles before everything else, then as they came */
};

static int
by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->wallet != y->wallet)
        return x->wallet < y->wallet ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Sorts the jobs by wallet; settles go first because they free what others wait for. Returns
 * how many wallets there are, in batch->ids. */
static size_t
sort_jobs(struct mg_batch *batch)
{
    struct place places[MG_BATCH_MOST];
    size_t wallets = 0;
    for (size_t i = 0; i < batch->count; i++) {
        struct mg_job *job = batch->queue[i];
        size_t order = job->kind == MG_JOB_SETTLE ? i : i + batch->count;
        places[i] = (struct place){job, wallet_of(job), order};
    }
    qsort(places, batch->count, sizeof(places[0]), by_place);
    for (size_t i = 0; i < batch->count; i++) {
        batch->jobs[i] = places[i].job;
        if (wallets == 0 || batch->ids[wallets - 1] != places[i].wallet)
            batch->ids[wallets++] = places[i].wallet;
    }
    return wallets;
}

/* A settle is never refused: a wallet that it names and that is not there is made. */
static int
load_wallets(struct mg_batch *batch, struct mg_db *db, size_t wallets, struct mg_err *err)
{
    bool made = false;
    if (mg_table_load(&batch->table, db, batch->ids, wallets, err) != 0)
        return -1;
    for (size_t i = 0; i < batch->count; i++) {
        const struct mg_job *job = batch->jobs[i];
        if (job->kind != MG_JOB_SETTLE || job->settle.release ||
            mg_table_book(&batch->table, wallet_of(job)) != NULL)
            continue;
        const struct mg_db_value id = mg_db_u64(wallet_of(job));
        mg_error("ledger: settle for wallet %llu, which does not exist; making it",
                 (unsigned long long)wallet_of(job));
        if (mg_db_exec(db, wallet_sql, &id, 1, err) != 0)
            return -1;
        made = true;
    }
    return made ? mg_table_load(&batch->table, db, batch->ids, wallets, err) : 0;
}

/* Finds out what the database knows of the requests. */
static int
load_claims(struct mg_batch *batch, struct mg_db *db, struct mg_err *err)
{
    bool open = batch->again;
    for (size_t i = 0; i < batch->count; i++)
        open |= batch->queue[i]->kind == MG_JOB_EXTEND;
    return mg_claim_load(&batch->claims, &batch->table, db, open, err);
}

/* Finds out what benefits the wallets have whose requests begin. */
static int
load_cover(struct mg_batch *batch, struct mg_db *db, struct mg_err *err)
{
    mg_cover_begin(batch->cover);
    for (size_t i = 0; i < batch->count; i++) {
        struct mg_book *book = batch->jobs[i]->kind == MG_JOB_RESERVE
                                   ? mg_table_book(&batch->table, wallet_of(batch->jobs[i]))
                                   : NULL;
        if (book != NULL)
            mg_cover_add(batch->cover, book);
    }
    return mg_cover_load(batch->cover, &batch->table, db, err);
}

/* Ends the hold of a claim. Whether a window covered it stays known. */
static void
let_go(struct mg_claim *claim, struct mg_book *book)
{
    if (claim->held && book != NULL) {
        mg_book_release(book, claim->amount);
        if (claim->unlimited)
            mg_book_disconnect(book);
    }
    claim->held = false;
}

static void
charge(struct mg_claim *claim, const struct mg_settle *s, bool late, struct mg_book *book,
       int64_t now)
{
    bool covered = claim->unlimited || (s->flags & MG_ROW_UNLIMITED) != 0;
    struct mg_entry *e =
        mg_book_charge(book, MG_ENTRY_CHARGE, covered ? 0 : s->charge, s->request_id, now);
    e->settle = s;
    e->flags = s->flags | (covered ? MG_ROW_UNLIMITED : late ? MG_ROW_LATE : 0);
    claim->charged = true;
    claim->charge = -e->amount;
    claim->balance = e->balance_after;
    if (covered || claim->charge > 0)
        book->access = covered ? MG_ACCESS_WINDOW : MG_ACCESS_CREDIT;
}

static void
settle(struct mg_batch *batch, struct mg_job *job, struct mg_book *book)
{
    struct mg_claim *claim = job->claim;
    const struct mg_settle *s = &job->settle;
    bool late = !claim->held;
    job->settled = (struct mg_settled){.landed = true, .durable = true};
    let_go(claim, book);
    if (!claim->charged && !s->release)
        charge(claim, s, late, book, batch->now);
    job->settled.charge = claim->charged ? claim->charge : 0;
    job->settled.balance = claim->charged ? claim->balance : book != NULL ? book->balance : 0;
}

/* How much of the wish is granted, -1 = nothing. */
static int64_t
decide(const struct mg_reserve *r, int64_t available)
{
    if (available >= r->want)
        return r->want;
    if (available < r->least)
        return -1;
    return r->all ? available : r->least;
}

/* Holds credit, more or less as was wished. */
static enum mg_reserve_outcome
hold(struct mg_job *job, struct mg_book *book)
{
    struct mg_claim *claim = job->claim;
    int64_t more = decide(&job->reserve, mg_book_available(book));
    if (more < 0)
        return book->balance <= 0 && book->access == MG_ACCESS_WINDOW ? MG_RESERVE_OVER
                                                                      : MG_RESERVE_REFUSED;
    mg_book_hold(book, more);
    claim->amount += more;
    claim->fresh |= !claim->held;
    claim->grown |= claim->held;
    claim->held = true;
    job->landing = claim->amount;
    return MG_RESERVE_GRANTED;
}

/* Lets a request begin: under a window if there is one, else with credit. What can cost nothing
 * needs no window. */
static enum mg_reserve_outcome
begin(struct mg_batch *batch, struct mg_job *job, struct mg_book *book)
{
    struct mg_claim *claim = job->claim;
    switch (job->reserve.want > 0 ? mg_cover_ask(batch->cover, book, batch->now) : MG_COVER_NO) {
    case MG_COVER_YES:
        claim->held = claim->fresh = claim->unlimited = true;
        return MG_RESERVE_GRANTED;
    case MG_COVER_FULL:
        return MG_RESERVE_BUSY;
    case MG_COVER_NO:
        break;
    }
    return hold(job, book);
}

static void
reserve(struct mg_batch *batch, struct mg_job *job, struct mg_book *book)
{
    struct mg_claim *claim = job->claim;
    struct mg_reserved *r = &job->reserved;
    bool extend = job->kind == MG_JOB_EXTEND;
    bool landed = claim->held;
    if (extend) /* an attempt whose end was not known had made it as large as this */
        landed = claim->unlimited ||
                 (batch->again && job->landing > 0 && claim->found >= job->landing);
    *r = (struct mg_reserved){.outcome = MG_RESERVE_GRANTED, .granted = claim->amount};
    if (claim->settles || (extend && !claim->held)) {
        /* Settled in this very batch (somebody left before the answer came), or swept: a hold
         * made now would never be given back. */
        r->outcome = MG_RESERVE_UNAVAILABLE;
        r->granted = 0;
    } else if (!landed) {
        r->outcome = extend ? hold(job, book) : begin(batch, job, book);
        r->granted = claim->amount;
    }
    r->unlimited = claim->held && claim->unlimited;
    r->available = mg_book_available(book);
}

/* Everything that the batch wants of one wallet: jobs[0 … count-1]. Credit expires before
 * anybody uses it, and once more when settles have given promised credit free. */
static void
do_wallet(struct mg_batch *batch, struct mg_job **jobs, size_t count, struct mg_book *book)
{
    size_t i = 0;
    if (book != NULL)
        mg_book_expire(book, batch->now);
    for (; i < count && jobs[i]->kind == MG_JOB_SETTLE; i++)
        settle(batch, jobs[i], book);
    if (book != NULL)
        mg_book_expire(book, batch->now);
    for (; i < count; i++) {
        if (book != NULL)
            reserve(batch, jobs[i], book);
        else
            jobs[i]->reserved = (struct mg_reserved){.outcome = MG_RESERVE_REFUSED};
    }
}

static void
do_jobs(struct mg_batch *batch)
{
    for (size_t i = 0, n; i < batch->count; i += n) {
        uint64_t id = wallet_of(batch->jobs[i]);
        for (n = 1; i + n < batch->count && wallet_of(batch->jobs[i + n]) == id; n++)
            continue;
        do_wallet(batch, batch->jobs + i, n, mg_table_book(&batch->table, id));
    }
}

static int
work(struct mg_db *db, void *arg, struct mg_err *err)
{
    struct mg_batch *batch = arg;
    batch->now = mg_now_ms();
    make_claims(batch);
    size_t wallets = sort_jobs(batch);
    if (load_wallets(batch, db, wallets, err) != 0 || load_claims(batch, db, err) != 0 ||
        load_cover(batch, db, err) != 0)
        return -1;
    do_jobs(batch);
    if (mg_cover_save(batch->cover, db, err) != 0)
        return -1;
    if (mg_claim_save(&batch->claims, &batch->table, db, batch->owner, batch->now, err) != 0)
        return -1;
    return mg_table_save(&batch->table, db, err);
}

int
mg_batch_run(struct mg_batch *batch, struct mg_db *db, struct mg_job *const *jobs, size_t count,
             bool again, struct mg_err *err)
{
    batch->queue = jobs;
    batch->count = count;
    batch->again = again;
    return mg_db_txn(db, "ledger batch", work, batch, err);
}
