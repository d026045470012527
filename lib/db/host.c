#include "db/host.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PORT 3306

static int
wrong(struct mg_err *err, const char *part, size_t n, const char *why)
{
    return mg_err_internal(err, "db_hosts: '%.*s' %s", (int)(n < 120 ? n : 120), part, why);
}

/* Copies n bytes into a field of `size`; false when they do not fit or there are none. */
static int
copy(char *to, size_t size, const char *from, size_t n)
{
    if (n == 0 || n >= size)
        return 0;
    memcpy(to, from, n);
    to[n] = '\0';
    return 1;
}

static int
read_port(const char *text, size_t n, unsigned *port)
{
    unsigned long value = 0;
    if (n == 0 || n > 5)
        return 0;
    for (size_t i = 0; i < n; i++) {
        if (!isdigit((unsigned char)text[i]))
            return 0;
        value = value * 10 + (unsigned long)(text[i] - '0');
    }
    *port = (unsigned)value;
    return value > 0 && value < 65536;
}

static int
read_tcp(const char *part, size_t n, struct mg_db_host *host, struct mg_err *err)
{
    const char *name = part, *end = part + n, *colon;
    size_t name_len;
    if (*part == '[') {
        const char *close = memchr(part, ']', n);
        if (close == NULL)
            return wrong(err, part, n, "lacks its ]");
        name = part + 1;
        name_len = (size_t)(close - name);
        colon = close + 1 < end ? close + 1 : NULL;
        if (colon != NULL && *colon != ':')
            return wrong(err, part, n, "has something behind its ]");
    } else {
        colon = memchr(part, ':', n);
        name_len = colon != NULL ? (size_t)(colon - part) : n;
    }
    host->port = DEFAULT_PORT;
    if (!copy(host->name, sizeof(host->name), name, name_len))
        return wrong(err, part, n, "has no usable name");
    if (colon != NULL && !read_port(colon + 1, (size_t)(end - colon - 1), &host->port))
        return wrong(err, part, n, "has no usable port");
    return 0;
}

static int
read_host(const char *part, size_t n, struct mg_db_host *host, struct mg_err *err)
{
    memset(host, 0, sizeof(*host));
    if (n >= 5 && memcmp(part, "unix:", 5) == 0) {
        if (part[5] != '/' || !copy(host->socket, sizeof(host->socket), part + 5, n - 5))
            return wrong(err, part, n, "is no absolute path of at most 107 bytes");
        return 0;
    }
    return read_tcp(part, n, host, err);
}

int
mg_db_host_parse(const char *text, struct mg_db_host hosts[MG_DB_HOSTS], struct mg_err *err)
{
    int count = 0;
    while (*text != '\0') {
        size_t n = strcspn(text, ",");
        const char *part = text, *end = text + n;
        text += n + (text[n] == ',');
        while (part < end && isspace((unsigned char)*part))
            part++;
        while (end > part && isspace((unsigned char)end[-1]))
            end--;
        if (part == end)
            continue;
        if (count == MG_DB_HOSTS)
            return mg_err_internal(err, "db_hosts: more than %d servers", MG_DB_HOSTS);
        if (read_host(part, (size_t)(end - part), &hosts[count], err) != 0)
            return -1;
        count++;
    }
    return count > 0 ? count : mg_err_internal(err, "db_hosts: names no server");
}
