#include "ledger/book.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

void
mg_book_clear(struct mg_book *book)
{
    free(book->lots);
    book->lots = NULL;
    book->lot_count = book->lot_room = 0;
}

void
mg_book_add_lot(struct mg_book *book, const struct mg_lot *lot)
{
    if (book->lot_count == book->lot_room) {
        book->lot_room = book->lot_room > 0 ? 2 * book->lot_room : 4;
        book->lots = mg_realloc(book->lots, book->lot_room * sizeof(*book->lots));
    }
    book->lots[book->lot_count++] = *lot;
}

static int
by_use(const void *a, const void *b)
{
    const struct mg_lot *x = a, *y = b;
    if (x->expires_ms != y->expires_ms)
        return x->expires_ms < y->expires_ms ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

void
mg_book_sort(struct mg_book *book)
{
    if (book->lot_count > 1)
        qsort(book->lots, book->lot_count, sizeof(*book->lots), by_use);
}

int64_t
mg_book_available(const struct mg_book *book)
{
    int64_t available;
    return __builtin_sub_overflow(book->balance, book->held, &available) ? INT64_MIN : available;
}

int64_t
mg_book_next_expiry(const struct mg_book *book)
{
    for (size_t i = 0; i < book->lot_count; i++)
        if (book->lots[i].remaining > 0)
            return book->lots[i].expires_ms;
    return MG_BOOK_NEVER;
}

void
mg_book_hold(struct mg_book *book, int64_t amount)
{
    book->held += amount;
    book->changed = true;
}

void
mg_book_release(struct mg_book *book, int64_t amount)
{
    book->held -= amount;
    book->changed = true;
}

void
mg_book_connect(struct mg_book *book)
{
    book->connections++;
    book->access = MG_ACCESS_WINDOW;
    book->changed = true;
}

void
mg_book_disconnect(struct mg_book *book)
{
    book->connections -= book->connections > 0;
    book->changed = true;
}

/* The next row of the book: numbers it and moves the balance. */
static struct mg_entry *
post(struct mg_book *book, enum mg_entry_kind kind, int64_t amount,
     const uint8_t ref[MG_ID_BYTES], int64_t now)
{
    struct mg_entries *out = book->out;
    if (out->count == out->room) {
        out->room = out->room > 0 ? 2 * out->room : 64;
        out->entry = mg_realloc(out->entry, out->room * sizeof(*out->entry));
    }
    struct mg_entry *e = &out->entry[out->count++];
    memset(e, 0, sizeof(*e));
    book->balance += amount;
    book->changed = true;
    e->wallet_id = book->id;
    e->seq = ++book->seq;
    e->kind = kind;
    e->amount = amount;
    e->balance_after = book->balance;
    memcpy(e->ref, ref, MG_ID_BYTES);
    e->created_ms = now;
    return e;
}

static int64_t
take(struct mg_lot *lot, int64_t amount)
{
    int64_t part = amount < lot->remaining ? amount : lot->remaining;
    if (part <= 0)
        return 0;
    lot->remaining -= part;
    lot->changed = true;
    return part;
}

/* A row of its own for what expired: wallet and row number make a ref that no other has. */
static void
post_expiry(struct mg_book *book, const struct mg_lot *lot, int64_t amount, int64_t now)
{
    uint8_t ref[MG_ID_BYTES];
    uint64_t seq = book->seq + 1;
    for (int i = 0; i < 8; i++) {
        ref[i] = (uint8_t)(book->id >> (56 - 8 * i));
        ref[8 + i] = (uint8_t)(seq >> (56 - 8 * i));
    }
    post(book, MG_ENTRY_EXPIRE, -amount, ref, now)->lot_seq = lot->seq;
}

void
mg_book_expire(struct mg_book *book, int64_t now)
{
    int64_t promised = book->held;
    for (size_t i = 0; i < book->lot_count && book->lots[i].expires_ms <= now; i++) {
        struct mg_lot *lot = &book->lots[i];
        int64_t kept = lot->remaining < promised ? lot->remaining : promised;
        promised -= kept;
        int64_t gone = take(lot, lot->remaining - kept);
        if (gone > 0)
            post_expiry(book, lot, gone, now);
    }
}

struct mg_entry *
mg_book_claw(struct mg_book *book, enum mg_entry_kind kind, int64_t amount, uint64_t first,
             const uint8_t ref[MG_ID_BYTES], int64_t now)
{
    int64_t after;
    if (__builtin_sub_overflow(book->balance, amount, &after))
        amount = book->balance - INT64_MIN; /* only ever reached by a broken price */
    int64_t left = amount;
    for (size_t i = 0; first != 0 && i < book->lot_count; i++)
        if (book->lots[i].seq == first)
            left -= take(&book->lots[i], left);
    for (size_t i = 0; left > 0 && i < book->lot_count; i++)
        left -= take(&book->lots[i], left);
    return post(book, kind, -amount, ref, now);
}

struct mg_entry *
mg_book_charge(struct mg_book *book, enum mg_entry_kind kind, int64_t amount,
               const uint8_t ref[MG_ID_BYTES], int64_t now)
{
    return mg_book_claw(book, kind, amount, 0, ref, now);
}

struct mg_entry *
mg_book_grant(struct mg_book *book, enum mg_entry_kind kind, int64_t amount, int64_t expires_ms,
              const uint8_t ref[MG_ID_BYTES], int64_t now)
{
    int64_t after;
    if (__builtin_add_overflow(book->balance, amount, &after) || after > 8 * MG_BOOK_MOST)
        return NULL;
    int64_t above = after > 0 ? after : 0; /* what is left when the debt is repaid */
    int64_t rest = amount < above ? amount : above;
    struct mg_entry *e = post(book, kind, amount, ref, now);
    if (rest > 0) {
        struct mg_lot lot = {.seq = e->seq, .kind = (int)kind - 1, .granted = rest,
                             .remaining = rest, .expires_ms = expires_ms, .created_ms = now,
                             .changed = true};
        mg_book_add_lot(book, &lot);
        mg_book_sort(book);
    }
    return e;
}
