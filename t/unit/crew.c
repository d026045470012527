/* Who is started, told to go and killed, and when: with a clock and processes of our own. */
#include "tap.h"

#include "ctl/crew.h"

#include "base/log.h"

#include <signal.h>

#define PROCESSES 64

static struct world {
    pid_t last; /* pids count up from 100 */
    int family[PROCESSES];
    int told[PROCESSES]; /* last signal */
    bool no_more;
} world;

static pid_t
start(void *self, int family)
{
    struct world *w = self;
    if (w->no_more)
        return -1;
    w->family[w->last] = family;
    w->told[w->last] = 0;
    return 100 + w->last++;
}

static void
send_signal(void *self, pid_t pid, int signo)
{
    ((struct world *)self)->told[pid - 100] = signo;
}

static const char *
name(void *self, int family)
{
    (void)self;
    return family == 0 ? "chat" : "models";
}

static struct mg_crew *
new_crew(int families)
{
    const struct mg_crew_hands hands = {&world, start, send_signal, name};
    world = (struct world){0};
    return mg_crew_new(families, &hands);
}

static int
told(pid_t pid)
{
    return world.told[pid - 100];
}

static void
test_fill(void)
{
    struct mg_crew *crew = new_crew(2);
    mg_crew_fill(crew, 3, 5000, 0);
    is_int(world.last, 6, "three processes of two families are six");
    is_int(mg_crew_alive(crew), 6, "all alive");
    is_int(world.family[0] + world.family[5], 1, "of both families");
    ok(mg_crew_next_due(crew) == INT64_MAX, "and nothing is due");
    is_int(mg_crew_work(crew, 10), MG_CREW_NO_ROLL, "the first filling is no roll");
    mg_crew_free(crew);
}

/* Lets the newest process die at `now`; ms until the next start. */
static int64_t
die_and_wait(struct mg_crew *crew, int64_t now)
{
    pid_t last = 99 + world.last;
    mg_crew_died(crew, last, SIGSEGV, now);
    int64_t due = mg_crew_next_due(crew);
    mg_crew_work(crew, due - 1);
    if (world.last + 99 != last)
        return -1; /* started too early */
    mg_crew_work(crew, due);
    return world.last + 99 == last + 1 ? due - now : -1;
}

static void
test_back_off(void)
{
    struct mg_crew *crew = new_crew(1);
    mg_crew_fill(crew, 1, 5000, 0);
    static const int64_t waits[] = {0, 250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000};
    int64_t now = 100;
    for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
        int64_t wait = die_and_wait(crew, now);
        char what[64];
        snprintf(what, sizeof(what), "quick death %zu waits %lld ms", i + 1, (long long)waits[i]);
        is_int(wait, waits[i], what);
        now += waits[i] + 50;
    }
    now += MG_CREW_STEADY_MS;
    is_int(die_and_wait(crew, now), 0, "who has lived long is replaced at once");
    is_int(die_and_wait(crew, now + 50), 250, "and after that it counts from the start");
    mg_crew_free(crew);
}

static void
test_roll(void)
{
    struct mg_crew *crew = new_crew(1);
    mg_crew_fill(crew, 2, 5000, 0);
    mg_crew_fill(crew, 3, 7000, 1000);
    is_int(world.last, 5, "a roll starts the new ones first");
    is_int(mg_crew_work(crew, 1999), MG_CREW_ROLLING, "they have to last a second");
    is_int(told(100), 0, "until then the old ones stay");
    mg_crew_died(crew, 100, SIGKILL, 1500);
    mg_crew_work(crew, 1500);
    is_int(world.last, 6, "an old one that dies meanwhile is replaced");
    is_int(mg_crew_work(crew, 2000), MG_CREW_ROLLED, "then the roll is done");
    ok(told(101) == SIGTERM && told(105) == SIGTERM, "the old ones are told to drain");
    ok(told(102) == 0 && told(104) == 0, "the new ones are not");
    is_int(mg_crew_work(crew, 2001), MG_CREW_NO_ROLL, "and it is reported once");
    mg_crew_died(crew, 101, 0, 3000);
    is_int(mg_crew_alive(crew), 4, "who has gone is not replaced");
    is_int(mg_crew_next_due(crew), 9000, "who drains has the new grace");
    mg_crew_work(crew, 9000);
    is_int(told(105), SIGKILL, "after that he is killed");
    mg_crew_free(crew);
}

static void
test_failed_roll(void)
{
    struct mg_crew *crew = new_crew(1);
    mg_crew_fill(crew, 2, 5000, 0);
    mg_crew_fill(crew, 2, 5000, 1000);
    mg_crew_died(crew, 103, SIGSEGV, 1200);
    is_int(mg_crew_work(crew, 1200), MG_CREW_ROLL_FAILED, "a new one that dies ends the roll");
    is_int(told(102), SIGTERM, "the other new one has to go");
    ok(told(100) == 0 && told(101) == 0, "the old ones stay");
    mg_crew_died(crew, 102, 0, 1300);
    is_int(mg_crew_alive(crew), 2, "as many as before");
    mg_crew_died(crew, 100, SIGSEGV, 1400);
    mg_crew_work(crew, 1400);
    is_int(mg_crew_alive(crew), 2, "and they are replaced as before");
    mg_crew_fill(crew, 2, 5000, 2000);
    is_int(mg_crew_work(crew, 3000), MG_CREW_ROLLED, "the next roll succeeds");
    ok(told(101) == SIGTERM && told(104) == SIGTERM, "and lets all the old ones go");

    world.no_more = true;
    mg_crew_fill(crew, 2, 5000, 4000);
    is_int(mg_crew_work(crew, 4000), MG_CREW_ROLL_FAILED, "no process to be had: no roll");
    mg_crew_free(crew);
}

static void
test_stop(void)
{
    struct mg_crew *crew = new_crew(1);
    mg_crew_fill(crew, 3, 5000, 0);
    mg_crew_died(crew, 102, SIGSEGV, 10);
    mg_crew_stop(crew, 20);
    is_int(told(100), SIGTERM, "a stop tells everybody to drain");
    mg_crew_work(crew, 30);
    is_int(world.last, 3, "and starts nobody any more, not even the one that is due");
    mg_crew_died(crew, 100, 0, 40);
    is_int(mg_crew_alive(crew), 1, "who has ended is gone");
    mg_crew_stop(crew, 50);
    mg_crew_work(crew, 50);
    is_int(told(101), SIGKILL, "a second stop kills");
    mg_crew_died(crew, 101, SIGKILL, 60);
    is_int(mg_crew_alive(crew), 0, "in the end nobody is left");
    mg_crew_died(crew, 4711, 0, 70);
    ok(mg_crew_next_due(crew) == INT64_MAX, "a stranger's death changes nothing");
    mg_crew_free(crew);
}

int
main(void)
{
    mg_log_init("crew", MG_LOG_ERROR);
    plan(0);
    test_fill();
    test_back_off();
    test_roll();
    test_failed_roll();
    test_stop();
    return done();
}
