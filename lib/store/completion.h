/* Stored chat completions: shown, listed by filters, with the messages that led to them.
 *
 * What is shown is the completion as its client got it, with what was asked (store/asked.h) and the
 * metadata of now. */
#ifndef MG_STORE_COMPLETION_H
#define MG_STORE_COMPLETION_H

#include "store/metadata.h"
#include "store/object.h"

/* A page of a list. */
struct mg_completion_page {
    uint64_t account_id;
    const char *model;      /* only those asked of it, NULL = all */
    const char *name[MG_METADATA_PAIRS], *value[MG_METADATA_PAIRS]; /* only those that have all */
    size_t pairs;
    const char *after;      /* id of the last one of the page before, NULL = from the start */
    size_t limit;           /* at least 1 */
    bool descending;        /* newest first */
};

/* Appends the object. 1; 0 when its body is gone; -1. */
int mg_completion_show(struct mg_db *db, const struct mg_object *object, struct mg_str *out,
                       struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Appends the list object of a page. 1; 0 when `after` is unknown; -1. */
int mg_completion_list(struct mg_db *db, const struct mg_completion_page *page,
                       struct mg_str *out, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Appends a page of the messages (JSON array `input`) of the completion `id`; each has the id
 * "<id>-<n>". 0; -1 when `after` is the id of none of them. Pure. */
int mg_completion_messages(const char *id, struct mg_span input, const char *after, size_t limit,
                           bool descending, struct mg_str *out)
    __attribute__((nonnull(1, 6), warn_unused_result));

#endif
