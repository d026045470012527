/* Stored objects in the tables: look-ups by account, states, bodies, deletion, retention. */
#include "base/clock.h"
#include "scratch.h"
#include "store/body.h"
#include "store/object.h"
#include "tap.h"

static struct scratch scratch;
static struct mg_db *db;
static struct mg_err err = MG_ERR_INIT;

static struct mg_object
make(uint64_t account, const char *id, enum mg_object_state state)
{
    struct mg_object o = {.account_id = account, .kind = MG_OBJECT_RESPONSE, .state = state,
                          .created_ms = mg_now_ms(), .expires_ms = mg_now_ms() + 3600000};
    snprintf(o.id, sizeof(o.id), "%s", id);
    snprintf(o.model, sizeof(o.model), "power-ai");
    snprintf(o.upstream, sizeof(o.upstream), "there");
    mg_id_new(o.request_id);
    return o;
}

static void
test_look_up(void)
{
    struct mg_object o = make(7, "resp_one", MG_OBJECT_COMPLETED), found;
    is_int(mg_object_insert(db, &o, &err), 0, "an object is stored");
    is_int(mg_object_find(db, 7, MG_OBJECT_RESPONSE, "resp_one", &found, &err), 1,
           "its account finds it");
    ok(found.seq == o.seq && found.state == MG_OBJECT_COMPLETED &&
           strcmp(found.upstream, "there") == 0 &&
           memcmp(found.request_id, o.request_id, MG_ID_BYTES) == 0,
       "as it was stored");
    is_int(mg_object_find(db, 8, MG_OBJECT_RESPONSE, "resp_one", &found, &err), 0,
           "another account does not");
    is_int(mg_object_find(db, 7, MG_OBJECT_COMPLETION, "resp_one", &found, &err), 0,
           "nor does it under another kind");
    is_int(mg_object_find(db, 7, MG_OBJECT_RESPONSE, "RESP_ONE", &found, &err), 0,
           "nor in other letters");
    is_int(mg_object_find(db, 7, MG_OBJECT_RESPONSE, "r\xc3\xa9sp", &found, &err), 0,
           "what can be no id is not looked for");
    is_int(mg_object_of_request(db, 7, o.request_id, &found, &err), 1,
           "its request leads to it");
    is_int(mg_object_of_request(db, 8, o.request_id, &found, &err), 0, "its own account's");
    is_int(mg_object_insert(db, &o, &err), -1, "an id occurs once in an account");
    is_int(mg_db_why(db), MG_DB_DUPLICATE, "and that is told");
    o.account_id = 8;
    is_int(mg_object_insert(db, &o, &err), 0, "another account may have the same");
}

static void
test_states(void)
{
    struct mg_object o = make(9, "resp_run", MG_OBJECT_QUEUED), found;
    o.owner = 77;
    o.background = true;
    is_int(mg_object_insert(db, &o, &err), 0, "a running object is stored");
    is_int(mg_object_move(db, o.seq, 78, MG_OBJECT_IN_PROGRESS, &err), 0,
           "who does not own it cannot move it");
    is_int(mg_object_move(db, o.seq, 77, MG_OBJECT_IN_PROGRESS, &err), 1, "its owner can");
    is_int(mg_object_find(db, 9, MG_OBJECT_RESPONSE, "resp_run", &found, &err), 1, "it is there");
    ok(found.state == MG_OBJECT_IN_PROGRESS && found.owner == 77 && found.background &&
           !found.cancel, "in progress, with its owner");
    is_int(mg_object_ask_cancel(db, o.seq, &err), 1, "it can be asked to stop");
    is_int(mg_object_ask_cancel(db, o.seq, &err), 1, "twice");
    is_int(mg_object_move(db, o.seq, 77, MG_OBJECT_CANCELLED, &err), 1, "it ends");
    is_int(mg_object_find(db, 9, MG_OBJECT_RESPONSE, "resp_run", &found, &err), 1, "it is there");
    ok(found.state == MG_OBJECT_CANCELLED && found.owner == 0 && found.cancel,
       "cancelled, without an owner");
    is_int(mg_object_move(db, o.seq, 0, MG_OBJECT_FAILED, &err), 0, "an end is final");
    is_int(mg_object_ask_cancel(db, o.seq, &err), 0, "and cannot be stopped any more");
}

static int
put(uint64_t object, enum mg_body_kind kind, unsigned number, int64_t first, int64_t last,
    struct mg_span raw)
{
    struct mg_str packed;
    int rc = mg_body_pack(raw, &packed);
    struct mg_body body = {kind, number, first, last, raw.n, mg_str_span(&packed)};
    if (rc == 0)
        rc = mg_body_put(db, object, &body, &err);
    mg_str_free(&packed);
    return rc;
}

