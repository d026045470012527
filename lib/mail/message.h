/* A mail as bytes: headers and body as RFC 5322 wants them. Pure. */
#ifndef MG_MAIL_MESSAGE_H
#define MG_MAIL_MESSAGE_H

#include "base/err.h"
#include "base/str.h"

#include <stdint.h>

struct mg_message {
    const char *from;    /* `Name <address>` or an address; checked by mg_message_sender */
    const char *to;      /* address */
    const char *subject; /* UTF-8, one line */
    const char *text;    /* UTF-8, lines end with \n */
    uint64_t number;     /* with the time: what makes its id, the same at every attempt */
    int64_t created_ms;
};

/* The bare address of a sender. 0; or -1 with err when the text is none, or could not stand in a
 * header (a name is ASCII without quotes, brackets and control characters). */
int mg_message_sender(const char *from, char address[255], struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Appends the message to `out`, lines ended by \r\n. The sender must be one that
 * mg_message_sender accepts. A subject that is not ASCII is encoded (RFC 2047), and so is a text
 * that is not, or has long lines (quoted-printable). No byte of subject or text can begin a
 * header. */
void mg_message_write(const struct mg_message *message, struct mg_str *out)
    __attribute__((nonnull));

#endif
