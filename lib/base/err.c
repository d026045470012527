#include "base/err.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
mg_err_init(struct mg_err *err)
{
    *err = (struct mg_err)MG_ERR_INIT;
}

void
mg_err_free(struct mg_err *err)
{
    free(err->verbatim);
    free(err->field);
    mg_err_init(err);
}

/* Texts are made before the old ones go, so that an error may be wrapped in itself. */
static void
set(struct mg_err *err, int status, const char *code, const char *param)
{
    char new_code[sizeof(err->code)], new_param[sizeof(err->param)];
    snprintf(new_code, sizeof(new_code), "%s", code);
    snprintf(new_param, sizeof(new_param), "%s", param);
    mg_err_free(err);
    err->status = status;
    memcpy(err->code, new_code, sizeof(err->code));
    memcpy(err->param, new_param, sizeof(err->param));
}

int
mg_err_set(struct mg_err *err, int status, const char *code, const char *fmt, ...)
{
    char text[sizeof(err->message)];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    set(err, status, code, "");
    memcpy(err->message, text, sizeof(text));
    return -1;
}

int
mg_err_param(struct mg_err *err, int status, const char *code, const char *param,
             const char *fmt, ...)
{
    char text[sizeof(err->message)];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    set(err, status, code, param);
    memcpy(err->message, text, sizeof(text));
    return -1;
}

int
mg_err_internal(struct mg_err *err, const char *fmt, ...)
{
    char text[sizeof(err->detail)];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    set(err, 500, "internal_error", "");
    snprintf(err->message, sizeof(err->message),
             "The service could not complete the request. Keep the request id for support.");
    memcpy(err->detail, text, sizeof(text));
    return -1;
}

void
mg_err_detail(struct mg_err *err, const char *fmt, ...)
{
    char text[sizeof(err->detail)];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    memcpy(err->detail, text, sizeof(text));
}

int
mg_err_field(struct mg_err *err, const char *type, const char *msg, const char *loc, ...)
{
    if (err->status != 422)
        set(err, 422, "validation_error", "");
    if (err->fields >= MG_ERR_FIELDS)
        return -1;
    err->field = mg_realloc(err->field, (err->fields + 1) * sizeof(*err->field));
    struct mg_err_field *f = &err->field[err->fields++];
    va_list ap;
    va_start(ap, loc);
    vsnprintf(f->loc, sizeof(f->loc), loc, ap);
    va_end(ap);
    snprintf(f->msg, sizeof(f->msg), "%s", msg);
    snprintf(f->type, sizeof(f->type), "%s", type);
    if (err->fields == 1) {
        /* Clients read one sentence and one field name; the first problem serves for both. */
        const char *name = strchr(f->loc, '/');
        snprintf(err->param, sizeof(err->param), "%.90s", name ? name + 1 : f->loc);
        for (char *c = err->param; *c != '\0'; c++)
            if (*c == '/')
                *c = '.';
        snprintf(err->message, sizeof(err->message), "%s: %s", err->param, msg);
    }
    return -1;
}

void
mg_err_move(struct mg_err *to, struct mg_err *from)
{
    mg_err_free(to);
    *to = *from;
    mg_err_init(from);
}

bool
mg_err_is(const struct mg_err *err)
{
    return err->status != 0;
}
