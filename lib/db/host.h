/* The ordered list of database servers, read from its setting. Knows no connection. */
#ifndef MG_DB_HOST_H
#define MG_DB_HOST_H

#include "base/err.h"

#include <stddef.h>

#define MG_DB_HOSTS 8

/* One server: a unix socket, or a name (address) and port. */
struct mg_db_host {
    char socket[108]; /* path, "" = use name and port */
    char name[256];
    unsigned port;
};

/* Reads "unix:/run/db.sock,db2:3306,[::1]:3307" into hosts; a missing port is 3306. Returns
 * how many there are (1 … MG_DB_HOSTS), or -1 with err naming the part that is wrong. */
int mg_db_host_parse(const char *text, struct mg_db_host hosts[MG_DB_HOSTS], struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
