/*
 * Opaque strings that only the provider can make and that it must get back unaltered: the signature
 * of a thinking block, encrypted reasoning, encrypted compaction. Each is an HMAC-SHA256 under a
 * fixed secret over what it belongs to, so the simulated provider "remembers" across restarts.
 */
#ifndef SIM_SIGN_H
#define SIM_SIGN_H

#include "mem.h"

#include <stdbool.h>
#include <stdint.h>

/* Signature (base64, in the pool) of n bytes of thinking. nonce tells equal texts apart. */
const char *sim_sign_thinking(struct sim_pool *pool, const char *text, size_t n, const char *nonce);

/* True when signature was made by sim_sign_thinking() for exactly this text. */
bool sim_sign_check_thinking(const char *text, size_t n, const char *signature);

/*
 * Opaque form (base64, in the pool) of n bytes that are bound to an owner: an item id, or a label
 * for data that has none.
 */
const char *sim_sign_seal(struct sim_pool *pool, const char *owner, const char *text, size_t n);

/* 1 when sealed is ours and owner (NULL: any) is the one it was made for, 0 for another owner,
 * -1 when it is no seal of ours or was altered. */
int sim_sign_check(const char *owner, const char *sealed);

#endif
