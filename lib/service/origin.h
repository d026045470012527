/* Whether a request that changes something comes from this site's own pages.
 *
 * A browser sends cookies along whoever made the page; what it also says is the page's origin
 * (Fetch standard: Origin, Sec-Fetch-Site), which no script can forge. Programs that are no
 * browsers say neither. */
#ifndef MG_SERVICE_ORIGIN_H
#define MG_SERVICE_ORIGIN_H

#include "http/request.h"

#include <stdbool.h>

/* The scheme, host and port of base_url equal the origin; default ports may be left out. */
bool mg_origin_same(const char *base_url, const char *origin) __attribute__((nonnull));

/* For a request that a cookie authenticates: Origin must be that of base_url; without one,
 * Sec-Fetch-Site must be same-origin. A GET or HEAD may say nothing, but not that it comes from
 * another site. A body must be JSON. 0, or -1 with a 403 `foreign_origin` or 415. */
int mg_origin_check_cookie(const struct mg_request *req, const char *base_url,
                           struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* For a public form such as sign-in: nothing said is fine, anything foreign is not. */
int mg_origin_check_form(const struct mg_request *req, const char *base_url, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
