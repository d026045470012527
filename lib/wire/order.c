#include "wire/order.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define WAIT_MAX ((size_t)64 << 20) /* bytes that may have to wait in one answer */

/* A copy of an event whose block has to wait; its texts follow it in the same memory. */
struct waiting {
    struct waiting *next;
    struct mg_event event;
    char bytes[];
};

/* The open blocks and those that wait, in the order of their beginnings. */
struct block {
    struct block *next;
    unsigned number;
    bool ended;
    struct waiting *first, **last;
};

struct mg_order {
    struct mg_sink to;
    struct block *head, **tail;
    size_t waiting;
    bool failed;
};

struct mg_order *
mg_order_new(struct mg_sink to)
{
    struct mg_order *o = mg_calloc(1, sizeof(*o));
    o->to = to;
    o->tail = &o->head;
    return o;
}

static void
free_block(struct block *b)
{
    while (b->first != NULL) {
        struct waiting *w = b->first;
        b->first = w->next;
        free(w);
    }
    free(b);
}

void
mg_order_free(struct mg_order **order)
{
    if (*order == NULL)
        return;
    for (struct block *b = (*order)->head, *next; b != NULL; b = next) {
        next = b->next;
        free_block(b);
    }
    free(*order);
    *order = NULL;
}

/* The parts of an event that point into the upstream's bytes. */
static size_t
spans_of(struct mg_event *e, struct mg_span *spans[])
{
    struct mg_span *all[] = {&e->id, &e->name, &e->space, &e->text, &e->logprobs, &e->proof.id,
                             &e->proof.text, &e->proof.blob, &e->cite.url, &e->cite.title};
    memcpy(spans, all, sizeof(all));
    return sizeof(all) / sizeof(all[0]);
}

static struct waiting *
copy(const struct mg_event *event, size_t *size)
{
    struct mg_event e = *event;
    struct mg_span *spans[10];
    size_t count = spans_of(&e, spans), bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += spans[i]->n;
    struct waiting *w = mg_malloc(sizeof(*w) + bytes);
    char *at = w->bytes;
    for (size_t i = 0; i < count; i++) {
        if (spans[i]->n > 0)
            memcpy(at, spans[i]->p, spans[i]->n);
        *spans[i] = (struct mg_span){at, spans[i]->n};
        at += spans[i]->n;
    }
    w->event = e;
    w->next = NULL;
    *size = sizeof(*w) + bytes;
    return w;
}

static void
hold(struct mg_order *o, struct block *b, const struct mg_event *event)
{
    size_t size;
    if (o->failed)
        return;
    *b->last = copy(event, &size);
    b->last = &(*b->last)->next;
    o->waiting += size;
    o->failed = o->waiting > WAIT_MAX;
}

/* Says what the block could not say while it waited. */
static void
speak(struct mg_order *o, struct block *b)
{
    while (b->first != NULL) {
        struct waiting *w = b->first;
        mg_sink_put(o->to, &w->event);
        b->first = w->next;
        free(w);
    }
    b->last = &b->first;
}

/* The first block is over: the next ones may speak, up to the first that is still open. */
static void
advance(struct mg_order *o)
{
    while (o->head != NULL && o->head->ended) {
        struct block *done = o->head;
        o->head = done->next;
        if (o->head == NULL)
            o->tail = &o->head;
        free_block(done);
        if (o->head != NULL)
            speak(o, o->head);
    }
}

static void
begin(struct mg_order *o, const struct mg_event *event)
{
    struct block *b = mg_calloc(1, sizeof(*b));
    b->number = event->number;
    b->last = &b->first;
    *o->tail = b;
    o->tail = &b->next;
    if (b == o->head)
        mg_sink_put(o->to, event);
    else
        hold(o, b, event);
}

static void
inside(struct mg_order *o, const struct mg_event *event)
{
    struct block *b = o->head;
    while (b != NULL && b->number != event->number)
        b = b->next;
    if (b == NULL || b->ended)
        return;
    if (b == o->head)
        mg_sink_put(o->to, event);
    else
        hold(o, b, event);
    if (event->kind == MG_EVENT_END) {
        b->ended = true;
        advance(o);
    }
}

void
mg_order_put(void *order, const struct mg_event *event)
{
    struct mg_order *o = order;
    switch (event->kind) {
    case MG_EVENT_BEGIN:
        begin(o, event);
        break;
    case MG_EVENT_DELTA:
    case MG_EVENT_SEAL:
    case MG_EVENT_CITE:
    case MG_EVENT_END:
        inside(o, event);
        break;
    case MG_EVENT_START:
    case MG_EVENT_FINISH:
    case MG_EVENT_ERROR:
        mg_sink_put(o->to, event);
        break;
    }
}

bool
mg_order_ok(const struct mg_order *o)
{
    return !o->failed;
}
