/* One mail handed to a mail server (RFC 5321), by libcurl, in the caller's thread.
 *
 * STARTTLS or implicit TLS is required unless the settings say otherwise, so neither a password
 * nor a link goes out in clear by accident. */
#ifndef MG_UPSTREAM_SMTP_H
#define MG_UPSTREAM_SMTP_H

#include "base/err.h"
#include "base/str.h"

#include <stdatomic.h>
#include <stdbool.h>

struct mg_smtp {
    const char *url;      /* smtp://host:port or smtps://host:port */
    const char *user;     /* "" = no authentication */
    const char *password;
    bool tls;             /* false: also in clear, for a server on the same machine */
    const char *ca_file;  /* certificates to trust; "" = the system's */
    const char *from;     /* bare address of the envelope */
    const char *to;
    struct mg_span message; /* headers, empty line, body; lines end with \r\n */
    const atomic_bool *stop; /* set: give up at once */
};

/* Hands the mail over, within a minute or so. 0: the server has it. -1 with err: status 550 when
 * the server refuses this recipient or mail for good, else 503; the detail says why. */
int mg_smtp_send(const struct mg_smtp *smtp, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
