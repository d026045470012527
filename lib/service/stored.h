/* What all routes of stored objects do first: the id in the path, the object behind it, the page
 * that is asked for. */
#ifndef MG_SERVICE_STORED_H
#define MG_SERVICE_STORED_H

#include "http/request.h"
#include "infer/app.h"
#include "store/object.h"

#define MG_STORED_PAGE 20        /* entries of a page unless the caller says */
#define MG_STORED_PAGE_MOST 100

/* The id in the path. NULL with a 422 whose loc is ["path", name] when it can be none: longer
 * than 128 characters, or others than [A-Za-z0-9_.:-]. */
const char *mg_stored_id(const struct mg_request *req, const char *name, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* The caller's object of that id, and a connection to go on with (give it back with
 * mg_db_pool_put). 0; -1 with err, *db NULL: 422, 404 for an unknown or foreign one, 503. */
int mg_stored_find(struct mg_app *app, const struct mg_request *req, enum mg_object_kind kind,
                   struct mg_object *object, struct mg_db **db, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* The 404 of that kind. Returns -1. */
int mg_stored_unknown(enum mg_object_kind kind, const char *id, struct mg_err *err)
    __attribute__((nonnull));

/* `after`, `limit` and `order` of the query. */
struct mg_stored_page {
    const char *after;   /* NULL = from the start */
    size_t limit;
    bool descending;
};
/* Reads them; `descending` is what no order means. 0, or -1 with a 422. */
int mg_stored_page(const struct mg_request *req, bool descending, struct mg_stored_page *page,
                   struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* The 400 for an `after` that names nothing. Returns -1. */
int mg_stored_bad_after(const char *after, struct mg_err *err) __attribute__((nonnull));

#endif
