#include "store/chain.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "json/scan.h"
#include "store/body.h"
#include "store/items.h"
#include "store/object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOPS_MAX 4096
#define BODY_ROOM (MG_BODY_MAX + 1)

/* A chain while it is put together. */
struct chain {
    struct mg_db *db;
    const struct mg_chain_in *in;
    struct mg_str *hop;          /* items of each response, newest first: "a,b,c" */
    size_t hops;
    size_t bytes, most;
    struct mg_str output;        /* the reply that references were last found in */
    uint64_t output_of;          /* its object */
    char upstream[64];           /* and upstream */
};

static bool
says(struct mg_span item, const char *member, const char *quoted)
{
    struct mg_span value;
    return mg_scan_member(item, member, &value) == 1 && mg_span_is(value, quoted);
}

static bool
has(struct mg_span item, const char *member)
{
    struct mg_span value;
    return mg_scan_member(item, member, &value) == 1 && !mg_span_is(value, "null");
}

static bool
is_reference(struct mg_span item)
{
    return says(item, "type", "\"item_reference\"") ||
           (!has(item, "type") && !has(item, "role") && has(item, "id"));
}

bool
mg_chain_refers(struct mg_span input)
{
    struct mg_span item;
    size_t at = 0;
    if (input.n == 0 || input.p[0] != '[')
        return false;
    while (mg_scan_element(input, &at, &item) == 1) {
        if (is_reference(item))
            return true;
    }
    return false;
}

/* Whether the upstream that is asked now would take the item of an earlier answer. */
static bool
is_good(const struct chain *c, struct mg_span item, const char *upstream, bool output)
{
    if (says(item, "type", "\"reasoning\""))
        return strcmp(upstream, c->in->upstream) == 0 &&
               (!output || has(item, "encrypted_content"));
    if (says(item, "type", "\"function_call\"") || says(item, "type", "\"custom_tool_call\""))
        return !output || !says(item, "status", "\"incomplete\"");
    return true;
}

static void
add_item(struct mg_str *to, struct mg_span item)
{
    if (to->len > 0)
        mg_str_addc(to, ',');
    mg_str_addspan(to, item);
}

static void
add_items(const struct chain *c, struct mg_span list, const char *upstream, bool output,
          struct mg_str *to)
{
    struct mg_span item;
    size_t at = 0;
    while (mg_scan_element(list, &at, &item) == 1) {
        if (is_good(c, item, upstream, output))
            add_item(to, item);
    }
}

static bool
has_compaction(struct mg_span output)
{
    struct mg_span item;
    size_t at = 0;
    while (mg_scan_element(output, &at, &item) == 1) {
        if (says(item, "type", "\"compaction\""))
            return true;
    }
    return false;
}

static int
not_found(const char *id, struct mg_err *err)
{
    return mg_err_param(err, 400, "previous_response_not_found", "previous_response_id",
                        "Previous response with id '%.128s' not found.", id);
}

static int
too_large(struct mg_err *err)
{
    return mg_err_param(err, 400, "context_length_exceeded", "previous_response_id",
                        "The conversation behind previous_response_id is too large; compact it "
                        "or start a new one.");
}

/* Appends what a response brought to the conversation. 1; 0 = and nothing before it counts. */
static int
add_hop(struct chain *c, const struct mg_object *o, struct mg_err *err)
{
    struct mg_str input, reply, *hop = &c->hop[c->hops];
    struct mg_span output = {"", 0};
    int rc;
    mg_str_init(&input, BODY_ROOM);
    mg_str_init(&reply, BODY_ROOM);
    rc = mg_body_get(c->db, o->seq, MG_BODY_INPUT, &input, err);
    if (rc >= 0)
        rc = mg_body_get(c->db, o->seq, MG_BODY_REPLY, &reply, err);
    if (rc == 0)
        rc = not_found(o->id, err);
    if (rc > 0) {
        mg_str_init(hop, c->most);
        c->hops++;
        (void)mg_scan_member(mg_str_span(&reply), "output", &output);
        bool fresh = has_compaction(output);
        if (!fresh && input.p[0] == '"')
            (void)mg_items_at(mg_str_span(&input), 0, hop);
        else if (!fresh)
            add_items(c, mg_str_span(&input), o->upstream, false, hop);
        add_items(c, output, o->upstream, true, hop);
        c->bytes += hop->len + 1;
        rc = fresh ? 0 : 1;
        if (!mg_str_ok(hop) || c->bytes > c->most)
            rc = too_large(err);
    }
    mg_str_free(&input);
    mg_str_free(&reply);
    return rc;
}

