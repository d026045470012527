#include "wire/transcript.h"

#define OBJECT_MAX ((size_t)64 << 20)

int
mg_transcript_read(enum mg_family family, struct mg_span events, const struct mg_usage *usage,
                   enum mg_transcript_end end, struct mg_transcript *t)
{
    *t = (struct mg_transcript){.first = -1, .last = -1};
    mg_str_init(&t->object, OBJECT_MAX);
    mg_str_init(&t->tail, OBJECT_MAX);
    int rc = family == MG_RESPONSES ? mg_transcript_responses(events, end, t)
                                    : mg_transcript_chat(events, usage, t);
    return rc == 0 && t->object.len > 0 && mg_str_ok(&t->object) && mg_str_ok(&t->tail) ? 0 : -1;
}

void
mg_transcript_free(struct mg_transcript *t)
{
    mg_str_free(&t->object);
    mg_str_free(&t->tail);
}
