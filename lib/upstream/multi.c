#include "upstream/multi.h"

#include "base/alloc.h"
#include "base/log.h"
#include "upstream/easy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#define IDLE_HANDLES 256
#define CONNECTIONS 4096L /* kept open at most, busy ones included */

struct sock {
    struct mg_watch watch;
    struct mg_multi *multi;
    struct sock *next; /* in the list of free ones */
};

struct mg_multi {
    struct mg_loop *loop;
    CURLM *curl;
    mg_multi_done *done;
    mg_multi_drop *drop;
    struct mg_timer timer;
    struct sock *free_socks;
    CURL *idle[IDLE_HANDLES];
    size_t idle_count;
    struct mg_multi_member *members;
    bool busy;
};

/* Reports finished handles. A report may start or cancel others, so ask anew each time. */
static void
report(struct mg_multi *m)
{
    CURLMsg *msg;
    int left;
    while ((msg = curl_multi_info_read(m->curl, &left)) != NULL) {
        if (msg->msg != CURLMSG_DONE)
            continue;
        CURLcode code = msg->data.result;
        char *owner = NULL;
        curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &owner);
        m->done(owner, code);
    }
}

static void
act(struct mg_multi *m, curl_socket_t fd, int what)
{
    int running;
    m->busy = true;
    curl_multi_socket_action(m->curl, fd, what, &running);
    m->busy = false;
    report(m);
}

static void
on_event(void *arg, uint32_t events)
{
    struct sock *sock = arg;
    int what = 0;
    if ((events & (EPOLLIN | EPOLLRDHUP)) != 0)
        what |= CURL_CSELECT_IN;
    if ((events & EPOLLOUT) != 0)
        what |= CURL_CSELECT_OUT;
    if ((events & (EPOLLERR | EPOLLHUP)) != 0)
        what |= CURL_CSELECT_ERR;
    act(sock->multi, sock->watch.fd, what);
}

static void
forget(struct mg_multi *m, struct sock *sock, curl_socket_t fd)
{
    mg_watch_clear(m->loop, &sock->watch);
    curl_multi_assign(m->curl, fd, NULL);
    sock->next = m->free_socks;
    m->free_socks = sock;
}

static struct sock *
new_sock(struct mg_multi *m)
{
    struct sock *sock = m->free_socks;
    if (sock != NULL)
        m->free_socks = sock->next;
    else
        sock = mg_calloc(1, sizeof(*sock));
    sock->multi = m;
    return sock;
}

/* libcurl: what to watch a socket for. */
static int
on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *known)
{
    struct mg_multi *m = arg;
    struct sock *sock = known;
    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (sock != NULL)
            forget(m, sock, fd);
        return 0;
    }
    if (sock == NULL) {
        sock = new_sock(m);
        curl_multi_assign(m->curl, fd, sock);
    }
    uint32_t events = ((what & CURL_POLL_IN) != 0 ? EPOLLIN : 0)
                      | ((what & CURL_POLL_OUT) != 0 ? EPOLLOUT : 0);
    /* A failure told to libcurl would end every transfer; so only this one will time out. */
    if (mg_watch_set(m->loop, &sock->watch, fd, events, on_event, sock) != 0)
        mg_error("a socket to an upstream cannot be watched: %s", strerror(errno));
    return 0;
}

static void
on_time(void *arg)
{
    act(arg, CURL_SOCKET_TIMEOUT, 0);
}

/* libcurl: when to be called again. */
static int
on_timer(CURLM *curl, long ms, void *arg)
{
    struct mg_multi *m = arg;
    (void)curl;
    if (ms < 0)
        mg_timer_clear(m->loop, &m->timer);
    else
        mg_timer_set(m->loop, &m->timer, ms, on_time, m);
    return 0;
}

static void
release(void *arg)
{
    struct mg_multi *m = arg;
    while (m->members != NULL)
        m->drop(m->members->owner);
    while (m->idle_count > 0)
        curl_easy_cleanup(m->idle[--m->idle_count]);
    curl_multi_cleanup(m->curl);
    mg_timer_clear(m->loop, &m->timer);
    for (struct sock *sock = m->free_socks, *next; sock != NULL; sock = next) {
        next = sock->next;
        free(sock);
    }
    free(m);
}

struct mg_multi *
mg_multi_of(struct mg_loop *loop, mg_multi_done *done, mg_multi_drop *drop)
{
    struct mg_multi *m = mg_loop_attached(loop);
    if (m != NULL)
        return m;
    mg_easy_library();
    m = mg_calloc(1, sizeof(*m));
    m->loop = loop;
    m->done = done;
    m->drop = drop;
    m->curl = curl_multi_init();
    if (m->curl == NULL)
        abort();
    curl_multi_setopt(m->curl, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(m->curl, CURLMOPT_SOCKETDATA, m);
    curl_multi_setopt(m->curl, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(m->curl, CURLMOPT_TIMERDATA, m);
    curl_multi_setopt(m->curl, CURLMOPT_MAXCONNECTS, CONNECTIONS);
    curl_multi_setopt(m->curl, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
    mg_loop_attach(loop, m, release);
    return m;
}

CURL *
mg_multi_take(struct mg_multi *m)
{
    return m->idle_count > 0 ? m->idle[--m->idle_count] : NULL;
}

void
mg_multi_give(struct mg_multi *m, CURL *easy)
{
    if (m->idle_count < IDLE_HANDLES)
        m->idle[m->idle_count++] = easy;
    else
        curl_easy_cleanup(easy);
}

void
mg_multi_join(struct mg_multi *m, struct mg_multi_member *member, void *owner)
{
    member->owner = owner;
    member->next = m->members;
    member->at = &m->members;
    if (member->next != NULL)
        member->next->at = &member->next;
    m->members = member;
}

void
mg_multi_leave(struct mg_multi_member *member)
{
    *member->at = member->next;
    if (member->next != NULL)
        member->next->at = member->at;
}

CURLMcode
mg_multi_add(struct mg_multi *m, CURL *easy)
{
    return curl_multi_add_handle(m->curl, easy);
}

void
mg_multi_remove(struct mg_multi *m, CURL *easy)
{
    curl_multi_remove_handle(m->curl, easy);
}

void
mg_multi_unpause(struct mg_multi *m, CURL *easy)
{
    m->busy = true;
    curl_easy_pause(easy, CURLPAUSE_CONT);
    m->busy = false;
    report(m);
}

bool
mg_multi_busy(const struct mg_multi *m)
{
    return m->busy;
}