static int
walk(struct chain *c, struct mg_err *err)
{
    struct mg_object o;
    char id[MG_OBJECT_ID];
    int more = 1;
    if (c->in->previous == NULL)
        return 0;
    if (strlen(c->in->previous) >= sizeof(id))
        return not_found(c->in->previous, err);
    snprintf(id, sizeof(id), "%s", c->in->previous);
    while (more == 1 && id[0] != '\0') {
        int found = mg_object_find(c->db, c->in->account_id, MG_OBJECT_RESPONSE, id, &o, err);
        if (found <= 0)
            return found < 0 ? -1 : not_found(id, err);
        if (!mg_object_is_final(o.state))
            return mg_err_param(err, 400, "previous_response_not_completed",
                                "previous_response_id",
                                "The response '%.128s' is still being generated.", id);
        if (c->hops == HOPS_MAX)
            return too_large(err);
        more = add_hop(c, &o, err);
        memcpy(id, o.previous, sizeof(id));
    }
    return more < 0 ? -1 : 0;
}

/* An element of a list of items by its id. */
static bool
find_by_id(struct mg_span list, const char *id, struct mg_span *item)
{
    struct mg_span raw;
    struct mg_str quoted;
    size_t at = 0;
    bool found = false;
    mg_str_init(&quoted, 1024);
    mg_str_addf(&quoted, "\"%s\"", id); /* a valid id needs no escapes */
    while (!found && mg_scan_element(list, &at, item) == 1)
        found = mg_scan_member(*item, "id", &raw) == 1 && mg_span_is(raw, quoted.p) &&
                !is_reference(*item);
    mg_str_free(&quoted);
    return found;
}

static bool
is_in_chain(const struct chain *c, const char *id)
{
    struct mg_str list;
    struct mg_span item;
    bool found = false;
    for (size_t i = 0; !found && i < c->hops; i++) {
        mg_str_init(&list, c->hop[i].len + 3);
        mg_str_addc(&list, '[');
        mg_str_addspan(&list, mg_str_span(&c->hop[i]));
        mg_str_addc(&list, ']');
        found = find_by_id(mg_str_span(&list), id, &item);
        mg_str_free(&list);
    }
    return found;
}

/* The response whose output holds an item. 1, 0 or -1. */
static int
object_of_item(struct chain *c, const char *id, uint64_t *seq, char upstream[64],
               struct mg_err *err)
{
    const struct mg_db_value v[] = {mg_db_u64(c->in->account_id), mg_db_text(id),
                                    mg_db_i64(mg_now_ms())};
    if (mg_db_query(c->db, "SELECT o.seq, o.upstream FROM object_item i JOIN object o "
                           "ON o.seq = i.object WHERE i.account_id = ? AND i.id = ? AND "
                           "o.expires_ms > ? ORDER BY i.object DESC LIMIT 1", v, 3, err) != 0)
        return -1;
    int found = mg_db_next(c->db, err);
    if (found == 1) {
        *seq = mg_db_get_u64(c->db, 0);
        snprintf(upstream, 64, "%s", mg_db_get_bytes(c->db, 1, NULL));
    }
    mg_db_done(c->db);
    return found;
}

/* Appends the item that an id of an earlier answer means. 1, 0 or -1. */
static int
add_output_item(struct chain *c, const char *id, struct mg_str *to, struct mg_err *err)
{
    struct mg_span output, item;
    uint64_t seq = 0;
    int found = object_of_item(c, id, &seq, c->upstream, err);
    if (found == 1 && seq != c->output_of) {
        mg_str_reset(&c->output);
        found = mg_body_get(c->db, seq, MG_BODY_REPLY, &c->output, err);
        c->output_of = seq;
    }
    if (found != 1)
        return found;
    if (mg_scan_member(mg_str_span(&c->output), "output", &output) != 1 ||
        !find_by_id(output, id, &item))
        return 0;
    if (is_good(c, item, c->upstream, true))
        add_item(to, item);
    return 1;
}

