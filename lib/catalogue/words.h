/* The operator's words in the catalogue: lists of formats, capabilities and efforts, ids, prices,
 * addresses.
 *
 * Pure text; every error is a 422 whose message says what would be right. */
#ifndef MG_CATALOGUE_WORDS_H
#define MG_CATALOGUE_WORDS_H

#include "base/err.h"
#include "wire/family.h"
#include "wire/levels.h"

#include <stdbool.h>
#include <stdint.h>

#define MG_CAPABILITIES_SIZE 64
#define MG_EFFORTS_SIZE 48
#define MG_WORDS_URL 256 /* bytes of a base address with its NUL */

/* Reads "chat,responses,messages": one bit 1 << enum mg_family a word; the first word is the
 * preferred one. 0 or -1. */
int mg_words_formats(const char *text, unsigned *formats, enum mg_family *preferred,
                     struct mg_err *err) __attribute__((nonnull, warn_unused_result));
/* Reads "image,tools", "none" or "any" into MG_CAP_ bits. 0 or -1. */
int mg_words_capabilities(const char *text, unsigned *bits, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* The reverse: words with commas between, "" for none; returns buf. */
char *mg_words_of_capabilities(unsigned bits, char buf[MG_CAPABILITIES_SIZE])
    __attribute__((nonnull));
/* Reads "low,medium,high", or "" for not stated, into bits 1 << enum mg_effort. 0 or -1. */
int mg_words_efforts(const char *text, unsigned *bits, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* The reverse: words with commas between, lowest first, "" for none; returns buf. */
char *mg_words_of_efforts(unsigned bits, char buf[MG_EFFORTS_SIZE]) __attribute__((nonnull));
/* Reads "budget" or "adaptive" into *style, which stays as it is for "" (not stated). 0 or -1. */
int mg_words_thinking(const char *text, enum mg_thinking_style *style, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* The word of a style. */
const char *mg_words_of_thinking(enum mg_thinking_style style);
/* Checks an id of at most `max` bytes: letters, digits and . _ : / @ + ~ -, not beginning with
 * a sign. `what` names it in the message ("model id"). 0 or -1. */
int mg_words_check_id(const char *id, size_t max, const char *what, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Checks a text for people: UTF-8 without control characters, at most `max` bytes. 0 or -1. */
int mg_words_check_text(const char *text, size_t max, const char *what, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Reads a price of decimal credits per million tokens, e.g. "0.075", at most six places after
 * the point and at most a million credits, into pico-credits a token. 0 or -1. */
int mg_words_price(const char *text, const char *what, int64_t *pico, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

/* Brings a base address to the form we keep: http or https, a host, no user, query or fragment,
 * no slash at the end. The endpoint names are appended to it, so it ends where a provider's
 * documents put /chat/completions or /messages, which is behind /v1 nearly everywhere: an
 * address without a path gets /v1; one with a path stays as it is. An endpoint's own address is
 * refused. 0 or -1. */
int mg_words_url(const char *text, char url[MG_WORDS_URL], struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
