#include "base/conf.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "base/id.h"
#include "base/log.h"
#include "base/money.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum type { TEXT, NUMBER };

#define TEXT_SETTING(member, preset, say) \
    {#member, TEXT, offsetof(struct mg_conf, member), preset, 0, 0, say}
#define NUMBER_SETTING(member, preset, least, most, say) \
    {#member, NUMBER, offsetof(struct mg_conf, member), preset, least, most, say}

static const struct setting {
    const char *name;
    enum type type;
    size_t offset;
    const char *preset;
    int64_t least, most;
    const char *help;
} settings[] = {
    TEXT_SETTING(base_url, "http://localhost", "public address of the service, without a slash"),
    TEXT_SETTING(run_dir, "/run/model-gateway", "folder of the responders' sockets"),
    TEXT_SETTING(state_dir, "/var/lib/model-gateway",
                 "folder of the settle journals written while the database is away"),
    TEXT_SETTING(log_level, "info", "error, warn, info or debug"),
    TEXT_SETTING(db_hosts, "unix:/run/mysqld/mysqld.sock",
                 "ordered list, the first that answers is used: unix:/path or host:port"),
    TEXT_SETTING(db_name, "model_gateway", "database"),
    TEXT_SETTING(db_user, "model_gateway", "user of the responders (no DDL)"),
    TEXT_SETTING(db_password_file, "", "file with its password; empty: no password"),
    TEXT_SETTING(db_admin_user, "", "owner of the schema, for mgctl; empty: db_user"),
    TEXT_SETTING(db_admin_password_file, "", "file with the owner's password"),
    TEXT_SETTING(master_key_file, MG_SYSCONFDIR "/master.key",
                 "32 bytes (or 64 hex digits) that seal System Keys and upstream keys"),
    TEXT_SETTING(version_headers, "vendorb-version,anthropic-version",
                 "request headers whose presence selects the Messages style of model lists"),
    TEXT_SETTING(managed_alias, "power-ai", "model id that stays while its destination changes"),
    NUMBER_SETTING(processes, "1", 1, 64, "responder processes a route family"),
    NUMBER_SETTING(threads, "32", 1, 1024, "worker threads a process"),
    NUMBER_SETTING(loops, "2", 1, 64, "event loops a process"),
    NUMBER_SETTING(body_limit, "67108864", 1024, 1 << 30,
                   "largest request body in bytes, also after decompression"),
    NUMBER_SETTING(reply_limit, "67108864", 1024, 1 << 30,
                   "largest upstream reply in bytes that is not streamed"),
    NUMBER_SETTING(slice_tokens, "4096", 16, 1 << 20,
                   "output tokens by which the hold of a stream grows"),
    NUMBER_SETTING(default_max_output, "16384", 16, 1 << 24,
                   "output tokens assumed for a model whose row does not say"),
    NUMBER_SETTING(drain_seconds, "30", 0, 3600,
                   "how long an upstream may go on after the client left"),
    NUMBER_SETTING(drain_tokens, "4096", 0, 1 << 24,
                   "output tokens an upstream may make after the client left"),
    NUMBER_SETTING(keepalive_ms, "15000", 100, 300000,
                   "upstream silence in ms after which the client gets a sign of life"),
    NUMBER_SETTING(count_timeout_ms, "2000", 0, 60000,
                   "waiting for an upstream's own token counter, ms; 0 = it is not asked"),
    NUMBER_SETTING(connect_timeout_ms, "10000", 100, 120000, "connecting to an upstream, ms"),
    NUMBER_SETTING(upstream_silence_s, "600", 1, 86400,
                   "seconds without a byte after which an upstream is given up"),
    NUMBER_SETTING(upstream_total_s, "3600", 1, 86400, "longest exchange in seconds"),
    NUMBER_SETTING(shutdown_seconds, "300", 0, 86400,
                   "seconds a responder waits for its streams when told to stop"),
    NUMBER_SETTING(store_days, "30", 1, 3650,
                   "days that stored responses and completions are kept"),
    NUMBER_SETTING(heartbeat_ms, "5000", 100, 60000, "sign of life of a process, ms"),
    NUMBER_SETTING(stale_ms, "60000", 500, 3600000,
                   "a process silent for so many ms is dead and its holds are released"),
    NUMBER_SETTING(trial_unlimited_s, "900", 0, 31536000,
                   "seconds of the Unlimited trial given at e-mail verification; 0: none"),
    NUMBER_SETTING(checkin_minimum, "10", 0, 1000000,
                   "whole credits that must be available for the daily check-in"),
    TEXT_SETTING(checkin_path, "1 2 2 3 3+900 4 4 5 5 6+1800 7 8 9 10 11+3600",
                 "rewards of the 15 days in credits; +N adds N seconds of Unlimited"),
    NUMBER_SETTING(vip_enabled, "1", 0, 1, "1: large top-ups give access to the VIP endpoint"),
    NUMBER_SETTING(vip_minimum_cents, "25000", 1, 100000000,
                   "cents of a top-up that gives VIP access"),
    NUMBER_SETTING(vip_days, "30", 1, 3650, "days of VIP access that it gives"),
    NUMBER_SETTING(vip_account_days, "0", 0, 3650,
                   "days that an account must have existed to qualify for VIP"),
    TEXT_SETTING(vip_base_url, "",
                 "public address of the VIP endpoint, without a slash; empty: there is none"),
    NUMBER_SETTING(session_idle_minutes, "720", 1, 525600,
                   "a dashboard session that is not used for so long ends"),
    NUMBER_SETTING(session_days, "30", 1, 3650, "a dashboard session ends after so many days"),
    NUMBER_SETTING(password_cost, "15", 14, 20,
                   "work of a password: 15 is 33 MB and a tenth of a second, one more doubles it"),
    TEXT_SETTING(smtp_url, "",
                 "mail server, smtp://host:587 or smtps://host:465; empty: mails wait"),
    TEXT_SETTING(smtp_user, "", "name to sign in there; empty: no sign-in"),
    TEXT_SETTING(smtp_password_file, "", "file with its password"),
    TEXT_SETTING(smtp_tls, "required",
                 "required, or optional: also in clear, for a server on the same machine"),
    TEXT_SETTING(smtp_ca_file, "", "certificates to trust there; empty: the system's"),
    TEXT_SETTING(mail_from, "",
                 "sender, `Name <address>`; empty: no-reply at the host of base_url"),
    NUMBER_SETTING(signin_failures, "10", 3, 1000,
                   "wrong passwords for a name from one address before each more takes a minute"),
    NUMBER_SETTING(register_per_hour, "20", 1, 100000,
                   "accounts that may be made from one address in an hour"),
    TEXT_SETTING(trial_credit, "5", "credit that a confirmed mail address unlocks; 0: none"),
    NUMBER_SETTING(trial_days, "30", 1, 3650,
                   "days from the making of the account on which the trial credit ends"),
    TEXT_SETTING(payment_providers, "",
                 "who takes payments, with commas: stripe; sandbox pretends, for development only"),
    TEXT_SETTING(topup_currency, "usd", "currency of top-ups, three lower-case letters"),
    NUMBER_SETTING(topup_max_cents, "500000", 500, 99999999,
                   "largest single top-up in hundredths of the currency"),
    TEXT_SETTING(stripe_url, "https://api.stripe.com", "address of Stripe's API"),
    TEXT_SETTING(stripe_key_file, "", "file with the secret (or restricted) API key of Stripe"),
    TEXT_SETTING(stripe_webhook_secret_file, "",
                 "file with the signing secret of Stripe's webhook endpoint"),
};
#define SETTINGS (sizeof(settings) / sizeof(settings[0]))

static char **
text_at(struct mg_conf *conf, const struct setting *s)
{
    return (char **)(void *)((char *)conf + s->offset);
}

static int64_t *
number_at(struct mg_conf *conf, const struct setting *s)
{
    return (int64_t *)(void *)((char *)conf + s->offset);
}

static int
assign(struct mg_conf *conf, const struct setting *s, const char *value, const char *where,
       struct mg_err *err)
{
    if (s->type == TEXT) {
        free(*text_at(conf, s));
        *text_at(conf, s) = mg_strdup(value);
        return 0;
    }
    char *end;
    errno = 0;
    long long n = strtoll(value, &end, 10);
    if (errno != 0 || end == value || *end != '\0' || n < s->least || n > s->most) {
        return mg_err_internal(err, "%s: %s must be a whole number from %lld to %lld, not '%s'",
                               where, s->name, (long long)s->least, (long long)s->most, value);
    }
    *number_at(conf, s) = n;
    return 0;
}

static const struct setting *
find(const char *name)
{
    for (size_t i = 0; i < SETTINGS; i++)
        if (strcmp(settings[i].name, name) == 0)
            return &settings[i];
    return NULL;
}

static char *
trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text;
}

/* A setting that stands twice in a file is a mistake: one of the two would have no effect. */
static int
first_time(const struct setting *s, int seen[SETTINGS], int line, const char *where,
           struct mg_err *err)
{
    int *at = &seen[s - settings];
    if (*at != 0)
        return mg_err_internal(err, "%s: '%s' was set in line %d already", where, s->name, *at);
    *at = line;
    return 0;
}

static int
read_line(struct mg_conf *conf, char *line, int number, int seen[SETTINGS], const char *where,
          struct mg_err *err)
{
    char *name = trim(line);
    if (*name == '\0' || *name == '#')
        return 0;
    char *value = strchr(name, '=');
    if (value == NULL)
        return mg_err_internal(err, "%s: expected `name = value`", where);
    *value++ = '\0';
    name = trim(name);
    const struct setting *s = find(name);
    if (s == NULL)
        return mg_err_internal(err, "%s: unknown setting '%s' (mgctl config lists them)", where,
                               name);
    if (first_time(s, seen, number, where, err) != 0)
        return -1;
    return assign(conf, s, trim(value), where, err);
}

static int
read_file(struct mg_conf *conf, const char *path, struct mg_err *err)
{
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return mg_err_internal(err, "%s: %s", path, strerror(errno));
    char line[4096], where[512];
    int rc = 0, seen[SETTINGS] = {0};
    for (int number = 1; rc == 0 && fgets(line, sizeof(line), in) != NULL; number++) {
        snprintf(where, sizeof(where), "%s:%d", path, number);
        if (strchr(line, '\n') == NULL && !feof(in))
            rc = mg_err_internal(err, "%s: the line is longer than %zu bytes", where,
                                 sizeof(line) - 2);
        else
            rc = read_line(conf, line, number, seen, where, err);
    }
    if (rc == 0 && ferror(in))
        rc = mg_err_internal(err, "%s: %s", path, strerror(errno));
    fclose(in);
    return rc;
}

static int
read_environment(struct mg_conf *conf, struct mg_err *err)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        char name[64] = "MG_";
        size_t n = 3;
        for (const char *c = settings[i].name; *c != '\0' && n < sizeof(name) - 1; c++)
            name[n++] = (char)toupper((unsigned char)*c);
        name[n] = '\0';
        const char *value = getenv(name);
        /* MG_BASE_URL is also what clients of the service are told to set. */
        if (value != NULL && assign(conf, &settings[i], value, name, err) != 0)
            return -1;
    }
    return 0;
}

