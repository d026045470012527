/* The arithmetic of a wallet against a slow and simple model of the same rules. */
#include "ledger/book.h"
#include "tap.h"

static struct mg_entries out;
static uint8_t ref[MG_ID_BYTES];

static int64_t
lots_sum(const struct mg_book *b)
{
    int64_t sum = 0;
    for (size_t i = 0; i < b->lot_count; i++)
        sum += b->lots[i].remaining;
    return sum;
}

static int64_t
rest_of(const struct mg_book *b, uint64_t seq)
{
    for (size_t i = 0; i < b->lot_count; i++)
        if (b->lots[i].seq == seq)
            return b->lots[i].remaining;
    return -1;
}

static struct mg_book
new_book(void)
{
    out.count = 0;
    return (struct mg_book){.id = 1, .out = &out};
}

static void
test_order(void)
{
    struct mg_book b = new_book();
    mg_book_grant(&b, MG_ENTRY_TOPUP, 100, MG_BOOK_NEVER, ref, 0);
    mg_book_grant(&b, MG_ENTRY_TRIAL, 50, 2000, ref, 0);
    mg_book_grant(&b, MG_ENTRY_REWARD, 30, 1000, ref, 0);
    mg_book_grant(&b, MG_ENTRY_REWARD, 30, 1000, ref, 0);
    is_int(mg_book_next_expiry(&b), 1000, "the earliest expiry is known");
    mg_book_charge(&b, MG_ENTRY_CHARGE, 45, ref, 10);
    is_int(rest_of(&b, 3), 0, "the lot that expires first is used first");
    is_int(rest_of(&b, 4), 15, "of two with the same expiry the older one");
    is_int(rest_of(&b, 2), 50, "later ones wait");
    mg_book_charge(&b, MG_ENTRY_CHARGE, 66, ref, 10);
    is_int(rest_of(&b, 1), 99, "what never expires comes last");
    is_int(mg_book_next_expiry(&b), MG_BOOK_NEVER, "an empty lot has no expiry");
    mg_book_clear(&b);
}

static void
test_expiry(void)
{
    struct mg_book b = new_book();
    mg_book_grant(&b, MG_ENTRY_TRIAL, 100, 1000, ref, 0);
    mg_book_grant(&b, MG_ENTRY_TOPUP, 50, MG_BOOK_NEVER, ref, 0);
    mg_book_expire(&b, 999);
    is_int(b.balance, 150, "a millisecond before its time credit is there");
    mg_book_hold(&b, 20);
    mg_book_expire(&b, 1000);
    is_int(b.balance, 70, "at its time what is not promised goes");
    is_int(rest_of(&b, 1), 20, "what is promised stays, in the lot that the promise was made on");
    is_int(mg_book_available(&b), 50, "available is what has not expired");
    is_int(out.entry[out.count - 1].kind, MG_ENTRY_EXPIRE, "there is a row for it");
    is_int(out.entry[out.count - 1].amount, -80, "with the amount");
    is_int((long long)out.entry[out.count - 1].lot_seq, 1, "and the lot");
    size_t rows = out.count;
    mg_book_expire(&b, 1001);
    is_int((long long)(out.count - rows), 0, "expiring again does nothing");
    mg_book_release(&b, 20);
    mg_book_charge(&b, MG_ENTRY_CHARGE, 5, ref, 1001);
    mg_book_expire(&b, 1001);
    is_int(b.balance, 50, "when the promise has been used in part the rest of it goes too");
    is_int(rest_of(&b, 2), 50, "and the other lot is whole");
    mg_book_clear(&b);

    b = new_book();
    mg_book_grant(&b, MG_ENTRY_TRIAL, 10, 100, ref, 0);
    mg_book_grant(&b, MG_ENTRY_TRIAL, 10, 200, ref, 0);
    mg_book_hold(&b, 15);
    mg_book_expire(&b, 300);
    is_int(rest_of(&b, 1), 10, "a promise covers the first lot");
    is_int(rest_of(&b, 2), 5, "then part of the second");
    is_int(mg_book_available(&b), 0, "and nothing is free");
    mg_book_clear(&b);
}

static void
test_debt(void)
{
    struct mg_book b = new_book();
    mg_book_charge(&b, MG_ENTRY_CHARGE, 30, ref, 0);
    is_int(b.balance, -30, "a charge may go below zero");
    mg_book_grant(&b, MG_ENTRY_TOPUP, 40, MG_BOOK_NEVER, ref, 0);
    is_int(b.balance, 10, "-30 + 40 = 10");
    is_int(lots_sum(&b), 10, "and the lots hold 10");
    is_int(b.lots[0].granted, 10, "of which the debt is no part");
    mg_book_claw(&b, MG_ENTRY_CLAWBACK, 25, 2, ref, 0);
    is_int(b.balance, -15, "a claw-back below zero");
    is_int(lots_sum(&b), 0, "leaves empty lots");
    mg_book_grant(&b, MG_ENTRY_REWARD, 15, MG_BOOK_NEVER, ref, 0);
    is_int((long long)b.lot_count, 1, "a grant that only repays is no lot");
    mg_book_clear(&b);

    b = new_book();
    mg_book_grant(&b, MG_ENTRY_TRIAL, 10, 5000, ref, 0);
    mg_book_grant(&b, MG_ENTRY_TOPUP, 10, MG_BOOK_NEVER, ref, 0);
    mg_book_claw(&b, MG_ENTRY_CLAWBACK, 12, 2, ref, 0);
    is_int(rest_of(&b, 2), 0, "a claw-back empties the lot of its top-up first");
    is_int(rest_of(&b, 1), 8, "and takes the rest from the others");
    mg_book_clear(&b);
}

