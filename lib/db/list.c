#include "db/list.h"

const char *
mg_list_sql(struct mg_str *out, const char *head, const char *places, size_t n, const char *tail)
{
    mg_str_reset(out);
    mg_str_addz(out, head);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            mg_str_addc(out, ',');
        mg_str_addz(out, places);
    }
    mg_str_addz(out, tail);
    return out->p;
}

size_t
mg_list_round(size_t n)
{
    size_t round = 1;
    while (round < n && round < MG_LIST_MOST)
        round *= 2;
    return round;
}
