#include "ledger/checkin.h"

#include "base/digest.h"
#include "base/money.h"
#include "ledger/grant.h"
#include "ledger/wallet.h"
#include "ledger/window.h"

#include <endian.h>
#include <string.h>

enum query { LATEST, ENTER };
static const char *const sql[] = {
    /* As many as a path has days: all of the path that is under way. */
    [LATEST] = "SELECT c.day, c.path, c.step, c.streak, c.reward, c.benefit_s, c.pass,"
               " EXISTS (SELECT 1 FROM checkin p WHERE p.wallet_id = c.wallet_id AND p.pass = 1)"
               " FROM checkin c WHERE c.wallet_id = ? ORDER BY c.day DESC LIMIT 15",
    [ENTER] = "INSERT INTO checkin (wallet_id, day, path, step, streak, reward, benefit_s, pass,"
              " created_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
};

struct day {
    struct mg_checkin_place place;
    int64_t reward, seconds;
    bool pass;
};

/* What is on record of a wallet, newest first, and what follows from it. */
struct record {
    struct day day[MG_CHECKIN_DAYS];
    size_t count;
    bool pass_used;
    struct mg_checkin_plan plan;
    struct mg_checkin_table table;
};

static int
read_record(struct mg_db *db, uint64_t wallet_id, int64_t now_ms, struct record *r,
            struct mg_err *err)
{
    const struct mg_db_value id = mg_db_u64(wallet_id);
    int more;
    r->count = 0;
    r->pass_used = false;
    if (mg_checkin_table_read(mg_db_conf(db)->checkin_path, &r->table, err) != 0 ||
        mg_db_query(db, sql[LATEST], &id, 1, err) != 0)
        return -1;
    while ((more = mg_db_next(db, err)) == 1) {
        r->day[r->count++] = (struct day){
            .place = {mg_db_get_i64(db, 0), (unsigned)mg_db_get_i64(db, 1),
                      (unsigned)mg_db_get_i64(db, 2), (unsigned)mg_db_get_i64(db, 3)},
            .reward = mg_db_get_i64(db, 4),
            .seconds = mg_db_get_i64(db, 5),
            .pass = mg_db_get_i64(db, 6) != 0};
        r->pass_used = mg_db_get_i64(db, 7) != 0;
    }
    mg_checkin_plan(r->count > 0 ? &r->day[0].place : NULL, !r->pass_used,
                    now_ms / MG_CHECKIN_DAY_MS, &r->plan);
    return more;
}

static void
mark_path(const struct record *r, struct mg_checkin *state)
{
    const struct mg_checkin_plan *plan = &r->plan;
    for (size_t i = 0; i < r->count; i++) {
        const struct mg_checkin_place *p = &r->day[i].place;
        if (p->path == plan->today.path)
            state->mark[p->step - 1] = r->day[i].pass ? MG_CHECKIN_PASS : MG_CHECKIN_CLAIMED;
    }
    if (plan->uses_pass && plan->missed.path == plan->today.path)
        state->mark[plan->missed.step - 1] = MG_CHECKIN_PASS;
    if (!plan->done)
        state->mark[plan->today.step - 1] = MG_CHECKIN_TODAY;
}

static const char *
warning(const struct record *r, int64_t today)
{
    if (r->count == 0 || r->plan.done || today - r->day[0].place.day != 2 ||
        r->plan.today.step == 1)
        return NULL;
    return r->plan.uses_pass
               ? "Yesterday was missed. Your Free Pass covers it when you check in today; if today "
                 "is missed as well, the path begins again at Day 1."
               : "Yesterday was missed. If today is missed as well, the path begins again at "
                 "Day 1.";
}

/* How many credits the wallet lacks. */
static int
read_shortfall(struct mg_db *db, uint64_t wallet_id, int64_t *minimum, int64_t *shortfall,
               struct mg_err *err)
{
    struct mg_wallet wallet;
    *minimum = mg_db_conf(db)->checkin_minimum * MG_NANO_PER_CREDIT;
    int found = mg_wallet_read(db, wallet_id, &wallet, err);
    if (found == 0)
        mg_err_set(err, 404, "not_found", "There is no such wallet.");
    int64_t available = wallet.available > 0 ? wallet.available : 0;
    *shortfall = available < *minimum ? *minimum - available : 0;
    return found == 1 ? 0 : -1;
}

int
mg_checkin_read(struct mg_db *db, uint64_t wallet_id, int64_t now_ms, struct mg_checkin *state,
                struct mg_err *err)
{
    struct record r;
    int64_t today = now_ms / MG_CHECKIN_DAY_MS;
    memset(state, 0, sizeof(*state));
    if (read_record(db, wallet_id, now_ms, &r, err) != 0 ||
        read_shortfall(db, wallet_id, &state->minimum, &state->shortfall, err) != 0)
        return -1;
    state->eligible = state->shortfall == 0;
    state->done = r.plan.done;
    state->day = r.plan.today.step;
    if (r.count > 0 && today - r.day[0].place.day <= 2)
        state->streak = r.day[0].place.streak;
    state->pass = !r.pass_used;
    state->next_ms = r.plan.done ? (today + 1) * MG_CHECKIN_DAY_MS : 0;
    state->warning = warning(&r, today);
    state->table = r.table;
    mark_path(&r, state);
    return 0;
}

