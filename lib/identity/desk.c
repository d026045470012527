#include "identity/desk.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdlib.h>

/* A thread at the desk; lives on its stack. */
struct visitor {
    struct mg_principal_look look;
    struct visitor *next;
    pthread_cond_t called;
    bool answered;
};

struct mg_desk {
    const struct mg_conf *conf;
    pthread_mutex_t lock;
    struct visitor *first, **last; /* who waits, in order of arrival */
    bool busy;                     /* somebody is asking the database */
    struct mg_db *db;              /* of whoever is */
};

struct mg_desk *
mg_desk_new(const struct mg_conf *conf)
{
    struct mg_desk *desk = mg_calloc(1, sizeof(*desk));
    desk->conf = conf;
    desk->last = &desk->first;
    pthread_mutex_init(&desk->lock, NULL);
    return desk;
}

void
mg_desk_free(struct mg_desk **desk)
{
    if (*desk == NULL)
        return;
    if ((*desk)->db != NULL)
        mg_db_close(&(*desk)->db);
    pthread_mutex_destroy(&(*desk)->lock);
    free(*desk);
    *desk = NULL;
}

/* Takes those who came first off the queue. */
static size_t
take(struct mg_desk *desk, struct visitor **group)
{
    size_t n = 0;
    while (n < MG_PRINCIPAL_LOOKS && desk->first != NULL) {
        group[n++] = desk->first;
        desk->first = desk->first->next;
    }
    if (desk->first == NULL)
        desk->last = &desk->first;
    return n;
}

static void
ask(struct mg_desk *desk, struct visitor **group, size_t count)
{
    struct mg_principal_look *looks[MG_PRINCIPAL_LOOKS];
    struct mg_err err = MG_ERR_INIT;
    for (size_t i = 0; i < count; i++)
        looks[i] = &group[i]->look;
    if (desk->db == NULL)
        desk->db = mg_db_open(desk->conf, MG_DB_SERVICE, &err);
    if (desk->db != NULL) {
        mg_principal_of_keys(desk->db, looks, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        looks[i]->found = mg_err_set(looks[i]->err, err.status, err.code, "%s", err.message);
        looks[i]->err->retry_after_s = err.retry_after_s;
        mg_err_detail(looks[i]->err, "%s", err.detail);
    }
    mg_err_free(&err);
}

/* Asks for a group, with the lock released meanwhile. */
static void
serve(struct mg_desk *desk)
{
    struct visitor *group[MG_PRINCIPAL_LOOKS];
    size_t count = take(desk, group);
    desk->busy = true;
    pthread_mutex_unlock(&desk->lock);
    ask(desk, group, count);
    pthread_mutex_lock(&desk->lock);
    desk->busy = false;
    for (size_t i = 0; i < count; i++) {
        group[i]->answered = true;
        pthread_cond_signal(&group[i]->called);
    }
    if (desk->first != NULL) /* it is the next one's turn to ask */
        pthread_cond_signal(&desk->first->called);
}

int
mg_desk_ask(struct mg_desk *desk, const char *secret, struct mg_principal *who,
            struct mg_err *err)
{
    struct visitor me = {.look = {.secret = secret, .who = who, .err = err}};
    pthread_cond_init(&me.called, NULL);
    pthread_mutex_lock(&desk->lock);
    *desk->last = &me;
    desk->last = &me.next;
    while (!me.answered) {
        if (desk->busy)
            pthread_cond_wait(&me.called, &desk->lock);
        else
            serve(desk);
    }
    pthread_mutex_unlock(&desk->lock);
    pthread_cond_destroy(&me.called);
    return me.look.found;
}