/* What one row of the table cannot say. */
static int
check(struct mg_conf *conf, struct mg_err *err)
{
    if (mg_log_level_parse(conf->log_level) < 0)
        return mg_err_internal(err, "log_level must be error, warn, info or debug, not '%s'",
                               conf->log_level);
    if (strncmp(conf->base_url, "http://", 7) != 0 && strncmp(conf->base_url, "https://", 8) != 0)
        return mg_err_internal(err, "base_url must begin with http:// or https://, not '%s'",
                               conf->base_url);
    for (size_t n = strlen(conf->base_url); n > 0 && conf->base_url[n - 1] == '/'; n--)
        conf->base_url[n - 1] = '\0'; /* paths are appended to it */
    if (strcmp(conf->smtp_tls, "required") != 0 && strcmp(conf->smtp_tls, "optional") != 0)
        return mg_err_internal(err, "smtp_tls must be required or optional, not '%s'",
                               conf->smtp_tls);
    if (*conf->smtp_url != '\0' && strncmp(conf->smtp_url, "smtp://", 7) != 0 &&
        strncmp(conf->smtp_url, "smtps://", 8) != 0)
        return mg_err_internal(err, "smtp_url must begin with smtp:// or smtps://, not '%s'",
                               conf->smtp_url);
    int64_t trial;
    if (mg_money_parse(conf->trial_credit, 9, &trial) != 0 || trial < 0)
        return mg_err_internal(err, "trial_credit must be a decimal such as 5 or 2.50, not '%s'",
                               conf->trial_credit);
    if (conf->stale_ms < 2 * conf->heartbeat_ms)
        return mg_err_internal(err, "stale_ms (%lld) must be at least twice heartbeat_ms (%lld), "
                                    "or the holds of living processes would be released",
                               (long long)conf->stale_ms, (long long)conf->heartbeat_ms);
    return 0;
}

