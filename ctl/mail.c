/* mgctl mail: the queue of mails. */
#include "mail/queue.h"

#include "base/money.h"
#include "ctl/command.h"
#include "ctl/sheet.h"
#include "ctl/who.h"

#include <stdio.h>

#define LIST_MOST 1000

static const struct mg_option list_options[] = {
    {"account", "ACCOUNT", "of this account alone", false},
    {"limit", "N", "at most so many (default: 20, most: 1000)", false},
    {0},
};

static const struct mg_column columns[] = {
    {"id", "ID"},           {"to", "TO"},           {"subject", "SUBJECT"}, {"state", "STATE"},
    {"attempts", "TRIED"},  {"created", "CREATED"}, {"next", "NEXT TRY"},   {"done", "DONE"},
    {"error", "LAST ERROR"}};

static void
add_row(struct mg_sheet *t, const struct mg_mail_row *row)
{
    mg_sheet_int(t, (int64_t)row->id);
    mg_sheet_text(t, row->to);
    mg_sheet_text(t, row->subject);
    mg_sheet_text(t, row->state);
    mg_sheet_int(t, row->attempts);
    mg_sheet_time(t, row->created_ms);
    mg_sheet_time(t, row->done_ms == 0 ? row->next_ms : 0);
    mg_sheet_time(t, row->done_ms);
    mg_sheet_text(t, *row->error ? row->error : NULL);
}

static int
list(struct mg_ctl *ctl)
{
    struct mg_account account = {0};
    struct mg_mail_row *rows;
    struct mg_sheet t;
    size_t count;
    int64_t limit = 20;
    const char *who = mg_ctl_option(ctl, "account");
    int status = mg_ctl_number(ctl, "limit", &limit);
    if (status != 0)
        return status;
    if (limit < 1 || limit > LIST_MOST)
        return mg_ctl_misuse(ctl, "--limit is from 1 to %d", LIST_MOST);
    if ((who != NULL && mg_who_find(ctl, who, &account) != 0) ||
        mg_mail_list(ctl->db, account.id, (unsigned)limit, ctl->pool, &rows, &count,
                     &ctl->err) != 0)
        return -1;
    mg_sheet_init(&t, ctl, columns, 9);
    for (size_t i = 0; i < count; i++)
        add_row(&t, &rows[i]);
    return mg_sheet_print(&t);
}

static int
show(struct mg_ctl *ctl)
{
    static const struct mg_column parts[] = {{"id", "id"},           {"to", "to"},
                                             {"subject", "subject"}, {"state", "state"},
                                             {"error", "last error"}, {"text", "text"}};
    struct mg_mail_row row;
    struct mg_sheet t;
    const char *text;
    int64_t id;
    if (mg_money_parse(ctl->operand[0], 0, &id) != 0 || id <= 0)
        return mg_ctl_misuse(ctl, "'%s' is no mail; `mgctl mail list` shows their numbers",
                             ctl->operand[0]);
    int found = mg_mail_read(ctl->db, &ctl->vault, (uint64_t)id, ctl->pool, &row, &text, &ctl->err);
    if (found <= 0)
        return found < 0 ? -1 : mg_err_set(&ctl->err, 404, "not_found", "there is no mail %lld",
                                           (long long)id);
    if (!ctl->json) {
        printf("To: %s\nSubject: %s\n\n%s", row.to, row.subject, text);
        return 0;
    }
    mg_sheet_init(&t, ctl, parts, 6);
    mg_sheet_int(&t, (int64_t)row.id);
    mg_sheet_text(&t, row.to);
    mg_sheet_text(&t, row.subject);
    mg_sheet_text(&t, row.state);
    mg_sheet_text(&t, *row.error ? row.error : NULL);
    mg_sheet_text(&t, text);
    return mg_sheet_print_record(&t);
}

const struct mg_command mg_mail_commands[] = {
    {"mail", "list", "", 0, 0, MG_NEEDS_DB, list, NULL, list_options,
     "list mails, newest first: what waits, was sent, was given up", NULL},
    {"mail", "show", "MAIL", 1, 1, MG_NEEDS_DB | MG_NEEDS_VAULT, show, NULL, NULL,
     "print a mail that was not sent yet", "The text of a mail goes when it was sent."},
    {0},
};
