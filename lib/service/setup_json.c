#include "service/setup_json.h"

#include "service/account_json.h"
#include "service/model_json.h"

#include <string.h>

static int
write_script(struct mg_jw *w, const char *key, const struct mg_setup_target *target,
             const struct mg_setup_facts *facts, bool uninstall, struct mg_err *err)
{
    struct mg_str text;
    mg_str_init(&text, MG_SETUP_SCRIPT_MAX);
    int rc = mg_setup_script(target, facts, uninstall, &text, err);
    if (rc == 0)
        mg_jw_bytes(w, key, text.p, text.len);
    mg_str_free(&text);
    return rc;
}

static int
write_target(struct mg_jw *w, const struct mg_setup_target *target,
             const struct mg_setup_facts *facts, struct mg_err *err)
{
    mg_jw_object(w, NULL);
    mg_jw_string(w, "id", target->id);
    mg_jw_string(w, "title", target->title);
    mg_jw_string(w, "platform", target->platform);
    mg_jw_string(w, "filename", target->filename);
    mg_jw_string(w, "language", mg_setup_language(target));
    mg_jw_string(w, "what", target->what);
    if (write_script(w, "script", target, facts, false, err) != 0 ||
        write_script(w, "uninstall", target, facts, true, err) != 0)
        return -1;
    mg_jw_end(w);
    return 0;
}

int
mg_json_setup(const struct mg_setup_facts *facts, struct mg_str *out, struct mg_err *err)
{
    size_t count, length = strlen(facts->key);
    const struct mg_setup_target *targets = mg_setup_targets(&count);
    struct mg_jw w;
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "setup");
    mg_jw_string(&w, "model", facts->model);
    mg_jw_string(&w, "label", mg_json_label_of(facts->catalogue, facts->model));
    mg_jw_string(&w, "base_url", facts->base_url);
    mg_jw_string(&w, "key_last4", facts->key + (length > 4 ? length - 4 : 0));
    mg_json_time(&w, "generated_at", facts->now_ms);
    mg_jw_array(&w, "targets");
    for (size_t i = 0; i < count; i++)
        if (mg_setup_find(targets[i].id, facts) != NULL &&
            write_target(&w, &targets[i], facts, err) != 0)
            return -1;
    mg_jw_end(&w);
    mg_jw_end(&w);
    return 0;
}

void
mg_json_setup_command(const struct mg_setup_target *target, const char *url, int64_t expires_ms,
                      struct mg_str *out)
{
    struct mg_str command;
    struct mg_jw w;
    mg_str_init(&command, 4096);
    mg_setup_command(target, url, &command);
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "setup_command");
    mg_jw_string(&w, "command", command.p);
    mg_jw_string(&w, "url", url);
    mg_json_time(&w, "expires_at", expires_ms);
    mg_jw_end(&w);
    mg_str_free(&command);
}
