/* The content of a Messages reply that is not streamed, while it is collected; and the parts of
 * it that events spell alike. */
#ifndef MG_WIRE_MESSAGES_CONTENT_H
#define MG_WIRE_MESSAGES_CONTENT_H

#include "base/str.h"
#include "json/writer.h"
#include "wire/event.h"

#include <stdbool.h>

struct mg_content {
    struct mg_str blocks; /* elements of the list, JSON; the last one may be open */
    enum mg_part part;    /* of the open block */
    struct mg_str text;   /* of the open block, appended to by the encoder */
    struct mg_str proof;  /* signature of open reasoning, citations of an open text */
};

void mg_content_init(struct mg_content *content) __attribute__((nonnull));
void mg_content_free(struct mg_content *content) __attribute__((nonnull));
/* False when something did not fit. */
bool mg_content_ok(const struct mg_content *content) __attribute__((nonnull));
/* A block begins (its BEGIN event), has a source, ends. */
void mg_content_begin(struct mg_content *content, const struct mg_event *event)
    __attribute__((nonnull));
void mg_content_cite(struct mg_content *content, const struct mg_cite *source)
    __attribute__((nonnull));
void mg_content_end(struct mg_content *content) __attribute__((nonnull));

/* Writes the members of a tool_use block but its input. */
void mg_content_tool(struct mg_jw *w, const struct mg_event *event) __attribute__((nonnull));
/* Writes a source on the web as a search of the web would have cited it. */
void mg_content_citation(struct mg_jw *w, const char *key, const struct mg_cite *cite)
    __attribute__((nonnull(1, 3)));

#endif
