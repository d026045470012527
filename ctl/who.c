#include "ctl/who.h"

#include "base/money.h"

#include <string.h>

int
mg_who_find(struct mg_ctl *ctl, const char *word, struct mg_account *account)
{
    int64_t id;
    bool number = *word != '\0' && word[strspn(word, "0123456789")] == '\0'; /* no username is */
    int found = 0;
    if (!number)
        found = mg_account_by_name(ctl->db, word, account, &ctl->err);
    else if (mg_money_parse(word, 0, &id) == 0)
        found = mg_account_by_id(ctl->db, (uint64_t)id, account, &ctl->err);
    if (found == 0)
        return mg_err_set(&ctl->err, 404, "not_found", "there is no account '%.80s'", word);
    return found < 0 ? -1 : 0;
}
