#include "fault.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

/* How many whole events stand before the fault: at=N, from the end when negative, else half. */
static size_t events_before(const struct sim_reply *r, const struct sim_cmd *cmd)
{
    int64_t n = (int64_t)r->events;
    int64_t at = cmd->at ? strtoll(cmd->at, NULL, 10) : n / 2;

    if (at < 0) {
        at += n;
    }
    return (size_t)(at < 0 ? 0 : at > n ? n : at);
}

/* The body offset of the fault; a body without events breaks in its middle. */
static size_t offset(const struct sim_reply *r, const struct sim_cmd *cmd)
{
    size_t n;

    if (cmd->at_byte >= 0) {
        return (size_t)cmd->at_byte < r->body.len ? (size_t)cmd->at_byte : r->body.len;
    }
    if (!r->events) {
        return cmd->at && strcmp(cmd->at, "0") == 0 ? 0 : r->body.len / 2;
    }
    n = events_before(r, cmd);
    return n ? r->end[n - 1] : 0;
}

static void stop(struct sim_reply *r, const struct sim_cmd *cmd, enum sim_stop how)
{
    r->stop = how;
    r->stop_at = offset(r, cmd);
    r->silence = cmd->silence;
}

/* Overwrites the second half of one event's bytes (or of the body), but for the line ends. */
static void garble(struct sim_reply *r, const struct sim_cmd *cmd)
{
    size_t k = r->events ? events_before(r, cmd) : 0;
    size_t from = 0;
    size_t to = r->body.len;
    size_t i;

    if (r->events) {
        k = k < r->events ? k : r->events - 1;
        from = k ? r->end[k - 1] : 0;
        to = r->end[k];
    }
    for (i = from + (to - from) / 2; i < to; i++) {
        if (r->body.p[i] != '\n' && r->body.p[i] != '\r') {
            r->body.p[i] = '#';
        }
    }
}

static void error_event(struct sim_reply *r, const struct sim_cmd *cmd, enum sim_family family)
{
    struct sim_error err = sim_error_scripted(cmd, cmd->status > 0 ? (int)cmd->status : 500);

    if (!r->stream) {
        return;
    }
    r->events = events_before(r, cmd);
    r->body.len = r->events ? r->end[r->events - 1] : 0;
    sim_error_event(r, cmd, family, &err, (int64_t)r->events);
}

static void html(struct sim_reply *r, const struct sim_cmd *cmd)
{
    r->status = cmd->status > 0 ? (int)cmd->status : 502;
    r->type = "text/html";
    r->stream = false;
    r->events = 0;
    r->body.len = 0;
    sim_buf_puts(&r->body, "<html>\r\n<head><title>Bad Gateway</title></head>\r\n<body>\r\n"
                           "<center><h1>Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n");
}

static void empty(struct sim_reply *r)
{
    r->events = 0;
    r->body.len = 0;
}

static void bad_length(struct sim_reply *r)
{
    enum { MISSING = 100 };

    r->stream = false;
    r->claim = (int64_t)r->body.len + MISSING;
    r->close = true;
}

const char *sim_fault_apply(struct sim_reply *r, const struct sim_cmd *cmd, enum sim_family family)
{
    static const struct {
        const char *name;
        enum sim_stop how;
    } stops[] = {
        { "cut", SIM_STOP_CUT },         { "reset", SIM_STOP_RESET },
        { "end", SIM_STOP_END },         { "silence", SIM_STOP_SILENCE },
        { "hangup", SIM_STOP_HANGUP },   { "abort", SIM_STOP_ABORT },
    };
    size_t i;

    if (!cmd->fault) {
        return NULL;
    }
    for (i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        if (strcmp(stops[i].name, cmd->fault) == 0) {
            stop(r, cmd, stops[i].how);
            return NULL;
        }
    }
    if (strcmp(cmd->fault, "garble") == 0) {
        garble(r, cmd);
    } else if (strcmp(cmd->fault, "error-event") == 0) {
        error_event(r, cmd, family);
    } else if (strcmp(cmd->fault, "html") == 0) {
        html(r, cmd);
    } else if (strcmp(cmd->fault, "empty") == 0) {
        empty(r);
    } else if (strcmp(cmd->fault, "bad-length") == 0) {
        bad_length(r);
    } else {
        return "sim: unknown fault";
    }
    return NULL;
}
