/* Which process am I, and is that other one certainly dead? Pure of the database. Inside of
 * this room. */
#ifndef MG_LEDGER_PROC_H
#define MG_LEDGER_PROC_H

#include <stdbool.h>
#include <stdint.h>

struct mg_proc {
    uint64_t owner;   /* random, never 0: a process that starts again is another owner */
    char host[64];    /* name of the machine, for people */
    char place[64];   /* where a pid means the same process: boot and process namespace;
                         "" = not known */
    int64_t pid;
    uint64_t birth;   /* clock ticks from boot to its start */
};

/* Describes the calling process as a new owner. */
void mg_proc_self(struct mg_proc *self) __attribute__((nonnull));
/* True only when it is certain that the process no longer runs: `other` lived in the same place
 * as `self`, and its pid is free, another process's, or a corpse. */
bool mg_proc_is_dead(const struct mg_proc *self, const struct mg_proc *other)
    __attribute__((nonnull));

#endif
