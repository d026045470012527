#include "stats.h"

atomic_llong sim_stats[SIM_STATS];

void sim_stats_json(struct sim_buf *b)
{
    static const char *const names[SIM_STATS] = {
        [SIM_STAT_CONNECTIONS_OPEN] = "connections_open",
        [SIM_STAT_CONNECTIONS_TOTAL] = "connections_total",
        [SIM_STAT_STREAMS_OPEN] = "streams_open",
        [SIM_STAT_REQUESTS_TOTAL] = "requests_total",
        [SIM_STAT_REPLIES_COMPLETE] = "replies_complete",
        [SIM_STAT_REPLIES_BROKEN] = "replies_broken",
        [SIM_STAT_CLIENT_GONE] = "client_gone",
        [SIM_STAT_REFUSED] = "refused",
        [SIM_STAT_BYTES_IN] = "bytes_in",
        [SIM_STAT_BYTES_OUT] = "bytes_out",
    };
    int i;

    sim_j_open(b, NULL, '{');
    for (i = 0; i < SIM_STATS; i++) {
        sim_j_int(b, names[i], atomic_load(&sim_stats[i]));
    }
    sim_j_close(b, '}');
}