static void
test_limits(void)
{
    struct mg_book b = new_book();
    int given = 0;
    while (given < 100 && mg_book_grant(&b, MG_ENTRY_ADJUST, MG_BOOK_MOST, MG_BOOK_NEVER, ref, 0))
        given++;
    is_int(given, 8, "a wallet cannot hold more than eight thousand million credits");
    mg_book_clear(&b);
    b = new_book();
    for (int i = 0; i < 20; i++)
        mg_book_charge(&b, MG_ENTRY_CHARGE, MG_BOOK_MOST, ref, 0);
    is_int(b.balance, INT64_MIN, "and a debt ends where the number does");
    is_int(out.entry[out.count - 1].amount, 0, "the row says what was really taken");
    mg_book_hold(&b, 5);
    is_int(mg_book_available(&b), INT64_MIN, "available does not overflow");
    mg_book_clear(&b);
}

/* The model: one entry for every nano-credit that was ever granted. */
enum { UNITS = 4000, STEPS = 60, ROUNDS = 3000 };
static struct unit {
    int64_t expires;
    uint64_t seq;
} units[UNITS];
static int unit_count;
static int64_t model_debt;

/* Numbers that look random and are the same every time: 0 … n-1. */
static uint64_t dice_state = 20261120;

static int
dice(int n)
{
    dice_state = dice_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((dice_state >> 33) % (unsigned)n);
}

static int
by_use(const void *a, const void *b)
{
    const struct unit *x = a, *y = b;
    if (x->expires != y->expires)
        return x->expires < y->expires ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void
model_drop(int n)
{
    memmove(units, units + n, (size_t)(unit_count - n) * sizeof(units[0]));
    unit_count -= n;
}

static void
model_expire(int64_t now, int64_t held)
{
    int kept = 0, n = 0;
    for (int i = 0; i < unit_count; i++) {
        bool due = units[i].expires <= now;
        if (due && kept >= held)
            continue;
        kept += due;
        units[n++] = units[i];
    }
    unit_count = n;
}

static void
model_grant(int64_t amount, int64_t expires, uint64_t seq)
{
    int64_t repaid = amount < model_debt ? amount : model_debt;
    model_debt -= repaid;
    for (int64_t i = repaid; i < amount; i++)
        units[unit_count++] = (struct unit){expires, seq};
    qsort(units, (size_t)unit_count, sizeof(units[0]), by_use);
}

static void
model_charge(int64_t amount)
{
    int n = amount < unit_count ? (int)amount : unit_count;
    model_drop(n);
    model_debt += amount - n;
}

static bool
same(const struct mg_book *b)
{
    int64_t balance = 0, sum = 0;
    for (size_t i = 0; i < out.count; i++) {
        const struct mg_entry *e = &out.entry[i];
        balance += e->amount;
        if (e->seq != i + 1 || e->balance_after != balance)
            return false;
    }
    for (size_t i = 0; i < b->lot_count; i++) {
        int64_t n = 0;
        for (int k = 0; k < unit_count; k++)
            n += units[k].seq == b->lots[i].seq;
        if (n != b->lots[i].remaining || n > b->lots[i].granted)
            return false;
        sum += n;
    }
    return sum == unit_count && b->balance == balance && balance == unit_count - model_debt &&
           lots_sum(b) == (balance > 0 ? balance : 0) && b->held >= 0;
}

static void
test_model(void)
{
    int bad = 0;
    long steps = 0;
    for (int round = 0; round < ROUNDS && bad == 0; round++) {
        struct mg_book b = new_book();
        int64_t now = 0, holds[STEPS];
        int open = 0;
        unit_count = 0;
        model_debt = 0;
        for (int i = 0; i < STEPS && bad == 0; i++, steps++) {
            int64_t amount = 1 + dice(40), ends = dice(3) ? now + dice(30) : MG_BOOK_NEVER;
            now += dice(4);
            mg_book_expire(&b, now);
            model_expire(now, b.held);
            if (dice(3) == 0) {
                mg_book_grant(&b, MG_ENTRY_REWARD, amount, ends, ref, now);
                model_grant(amount, ends, b.seq);
            } else if (dice(2) && amount <= mg_book_available(&b)) {
                mg_book_hold(&b, holds[open++] = amount);
            } else if (open > 0) {
                mg_book_release(&b, holds[--open]);
                mg_book_charge(&b, MG_ENTRY_CHARGE, amount, ref, now);
                model_charge(amount);
            }
            mg_book_expire(&b, now);
            model_expire(now, b.held);
            bad += !same(&b);
        }
        mg_book_clear(&b);
    }
    is_int(bad, 0, "random grants, holds, charges and expiries agree with the model");
    printf("# %ld steps\n", steps);
}

int
main(void)
{
    plan(0);
    test_order();
    test_expiry();
    test_debt();
    test_limits();
    test_model();
    free(out.entry);
    return done();
}
