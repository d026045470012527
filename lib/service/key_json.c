#include "service/key_json.h"

#include "base/clock.h"
#include "base/money.h"
#include "identity/allowance.h"
#include "service/account_json.h"

#include <stdio.h>
#include <string.h>

#define MODELS_MOST 32
#define LIMIT_MOST (1000000000LL * MG_NANO_PER_CREDIT)

static void
write_models(struct mg_jw *w, const char *models)
{
    struct mg_span one = {NULL, 0};
    if (*models == '\0') {
        mg_jw_null(w, "models");
        return;
    }
    mg_jw_array(w, "models");
    while ((one = mg_allowance_next(models, one)).n > 0)
        mg_jw_bytes(w, NULL, one.p, one.n);
    mg_jw_end(w);
}

static void
write_key(struct mg_jw *w, const struct mg_key *key, const char *secret)
{
    char masked[32];
    snprintf(masked, sizeof(masked), "sk-mg-\xe2\x80\xa6%s", key->last4);
    mg_jw_object(w, NULL);
    mg_jw_string(w, "object", "api_key");
    mg_jw_int(w, "id", (int64_t)key->id);
    mg_jw_string(w, "kind", key->system ? "system" : "user");
    mg_jw_string(w, "name", key->options.name);
    mg_jw_string(w, "masked", masked);
    mg_jw_string(w, "last4", key->last4);
    mg_json_time(w, "created_at", key->created_ms);
    mg_json_time(w, "expires_at", key->options.expires_ms);
    mg_json_time(w, "revoked_at", key->revoked_ms);
    mg_json_time(w, "last_used_at", key->last_used_ms);
    write_models(w, key->options.models);
    if (key->options.monthly_limit > 0)
        mg_json_amount(w, "monthly_limit", key->options.monthly_limit);
    else
        mg_jw_null(w, "monthly_limit");
    mg_json_amount(w, "spent_this_month", key->spent_month);
    mg_json_amount(w, "spent_total", key->spent_total);
    if (secret != NULL)
        mg_jw_string(w, "secret", secret);
    mg_jw_end(w);
}

void
mg_json_key(const struct mg_key *key, const char *secret, struct mg_str *out)
{
    struct mg_jw w;
    mg_jw_init(&w, out);
    write_key(&w, key, secret);
}

void
mg_json_keys(const struct mg_key *keys, size_t count, struct mg_str *out)
{
    struct mg_jw w;
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "list");
    mg_jw_array(&w, "data");
    for (size_t i = 0; i < count; i++)
        write_key(&w, &keys[i], NULL);
    mg_jw_end(&w);
    mg_jw_bool(&w, "has_more", false);
    mg_jw_end(&w);
}

static int
read_name(struct json_object *value, struct mg_key_options *options, struct mg_err *err)
{
    if (!json_object_is_type(value, json_type_string))
        return mg_err_field(err, "string_type", "Input should be a valid string", "body/name");
    if (strlen(json_object_get_string(value)) != (size_t)json_object_get_string_len(value))
        return mg_err_field(err, "value_error", "Input should be text without control characters",
                            "body/name");
    return mg_keyring_name(options, json_object_get_string(value), err);
}

static int
read_expiry(struct json_object *value, int64_t now_ms, struct mg_key_options *options,
            struct mg_err *err)
{
    options->expires_ms = 0;
    if (value == NULL)
        return 0;
    if (!json_object_is_type(value, json_type_string) ||
        mg_rfc3339_parse(json_object_get_string(value), &options->expires_ms) != 0)
        return mg_err_field(err, "datetime_parsing",
                            "Input should be a time such as 2026-12-31T18:00:00Z or null",
                            "body/expires_at");
    if (options->expires_ms <= now_ms)
        return mg_err_field(err, "value_error", "Input should be in the future",
                            "body/expires_at");
    return 0;
}

static int
read_models(struct json_object *value, const struct mg_catalogue *catalogue,
            struct mg_key_options *options, struct mg_err *err)
{
    int rc = 0;
    *options->models = '\0';
    if (value == NULL)
        return 0;
    if (!json_object_is_type(value, json_type_array))
        return mg_err_field(err, "list_type", "Input should be a list of model ids or null",
                            "body/models");
    size_t n = json_object_array_length(value);
    if (n == 0 || n > MODELS_MOST)
        return mg_err_field(err, n == 0 ? "too_short" : "too_long",
                            "Input should have 1 to 32 ids; null allows every model",
                            "body/models");
    for (size_t i = 0; i < n; i++) {
        struct json_object *item = json_object_array_get_idx(value, i);
        const char *id = json_object_is_type(item, json_type_string)
                             ? json_object_get_string(item) : "";
        if (mg_catalogue_find(catalogue, id) == NULL ||
            mg_allowance_add(options->models, sizeof(options->models), id) != 0)
            rc = mg_err_field(err, "value_error",
                              "Not a model of this service; GET /api/models lists them",
                              "body/models/%zu", i);
    }
    return rc;
}

static int
read_limit(struct json_object *value, struct mg_key_options *options, struct mg_err *err)
{
    options->monthly_limit = 0;
    if (value == NULL)
        return 0;
    bool known = json_object_is_type(value, json_type_string) ||
                 json_object_is_type(value, json_type_int) ||
                 json_object_is_type(value, json_type_double);
    if (!known || mg_money_parse(json_object_get_string(value), 9, &options->monthly_limit) != 0 ||
        options->monthly_limit <= 0 || options->monthly_limit > LIMIT_MOST)
        return mg_err_field(err, "value_error",
                            "Input should be an amount of credits above zero such as \"12.50\", "
                            "or null", "body/monthly_limit");
    return 0;
}

int
mg_json_key_options(struct json_object *body, const struct mg_catalogue *catalogue,
                    int64_t now_ms, struct mg_key_options *options, struct mg_err *err)
{
    struct json_object *value;
    int rc = 0;
    if (!json_object_is_type(body, json_type_object))
        return mg_err_field(err, "model_attributes_type", "Input should be an object", "body");
    if (json_object_object_get_ex(body, "name", &value))
        rc |= read_name(value, options, err);
    if (json_object_object_get_ex(body, "expires_at", &value))
        rc |= read_expiry(value, now_ms, options, err);
    if (json_object_object_get_ex(body, "models", &value))
        rc |= read_models(value, catalogue, options, err);
    if (json_object_object_get_ex(body, "monthly_limit", &value))
        rc |= read_limit(value, options, err);
    if (*options->name == '\0' && rc == 0)
        rc = mg_err_field(err, "missing", "Field required", "body/name");
    return rc != 0 ? -1 : 0;
}
