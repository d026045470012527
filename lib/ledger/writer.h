/* The thread that does all the ledger's work of a process, with one connection.
 *
 * It takes whatever has been queued, carries it out as one transaction and answers. What cannot
 * land is put aside: reserves are refused, settles go to the journal. Inside of this room. */
#ifndef MG_LEDGER_WRITER_H
#define MG_LEDGER_WRITER_H

#include "ledger/batch.h"
#include "ledger/journal.h"
#include "ledger/proc.h"

struct mg_writer;

enum mg_writer_state {
    MG_WRITER_STARTING, /* the first attempt to connect has not ended */
    MG_WRITER_UP,
    MG_WRITER_AWAY      /* the database does not answer */
};

/* Starts the thread. `up` is called on it when the database has come (back) within reach and
 * this process is registered, and when there is a journal to be replayed. Takes the journal
 * over. conf and self must outlive it. */
struct mg_writer *mg_writer_start(const struct mg_conf *conf, const struct mg_proc *self,
                                  const char *role, struct mg_journal *journal,
                                  void (*up)(void *), void *arg)
    __attribute__((nonnull(1, 2, 3, 4, 5), warn_unused_result));
/* Carries out or puts aside everything queued, releases the holds that are left, removes the
 * process row, ends the thread. Nothing may be submitted any more. */
void mg_writer_stop(struct mg_writer **writer) __attribute__((nonnull));

/* Queues a job. It is answered by its callback, on the writer's thread. */
void mg_writer_submit(struct mg_writer *writer, struct mg_job *job) __attribute__((nonnull));
enum mg_writer_state mg_writer_state(const struct mg_writer *writer) __attribute__((nonnull));
/* Somebody found the database away: the writer looks for itself. */
void mg_writer_doubt(struct mg_writer *writer) __attribute__((nonnull));

#endif
