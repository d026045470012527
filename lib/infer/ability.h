/* What an upstream turned out to be able to do beside generating: remembered by a process for a
 * while, so that nobody asks a server again and again for an endpoint that it does not have. */
#ifndef MG_INFER_ABILITY_H
#define MG_INFER_ABILITY_H

#include "catalogue/catalogue.h"

#include <stdbool.h>

enum mg_ability {
    MG_COMPACTS,        /* Responses: /responses/compact and compaction_trigger items */
    MG_COUNTS_RESPONSES,/* /responses/input_tokens */
    MG_COUNTS_MESSAGES, /* /messages/count_tokens */
    MG_ABILITIES
};

enum mg_known { MG_UNKNOWN, MG_HAS, MG_LACKS };

struct mg_abilities;

struct mg_abilities *mg_abilities_new(void) __attribute__((returns_nonnull, warn_unused_result));
void mg_abilities_free(struct mg_abilities **abilities) __attribute__((nonnull));

/* What is remembered. Thread-safe. */
enum mg_known mg_ability_recall(struct mg_abilities *abilities,
                                const struct mg_upstream *upstream, enum mg_ability what)
    __attribute__((nonnull));
/* Remembers for `seconds`. */
void mg_ability_note(struct mg_abilities *abilities, const struct mg_upstream *upstream,
                     enum mg_ability what, enum mg_known known, int seconds)
    __attribute__((nonnull));

/* Whether the upstream compacts by itself. When nobody knows it is asked for a compaction of
 * nothing, which costs nothing (those that can mostly refuse it); that may block for some
 * seconds. An upstream that gives no clear answer is taken for one that cannot. */
bool mg_ability_compacts(struct mg_abilities *abilities, const struct mg_upstream *upstream)
    __attribute__((nonnull));

#endif