int
mg_conf_load(struct mg_conf *conf, const char *path, struct mg_err *err)
{
    *conf = (struct mg_conf){0};
    for (size_t i = 0; i < SETTINGS; i++)
        if (assign(conf, &settings[i], settings[i].preset, "default", err) != 0)
            return -1;
    if ((path != NULL && read_file(conf, path, err) != 0) || read_environment(conf, err) != 0 ||
        check(conf, err) != 0) {
        mg_conf_free(conf);
        return -1;
    }
    return 0;
}

void
mg_conf_free(struct mg_conf *conf)
{
    for (size_t i = 0; i < SETTINGS; i++)
        if (settings[i].type == TEXT)
            free(*text_at(conf, &settings[i]));
    *conf = (struct mg_conf){0};
}

void
mg_conf_each(const struct mg_conf *conf, mg_conf_visit *visit, void *arg)
{
    struct mg_conf copy = *conf; /* text_at and number_at want it writable */
    for (size_t i = 0; i < SETTINGS; i++) {
        const struct setting *s = &settings[i];
        char number[32];
        snprintf(number, sizeof(number), "%lld",
                 s->type == NUMBER ? (long long)*number_at(&copy, s) : 0);
        visit(arg, s->name, s->type == NUMBER ? number : *text_at(&copy, s), s->preset, s->help);
    }
}