/* One check-in of the transaction. */
struct step {
    uint64_t wallet_id;
    int64_t now_ms;
    struct mg_checkin_result *result;
};

/* A ref that belongs to one wallet and one day. */
static void
make_ref(uint64_t wallet_id, int64_t day, uint8_t ref[MG_ID_BYTES])
{
    uint8_t sum[MG_SHA256_BYTES];
    const uint64_t what[] = {htobe64(wallet_id), htobe64((uint64_t)day)};
    char text[8 + sizeof(what)] = "checkin";
    memcpy(text + 8, what, sizeof(what));
    mg_sha256(text, sizeof(text), sum);
    memcpy(ref, sum, MG_ID_BYTES);
}

/* Enters a day and gives what it is worth. */
static int
enter(struct mg_db *db, const struct step *s, const struct mg_checkin_place *place,
      const struct mg_checkin_reward *reward, bool pass, struct mg_err *err)
{
    const struct mg_db_value values[] = {
        mg_db_u64(s->wallet_id), mg_db_i64(place->day),    mg_db_i64(place->path),
        mg_db_i64(place->step),  mg_db_i64(place->streak), mg_db_i64(reward->nano),
        mg_db_i64(reward->seconds), mg_db_i64(pass),       mg_db_i64(s->now_ms)};
    struct mg_grant grant = {.wallet_id = s->wallet_id, .kind = MG_GRANT_REWARD,
                             .amount = reward->nano,
                             .note = pass ? "Daily check-in, Free Pass" : "Daily check-in"};
    make_ref(s->wallet_id, place->day, grant.ref);
    if (mg_db_exec(db, sql[ENTER], values, 9, err) != 0 ||
        (reward->nano > 0 && mg_grant_post(db, &grant, NULL, err) != 0))
        return -1;
    s->result->reward += reward->nano;
    s->result->seconds += reward->seconds;
    return reward->seconds == 0 ? 0
                                : mg_window_give(db, s->wallet_id, MG_WINDOW_CHECKIN, grant.ref,
                                                 reward->seconds, NULL, err);
}

/* What was given when this day was checked in. */
static void
tell_again(const struct record *r, struct mg_checkin_result *result)
{
    *result = (struct mg_checkin_result){.again = true, .day = r->day[0].place.step,
                                         .reward = r->day[0].reward,
                                         .seconds = r->day[0].seconds};
    if (r->count > 1 && r->day[1].pass && r->day[1].place.day == r->day[0].place.day - 1) {
        result->used_pass = true;
        result->reward += r->day[1].reward;
        result->seconds += r->day[1].seconds;
    }
}

static int
check_credit(struct mg_db *db, uint64_t wallet_id, struct mg_err *err)
{
    char least[MG_MONEY_SIZE], lacks[MG_MONEY_SIZE];
    int64_t minimum, shortfall;
    if (read_shortfall(db, wallet_id, &minimum, &shortfall, err) != 0)
        return -1;
    if (shortfall == 0)
        return 0;
    return mg_err_set(err, 403, "checkin_not_eligible",
                      "The daily check-in needs at least %s credits in the wallet; %s are missing.",
                      mg_money_text(minimum, least), mg_money_text(shortfall, lacks));
}

static int
work(struct mg_db *db, void *arg, struct mg_err *err)
{
    const struct step *s = arg;
    struct record r;
    *s->result = (struct mg_checkin_result){.again = false};
    if (mg_wallet_lock(db, s->wallet_id, err) != 0 ||
        read_record(db, s->wallet_id, s->now_ms, &r, err) != 0)
        return -1;
    const struct mg_checkin_plan *plan = &r.plan;
    if (plan->done) {
        tell_again(&r, s->result);
        return 0;
    }
    if (check_credit(db, s->wallet_id, err) != 0)
        return -1;
    s->result->day = plan->today.step;
    s->result->used_pass = plan->uses_pass;
    if (plan->uses_pass && enter(db, s, &plan->missed, &r.table.day[plan->missed.step - 1], true,
                                 err) != 0)
        return -1;
    return enter(db, s, &plan->today, &r.table.day[plan->today.step - 1], false, err);
}

int
mg_checkin_do(struct mg_db *db, uint64_t wallet_id, int64_t now_ms,
              struct mg_checkin_result *result, struct mg_err *err)
{
    struct step s = {wallet_id, now_ms, result};
    int rc = mg_db_txn(db, "check-in", work, &s, err);
    /* Safe to repeat: it finds its own rows when they have landed. */
    if (rc != 0 && (mg_db_why(db) == MG_DB_UNCERTAIN || mg_db_why(db) == MG_DB_DUPLICATE)) {
        mg_err_free(err);
        rc = mg_db_txn(db, "check-in", work, &s, err);
    }
    return rc;
}
