/* Setup scripts: what an account's owner runs to set up the programs he works with.
 *
 * A script is made for the current System Key and the chosen model. It says what it writes, keeps
 * what it changes, may be run again, undoes itself, and asks the gateway whether the key works
 * before it does anything. Values become literals of the language they land in (setup/escape.h),
 * so no name or address can become a command. Pure. */
#ifndef MG_SETUP_SCRIPT_H
#define MG_SETUP_SCRIPT_H

#include "base/err.h"
#include "base/str.h"
#include "catalogue/catalogue.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MG_SETUP_SCRIPT_MAX ((size_t)256 << 10)

/* Whom and what a script is made for. Texts are borrowed. */
struct mg_setup_facts {
    const char *base_url;
    const char *vip_base_url; /* NULL = the account has no VIP access */
    const char *username;
    const char *key;          /* the System Key */
    const char *model;        /* the chosen model id */
    const struct mg_catalogue *catalogue;
    int64_t now_ms;
};

enum mg_setup_kind { MG_SETUP_POSIX, MG_SETUP_POWERSHELL };

struct mg_setup_target {
    const char *id;        /* in the URL */
    const char *title;
    const char *platform;  /* "linux", "macos", "windows" or "any" */
    const char *filename;  /* to save it under */
    enum mg_setup_kind kind;
    bool vip;              /* only with VIP access, and to its address */
    const char *what;      /* what is set up, for people */
    const char *steps;     /* its parts, spaces between */
};

/* All targets, in the order of the dashboard. */
const struct mg_setup_target *mg_setup_targets(size_t *count)
    __attribute__((nonnull, returns_nonnull));
/* One of them, if the account may have it; else NULL. */
const struct mg_setup_target *mg_setup_find(const char *id, const struct mg_setup_facts *facts)
    __attribute__((nonnull));
/* "sh" or "powershell". */
const char *mg_setup_language(const struct mg_setup_target *target) __attribute__((nonnull));

/* Appends the script; or the one that only undoes, which holds no key. 0, or -1 with err. */
int mg_setup_script(const struct mg_setup_target *target, const struct mg_setup_facts *facts,
                    bool uninstall, struct mg_str *out, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Appends the command line that fetches and runs the script at `url`. */
void mg_setup_command(const struct mg_setup_target *target, const char *url, struct mg_str *out)
    __attribute__((nonnull));
/* Appends what a target's shell is given instead of a script, when there is none: it prints
 * `message` and fails, also when it is piped into a shell. */
void mg_setup_refusal(const struct mg_setup_target *target, const char *message,
                      struct mg_str *out) __attribute__((nonnull(2, 3)));

#endif
