#include "exchange.h"

#include "check.h"
#include "control.h"
#include "fault.h"
#include "models.h"
#include "options.h"
#include "recorder.h"
#include "render.h"
#include "replay.h"
#include "script.h"
#include "stats.h"

#include <string.h>
#include <time.h>

enum duty { GENERATE, COUNT, COMPACT };

struct route {
    const char *path; /* without /v1 */
    enum sim_family family;
    enum duty duty;
};

static const struct route routes[] = {
    { "/chat/completions", SIM_CHAT, GENERATE },
    { "/completions", SIM_COMPLETIONS, GENERATE },
    { "/responses", SIM_RESPONSES, GENERATE },
    { "/responses/input_tokens", SIM_RESPONSES, COUNT },
    { "/responses/compact", SIM_RESPONSES, COMPACT },
    { "/messages", SIM_MESSAGES, GENERATE },
    { "/messages/count_tokens", SIM_MESSAGES, COUNT },
};

/* Everything that lives as long as one exchange. */
struct exchange {
    struct sim_reply *r;
    const struct sim_request *req;
    const struct route *route;
    struct sim_pool pool;
    struct json_object *body;
    struct sim_ask ask;
    struct sim_cmd cmd;
    uint64_t seq;
    const char *request_id;
};

static void fail(struct exchange *x, const struct sim_error *err)
{
    if (err->status >= 400 && err->status < 500) {
        sim_stats_add(SIM_STAT_REFUSED, 1);
    }
    sim_error_reply(x->r, x->route->family, err, x->request_id);
}

static void fail_plain(struct exchange *x, int status, const char *code, const char *message)
{
    struct sim_error err = { status, NULL, code, NULL, message };

    fail(x, &err);
}

static bool check(struct exchange *x)
{
    static bool (*const checks[SIM_FAMILIES])(struct sim_check *) = {
        [SIM_CHAT] = sim_check_chat,
        [SIM_RESPONSES] = sim_check_responses,
        [SIM_COMPLETIONS] = sim_check_completions,
        [SIM_MESSAGES] = sim_check_messages,
    };
    struct sim_check k = { .pool = &x->pool, .ask = &x->ask, .cmd = &x->cmd, .req = x->req };

    k.counting = x->route->duty != GENERATE;
    k.compacting = x->route->duty == COMPACT;
    if (x->cmd.strict == 0 || checks[x->route->family](&k)) {
        return true;
    }
    fail(x, &k.err);
    return false;
}

static void count(struct exchange *x)
{
    struct sim_buf *b = &x->r->body;

    sim_j_open(b, NULL, '{');
    if (x->route->family == SIM_RESPONSES) {
        sim_j_str(b, "object", "response.input_tokens");
    }
    sim_j_int(b, "input_tokens", x->cmd.in >= 0 ? x->cmd.in : x->ask.input_tokens);
    sim_j_close(b, '}');
}

static void render(struct exchange *x)
{
    static void (*const renderers[SIM_FAMILIES])(struct sim_reply *, const struct sim_turn *) = {
        [SIM_CHAT] = sim_render_chat,
        [SIM_RESPONSES] = sim_render_responses,
        [SIM_COMPLETIONS] = sim_render_completions,
        [SIM_MESSAGES] = sim_render_messages,
    };
    struct sim_turn turn;

    if (x->route->duty == COUNT) {
        count(x);
        return;
    }
    sim_turn_make(&turn, &x->ask, &x->cmd, &x->pool, x->seq, (int64_t)time(NULL));
    if (x->route->duty == COMPACT) {
        sim_render_compact(x->r, &turn);
    } else {
        renderers[x->route->family](x->r, &turn);
    }
}

static bool breaks_without_status(const struct sim_cmd *cmd)
{
    return cmd->fault &&
           (strcmp(cmd->fault, "error-event") == 0 || strcmp(cmd->fault, "html") == 0);
}

static bool wants_gzip(const struct exchange *x)
{
    const char *accept = sim_http_header(x->req, "accept-encoding");

    if (!x->cmd.gzip || strcmp(x->cmd.gzip, "0") == 0) {
        return false;
    }
    return strcmp(x->cmd.gzip, "force") == 0 || (accept && strstr(accept, "gzip"));
}

