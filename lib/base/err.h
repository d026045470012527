/* The one error object.
 *
 * Whatever goes wrong, anywhere, fills one struct mg_err: the HTTP status it means, a short
 * machine-readable code, a text for the client that says what to do, and a private detail that
 * only the log sees. Lower rooms know nothing of HTTP families: http/reply turns the object
 * into the body that the client's format wants (Messages, Chat/Responses, 422 detail). */
#ifndef MG_BASE_ERR_H
#define MG_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#define MG_ERR_FIELDS 32 /* more problems than this in one body are not listed */

/* One entry of the `detail` array of a 422 (HTTPValidationError of the specification). */
struct mg_err_field {
    char loc[160]; /* parts separated by '/', digits mean an index: "body/messages/0/role" */
    char msg[160];
    char type[48]; /* "missing", "string_type", "value_error", … */
};

struct mg_err {
    int status;         /* HTTP status, 0 = no error */
    char code[64];      /* e.g. "invalid_api_key", "insufficient_quota"; "" = null */
    char type[48];      /* overrides the error type that follows from the status; "" = derive */
    char param[96];     /* the request field at fault; "" = null */
    char message[512];  /* for the client */
    char detail[512];   /* for the log only; never a key, never a prompt */
    char *verbatim;     /* a whole body to send instead of ours (upstream's 400); owned */
    size_t verbatim_len;
    char verbatim_type[64];   /* its content type */
    char details_json[256];   /* extra `error.details` object (JSON) where a client needs one */
    int retry_after_s;  /* Retry-After in seconds, -1 = none */
    bool no_retry;      /* adds x-should-retry: false */
    bool retry;         /* adds x-should-retry: true */
    size_t fields;
    struct mg_err_field *field; /* `fields` entries, owned */
};

/* An object that says "no error". Always start with this. */
#define MG_ERR_INIT {.retry_after_s = -1}
void mg_err_init(struct mg_err *err) __attribute__((nonnull));
/* Frees what the object owns and makes it "no error" again. */
void mg_err_free(struct mg_err *err) __attribute__((nonnull));

/* Sets status, code and client text; an error that is already there is replaced (its own texts
 * may be among the arguments). Returns -1, so that `return mg_err_set(...)` reads well. */
int mg_err_set(struct mg_err *err, int status, const char *code, const char *fmt, ...)
    __attribute__((nonnull(1, 3, 4), format(printf, 4, 5)));
/* The same with the request field at fault. */
int mg_err_param(struct mg_err *err, int status, const char *code, const char *param,
                 const char *fmt, ...) __attribute__((nonnull, format(printf, 5, 6)));
/* 500 with a neutral client text; the formatted text goes to the log only. Returns -1. */
int mg_err_internal(struct mg_err *err, const char *fmt, ...)
    __attribute__((nonnull(1, 2), format(printf, 2, 3)));
/* Adds a private detail to an error that is set. */
void mg_err_detail(struct mg_err *err, const char *fmt, ...)
    __attribute__((nonnull(1, 2), format(printf, 2, 3)));
/* Adds one entry for the 422 detail and makes the status 422; `loc` is formatted. Returns -1. */
int mg_err_field(struct mg_err *err, const char *type, const char *msg, const char *loc, ...)
    __attribute__((nonnull(1, 2, 3, 4), format(printf, 4, 5)));
/* Moves an error: `to` is freed first, `from` becomes "no error". */
void mg_err_move(struct mg_err *to, struct mg_err *from) __attribute__((nonnull));
bool mg_err_is(const struct mg_err *err) __attribute__((nonnull));

#endif
