/*
 * The last requests as they came in, and how each reply ended: what a test asks the provider
 * about. Bounded in number and bytes; the oldest are forgotten first. Safe for all threads.
 */
#ifndef SIM_RECORDER_H
#define SIM_RECORDER_H

#include "http.h"

enum sim_outcome {
    SIM_OUTCOME_OPEN,
    SIM_OUTCOME_COMPLETE,
    SIM_OUTCOME_BROKEN, /* by a scripted fault */
    SIM_OUTCOME_GONE    /* the client left */
};

/* Which requests to show. */
struct sim_recorder_query {
    long last;        /* at most so many, the newest; 0: all */
    uint64_t since;   /* only those with a greater number */
    const char *path; /* exactly this path, or NULL */
    const char *match; /* body contains this, or NULL */
};

/* Sets how many requests are kept (0: none) and how many bytes of bodies. Call once, at start. */
void sim_recorder_setup(size_t count, size_t bytes);

/* Notes a request. Returns its number, from 1 on. */
uint64_t sim_recorder_add(const struct sim_request *req);

/* Notes how the reply to request number seq ended, with what was sent of its body. */
void sim_recorder_end(uint64_t seq, enum sim_outcome outcome, int status, size_t bytes,
                      size_t events);

/* {"requests":[…]}, oldest first. */
void sim_recorder_json(struct sim_buf *b, const struct sim_recorder_query *query);

/* Forgets all requests. Numbers go on. */
void sim_recorder_clear(void);

/* Milliseconds since an arbitrary start, never going back. */
int64_t sim_clock_ms(void);

#endif
