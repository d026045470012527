#include "mail/mail.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "identity/account.h"

#include <stdlib.h>
#include <string.h>

/* A ref that is there already changes nothing, and nothing counts as an error. */
static const char insert[] =
    "INSERT INTO mail (account_id, ref, recipient, subject, body, sealed, next_ms, created_ms)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE id = id";

/* Headers are made of the subject: one line without control characters. */
static int
check(const struct mg_mail *mail, const char *to, struct mg_err *err)
{
    size_t n = strlen(mail->subject), length = strlen(mail->text);
    bool plain = n > 0 && n <= MG_MAIL_SUBJECT_MOST && mg_utf8_valid(mail->subject, n);
    for (const char *c = mail->subject; *c != '\0'; c++)
        plain = plain && (unsigned char)*c >= 0x20 && *c != 0x7f;
    if (!plain)
        return mg_err_field(err, "value_error", "Not the subject of a mail", "body/subject");
    if (length > MG_MAIL_TEXT_MOST || !mg_utf8_valid(mail->text, length))
        return mg_err_field(err, "value_error", "Not the text of a mail", "body/text");
    return mg_account_check_email(to, err);
}

static int
write(struct mg_db *db, const struct mg_mail *mail, const char *to, struct mg_err *err)
{
    int64_t now = mg_now_ms();
    size_t n = strlen(mail->text);
    uint8_t *sealed = NULL;
    if (mail->vault != NULL) {
        sealed = mg_malloc(n + MG_VAULT_OVERHEAD);
        const struct mg_vault_place place = {"mail", mail->account_id, (uint64_t)now};
        mg_vault_seal(mail->vault, place, mail->text, n, sealed);
    }
    const struct mg_db_value values[] = {
        mg_db_u64(mail->account_id),
        mail->ref != NULL ? mg_db_bytes(mail->ref, MG_ID_BYTES) : mg_db_null(),
        mg_db_text(to),
        mg_db_text(mail->subject),
        sealed != NULL ? mg_db_bytes(sealed, n + MG_VAULT_OVERHEAD) : mg_db_bytes(mail->text, n),
        mg_db_i64(sealed != NULL),
        mg_db_i64(now),
        mg_db_i64(now),
    };
    int rc = mg_db_exec(db, insert, values, sizeof(values) / sizeof(values[0]), err);
    free(sealed);
    return rc;
}

int
mg_mail_post(struct mg_db *db, const struct mg_mail *mail, struct mg_err *err)
{
    struct mg_account account;
    const char *to = mail->to;
    if (to == NULL) {
        int found = mg_account_by_id(db, mail->account_id, &account, err);
        if (found < 0)
            return -1;
        if (found == 0 || !account.email_verified)
            return 0;
        to = account.email;
    }
    return check(mail, to, err) != 0 ? -1 : write(db, mail, to, err);
}
