#include "mail/postman.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/pool.h"
#include "mail/mail.h"
#include "mail/message.h"
#include "mail/queue.h"
#include "upstream/smtp.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLL_MS 1000
#define CHORE_MS 600000
#define LEASE_MS 180000          /* longer than any attempt */
#define MINUTE_MS 60000LL
#define DAY_MS 86400000LL
#define KEEP_MS (4 * DAY_MS)     /* a mail that cannot be sent for so long is given up */
#define REFUSALS 6               /* and one that was refused so often */
#define MESSAGE_MOST ((size_t)1 << 18)

struct mg_postman {
    const struct mg_conf *conf;
    const struct mg_vault *vault;
    mg_postman_chore *chore;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_bool stop;
    struct mg_db *db;
    char *password;       /* of the mail server; NULL = none */
    char sender[300];     /* header From */
    char address[255];    /* envelope */
    bool troubled;        /* the last attempt failed: said once */
};

int64_t
mg_postman_wait(int attempts)
{
    int64_t wait = MINUTE_MS;
    for (int i = 1; i < attempts && wait < 360 * MINUTE_MS; i++)
        wait *= 4;
    return wait < 360 * MINUTE_MS ? wait : 360 * MINUTE_MS;
}

/* Sleeps; false when it is time to stop. */
static bool
rest(struct mg_postman *p, int64_t ms)
{
    int64_t until = mg_now_ms() + ms;
    const struct timespec t = {.tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000};
    pthread_mutex_lock(&p->lock);
    while (!atomic_load(&p->stop) && mg_now_ms() < until)
        if (pthread_cond_timedwait(&p->wake, &p->lock, &t) != 0)
            break;
    pthread_mutex_unlock(&p->lock);
    return !atomic_load(&p->stop);
}

static int
hand_over(struct mg_postman *p, const struct mg_mail_row *row, const char *text,
          struct mg_err *err)
{
    const struct mg_conf *conf = p->conf;
    struct mg_str bytes;
    const struct mg_message message = {p->sender, row->to, row->subject, text, row->id,
                                       row->created_ms};
    mg_str_init(&bytes, MESSAGE_MOST);
    mg_message_write(&message, &bytes);
    const struct mg_smtp smtp = {
        .url = conf->smtp_url,
        .user = conf->smtp_user,
        .password = p->password != NULL ? p->password : "",
        .tls = strcmp(conf->smtp_tls, "required") == 0,
        .ca_file = conf->smtp_ca_file,
        .from = p->address,
        .to = row->to,
        .message = mg_str_span(&bytes),
        .stop = &p->stop,
    };
    int rc = mg_str_ok(&bytes) ? mg_smtp_send(&smtp, err)
                               : mg_err_internal(err, "the mail is too large");
    if (bytes.len > 0)
        mg_wipe(bytes.p, bytes.len);
    mg_str_free(&bytes);
    return rc;
}

