#include "ledger/spend.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "ledger/ledger.h"

#include <stdlib.h>

static const char head[] = "INSERT INTO key_month (key_id, month, spent) VALUES ";
static const char tail[] = " ON DUPLICATE KEY UPDATE spent = spent + VALUES(spent)";
#define WIDTH 3

struct spend {
    uint64_t key_id;
    int month;
    int64_t amount;
};

/* In this order all writers lock the rows. */
static int
by_key(const void *a, const void *b)
{
    const struct spend *x = a, *y = b;
    if (x->key_id != y->key_id)
        return x->key_id < y->key_id ? -1 : 1;
    return x->month < y->month ? -1 : x->month > y->month;
}

/* One spend for each key and month of the new rows; returns how many. */
static size_t
gather(const struct mg_entries *entries, struct spend *spends)
{
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < entries->count; i++) {
        const struct mg_entry *e = &entries->entry[i];
        if (e->kind == MG_ENTRY_CHARGE && e->settle != NULL && e->settle->api_key_id != 0 &&
            e->amount < 0)
            spends[n++] = (struct spend){e->settle->api_key_id, mg_utc_month(e->created_ms),
                                         -e->amount};
    }
    qsort(spends, n, sizeof(*spends), by_key);
    for (size_t i = 0; i < n; i++) {
        if (kept > 0 && by_key(&spends[kept - 1], &spends[i]) == 0)
            spends[kept - 1].amount += spends[i].amount;
        else
            spends[kept++] = spends[i];
    }
    return kept;
}

int
mg_spend_save(struct mg_table *table, struct mg_db *db, struct mg_err *err)
{
    if (table->entries.count == 0)
        return 0;
    struct spend *spends = mg_calloc(table->entries.count, sizeof(*spends));
    size_t n = gather(&table->entries, spends);
    struct mg_db_value *v = mg_table_values(table, n * WIDTH);
    for (size_t i = 0; i < n; i++) {
        v[WIDTH * i] = mg_db_u64(spends[i].key_id);
        v[WIDTH * i + 1] = mg_db_i64(spends[i].month);
        v[WIDTH * i + 2] = mg_db_i64(spends[i].amount);
    }
    free(spends);
    return mg_table_insert(table, db, head, "(?,?,?)", tail, n, WIDTH, err);
}
