/* Arithmetic of credit. Integers only.
 *
 * A balance or a charge is in nano-credits (1 credit = 10^9). A price is in pico-credits per
 * token, which is the same number as micro-credits per million tokens, so that every list
 * price seen so far is exact. One credit buys one dollar of provider list price. */
#ifndef MG_BASE_MONEY_H
#define MG_BASE_MONEY_H

#include <stddef.h>
#include <stdint.h>

#define MG_NANO_PER_CREDIT 1000000000LL
#define MG_PICO_PER_NANO 1000LL
#define MG_MONEY_SIZE 32

/* A sum of tokens × price in pico-credits: 128 bits, so no real request overflows it. */
typedef __int128 mg_pico;

/* tokens (negative counts as 0) × price in pico-credits per token. */
mg_pico mg_money_cost(int64_t tokens, int64_t pico_per_token);
/* Rounds a sum up to nano-credits, once per request; saturates at INT64_MAX. */
int64_t mg_money_nano(mg_pico sum);
/* How many whole tokens of `pico_per_token` the amount of nano-credits pays; a free token is
 * INT64_MAX of them. */
int64_t mg_money_tokens(int64_t nano, int64_t pico_per_token);

/* "12.5", "-0.000000001": exact, no trailing zeros; returns buf. */
char *mg_money_text(int64_t nano, char buf[MG_MONEY_SIZE]) __attribute__((nonnull));
/* Parses a decimal such as "12.50" with at most `digits` places after the point into an
 * integer of 10^-digits units. 0, or -1 for anything else, also when it would be inexact. */
int mg_money_parse(const char *text, int digits, int64_t *value) __attribute__((nonnull));

#endif
