#include "service/me_json.h"

#include "service/account_json.h"

#include <stdio.h>

static void
write_setup(struct mg_jw *w, const struct mg_me *me)
{
    char v1[512];
    snprintf(v1, sizeof(v1), "%s/v1", me->conf->base_url);
    mg_jw_string(w, "system_key", me->system_key);
    mg_jw_object(w, "setup");
    mg_jw_string(w, "base_url", me->conf->base_url);
    mg_jw_string(w, "openai_base_url", v1);
    mg_jw_string(w, "anthropic_base_url", me->conf->base_url);
    mg_jw_string(w, "model", me->model);
    if (me->catalogue != NULL)
        mg_json_labels(w, me->catalogue, me->model);
    mg_jw_end(w);
}

/* What asks: a key, or a person in the dashboard. */
static void
write_credential(struct mg_jw *w, const struct mg_principal *who)
{
    mg_jw_object(w, "credential");
    mg_jw_string(w, "type", who->session_id != 0 ? "session"
                            : who->system_key    ? "system_key"
                                                 : "user_api_key");
    mg_jw_int(w, "id", (int64_t)(who->session_id != 0 ? who->session_id : who->key_id));
    mg_jw_end(w);
}

static void
write_wallet(struct mg_jw *w, const struct mg_me *me)
{
    const struct mg_wallet *wallet = me->wallet;
    mg_jw_object(w, "wallet");
    mg_json_amount(w, "balance", wallet->balance);
    mg_json_amount(w, "held", wallet->held);
    mg_json_amount(w, "available", wallet->available);
    mg_json_lots(w, me->lots, me->lot_count);
    mg_jw_end(w);
}

void
mg_json_me(const struct mg_me *me, struct mg_str *out)
{
    const struct mg_account *a = me->account;
    struct mg_jw w;
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "account");
    mg_jw_int(&w, "id", (int64_t)a->id);
    mg_jw_string(&w, "username", a->username);
    mg_jw_string(&w, "email", *a->email ? a->email : NULL);
    mg_jw_bool(&w, "email_verified", a->email_verified);
    if (me->who->session_id != 0)
        mg_jw_string(&w, "pending_email", *a->pending_email ? a->pending_email : NULL);
    mg_jw_string(&w, "status", a->suspended ? "suspended" : "active");
    mg_json_time(&w, "created_at", a->created_ms);
    mg_jw_string(&w, "default_model", me->model);
    write_credential(&w, me->who);
    if (me->system_key != NULL)
        write_setup(&w, me);
    if (me->wallet != NULL)
        write_wallet(&w, me);
    if (me->benefits != NULL)
        mg_json_benefits(&w, me->conf, me->benefits, a->email_verified);
    mg_jw_end(&w);
}
