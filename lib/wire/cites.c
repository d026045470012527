#include "wire/cites.h"

#include "base/alloc.h"

#include <stdlib.h>

#define CITES_MAX 4096

struct mg_cited {
    char *url, *title;
    int64_t start, end;
};

static void
clear(struct mg_cites *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free(c->cited[i].url);
        free(c->cited[i].title);
    }
    c->count = 0;
}

void
mg_cites_free(struct mg_cites *c)
{
    clear(c);
    free(c->cited);
    *c = (struct mg_cites){0};
}

void
mg_cites_begin(struct mg_cites *c, int64_t before)
{
    clear(c);
    c->before = before;
    c->length = 0;
}

void
mg_cites_text(struct mg_cites *c, struct mg_span text)
{
    for (size_t i = 0; i < text.n; i++)
        c->length += ((unsigned char)text.p[i] & 0xc0) != 0x80;
}

void
mg_cites_add(struct mg_cites *c, const struct mg_cite *cite)
{
    if (c->count >= CITES_MAX)
        return;
    if (c->count == c->room) {
        c->room = c->room ? c->room * 2 : 4;
        c->cited = mg_realloc(c->cited, c->room * sizeof(*c->cited));
    }
    c->cited[c->count++] = (struct mg_cited){
        .url = mg_strndup(cite->url.n ? cite->url.p : "", cite->url.n),
        .title = mg_strndup(cite->title.n ? cite->title.p : "", cite->title.n),
        .start = cite->start, .end = cite->end};
}

void
mg_cites_write(const struct mg_cites *c, size_t i, bool nested, struct mg_jw *w)
{
    const struct mg_cited *one = &c->cited[i];
    bool whole = one->start < 0 || one->end < one->start;
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", "url_citation");
    if (nested)
        mg_jw_object(w, "url_citation");
    mg_jw_string(w, "url", one->url);
    mg_jw_string(w, "title", one->title);
    mg_jw_int(w, "start_index", c->before + (whole ? 0 : one->start));
    mg_jw_int(w, "end_index", c->before + (whole ? c->length : one->end));
    if (nested)
        mg_jw_end(w);
    mg_jw_end(w);
}
