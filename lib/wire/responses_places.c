#include "wire/responses_places.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define PLACES_MAX 4096

struct mg_place {
    int64_t index;
    enum mg_item_kind kind;
    char *call; /* call_id; NULL = not known */
    bool done, listed; /* told to its end; met in the final list */
};

void
mg_places_free(struct mg_places *places)
{
    for (size_t i = 0; i < places->count; i++)
        free(places->place[i].call);
    free(places->place);
    places->place = NULL;
    places->count = places->room = 0;
}

static int64_t
add(struct mg_places *p, int64_t index, enum mg_item_kind kind, struct mg_span call)
{
    if (p->count >= PLACES_MAX)
        return MG_PLACE_FULL;
    if (p->count == p->room) {
        p->room = p->room ? p->room * 2 : 8;
        p->place = mg_realloc(p->place, p->room * sizeof(*p->place));
    }
    p->place[p->count] = (struct mg_place){
        .index = index, .kind = kind, .call = call.n > 0 ? mg_strndup(call.p, call.n) : NULL};
    return (int64_t)p->count++;
}

/* The latest item of this index and kind; without an index, of this kind. NULL: none. */
static struct mg_place *
latest(const struct mg_places *p, int64_t index, enum mg_item_kind kind)
{
    for (size_t i = p->count; i-- > 0;) {
        struct mg_place *place = &p->place[i];
        if (place->kind == kind && (index == MG_PLACE_NONE || place->index == index))
            return place;
    }
    return NULL;
}

static bool
is_other_call(const struct mg_place *place, struct mg_span call)
{
    return place->call != NULL && call.n > 0 && !mg_span_is(call, place->call);
}

int64_t
mg_places_item(struct mg_places *p, int64_t index, enum mg_item_kind kind, struct mg_span call)
{
    struct mg_place *place = latest(p, index, kind);
    if (place == NULL || is_other_call(place, call) || (place->done && index == MG_PLACE_NONE))
        return add(p, index, kind, call);
    if (place->call == NULL && call.n > 0)
        place->call = mg_strndup(call.p, call.n);
    return place - p->place;
}

int64_t
mg_places_piece(struct mg_places *p, int64_t index, enum mg_item_kind kind)
{
    struct mg_place *place = latest(p, index, kind);
    return place ? place - p->place : add(p, index, kind, (struct mg_span){NULL, 0});
}

int64_t
mg_places_final(struct mg_places *p, enum mg_item_kind kind, struct mg_span call)
{
    int64_t slot = 0;
    for (; slot < (int64_t)p->count; slot++) {
        const struct mg_place *place = &p->place[slot];
        if (place->kind == kind && !place->listed && !is_other_call(place, call))
            break;
    }
    if (slot == (int64_t)p->count)
        slot = add(p, MG_PLACE_NONE, kind, call);
    if (slot != MG_PLACE_FULL)
        p->place[slot].listed = true;
    return slot;
}

bool
mg_places_finish(struct mg_places *p, int64_t slot)
{
    bool done = p->place[slot].done;
    p->place[slot].done = true;
    return !done;
}