static void
test_bodies(void)
{
    struct mg_object o = make(10, "resp_body", MG_OBJECT_COMPLETED);
    struct mg_str out, large;
    unsigned number = 0;
    mg_str_init(&out, MG_BODY_MAX * 2);
    mg_str_init(&large, MG_BODY_MAX + 1);
    is_int(mg_object_insert(db, &o, &err), 0, "an object is stored");
    is_int(mg_body_get(db, o.seq, MG_BODY_INPUT, &out, &err), 0, "it has no input yet");
    is_int(put(o.seq, MG_BODY_INPUT, 0, -1, -1, mg_span_z("[1,2]")), 0, "its input is stored");
    is_int(put(o.seq, MG_BODY_INPUT, 0, -1, -1, mg_span_z("[3]")), 0, "and stored again");
    is_int(mg_body_get(db, o.seq, MG_BODY_INPUT, &out, &err), 1, "it is read");
    is_str(out.p, "[3]", "as it was stored last");
    is_int(put(o.seq, MG_BODY_EVENTS, 0, 0, 4, mg_span_z("a")), 0, "a piece of events");
    is_int(put(o.seq, MG_BODY_EVENTS, 1, 5, 9, mg_span_z("b")), 0, "another");
    mg_str_reset(&out);
    is_int(mg_body_events(db, o.seq, &number, -1, &out, &err), 1, "events are read");
    is_str(out.p, "ab", "all pieces in order");
    is_int(mg_body_events(db, o.seq, &number, -1, &out, &err), 0, "there are no more");
    is_int(put(o.seq, MG_BODY_EVENTS, 2, 10, 10, mg_span_z("c")), 0, "until they come");
    is_int(mg_body_events(db, o.seq, &number, -1, &out, &err), 1, "then they are read");
    is_str(out.p, "abc", "behind the others");
    number = 0;
    mg_str_reset(&out);
    is_int(mg_body_events(db, o.seq, &number, 4, &out, &err), 1, "events behind the fourth");
    is_str(out.p, "bc", "are in the later pieces");

    for (unsigned x = 1; large.len < MG_BODY_MAX;) { /* as incompressible as text can be */
        x = x * 1664525u + 1013904223u;
        mg_str_addc(&large, (char)(33 + (x >> 16) % 94));
    }
    is_int(put(o.seq, MG_BODY_REPLY, 0, -1, -1, mg_str_span(&large)), 0,
           "the largest body fits a packet of the server");
    mg_str_reset(&out);
    is_int(mg_body_get(db, o.seq, MG_BODY_REPLY, &out, &err), 1, "it is read");
    ok(out.len == large.len && memcmp(out.p, large.p, out.len) == 0, "whole");
    mg_str_addc(&large, 'x');
    is_int(put(o.seq, MG_BODY_REPLY, 0, -1, -1, mg_str_span(&large)), -1, "a larger one does not");
    mg_str_free(&out);
    mg_str_free(&large);
}

static void
test_delete(void)
{
    is_int(mg_object_delete(db, 11, MG_OBJECT_RESPONSE, "resp_body", &err), 0,
           "another account cannot delete an object");
    is_int(mg_object_delete(db, 10, MG_OBJECT_RESPONSE, "resp_body", &err), 1, "its own can");
    is_int(mg_object_delete(db, 10, MG_OBJECT_RESPONSE, "resp_body", &err), 0, "once");
    is_int(scratch_number(&scratch, "SELECT COUNT(*) FROM object_body"), 0,
           "and the bodies are gone at once");
}

static void
test_retention(void)
{
    struct mg_object found;
    char id[32];
    size_t deleted;
    for (int i = 0; i < 150; i++) {
        snprintf(id, sizeof(id), "resp_old%d", i);
        struct mg_object o = make(12, id, MG_OBJECT_COMPLETED);
        o.expires_ms = mg_now_ms() - 1 - i;
        if (mg_object_insert(db, &o, &err) != 0 ||
            put(o.seq, MG_BODY_REPLY, 0, -1, -1, mg_span_z("{}")) != 0)
            break;
    }
    is_int(scratch_number(&scratch, "SELECT COUNT(*) FROM object WHERE account_id = 12"), 150,
           "150 objects are old");
    is_int(mg_object_find(db, 12, MG_OBJECT_RESPONSE, "resp_old3", &found, &err), 0,
           "an object whose time is over is unknown before it is swept away");
    is_int(mg_object_purge_turn(db, 1000, 2000, &err), 1, "somebody has the turn to sweep");
    is_int(mg_object_purge_turn(db, 1500, 2500, &err), 0, "nobody else has it meanwhile");
    is_int(mg_object_purge_turn(db, 2000, 3000, &err), 1, "until it is over");
    is_int(mg_object_purge(db, mg_now_ms(), 100, &deleted, &err), 0, "a round of sweeping");
    is_int((int)deleted, 100, "takes no more than it was told");
    is_int(mg_object_purge(db, mg_now_ms(), 1000, &deleted, &err), 0, "another");
    is_int((int)deleted, 50, "takes the rest");
    is_int(scratch_number(&scratch, "SELECT COUNT(*) FROM object_body"), 0, "with their bodies");
    ok(scratch_number(&scratch, "SELECT COUNT(*) FROM object") >= 3, "and no others");
}

int
main(void)
{
    scratch_start(&scratch);
    scratch_tables(&scratch, "0008-object.sql");
    db = mg_db_open(&scratch.conf, MG_DB_SERVICE, &err);
    ok(db != NULL, "the database is there");
    test_look_up();
    test_states();
    test_bodies();
    test_delete();
    test_retention();
    mg_db_close(&db);
    mg_err_free(&err);
    scratch_stop(&scratch);
    return done();
}