/* The same for an id that was made for an item of an earlier input. */
static int
add_input_item(struct chain *c, const char *id, struct mg_str *to, struct mg_err *err)
{
    struct mg_object o;
    struct mg_str input;
    uint8_t request_id[MG_ID_BYTES];
    size_t place, before = to->len;
    if (!mg_items_id_parse(id, request_id, &place))
        return 0;
    int found = mg_object_of_request(c->db, c->in->account_id, request_id, &o, err);
    if (found != 1)
        return found;
    mg_str_init(&input, BODY_ROOM);
    found = mg_body_get(c->db, o.seq, MG_BODY_INPUT, &input, err);
    if (found == 1) {
        if (to->len > 0)
            mg_str_addc(to, ',');
        found = mg_items_at(mg_str_span(&input), place, to);
        if (found == 0)
            to->len = before;
    }
    mg_str_free(&input);
    return found;
}

static int
resolve(struct chain *c, struct mg_span reference, struct mg_str *to, struct mg_err *err)
{
    struct mg_span raw, there;
    struct mg_str id;
    int found = 0;
    mg_str_init(&id, 1024);
    if (mg_scan_member(reference, "id", &raw) == 1 && mg_scan_string(raw, &id) &&
        mg_object_id_valid(mg_str_span(&id))) {
        if (find_by_id(c->in->input, id.p, &there) || is_in_chain(c, id.p))
            found = 1; /* it says nothing new */
        if (found == 0)
            found = add_output_item(c, id.p, to, err);
        if (found == 0)
            found = add_input_item(c, id.p, to, err);
    }
    if (found == 0)
        mg_err_param(err, 400, "", "input", "Item with id '%.128s' not found.", id.p);
    mg_str_free(&id);
    return found == 1 ? 0 : -1;
}

/* The request's own items, "a,b,c". */
static int
own_items(struct chain *c, struct mg_str *to, struct mg_err *err)
{
    struct mg_span item;
    size_t at = 0;
    if (c->in->input.n > 0 && c->in->input.p[0] == '"') {
        (void)mg_items_at(c->in->input, 0, to);
        return 0;
    }
    while (c->in->input.n > 0 && mg_scan_element(c->in->input, &at, &item) == 1) {
        if (!is_reference(item))
            add_item(to, item);
        else if (resolve(c, item, to, err) != 0)
            return -1;
    }
    return 0;
}

static int
put_together(struct chain *c, struct mg_str *own, struct mg_str *whole, struct mg_err *err)
{
    struct mg_str items;
    mg_str_init(&items, c->most);
    int rc = own_items(c, &items, err);
    mg_str_addc(own, '[');
    mg_str_addspan(own, mg_str_span(&items));
    mg_str_addc(own, ']');
    mg_str_addc(whole, '[');
    for (size_t i = c->hops; i > 0; i--) {
        if (c->hop[i - 1].len == 0)
            continue;
        if (whole->len > 1)
            mg_str_addc(whole, ',');
        mg_str_addspan(whole, mg_str_span(&c->hop[i - 1]));
    }
    if (items.len > 0 && whole->len > 1)
        mg_str_addc(whole, ',');
    mg_str_addspan(whole, mg_str_span(&items));
    mg_str_addc(whole, ']');
    if (rc == 0 && !(mg_str_ok(&items) && mg_str_ok(own) && mg_str_ok(whole)))
        rc = too_large(err);
    mg_str_free(&items);
    return rc;
}

int
mg_chain_expand(struct mg_db *db, const struct mg_chain_in *in, struct mg_str *own,
                struct mg_str *whole, struct mg_err *err)
{
    struct chain c = {.db = db, .in = in, .most = whole->max};
    c.hop = mg_calloc(HOPS_MAX, sizeof(*c.hop));
    mg_str_init(&c.output, BODY_ROOM);
    int rc = walk(&c, err);
    if (rc == 0)
        rc = put_together(&c, own, whole, err);
    for (size_t i = 0; i < c.hops; i++)
        mg_str_free(&c.hop[i]);
    free(c.hop);
    mg_str_free(&c.output);
    return rc;
}
