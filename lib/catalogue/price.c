#include "catalogue/price.h"

int
mg_price_read(struct mg_db *db, uint64_t version, struct mg_price *price, struct mg_err *err)
{
    static const char sql[] = "SELECT input, output, cache_read, cache_write_5m, cache_write_1h "
                              "FROM price WHERE id = ?";
    struct mg_db_value value = mg_db_u64(version);
    if (mg_db_query(db, sql, &value, 1, err) != 0)
        return -1;
    int found = mg_db_next(db, err);
    if (found == 1)
        *price = (struct mg_price){.version = version,
                                   .input = mg_db_get_i64(db, 0),
                                   .output = mg_db_get_i64(db, 1),
                                   .cache_read = mg_db_get_i64(db, 2),
                                   .cache_write_5m = mg_db_get_i64(db, 3),
                                   .cache_write_1h = mg_db_get_i64(db, 4)};
    mg_db_done(db);
    return found;
}
