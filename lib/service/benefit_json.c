#include "service/benefit_json.h"

#include "service/account_json.h"

#include <stdio.h>

#define URL_BYTES 512

/* Whole seconds that are left of a time, rounded up: never 0 before it is over. */
static int64_t
seconds_left(int64_t ms)
{
    return (ms + 999) / 1000;
}

static void
write_benefit(struct mg_jw *w, const struct mg_benefit *b)
{
    mg_jw_object(w, NULL);
    mg_jw_int(w, "id", (int64_t)b->seq);
    mg_jw_string(w, "source", b->source);
    mg_jw_int(w, "duration_seconds", b->seconds);
    mg_jw_string(w, "state", mg_window_state_name(b->state));
    mg_json_time(w, "given_at", b->given_ms);
    mg_json_time(w, "started_at", b->started_ms);
    mg_json_time(w, "expires_at", b->expires_ms);
    mg_jw_end(w);
}

void
mg_json_window(struct mg_jw *w, const char *key, const struct mg_window *window)
{
    mg_jw_object(w, key);
    mg_jw_string(w, "state", mg_window_state_name(window->state));
    mg_jw_array(w, "benefits");
    for (size_t i = 0; i < window->count; i++)
        write_benefit(w, &window->benefit[i]);
    mg_jw_end(w);
    if (window->state == MG_WINDOW_ACTIVE)
        mg_jw_int(w, "remaining_seconds", seconds_left(window->remaining_ms));
    else
        mg_jw_null(w, "remaining_seconds");
    mg_jw_object(w, "connections");
    mg_jw_int(w, "limit", MG_WINDOW_CONNECTIONS);
    mg_jw_int(w, "active", window->connections);
    mg_jw_end(w);
    mg_jw_end(w);
}

void
mg_json_benefit(struct mg_jw *w, const char *key, int64_t seconds)
{
    if (seconds == 0) {
        mg_jw_null(w, key);
        return;
    }
    mg_jw_object(w, key);
    mg_jw_string(w, "kind", "unlimited");
    mg_jw_int(w, "seconds", seconds);
    mg_jw_end(w);
}

static void
write_day(struct mg_jw *w, const struct mg_checkin *c, unsigned day)
{
    static const char *const marks[] = {
        [MG_CHECKIN_UPCOMING] = "upcoming", [MG_CHECKIN_TODAY] = "today",
        [MG_CHECKIN_CLAIMED] = "claimed",   [MG_CHECKIN_PASS] = "free_pass"};
    const struct mg_checkin_reward *reward = &c->table.day[day - 1];
    mg_jw_object(w, NULL);
    mg_jw_int(w, "day", day);
    mg_json_amount(w, "reward", reward->nano);
    mg_json_benefit(w, "benefit", reward->seconds);
    mg_jw_string(w, "state", marks[c->mark[day - 1]]);
    mg_jw_end(w);
}

void
mg_json_checkin(struct mg_jw *w, const char *key, const struct mg_checkin *c)
{
    mg_jw_object(w, key);
    mg_jw_bool(w, "eligible", c->eligible);
    mg_json_amount(w, "minimum", c->minimum);
    mg_json_amount(w, "shortfall", c->shortfall);
    mg_jw_int(w, "day", c->day);
    mg_jw_int(w, "streak", c->streak);
    mg_jw_bool(w, "checked_in_today", c->done);
    mg_jw_bool(w, "free_pass_available", c->pass);
    mg_json_time(w, "next_at", c->next_ms);
    mg_jw_array(w, "path");
    for (unsigned day = 1; day <= MG_CHECKIN_DAYS; day++)
        write_day(w, c, day);
    mg_jw_end(w);
    mg_jw_string(w, "warning", c->warning);
    mg_jw_end(w);
}

static void
write_vip_setup(struct mg_jw *w, const char *base_url)
{
    char v1[URL_BYTES];
    snprintf(v1, sizeof(v1), "%s/v1", base_url);
    mg_jw_object(w, "setup");
    mg_jw_string(w, "base_url", base_url);
    mg_jw_string(w, "openai_base_url", v1);
    mg_jw_string(w, "anthropic_base_url", base_url);
    mg_jw_end(w);
}

void
mg_json_vip(struct mg_jw *w, const char *key, const struct mg_conf *conf,
            const struct mg_vip *vip)
{
    bool there = *conf->vip_base_url != '\0', open = there && vip->entitled;
    mg_jw_object(w, key);
    mg_jw_bool(w, "entitled", vip->entitled);
    mg_json_time(w, "expires_at", vip->until_ms);
    mg_jw_int(w, "remaining_seconds", seconds_left(vip->remaining_ms));
    mg_jw_string(w, "base_url", open ? conf->vip_base_url : NULL);
    if (open)
        write_vip_setup(w, conf->vip_base_url);
    else
        mg_jw_null(w, "setup");
    mg_jw_object(w, "rules");
    mg_jw_bool(w, "offered", conf->vip_enabled != 0);
    mg_jw_int(w, "minimum_cents", conf->vip_minimum_cents);
    mg_jw_int(w, "days", conf->vip_days);
    mg_jw_int(w, "account_days", conf->vip_account_days);
    mg_jw_end(w);
    mg_jw_end(w);
}

void
mg_json_alerts(struct mg_jw *w, const char *key, const struct mg_alerts *alerts, bool mail)
{
    mg_jw_object(w, key);
    mg_jw_array(w, "thresholds");
    for (size_t i = 0; i < alerts->count; i++)
        mg_json_amount(w, NULL, alerts->threshold[i]);
    mg_jw_end(w);
    mg_jw_bool(w, "low_balance_mail", mail && alerts->count > 0);
    mg_jw_end(w);
}

int
mg_benefits_read(struct mg_db *db, uint64_t wallet_id, int64_t now_ms,
                 struct mg_benefits *benefits, struct mg_err *err)
{
    if (mg_window_read(db, wallet_id, now_ms, &benefits->window, err) != 0 ||
        mg_checkin_read(db, wallet_id, now_ms, &benefits->checkin, err) != 0 ||
        mg_vip_read(db, wallet_id, now_ms, &benefits->vip, err) != 0)
        return -1;
    return mg_alert_read(db, wallet_id, &benefits->alerts, err);
}

void
mg_json_benefits(struct mg_jw *w, const struct mg_conf *conf, const struct mg_benefits *benefits,
                 bool mail)
{
    mg_json_window(w, "unlimited", &benefits->window);
    mg_json_checkin(w, "checkin", &benefits->checkin);
    mg_json_vip(w, "vip", conf, &benefits->vip);
    mg_json_alerts(w, "alerts", &benefits->alerts, mail);
}
