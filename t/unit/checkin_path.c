/* The rules of the daily check-in against a model that lives day by day, and its table. */
#include "base/conf.h"
#include "base/money.h"
#include "ledger/checkin_path.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

#define DAYS 20

/* What a person would keep in mind. */
struct model {
    unsigned path, done; /* days of the path that are checked in */
    unsigned missed;     /* days since the last check-in without one */
    unsigned streak;
    bool begun, pass;
};

/* One day of the model; the day of the path that was checked in, 0 = none. */
static unsigned
live(struct model *m, bool comes, bool *used_pass)
{
    *used_pass = false;
    if (!comes) {
        m->missed++;
        return 0;
    }
    if (!m->begun || m->missed >= 2) {
        m->path++;
        m->done = m->streak = 0;
    } else if (m->missed == 1 && m->pass && m->done < MG_CHECKIN_DAYS) {
        *used_pass = true;
        m->pass = false;
        m->done++;
        m->streak++;
    }
    if (m->done == MG_CHECKIN_DAYS) {
        m->path++;
        m->done = 0;
    }
    m->begun = true;
    m->missed = 0;
    m->streak++;
    return ++m->done;
}

/* Every pattern of coming and staying away over 20 days. False at the first difference. */
static bool
agree(uint32_t pattern)
{
    struct model m = {.pass = true};
    struct mg_checkin_place last;
    bool any = false, pass = true, used;
    for (int64_t day = 0; day < DAYS; day++) {
        unsigned step = live(&m, pattern >> day & 1, &used);
        struct mg_checkin_plan plan;
        if (step == 0)
            continue;
        mg_checkin_plan(any ? &last : NULL, pass, 20000 + day, &plan);
        if (plan.done || plan.today.step != step || plan.today.path != m.path ||
            plan.today.streak != m.streak || plan.uses_pass != used ||
            plan.today.day != 20000 + day || (used && plan.missed.day != 20000 + day - 1)) {
            printf("# pattern %x, day %d: step %u, not %u\n", pattern, (int)day, plan.today.step,
                   step);
            return false;
        }
        pass &= !plan.uses_pass;
        last = plan.today;
        any = true;
        mg_checkin_plan(&last, pass, 20000 + day, &plan);
        if (!plan.done || plan.today.step != step)
            return false;
    }
    return true;
}

static void
test_patterns(void)
{
    uint32_t right = 0;
    for (uint32_t pattern = 0; pattern < UINT32_C(1) << DAYS; pattern++)
        right += agree(pattern);
    is_int(right, 1 << DAYS, "every pattern of misses over 20 days goes as the model says");
}

/* Days in a row: "1" comes, "0" stays away; the day of the path after the last. */
static unsigned
after(const char *days, bool pass)
{
    struct mg_checkin_plan plan = {.done = false};
    struct mg_checkin_place last;
    bool any = false;
    for (int64_t day = 0; days[day] != '\0'; day++) {
        if (days[day] == '0')
            continue;
        mg_checkin_plan(any ? &last : NULL, pass, day, &plan);
        pass &= !plan.uses_pass;
        last = plan.today;
        any = true;
    }
    return plan.today.step;
}

static void
test_examples(void)
{
    is_int(after("1", true), 1, "the first check-in is Day 1");
    is_int(after("111", true), 3, "the third day in a row is Day 3");
    is_int(after("1101", true), 4, "the Free Pass counts a missed day");
    is_int(after("110101", true), 5, "once: after another one the path has waited");
    is_int(after("1101", false), 3, "as it does without a pass");
    is_int(after("1111001", true), 1, "two missed days in a row begin again at Day 1");
    is_int(after("111111111111111", true), 15, "Day 15 is the last");
    is_int(after("1111111111111111", true), 1, "then a new path begins");
    is_int(after("111111111111111" "01", true), 1, "also after a missed day");
    is_int(after("11111111111111" "01", true), 1, "a pass for Day 15 ends the path");
    is_int(after("111111111111111" "0101", true), 3, "the pass is kept between two paths");
}

static bool
reads(const char *text)
{
    struct mg_checkin_table table;
    struct mg_err err = MG_ERR_INIT;
    int rc = mg_checkin_table_read(text, &table, &err);
    mg_err_free(&err);
    return rc == 0;
}

static void
test_table(void)
{
    struct mg_checkin_table table;
    struct mg_conf conf = {0};
    struct mg_err err = MG_ERR_INIT;
    int64_t sum = 0;
    if (mg_conf_load(&conf, NULL, &err) != 0 ||
        mg_checkin_table_read(conf.checkin_path, &table, &err) != 0)
        printf("# %s\n", err.detail);
    for (int i = 0; i < MG_CHECKIN_DAYS; i++)
        sum += table.day[i].nano;
    is_int(sum, 80 * MG_NANO_PER_CREDIT, "the default rewards are 80 credits in all");
    is_int(table.day[4].seconds, 900, "with Unlimited on some days");
    is_int(table.day[3].seconds, 0, "not on others");
    ok(reads("0 0.000000001 1 1 1 1 1 1 1 1 1 1 1 1 1+1"), "amounts down to a nano-credit");
    ok(!reads("1 1 1 1 1 1 1 1 1 1 1 1 1 1"), "14 rewards are refused");
    ok(!reads("1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"), "and 16");
    ok(!reads("1 1 1 1 1 1 1 1 1 1 1 1 1 1 -1"), "a negative one");
    ok(!reads("1 1 1 1 1 1 1 1 1 1 1 1 1 1 1+"), "a benefit without a length");
    ok(!reads("1 1 1 1 1 1 1 1 1 1 1 1 1 1 1+x"), "or with a word for one");
    ok(!reads("1 1 1 1 1 1 1 1 1 1 1 1 1 1 1+-5"), "or a negative one");
    ok(!reads("1 1 1 1 1 1 1 1 1 1 1 1 1 1 1.0000000001"), "less than a nano-credit");
    mg_conf_free(&conf);
}

int
main(void)
{
    test_patterns();
    test_examples();
    test_table();
    return done();
}
