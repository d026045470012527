/* The arithmetic of a wallet, on an image of it in memory. Pure: no database, no clock.
 *
 * A book is read from the wallet's rows under its lock, changed here, and written back in the
 * same transaction. These hold before and after every function:
 *   - the lots together hold max(balance, 0): a charge takes from the lots as far as they go
 *     and the rest makes the balance negative; a grant repays a negative balance before it
 *     becomes a lot;
 *   - lots are used earliest expiry first, then oldest;
 *   - held is never negative.
 * Credit that was promised to running requests before its lot expired stays usable: of the lots
 * whose time is over, only what the holds do not cover (in the order of use) expires.
 *
 * Amounts are nano-credits, times ms since the epoch. Inside of this room. */
#ifndef MG_LEDGER_BOOK_H
#define MG_LEDGER_BOOK_H

#include "base/id.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MG_BOOK_NEVER INT64_MAX      /* expiry of a lot without one */
#define MG_BOOK_MOST 1000000000000000000LL /* of one amount: a thousand million credits */

/* Kinds of ledger rows, in the order of the column's ENUM (which counts from 1). */
enum mg_entry_kind {
    MG_ENTRY_CHARGE = 1,
    MG_ENTRY_TRIAL,
    MG_ENTRY_TOPUP,
    MG_ENTRY_REWARD,
    MG_ENTRY_ADJUST,
    MG_ENTRY_CLAWBACK,
    MG_ENTRY_EXPIRE
};

/* What a wallet's last request was paid with, in the order of the column's ENUM. */
enum mg_book_access { MG_ACCESS_NONE = 1, MG_ACCESS_CREDIT, MG_ACCESS_WINDOW };

struct mg_settle;

/* A ledger row to be written. */
struct mg_entry {
    uint64_t wallet_id, seq;
    enum mg_entry_kind kind;
    int64_t amount, balance_after;
    uint8_t ref[MG_ID_BYTES];
    int64_t created_ms;
    uint64_t lot_seq;               /* expire: the lot */
    const char *note;               /* NULL = none */
    const struct mg_settle *settle; /* charge: what it was for; else NULL */
    uint32_t flags;
};

/* Rows in the order in which they were made; grows. Zeroed = empty. */
struct mg_entries {
    struct mg_entry *entry;
    size_t count, room;
};

struct mg_lot {
    uint64_t seq;
    int kind;           /* of the granting row, counted as in the column's ENUM: trial = 1 … */
    int64_t granted, remaining;
    int64_t expires_ms; /* MG_BOOK_NEVER = never */
    int64_t created_ms;
    bool changed;
};

struct mg_book {
    uint64_t id;
    int64_t balance, held;
    uint64_t seq;
    uint32_t benefits;      /* Unlimited benefits that wait or run */
    uint32_t connections;   /* running requests that a window covers */
    enum mg_book_access access;
    int64_t alert_below;    /* a balance under it crosses an alert, INT64_MIN = never … */
    int64_t alert_above;    /* … from here on it arms one again, INT64_MAX = never */
    struct mg_lot *lots;    /* those that hold credit, in the order of use; owned */
    size_t lot_count, lot_room;
    struct mg_entries *out; /* where its rows go */
    bool changed;
};

/* Frees the lots; the book itself is the caller's. */
void mg_book_clear(struct mg_book *book) __attribute__((nonnull));
/* Adds a lot as it was read; call mg_book_sort after the last one. */
void mg_book_add_lot(struct mg_book *book, const struct mg_lot *lot) __attribute__((nonnull));
void mg_book_sort(struct mg_book *book) __attribute__((nonnull));

/* balance - held, saturating. */
int64_t mg_book_available(const struct mg_book *book) __attribute__((nonnull));
/* The earliest expiry of a lot that holds credit, MG_BOOK_NEVER when none expires. */
int64_t mg_book_next_expiry(const struct mg_book *book) __attribute__((nonnull));

/* Expires what is due at `now` and not promised: one row a lot. To be called before and after
 * anything else happens to the book. */
void mg_book_expire(struct mg_book *book, int64_t now) __attribute__((nonnull));
/* Promises an amount (>= 0) to a request, or takes the promise back. */
void mg_book_hold(struct mg_book *book, int64_t amount) __attribute__((nonnull));
void mg_book_release(struct mg_book *book, int64_t amount) __attribute__((nonnull));
/* Counts a request that a window covers, when it begins and when it has ended. */
void mg_book_connect(struct mg_book *book) __attribute__((nonnull));
void mg_book_disconnect(struct mg_book *book) __attribute__((nonnull));
/* Takes `amount` (>= 0), whatever the balance is; the row is returned for its details to be
 * filled in and is valid until the next row is made. */
struct mg_entry *mg_book_charge(struct mg_book *book, enum mg_entry_kind kind, int64_t amount,
                                const uint8_t ref[MG_ID_BYTES], int64_t now)
    __attribute__((nonnull));
/* The same, but `first` (seq of a lot, 0 = none) pays before the others. */
struct mg_entry *mg_book_claw(struct mg_book *book, enum mg_entry_kind kind, int64_t amount,
                              uint64_t first, const uint8_t ref[MG_ID_BYTES], int64_t now)
    __attribute__((nonnull));
/* Gives `amount` (> 0). NULL when the balance would pass what a wallet can hold. */
struct mg_entry *mg_book_grant(struct mg_book *book, enum mg_entry_kind kind, int64_t amount,
                               int64_t expires_ms, const uint8_t ref[MG_ID_BYTES], int64_t now)
    __attribute__((nonnull));

#endif
