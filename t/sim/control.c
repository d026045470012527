#include "control.h"

#include "codec.h"
#include "recorder.h"
#include "replay.h"
#include "script.h"
#include "stats.h"

#include <stdlib.h>
#include <string.h>

static void refuse(struct sim_reply *r, int status, const char *why)
{
    r->status = status;
    r->body.len = 0;
    sim_j_open(&r->body, NULL, '{');
    sim_j_str(&r->body, "error", why);
    sim_j_close(&r->body, '}');
}

static void get_stats(struct sim_reply *r, const struct sim_request *req)
{
    (void)req;
    sim_stats_json(&r->body);
}

/* A query parameter, decoded in place; NULL when absent. */
static const char *decoded(const struct sim_request *req, const char *name, char *buf, size_t size)
{
    if (!sim_http_query(req, name, buf, size)) {
        return NULL;
    }
    sim_url_decode(buf, strlen(buf));
    return buf;
}

static void get_requests(struct sim_reply *r, const struct sim_request *req)
{
    char last[24], since[24], path[512], match[512];
    struct sim_recorder_query q = {0};

    q.last = sim_http_query(req, "last", last, sizeof last) ? strtol(last, NULL, 10) : 0;
    q.since = sim_http_query(req, "since", since, sizeof since) ? strtoull(since, NULL, 10) : 0;
    q.path = decoded(req, "path", path, sizeof path);
    q.match = decoded(req, "match", match, sizeof match);
    sim_recorder_json(&r->body, &q);
}

static void delete_requests(struct sim_reply *r, const struct sim_request *req)
{
    (void)req;
    sim_recorder_clear();
    sim_buf_puts(&r->body, "{\"ok\":true}");
}

static void show_defaults(struct sim_reply *r, struct sim_pool *pool)
{
    r->body.len = 0;
    sim_j_open(&r->body, NULL, '{');
    sim_j_str(&r->body, "defaults", sim_script_show(pool));
    sim_j_close(&r->body, '}');
}

static void get_defaults(struct sim_reply *r, const struct sim_request *req)
{
    struct sim_pool pool = {0};

    (void)req;
    show_defaults(r, &pool);
    sim_pool_free(&pool);
}

/* Percent-encodes what would end or split a value in the text form. */
static void put_value(struct sim_buf *b, const char *s)
{
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;

        if (c <= ' ' || c == ';' || c == '%' || c == ']') {
            sim_buf_fmt(b, "%%%02X", c);
        } else {
            sim_buf_add(b, s, 1);
        }
    }
}

/* The text form of defaults that came as a JSON object; array members repeat their key. */
static void put_pairs(struct sim_buf *b, struct json_object *o)
{
    json_object_object_foreach(o, key, value) {
        size_t n = json_object_is_type(value, json_type_array) ? sim_js_len(value) : 1;
        size_t i;

        for (i = 0; i < n; i++) {
            struct json_object *v =
                json_object_is_type(value, json_type_array) ? sim_js_at(value, i) : value;
            bool flag = json_object_is_type(v, json_type_boolean);
            const char *text = flag ? (json_object_get_boolean(v) ? "1" : "0")
                               : json_object_is_type(v, json_type_object) ? sim_js_text(v)
                                                                        : json_object_get_string(v);

            sim_buf_fmt(b, "%s=", key);
            put_value(b, text ? text : "");
            sim_buf_puts(b, " ");
        }
    }
}

static void post_defaults(struct sim_reply *r, const struct sim_request *req)
{
    struct sim_pool pool = {0};
    struct sim_buf text = {0};
    const char *why;
    struct json_object *o = sim_js_parse(req->body, req->body_len, &why);
    const char *err;

    if (json_object_is_type(o, json_type_object)) {
        put_pairs(&text, o);
    } else {
        sim_buf_add(&text, req->body, req->body_len);
    }
    err = sim_script_defaults(&pool, sim_buf_cstr(&text), false);
    if (err) {
        refuse(r, 400, err);
    } else {
        show_defaults(r, &pool);
    }
    json_object_put(o);
    sim_buf_free(&text);
    sim_pool_free(&pool);
}

static void delete_defaults(struct sim_reply *r, const struct sim_request *req)
{
    sim_script_reset();
    get_defaults(r, req);
}

static void show_queue(struct sim_reply *r)
{
    sim_j_open(&r->body, NULL, '{');
    sim_j_int(&r->body, "queued", (int64_t)sim_replay_count());
    sim_j_close(&r->body, '}');
}

/* One description, or a list of them. */
static void post_replay(struct sim_reply *r, const struct sim_request *req)
{
    const char *err = NULL;
    struct json_object *o = sim_js_parse(req->body, req->body_len, &err);
    size_t i;

    if (o) {
        err = NULL;
    }
    if (json_object_is_type(o, json_type_array)) {
        for (i = 0; i < sim_js_len(o) && !err; i++) {
            err = sim_replay_add(sim_js_at(o, i));
        }
    } else if (o) {
        err = sim_replay_add(o);
    }
    json_object_put(o);
    if (err) {
        refuse(r, 400, err);
    } else {
        show_queue(r);
    }
}

static void delete_replay(struct sim_reply *r, const struct sim_request *req)
{
    (void)req;
    sim_replay_clear();
    show_queue(r);
}

static void post_reset(struct sim_reply *r, const struct sim_request *req)
{
    sim_replay_clear();
    sim_script_reset();
    delete_requests(r, req);
}

void sim_control(struct sim_reply *r, const struct sim_request *req)
{
    static const struct {
        const char *method;
        const char *path;
        void (*handle)(struct sim_reply *r, const struct sim_request *req);
    } routes[] = {
        { "GET", "/_sim/stats", get_stats },
        { "GET", "/_sim/requests", get_requests },
        { "DELETE", "/_sim/requests", delete_requests },
        { "GET", "/_sim/defaults", get_defaults },
        { "POST", "/_sim/defaults", post_defaults },
        { "DELETE", "/_sim/defaults", delete_defaults },
        { "POST", "/_sim/replay", post_replay },
        { "DELETE", "/_sim/replay", delete_replay },
        { "POST", "/_sim/reset", post_reset },
    };
    bool known = false;
    size_t i;

    for (i = 0; i < sizeof routes / sizeof routes[0]; i++) {
        if (strcmp(routes[i].path, req->path) != 0) {
            continue;
        }
        known = true;
        if (strcmp(routes[i].method, req->method) == 0) {
            routes[i].handle(r, req);
            return;
        }
    }
    refuse(r, known ? 405 : 404, known ? "method not allowed" : "no such control");
}
