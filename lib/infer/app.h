/* What the handlers of a responder process share. Filled once at start-up (service/service.h),
 * read-only afterwards but for the counters. */
#ifndef MG_INFER_APP_H
#define MG_INFER_APP_H

#include "base/conf.h"
#include "base/vault.h"
#include "catalogue/catalogue.h"
#include "db/db.h"
#include "identity/desk.h"
#include "identity/password.h"
#include "ledger/ledger.h"
#include "store/clerk.h"
#include "upstream/loop.h"

#include <stdatomic.h>

struct mg_abilities; /* infer/ability.h */
struct mg_muster;    /* infer/muster.h */
struct mg_payment;   /* payment/provider.h */
struct mg_roster;    /* infer/roster.h */
struct mg_tally;     /* infer/tally.h */

struct mg_postman; /* mail/postman.h */

struct mg_app {
    const struct mg_conf *conf;
    struct mg_vault vault;               /* master key, for keys that are shown again */
    struct mg_db_pool *db;
    struct mg_desk *desk;                /* whose keys the requests show */
    struct mg_catalogue_cache *catalogue;
    struct mg_hasher *hasher;            /* NULL but where people sign in */
    struct mg_postman *postman;          /* the same: it sends the mails */
    struct mg_ledger *ledger;            /* NULL in responders that never bill */
    struct mg_abilities *abilities;      /* what the upstreams turned out to be able to do */
    struct mg_tally *tally;              /* what they counted */
    struct mg_payment *payment;          /* NULL in responders that sell nothing */
    struct mg_clerks *clerks;            /* who put answers away; NULL likewise */
    struct mg_roster *roster;            /* generations that wait for no client */
    struct mg_muster *muster;            /* exchanges whose upstream is at work; NULL likewise */
    struct mg_loop **loops;
    size_t loop_count;
    struct mg_loop *side_loop;           /* for what would stall a loop: large translations */
    uint8_t pack_key[32];                /* seals reasoning carried through another format */
    atomic_uint next_loop;               /* exchanges go to the loops in turn */
    atomic_uint active;                  /* exchanges that have not ended */
};

#endif