static void answer(struct exchange *x)
{
    const char *err;

    if (!check(x)) {
        return;
    }
    sim_reply_script(x->r, &x->cmd);
    if (!sim_models_known(x->ask.model)) {
        fail_plain(x, 404, "model_not_found", "The requested model does not exist.");
        return;
    }
    if (x->cmd.status > 0 && x->cmd.status != 200 && !breaks_without_status(&x->cmd)) {
        struct sim_error scripted = sim_error_scripted(&x->cmd, (int)x->cmd.status);

        fail(x, &scripted);
    } else {
        render(x);
    }
    err = sim_fault_apply(x->r, &x->cmd, x->route->family);
    if (err) {
        fail_plain(x, 400, "sim_command", err);
    }
    if (wants_gzip(x)) {
        sim_reply_gzip(x->r);
    }
}

static bool has_key(const struct sim_request *req)
{
    const char *bearer = sim_http_header(req, "authorization");
    const char *plain = sim_http_header(req, "x-api-key");

    if (!sim_options.key) {
        return true;
    }
    if (bearer && strncmp(bearer, "Bearer ", 7) == 0) {
        plain = bearer + 7;
    }
    return plain && strcmp(plain, sim_options.key) == 0;
}

/* Reads the body and the script of a POST to one of the routes, then answers. */
static void serve(struct exchange *x)
{
    const char *why = NULL;
    const char *err;

    if (!has_key(x->req)) {
        fail_plain(x, 401, NULL, "Incorrect API key provided.");
        return;
    }
    x->body = sim_js_parse(x->req->body, x->req->body_len, &why);
    if (!json_object_is_type(x->body, json_type_object)) {
        fail_plain(x, 400, NULL, sim_pool_fmt(&x->pool, "We could not parse the JSON body of your "
                                              "request: %s.", why));
        return;
    }
    sim_ask_read(&x->ask, x->route->family, x->body, &x->pool);
    err = sim_script_read(&x->cmd, &x->pool, x->ask.cmd_text, sim_http_header(x->req, "x-sim"));
    if (err) {
        fail_plain(x, 400, "sim_command", err);
        return;
    }
    answer(x);
}

/* The path without a leading /v1. */
static const char *short_path(const char *path)
{
    return strncmp(path, "/v1/", 4) == 0 ? path + 3 : path;
}

static void route(struct exchange *x)
{
    static const struct route nowhere = { "", SIM_CHAT, GENERATE };
    const char *path = short_path(x->req->path);
    bool get = strcmp(x->req->method, "GET") == 0 || strcmp(x->req->method, "HEAD") == 0;
    size_t i;

    x->route = &nowhere;
    for (i = 0; i < sizeof routes / sizeof routes[0]; i++) {
        if (strcmp(routes[i].path, path) == 0) {
            x->route = &routes[i];
        }
    }
    if (get && strcmp(path, "/models") == 0) {
        sim_models(x->r, x->req, NULL);
    } else if (get && strncmp(path, "/models/", 8) == 0) {
        sim_models(x->r, x->req, path + 8);
    } else if (x->route == &nowhere) {
        fail_plain(x, 404, NULL, sim_pool_fmt(&x->pool, "Invalid URL (%.20s %.200s)",
                                              x->req->method, x->req->path));
    } else if (get && sim_http_header(x->req, "upgrade")) {
        fail_plain(x, 426, NULL, "WebSockets are not offered here.");
    } else if (strcmp(x->req->method, "POST") != 0) {
        fail_plain(x, 405, NULL, "Method not allowed.");
    } else {
        serve(x);
    }
}

uint64_t sim_exchange(struct sim_reply *r, const struct sim_request *req)
{
    struct exchange x = { .r = r, .req = req };

    if (strncmp(req->path, "/_sim/", 6) == 0) {
        sim_control(r, req);
        return 0;
    }
    sim_stats_add(SIM_STAT_REQUESTS_TOTAL, 1);
    x.seq = sim_recorder_add(req);
    if (!sim_replay_take(r, req)) {
        x.request_id = sim_pool_fmt(&x.pool, "req_sim%012llx", (unsigned long long)x.seq);
        route(&x);
        sim_reply_header(r, x.route->family == SIM_MESSAGES ? "request-id" : "x-request-id",
                         x.request_id);
        json_object_put(x.body);
        sim_pool_free(&x.pool);
    }
    r->no_body = strcmp(req->method, "HEAD") == 0;
    return x.seq;
}