static void
print_setting(void *out, const char *name, const char *value, const char *preset,
              const char *help)
{
    fprintf(out, "# %s (default: %s)\n%s = %s\n\n", help, *preset ? preset : "empty", name, value);
}

void
mg_conf_print(const struct mg_conf *conf, FILE *out)
{
    mg_conf_each(conf, print_setting, out);
}

static char *
read_bytes(const char *path, size_t max, size_t *len, struct mg_err *err)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *in = standard ? fdopen(dup(STDIN_FILENO), "r") : fopen(path, "re");
    if (in == NULL) {
        mg_err_internal(err, "%s: %s", path, strerror(errno));
        return NULL;
    }
    struct stat st;
    if (!standard && fstat(fileno(in), &st) == 0 && (st.st_mode & S_IRWXO) != 0)
        mg_warn("%s holds a secret and is open to everybody: chmod o= it", path);
    char *text = mg_malloc(max + 2);
    *len = fread(text, 1, max + 1, in);
    bool broken = ferror(in);
    int why = errno;
    fclose(in);
    if (broken) {
        free(text);
        mg_err_internal(err, "%s: %s", path, strerror(why));
        return NULL;
    }
    text[*len] = '\0';
    if (*len <= max)
        return text;
    mg_wipe(text, max + 2);
    free(text);
    mg_err_internal(err, "%s: larger than %zu bytes", path, max);
    return NULL;
}

char *
mg_conf_secret(const char *path, size_t max, struct mg_err *err)
{
    size_t len;
    char *text = read_bytes(path, max, &len, err);
    if (text == NULL)
        return NULL;
    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        text[--len] = '\0';
    return text;
}

int
mg_conf_master_key(const struct mg_conf *conf, uint8_t key[32], struct mg_err *err)
{
    size_t len;
    char *text = read_bytes(conf->master_key_file, 128, &len, err);
    if (text == NULL)
        return -1;
    int rc = 0;
    size_t digits = len;
    while (digits > 32 && isspace((unsigned char)text[digits - 1]))
        digits--;
    if (len == 32)
        memcpy(key, text, 32);
    else if (mg_unhex(text, digits, key, 32) != 0)
        rc = mg_err_internal(err, "%s: must hold 32 bytes or 64 hexadecimal digits",
                             conf->master_key_file);
    mg_wipe(text, len);
    free(text);
    return rc;
}
