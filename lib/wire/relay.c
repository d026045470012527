#include "wire/relay.h"

#include "base/alloc.h"
#include "wire/bridge.h"
#include "wire/pass.h"
#include "wire/sse.h"

#include <stdlib.h>

/* The bridge where there is one, else pass-through: when the formats are the same, unless the
 * answer turns out to be of the other kind than was asked for. */
struct mg_relay {
    struct mg_pass *pass;
    struct mg_bridge *bridge;
    struct mg_sse sse;
    struct mg_relay_setup setup; /* its texts are these: */
    char *model, *request_id;
};

struct mg_relay *
mg_relay_new(const struct mg_relay_setup *setup)
{
    struct mg_relay *r = mg_calloc(1, sizeof(*r));
    mg_sse_init(&r->sse);
    r->setup = *setup;
    r->setup.model = r->model = mg_strdup(setup->model);
    r->setup.request_id = r->request_id = mg_strdup(setup->request_id);
    r->setup.previous = r->setup.background = NULL; /* pass-through has copies */
    r->setup.translation = NULL;
    if (setup->client != setup->upstream || setup->translation != NULL)
        r->bridge = mg_bridge_new(setup);
    else
        r->pass = mg_pass_new(setup);
    return r;
}

void
mg_relay_free(struct mg_relay **relay)
{
    if (*relay == NULL)
        return;
    mg_pass_free(&(*relay)->pass);
    mg_bridge_free(&(*relay)->bridge);
    mg_sse_free(&(*relay)->sse);
    free((*relay)->model);
    free((*relay)->request_id);
    free(*relay);
    *relay = NULL;
}

/* Takes every event that is complete. */
static int
drain(struct mg_relay *r, bool eof, struct mg_str *out)
{
    struct mg_sse_event event;
    while (mg_sse_next(&r->sse, eof, &event)) {
        int rc = r->bridge ? mg_bridge_event(r->bridge, &event, out)
                           : mg_pass_event(r->pass, &event, out);
        if (rc != 0)
            return -1;
    }
    return 0;
}

int
mg_relay_feed(struct mg_relay *r, const char *bytes, size_t n, struct mg_str *out)
{
    if (!mg_sse_feed(&r->sse, bytes, n))
        return -1;
    return drain(r, false, out);
}

int
mg_relay_eof(struct mg_relay *r, struct mg_str *out)
{
    if (drain(r, true, out) != 0)
        return -1;
    return r->bridge ? mg_bridge_eof(r->bridge, out) : mg_pass_eof(r->pass, out);
}

void
mg_relay_fail(struct mg_relay *r, const struct mg_err *err, struct mg_str *out)
{
    if (r->bridge)
        mg_bridge_fail(r->bridge, err, out);
    else
        mg_pass_fail(r->pass, err, out);
}

void
mg_relay_keepalive(struct mg_relay *r, struct mg_str *out)
{
    if (r->bridge)
        mg_bridge_keepalive(r->bridge, out);
    else
        mg_pass_keepalive(r->pass, out);
}

int
mg_relay_body(struct mg_relay *r, struct mg_span body, struct mg_str *out, struct mg_err *err)
{
    bool events = mg_sse_is_stream(body);
    if (r->bridge == NULL && !events && !r->setup.stream)
        return mg_pass_body(r->pass, body, out, err);
    if (r->bridge == NULL)
        r->bridge = mg_bridge_new(&r->setup);
    return events ? mg_bridge_events(r->bridge, body, out, err)
                  : mg_bridge_body(r->bridge, body, out, err);
}

bool
mg_relay_no_room(struct mg_relay *r, struct mg_span body, struct mg_str *out)
{
    if (r->bridge == NULL || !mg_bridge_is_no_room(body))
        return false;
    mg_bridge_no_room(r->bridge, out);
    return true;
}

const struct mg_usage *
mg_relay_usage(const struct mg_relay *r)
{
    return r->bridge ? mg_bridge_usage(r->bridge) : mg_pass_usage(r->pass);
}

size_t
mg_relay_output_bytes(const struct mg_relay *r)
{
    return r->bridge ? mg_bridge_output_bytes(r->bridge) : mg_pass_output_bytes(r->pass);
}

bool
mg_relay_complete(const struct mg_relay *r)
{
    return r->bridge ? mg_bridge_complete(r->bridge) : mg_pass_complete(r->pass);
}

bool
mg_relay_ended(const struct mg_relay *r)
{
    return r->bridge ? mg_bridge_ended(r->bridge) : mg_pass_ended(r->pass);
}

bool
mg_relay_failed(const struct mg_relay *r)
{
    return r->bridge ? mg_bridge_failed(r->bridge) : mg_pass_failed(r->pass);
}
