/* Many reserves, extensions and settles as one transaction.
 *
 * Jobs of many requests are carried out together and their results are known when the
 * transaction has committed. A job may be carried out again after a failure of any kind: a
 * reserve or extension that landed in an attempt whose end is not known is found again, a
 * settle is idempotent by its request id. Inside of this room. */
#ifndef MG_LEDGER_BATCH_H
#define MG_LEDGER_BATCH_H

#include "ledger/ledger.h"
#include "ledger/proc.h"
#include "ledger/table.h"

#define MG_BATCH_MOST MG_LIST_MOST /* jobs of one transaction */

enum mg_job_kind { MG_JOB_RESERVE, MG_JOB_EXTEND, MG_JOB_SETTLE };

struct mg_claim;

/* One thing to do, from the queue to its answer. */
struct mg_job {
    struct mg_job *next;
    enum mg_job_kind kind;
    union { /* whose turn it is to be called, by kind; NULL = nobody */
        mg_reserve_done *reserved;
        mg_settle_done *settled;
    } done;
    void *arg;
    bool owned;              /* freed after its answer */
    bool kept;               /* neither landed nor on disk: stays with the writer */
    struct mg_reserve reserve; /* by kind: one of these two */
    struct mg_settle settle;
    int64_t landing;         /* extension: the hold it made in an earlier attempt, 0 = none */
    struct mg_claim *claim;  /* what this transaction knows of its request */
    struct mg_reserved reserved; /* results, valid after mg_batch_run */
    struct mg_settled settled;
};

struct mg_batch;

/* `self` must outlive it. */
struct mg_batch *mg_batch_new(const struct mg_proc *self)
    __attribute__((nonnull, warn_unused_result));
void mg_batch_free(struct mg_batch **batch) __attribute__((nonnull));

/* Carries out jobs[0 … count-1] (at most MG_BATCH_MOST) in one transaction. `again`: these jobs
 * may have landed before, as the end of an earlier attempt is not known. 0: every job has its
 * result. -1: none of them, err and mg_db_why say why. */
int mg_batch_run(struct mg_batch *batch, struct mg_db *db, struct mg_job *const *jobs,
                 size_t count, bool again, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
