/* The settings: one file of `name = value` lines, overridden by MG_<NAME> in the environment.
 *
 * Every setting is a row of the table in conf.c with its default, its unit and a help text
 * (`mgctl config` prints them). A name that is not in the table is an error with file and line,
 * so that a typing mistake never becomes a silent default. */
#ifndef MG_BASE_CONF_H
#define MG_BASE_CONF_H

#include "base/err.h"

#include <stdint.h>
#include <stdio.h>

struct mg_conf {
    char *base_url;            /* public address, no trailing slash */
    char *run_dir;             /* sockets of the responders */
    char *state_dir;           /* settle journals of a database outage */
    char *log_level;
    char *db_hosts;            /* ordered: unix:/path or host:port, separated by commas */
    char *db_name;
    char *db_user;
    char *db_password_file;
    char *db_admin_user;       /* owner of the schema: mgctl only */
    char *db_admin_password_file;
    char *master_key_file;     /* 32 bytes or 64 hex digits; seals System and upstream keys */
    char *version_headers;     /* request headers that select the Messages style, commas */
    char *managed_alias;       /* the service's stable model id */
    int64_t processes;         /* responder processes a family */
    int64_t threads;           /* worker threads a process */
    int64_t loops;             /* event loops a process */
    int64_t body_limit;        /* bytes of a request body, also after decompression */
    int64_t reply_limit;       /* bytes of an upstream reply that is not streamed */
    int64_t slice_tokens;      /* output tokens a stream's hold grows by */
    int64_t default_max_output;/* tokens, for a model whose row does not say */
    int64_t drain_seconds;     /* how long an upstream may go on after the client left */
    int64_t drain_tokens;      /* and how many output tokens it may make meanwhile */
    int64_t count_timeout_ms;  /* for an upstream's own token counter, 0 = never ask it */
    int64_t keepalive_ms;      /* upstream silence after which the client gets a sign of life */
    int64_t connect_timeout_ms;
    int64_t upstream_silence_s;/* no byte from the upstream for so long: given up */
    int64_t upstream_total_s;  /* longest exchange */
    int64_t shutdown_seconds;  /* a responder told to stop waits so long for its streams */
    int64_t store_days;        /* stored responses and completions are kept so long */
    int64_t heartbeat_ms;      /* a process says that it lives */
    int64_t stale_ms;          /* a process silent for so long is dead: its holds are released */
    int64_t trial_unlimited_s; /* length of the Unlimited trial, 0 = none */
    int64_t checkin_minimum;   /* whole credits, to be eligible for the daily check-in */
    char *checkin_path;        /* its rewards: ledger/checkin.h */
    int64_t vip_enabled;       /* 1: top-ups of vip_minimum_cents give vip_days of VIP access … */
    int64_t vip_minimum_cents;
    int64_t vip_days;
    int64_t vip_account_days;  /* … to accounts that are so old */
    char *vip_base_url;        /* "" = there is no VIP endpoint */
    int64_t session_idle_minutes; /* a dashboard session unused for so long ends */
    int64_t session_days;      /* and so does one that is so old */
    int64_t password_cost;     /* exponent of scrypt's N */
    char *smtp_url;            /* mail server; "" = mails wait in the queue */
    char *smtp_user;           /* "" = no sign-in there */
    char *smtp_password_file;
    char *smtp_tls;            /* "required" or "optional" */
    char *smtp_ca_file;        /* "" = the system's */
    char *mail_from;           /* "" = no-reply at the host of base_url */
    int64_t signin_failures;   /* wrong passwords at once, for a name from one address */
    int64_t register_per_hour; /* accounts made from one address */
    char *trial_credit;        /* decimal credits that a confirmed address unlocks */
    int64_t trial_days;        /* counted from the making of the account */
    char *payment_providers;   /* names, commas: "stripe", "sandbox"; empty: no top-up */
    char *topup_currency;      /* ISO 4217, lower case, with hundredths */
    int64_t topup_max_cents;   /* the largest single top-up */
    char *stripe_url;          /* address of its API */
    char *stripe_key_file;
    char *stripe_webhook_secret_file;
};

/* Reads `path` (NULL: only defaults and environment; a missing file is an error), then the
 * environment. Fills *conf; free with mg_conf_free. 0, or -1 with err->detail naming file,
 * line and setting. */
int mg_conf_load(struct mg_conf *conf, const char *path, struct mg_err *err)
    __attribute__((nonnull(1, 3), warn_unused_result));
void mg_conf_free(struct mg_conf *conf) __attribute__((nonnull));
/* Calls `visit` for every setting: name, value as text, default, help. */
typedef void mg_conf_visit(void *arg, const char *name, const char *value, const char *preset,
                           const char *help);
void mg_conf_each(const struct mg_conf *conf, mg_conf_visit *visit, void *arg)
    __attribute__((nonnull(1, 2)));
/* Prints every setting: a commented file with the values of `conf`. */
void mg_conf_print(const struct mg_conf *conf, FILE *out) __attribute__((nonnull));
/* Reads a small secret file whole ("-": standard input), without its trailing newline, at most
 * max bytes. Caller frees (and wipes). NULL with err filled. */
char *mg_conf_secret(const char *path, size_t max, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* The 32 bytes of the master key file: raw, or 64 hexadecimal digits. 0, or -1. */
int mg_conf_master_key(const struct mg_conf *conf, uint8_t key[32], struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
