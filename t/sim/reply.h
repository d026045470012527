/*
 * One reply as bytes and times: a head, a body that is complete before the first byte is sent, and
 * the places in it where a write ends, waits or breaks. The sender (send.c) plays it; nothing here
 * knows what the bytes say.
 */
#ifndef SIM_REPLY_H
#define SIM_REPLY_H

#include "buf.h"
#include "cmd.h"

enum sim_stop {
    SIM_STOP_NONE,
    SIM_STOP_CUT,     /* close without the end of the body */
    SIM_STOP_RESET,   /* the same with RST */
    SIM_STOP_END,     /* end the body cleanly, too early */
    SIM_STOP_SILENCE, /* send nothing for silence ms, or ever again when silence < 0 */
    SIM_STOP_HANGUP,  /* no byte at all, FIN */
    SIM_STOP_ABORT    /* no byte at all, RST */
};

struct sim_reply {
    int status;
    const char *type; /* static text */
    struct sim_buf head; /* more header lines, each with CRLF */
    struct sim_buf body;
    size_t *end; /* body offset after each event */
    size_t events, cap;
    int64_t *pause; /* ms before each event, or NULL: first and gap rule */
    bool stream;    /* no length is announced */
    bool raw;       /* the body holds the head, too */
    bool close;     /* the end of the connection ends the body */
    bool no_body;   /* HEAD, 204 */
    int64_t claim;  /* Content-Length to announce instead of the true one, or -1 */
    int64_t delay, first, gap, chunk, chunk_gap, per_write;
    enum sim_stop stop;
    size_t stop_at;
    int64_t silence;
};

/* An empty 200 reply of the JSON type. */
void sim_reply_init(struct sim_reply *r);

void sim_reply_free(struct sim_reply *r);

/* Adds one header line; CR and LF in value are dropped. */
void sim_reply_header(struct sim_reply *r, const char *name, const char *value);

/* Marks the end of an event (or of one write) at the present end of the body. */
void sim_reply_mark(struct sim_reply *r);

/* Takes over times, headers and write sizes from the commands. */
void sim_reply_script(struct sim_reply *r, const struct sim_cmd *c);

/* Compresses the body with gzip, each event flushed by itself, and adds the header. */
void sim_reply_gzip(struct sim_reply *r);

/*
 * Appends one server-sent event in the spelling that the commands ask for (comments, line ends,
 * several data lines, …). name NULL: no event line. data is n bytes of one-line text.
 */
void sim_sse_add(struct sim_reply *r, const struct sim_cmd *c, const char *name, const char *data,
                 size_t n);

/* Turns r into an event stream; call before the first sim_sse_add(). */
void sim_sse_begin(struct sim_reply *r, const struct sim_cmd *c);

/* Takes the last blank line away when the commands ask for it; call after the last event. */
void sim_sse_finish(struct sim_reply *r, const struct sim_cmd *c);

#endif
