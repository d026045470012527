#include "http_origin.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct client {
    struct origin *origin;
    int fd;
};

int
origin_count(const int *counter)
{
    return __atomic_load_n(counter, __ATOMIC_SEQ_CST);
}

static void
add(int *counter, int n)
{
    __atomic_add_fetch(counter, n, __ATOMIC_SEQ_CST);
}

void
origin_say(int fd, const char *text)
{
    size_t n = strlen(text);
    while (n > 0) {
        ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        text += sent;
        n -= (size_t)sent;
    }
}

/* Reads one request; false at the end of the connection. */
static bool
read_request(int fd, struct origin_request *r)
{
    size_t len = 0;
    char *end = NULL;
    while (end == NULL) {
        ssize_t n = recv(fd, r->head + len, 1, 0); /* slow, and never into the body */
        if (n <= 0 || len + 2 > sizeof(r->head))
            return false;
        r->head[++len] = '\0';
        end = strstr(r->head, "\r\n\r\n");
    }
    if (sscanf(r->head, "%*s %127s", r->path) != 1)
        return false;
    const char *length = strcasestr(r->head, "\r\ncontent-length:");
    r->body_len = length != NULL ? (size_t)strtoul(length + 17, NULL, 10) : 0;
    if (strcmp(r->path, "/early") == 0)
        return true; /* this one does not wait for the body */
    r->body = realloc(r->body, r->body_len + 1);
    for (size_t have = 0; have < r->body_len;) {
        ssize_t n = recv(fd, r->body + have, r->body_len - have, 0);
        if (n <= 0)
            return false;
        have += (size_t)n;
    }
    r->body[r->body_len] = '\0';
    return true;
}

static void *
serve_client(void *arg)
{
    struct client client = *(struct client *)arg;
    struct origin_request *r = calloc(1, sizeof(*r));
    free(arg);
    add(&client.origin->connections, 1);
    add(&client.origin->open, 1);
    bool keep = true;
    while (keep && read_request(client.fd, r)) {
        add(&client.origin->requests, 1);
        r->nth++;
        keep = client.origin->serve(client.fd, r);
    }
    close(client.fd);
    free(r->body);
    free(r);
    add(&client.origin->open, -1);
    return NULL;
}

static void *
accept_clients(void *arg)
{
    struct origin *origin = arg;
    int fd;
    while ((fd = accept(origin->listen_fd, NULL, NULL)) >= 0) {
        struct client *client = malloc(sizeof(*client));
        *client = (struct client){origin, fd};
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve_client, client) != 0)
            abort();
        pthread_detach(thread);
    }
    return NULL;
}

void
origin_listen(struct origin *origin)
{
    pthread_t thread;
    listen(origin->listen_fd, 512);
    if (pthread_create(&thread, NULL, accept_clients, origin) != 0)
        abort();
    pthread_detach(thread);
}

void
origin_start(struct origin *origin, origin_serve *serve, bool listening)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof(address);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *origin = (struct origin){.serve = serve};
    origin->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(origin->listen_fd, (struct sockaddr *)&address, sizeof(address)) != 0)
        abort();
    getsockname(origin->listen_fd, (struct sockaddr *)&address, &size);
    origin->port = ntohs(address.sin_port);
    if (listening)
        origin_listen(origin);
}

void
origin_stop(struct origin *origin)
{
    shutdown(origin->listen_fd, SHUT_RDWR); /* ends the accepting thread */
    usleep(50000);
    close(origin->listen_fd);
}
