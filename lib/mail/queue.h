/* The queue of mails as its keepers see it: what waits, what was sent, what was given up. */
#ifndef MG_MAIL_QUEUE_H
#define MG_MAIL_QUEUE_H

#include "base/err.h"
#include "base/pool.h"
#include "base/vault.h"
#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A mail without its text. */
struct mg_mail_row {
    uint64_t id;
    uint64_t account_id; /* 0 = nobody's */
    char to[255];
    char subject[256];
    char state[8];       /* "queued", "sent", "failed" */
    int attempts;
    int64_t next_ms;     /* queued: the next attempt */
    int64_t created_ms;
    int64_t done_ms;     /* 0 = queued */
    char error[256];     /* of the last attempt, "" = none */
};

/* Mails of one account (0 = of all), newest first, at most `limit`: *rows in the pool. 0 or -1. */
int mg_mail_list(struct mg_db *db, uint64_t account_id, unsigned limit, struct mg_pool *pool,
                 struct mg_mail_row **rows, size_t *count, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Reads one mail with its text, opened if it was sealed: *row, and *text in the pool ("" once it
 * was sent). 1, 0 no such mail, -1. */
int mg_mail_read(struct mg_db *db, const struct mg_vault *vault, uint64_t id, struct mg_pool *pool,
                 struct mg_mail_row *row, const char **text, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Takes the mail that is due longest, so that nobody else takes it for `lease_ms`; one whose
 * taker died comes back by itself. 1 with *id, 0 nothing is due, -1. */
int mg_mail_claim(struct mg_db *db, int64_t lease_ms, uint64_t *id, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Notes the end of a claimed mail: sent, or given up with the reason. Its text goes. 0 or -1. */
int mg_mail_close(struct mg_db *db, uint64_t id, bool sent, const char *why, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Puts a claimed mail back for an attempt in wait_ms. 0 or -1. */
int mg_mail_postpone(struct mg_db *db, uint64_t id, int64_t wait_ms, const char *why,
                     struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Removes mails that were done with before a time. 0 or -1. */
int mg_mail_tidy(struct mg_db *db, int64_t before_ms, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
