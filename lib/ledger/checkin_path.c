#include "ledger/checkin_path.h"

#include "base/money.h"
#include "ledger/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BYTES 64
#define CREDIT_PLACES 9 /* nano-credits */
#define REWARD_MOST (INT64_C(1000000) * MG_NANO_PER_CREDIT)

/* "2.5" or "2.5+900". */
static int
read_reward(char *word, struct mg_checkin_reward *reward)
{
    char *plus = strchr(word, '+'), *end;
    reward->seconds = 0;
    if (plus != NULL) {
        *plus++ = '\0';
        errno = 0;
        reward->seconds = strtoll(plus, &end, 10);
        if (errno != 0 || *plus < '0' || *plus > '9' || *end != '\0' || reward->seconds < 1 ||
            reward->seconds > MG_WINDOW_MOST_S)
            return -1;
    }
    if (mg_money_parse(word, CREDIT_PLACES, &reward->nano) != 0)
        return -1;
    return reward->nano >= 0 && reward->nano <= REWARD_MOST ? 0 : -1;
}

int
mg_checkin_table_read(const char *text, struct mg_checkin_table *table, struct mg_err *err)
{
    size_t count = 0;
    for (;;) {
        char word[WORD_BYTES];
        text += strspn(text, " \t");
        size_t n = strcspn(text, " \t");
        if (n == 0)
            break;
        if (count == MG_CHECKIN_DAYS || n >= sizeof(word))
            return mg_err_internal(err, "checkin_path: more than %d rewards", MG_CHECKIN_DAYS);
        memcpy(word, text, n);
        word[n] = '\0';
        if (read_reward(word, &table->day[count++]) != 0)
            return mg_err_internal(err, "checkin_path: '%.*s' is no reward (2.5 or 2.5+900)",
                                   (int)n, text);
        text += n;
    }
    if (count != MG_CHECKIN_DAYS)
        return mg_err_internal(err, "checkin_path: %zu rewards, not %d", count, MG_CHECKIN_DAYS);
    return 0;
}

/* The place after one, on a day. */
static struct mg_checkin_place
next(const struct mg_checkin_place *place, int64_t day)
{
    bool full = place->step >= MG_CHECKIN_DAYS;
    return (struct mg_checkin_place){.day = day,
                                     .path = place->path + full,
                                     .step = full ? 1 : place->step + 1,
                                     .streak = place->streak + 1};
}

void
mg_checkin_plan(const struct mg_checkin_place *last, bool pass, int64_t today,
                struct mg_checkin_plan *plan)
{
    *plan = (struct mg_checkin_plan){.done = false};
    if (last == NULL) {
        plan->today = (struct mg_checkin_place){today, 1, 1, 1};
    } else if (last->day >= today) {
        plan->done = true;
        plan->today = *last;
    } else if (today - last->day > 2) {
        plan->today = (struct mg_checkin_place){today, last->path + 1, 1, 1};
    } else if (today - last->day == 2 && pass && last->step < MG_CHECKIN_DAYS) {
        plan->uses_pass = true;
        plan->missed = next(last, today - 1);
        plan->today = next(&plan->missed, today);
    } else {
        plan->today = next(last, today);
    }
}
