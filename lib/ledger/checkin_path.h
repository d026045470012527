/* The rules of the daily check-in. Pure: no database, no clock.
 *
 * A path has 15 days with a reward each; after the 15th a new path begins. One check-in a UTC day
 * takes the next day of the path. A single missed day does no harm: the path waits, or, once in
 * the life of an account, the Free Pass counts the missed day as checked in, and its reward comes
 * with the next check-in. After two missed days in a row the path begins again at Day 1; the pass
 * is not used for that, nor between two paths. Days are counted from 1970-01-01 UTC. */
#ifndef MG_LEDGER_CHECKIN_PATH_H
#define MG_LEDGER_CHECKIN_PATH_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define MG_CHECKIN_DAYS 15
#define MG_CHECKIN_DAY_MS INT64_C(86400000)

struct mg_checkin_reward {
    int64_t nano;    /* nano-credits */
    int64_t seconds; /* of Unlimited, 0 = none */
};
/* What each day of a path is worth; [0] is Day 1. */
struct mg_checkin_table {
    struct mg_checkin_reward day[MG_CHECKIN_DAYS];
};

/* Reads a table from text: 15 amounts of credits with blanks between, each with an optional
 * "+SECONDS" of Unlimited ("1 2.5 3+900 …"). 0, or -1 with err->detail. */
int mg_checkin_table_read(const char *text, struct mg_checkin_table *table, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* A day that was checked in, or that the pass made good. */
struct mg_checkin_place {
    int64_t day;
    unsigned path;   /* 1, 2, 3 … */
    unsigned step;   /* day of the path, 1 … 15 */
    unsigned streak; /* days since it last began at Day 1 because of a miss, with this one */
};

struct mg_checkin_plan {
    bool done;                      /* checked in today already: `today` is that place */
    bool uses_pass;                 /* yesterday is made good first, as `missed` */
    struct mg_checkin_place missed;
    struct mg_checkin_place today;
};

/* What a check-in on `today` is or would be. `last` is the latest place, NULL when there is none;
 * `pass`: the Free Pass has not been used. */
void mg_checkin_plan(const struct mg_checkin_place *last, bool pass, int64_t today,
                     struct mg_checkin_plan *plan) __attribute__((nonnull(4)));

#endif
