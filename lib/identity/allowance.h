/* What a User API Key may do: which models it may ask for, how much it may spend in a month.
 *
 * A list of models holds ids as clients send them, aliases and models alike, and is compared with
 * what the request asks for: whoever allows `power-ai` allows it whatever is behind it today.
 * As a text the ids stand in it with one space between; no id holds a space. A month is a UTC
 * month. Pure: no database, no clock. */
#ifndef MG_IDENTITY_ALLOWANCE_H
#define MG_IDENTITY_ALLOWANCE_H

#include "base/err.h"
#include "base/str.h"
#include "identity/principal.h"

#include <stdbool.h>
#include <stddef.h>

/* True when the list is "" (every model) or holds the id. */
bool mg_allowance_has(const char *models, const char *id) __attribute__((nonnull));
/* The next id of a list: NULL in `after.p` for the first; an empty span when there is no more. */
struct mg_span mg_allowance_next(const char *models, struct mg_span after)
    __attribute__((nonnull));
/* Adds an id to a list of `size` bytes; one that is there already is left out. 0, or -1 when it
 * cannot be an id or does not fit. */
int mg_allowance_add(char *models, size_t size, const char *id) __attribute__((nonnull));

/* May the caller generate with this model, now? `asked` is the id of the request or the default
 * that stands for it. 0; -1 with a 403 `model_not_allowed` or, when the month's limit is used up,
 * a 402 `key_limit_reached` that says when it ends. What is in flight is not counted: a key can
 * pass its limit by the cost of the requests that run when it is reached. */
int mg_allowance_check(const struct mg_principal *who, const char *asked, int64_t now_ms,
                       struct mg_err *err) __attribute__((nonnull, warn_unused_result));

#endif
