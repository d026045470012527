/*
 * Counters of the whole process. Each is raised where the thing happens and read by
 * GET /_sim/stats; all are atomic, so any thread may touch them.
 */
#ifndef SIM_STATS_H
#define SIM_STATS_H

#include "buf.h"

#include <stdatomic.h>

enum sim_stat {
    SIM_STAT_CONNECTIONS_OPEN,
    SIM_STAT_CONNECTIONS_TOTAL,
    SIM_STAT_STREAMS_OPEN,
    SIM_STAT_REQUESTS_TOTAL, /* all but control requests */
    SIM_STAT_REPLIES_COMPLETE,
    SIM_STAT_REPLIES_BROKEN, /* ended by a scripted fault */
    SIM_STAT_CLIENT_GONE,    /* the client left before the reply was whole */
    SIM_STAT_REFUSED,        /* 4xx of the strict checks */
    SIM_STAT_BYTES_IN,
    SIM_STAT_BYTES_OUT,
    SIM_STATS
};

extern atomic_llong sim_stats[SIM_STATS];

/* Adds v to one counter. */
static inline void sim_stats_add(enum sim_stat which, long long v)
{
    atomic_fetch_add_explicit(&sim_stats[which], v, memory_order_relaxed);
}

/* All counters as one JSON object. */
void sim_stats_json(struct sim_buf *b);

#endif