/* What the server said, for the row: one line of ASCII. */
static void
write_reason(const struct mg_err *why, char reason[256])
{
    snprintf(reason, 256, "%.255s", *why->detail ? why->detail : why->message);
    for (char *c = reason; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
            *c = '?';
}

/* Tried in vain: later again, or not any more. */
static int
put_back(struct mg_postman *p, const struct mg_mail_row *row, const struct mg_err *why,
         struct mg_err *err)
{
    char reason[256];
    bool over = mg_now_ms() - row->created_ms > KEEP_MS ||
                (why->status == 550 && row->attempts >= REFUSALS);
    write_reason(why, reason);
    if (over || !p->troubled)
        mg_warn("mail %llu %s: %s", (unsigned long long)row->id,
                over ? "is given up" : "was not sent and waits", reason);
    p->troubled = true;
    if (over)
        return mg_mail_close(p->db, row->id, false, reason, err);
    int64_t wait = atomic_load(&p->stop) ? 0 : mg_postman_wait(row->attempts);
    return mg_mail_postpone(p->db, row->id, wait, reason, err);
}

/* One claimed mail. 0, or -1 when the database is away. */
static int
deliver(struct mg_postman *p, uint64_t id, struct mg_err *err)
{
    struct mg_pool *pool = mg_pool_new();
    struct mg_err why = MG_ERR_INIT;
    struct mg_mail_row row = {0};
    const char *text = "";
    int rc = mg_mail_read(p->db, p->vault, id, pool, &row, &text, &why);
    if (rc == 1 && strcmp(row.state, "queued") == 0) {
        rc = hand_over(p, &row, text, &why);
        if (rc == 0) {
            p->troubled = false;
            mg_info("mail %llu sent", (unsigned long long)id);
            rc = mg_mail_close(p->db, id, true, "", err);
        } else {
            rc = put_back(p, &row, &why, err);
        }
    } else if (rc < 0) { /* a text that does not open, for one */
        rc = row.id != 0 ? put_back(p, &row, &why, err) : (mg_err_move(err, &why), -1);
    }
    mg_err_free(&why);
    mg_pool_free(&pool);
    return rc < 0 ? -1 : 0;
}

/* Everything that is due. 0, or -1 with err. */
static int
empty_queue(struct mg_postman *p, struct mg_err *err)
{
    uint64_t id;
    int found = 0;
    while (!atomic_load(&p->stop) && (found = mg_mail_claim(p->db, LEASE_MS, &id, err)) == 1)
        if (deliver(p, id, err) != 0)
            return -1;
    return found < 0 ? -1 : 0;
}

static void *
run(void *arg)
{
    struct mg_postman *p = arg;
    bool sends = *p->conf->smtp_url != '\0', away = false;
    int64_t chore_at = 0;
    do {
        struct mg_err err = MG_ERR_INIT;
        int rc = p->db == NULL && (p->db = mg_db_open(p->conf, MG_DB_SERVICE, &err)) == NULL ? -1
                                                                                              : 0;
        if (rc == 0 && mg_mono_ms() >= chore_at) {
            rc = p->chore(p->db, p->conf, &err);
            chore_at = mg_mono_ms() + CHORE_MS;
        }
        if (rc == 0 && sends)
            rc = empty_queue(p, &err);
        if (rc != 0 && !away)
            mg_warn("mail: %s %s", err.message, err.detail);
        away = rc != 0;
        mg_err_free(&err);
    } while (rest(p, POLL_MS));
    mg_db_close(&p->db);
    return NULL;
}

/* Who the mails are from: as set, or no-reply at the host of base_url. */
static int
choose_sender(struct mg_postman *p, struct mg_err *err)
{
    const char *host = strstr(p->conf->base_url, "://");
    if (*p->conf->mail_from != '\0')
        snprintf(p->sender, sizeof(p->sender), "%s", p->conf->mail_from);
    else if (host != NULL)
        snprintf(p->sender, sizeof(p->sender), "Model Gateway <no-reply@%.*s>",
                 (int)strcspn(host + 3, ":/"), host + 3);
    return mg_message_sender(p->sender, p->address, err);
}

static int
prepare(struct mg_postman *p, struct mg_err *err)
{
    if (*p->conf->smtp_url == '\0') {
        mg_info("mail: smtp_url is not set, so mails wait in the queue (mgctl mail list)");
        return 0;
    }
    if (choose_sender(p, err) != 0)
        return -1;
    if (*p->conf->smtp_password_file == '\0')
        return 0;
    p->password = mg_conf_secret(p->conf->smtp_password_file, 1024, err);
    return p->password != NULL ? 0 : -1;
}

static void
discard(struct mg_postman *p)
{
    if (p->password != NULL)
        mg_wipe(p->password, strlen(p->password));
    free(p->password);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

struct mg_postman *
mg_postman_start(const struct mg_conf *conf, const struct mg_vault *vault,
                 mg_postman_chore *chore, struct mg_err *err)
{
    struct mg_postman *p = mg_calloc(1, sizeof(*p));
    p->conf = conf;
    p->vault = vault;
    p->chore = chore;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    if (prepare(p, err) == 0 && pthread_create(&p->thread, NULL, run, p) == 0)
        return p;
    if (!mg_err_is(err))
        mg_err_internal(err, "no thread for the mails");
    discard(p);
    return NULL;
}

void
mg_postman_stop(struct mg_postman **postman)
{
    struct mg_postman *p = *postman;
    *postman = NULL;
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    atomic_store(&p->stop, true);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    discard(p);
}
