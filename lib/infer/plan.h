/* The plan of an exchange: who asks what of which upstream, and what it may cost.
 *
 * Made by a worker from the request before anything is spent: body parsed and checked, model
 * and destination chosen, the upstream's body written, the hold computed. */
#ifndef MG_INFER_PLAN_H
#define MG_INFER_PLAN_H

#include "http/request.h"
#include "identity/principal.h"
#include "infer/app.h"
#include "infer/hold.h"
#include "wire/facts.h"
#include "wire/relay.h"

#include <json-c/json_object.h>

struct mg_keep;

struct mg_plan {
    enum mg_family client;      /* format of the request */
    enum mg_family upstream;    /* format spoken with the upstream */
    bool translate;             /* … in words of our own, although it is the client's */
    bool background;            /* the generation waits for no client */
    bool at_once;               /* … who is answered before it begins, and gets no stream */
    const char *path;           /* of the upstream; NULL: where its format generates */
    char *kept;                 /* compaction by a summary: the messages that stand before it */
    uint64_t account_id;        /* whose request it is */
    struct mg_facts facts;      /* its texts live in the pool */
    const char *asked;          /* model id the client knows, in the pool */
    const struct mg_catalogue *catalogue; /* keeps `model` alive; released with the plan */
    const struct mg_model *model;
    struct mg_hold hold;
    struct json_object *tree;   /* the parsed body; dropped when the upstream's is written */
    struct mg_translation *translation; /* NULL for pass-through */
    const char *previous;       /* Responses: the response it continues, in the pool; NULL = none */
    struct mg_keep *keep;       /* the answer is to be kept: infer/keep.h; NULL = it is not */
};

/* Fills the plan from req->body. 0; -1 with err: 400, 402 and 403 (the key's own limits), 404
 * (unknown model), 422, 503. mg_plan_free in any case. */
int mg_plan_make(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
                 enum mg_family family, struct mg_plan *plan, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* The same for a request that is only counted: no member that a generation needs is required,
 * and nothing of it is held. 0; -1 with err: 400, 404 (unknown model), 422, 503. mg_plan_free in
 * any case. */
int mg_plan_count(struct mg_app *app, struct mg_request *req, const struct mg_principal *who,
                  enum mg_family family, struct mg_plan *plan, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* True when the client's own bytes go up and the upstream's own come down. */
bool mg_plan_passes(const struct mg_plan *plan) __attribute__((nonnull));
/* Writes the body for the upstream (out is initialised here); `lowered` is the output limit
 * that the hold pays for, or -1. May be called again with another limit. 0, or -1 with err:
 * what the upstream's format cannot say. */
int mg_plan_upward(struct mg_app *app, struct mg_request *req, struct mg_plan *plan,
                   int64_t lowered, struct mg_str *out, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Adds the reply header `x-dropped-parameters` when translation left something out. Once the
 * upstream's body is written for good, before the reply begins. */
void mg_plan_tell_dropped(const struct mg_plan *plan, struct mg_request *req)
    __attribute__((nonnull));
/* Drops the parsed tree and what points into it: the exchange may live long. */
void mg_plan_trim(struct mg_plan *plan) __attribute__((nonnull));
void mg_plan_free(struct mg_plan *plan) __attribute__((nonnull));

#endif
