#include "catalogue/words.h"

#include "base/money.h"
#include "base/utf8.h"
#include "catalogue/catalogue.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PRICE_PLACES 6 /* micro-credits a million tokens are pico-credits a token */
#define PRICE_MOST 1000000000000LL

static const struct {
    const char *word;
    unsigned bit;
} capabilities[] = {
    {"image", MG_CAP_IMAGE},
    {"pdf", MG_CAP_PDF},
    {"tools", MG_CAP_TOOLS},
    {"structured", MG_CAP_STRUCTURED},
    {"reasoning", MG_CAP_REASONING},
    {"sampling", MG_CAP_SAMPLING},
    {"system-midway", MG_CAP_SYSTEM_MIDWAY},
};
#define CAPABILITIES (sizeof(capabilities) / sizeof(capabilities[0]))

/* Cuts the next word off a list with commas: 1 and the word without the spaces around it, 0 at
 * the end. A word that does not fit comes out cut and so matches nothing. */
static int
next_word(const char **list, char word[32])
{
    if (*list == NULL)
        return 0;
    const char *p = *list + strspn(*list, " "), *end = strchr(p, ',');
    size_t n = end ? (size_t)(end - p) : strlen(p);
    *list = end ? end + 1 : NULL;
    while (n > 0 && p[n - 1] == ' ')
        n--;
    snprintf(word, 32, "%.*s", (int)(n < 31 ? n : 31), p);
    return 1;
}

int
mg_words_formats(const char *text, unsigned *formats, enum mg_family *preferred,
                 struct mg_err *err)
{
    char word[32];
    *formats = 0;
    while (next_word(&text, word)) {
        int family = mg_family_parse(word);
        if (family < 0)
            return mg_err_set(err, 422, "invalid_formats",
                              "'%s' is no format; use chat, responses, completions, messages "
                              "with commas between, the preferred one first",
                              word);
        if (*formats & 1u << family)
            return mg_err_set(err, 422, "invalid_formats", "the format '%s' is there twice", word);
        if (*formats == 0)
            *preferred = (enum mg_family)family;
        *formats |= 1u << family;
    }
    if (*formats == 1u << MG_COMPLETIONS)
        return mg_err_set(err, 422, "invalid_formats",
                          "an upstream has to speak chat, responses or messages; completions "
                          "alone cannot carry a conversation");
    if (*preferred == MG_COMPLETIONS)
        return mg_err_set(err, 422, "invalid_formats",
                          "completions cannot be the preferred format: nothing is translated "
                          "to it");
    return 0;
}

int
mg_words_capabilities(const char *text, unsigned *bits, struct mg_err *err)
{
    char word[32];
    *bits = strcmp(text, "any") == 0 ? MG_CAP_ANY : 0;
    if (*bits != 0 || strcmp(text, "none") == 0)
        return 0;
    while (next_word(&text, word)) {
        size_t i = 0;
        while (i < CAPABILITIES && strcmp(capabilities[i].word, word) != 0)
            i++;
        if (i == CAPABILITIES)
            return mg_err_set(err, 422, "invalid_capabilities",
                              "'%s' is no capability; use image, pdf, tools, structured, "
                              "reasoning, sampling, system-midway with commas between, none or "
                              "any",
                              word);
        *bits |= capabilities[i].bit;
    }
    return 0;
}

char *
mg_words_of_capabilities(unsigned bits, char buf[MG_CAPABILITIES_SIZE])
{
    size_t n = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < CAPABILITIES; i++)
        if (bits & capabilities[i].bit)
            n += (size_t)snprintf(buf + n, MG_CAPABILITIES_SIZE - n, "%s%s", n ? "," : "",
                                  capabilities[i].word);
    return buf;
}

int
mg_words_efforts(const char *text, unsigned *bits, struct mg_err *err)
{
    char word[32];
    *bits = 0;
    if (*text == '\0')
        return 0;
    while (next_word(&text, word)) {
        enum mg_effort effort = mg_effort_parse(mg_span_z(word));
        if (effort == MG_EFFORT_UNSET)
            return mg_err_set(err, 422, "invalid_efforts",
                              "'%s' is no effort; use none, minimal, low, medium, high, xhigh, "
                              "max with commas between",
                              word);
        *bits |= 1u << effort;
    }
    return 0;
}

char *
mg_words_of_efforts(unsigned bits, char buf[MG_EFFORTS_SIZE])
{
    size_t n = 0;
    buf[0] = '\0';
    for (int i = MG_EFFORT_NONE; i <= MG_EFFORT_MAX; i++)
        if (bits & 1u << i)
            n += (size_t)snprintf(buf + n, MG_EFFORTS_SIZE - n, "%s%s", n ? "," : "",
                                  mg_effort_word((enum mg_effort)i));
    return buf;
}

int
mg_words_thinking(const char *text, enum mg_thinking_style *style, struct mg_err *err)
{
    if (strcmp(text, "budget") == 0)
        *style = MG_THINKING_BUDGET;
    else if (strcmp(text, "adaptive") == 0)
        *style = MG_THINKING_EFFORT;
    else if (*text != '\0')
        return mg_err_set(err, 422, "invalid_thinking",
                          "'%.40s' is no way to think; use budget or adaptive", text);
    return 0;
}

const char *
mg_words_of_thinking(enum mg_thinking_style style)
{
    return style == MG_THINKING_EFFORT ? "adaptive" : "budget";
}

int
mg_words_check_id(const char *id, size_t max, const char *what, struct mg_err *err)
{
    size_t n = strlen(id);
    bool good = n > 0 && n <= max && isalnum((unsigned char)id[0]);
    for (const char *c = id; *c != '\0'; c++)
        good = good && (unsigned char)*c < 0x80 &&
               (isalnum((unsigned char)*c) || strchr("._:/@+~-", *c) != NULL);
    if (good)
        return 0;
    return mg_err_set(err, 422, "invalid_id",
                      "'%.80s' cannot be a %s: it has 1 to %zu letters, digits or . _ : / @ + ~ "
                      "- and begins with a letter or digit",
                      id, what, max);
}

int
mg_words_check_text(const char *text, size_t max, const char *what, struct mg_err *err)
{
    size_t n = strlen(text);
    bool good = n <= max && mg_utf8_valid(text, n);
    for (const char *c = text; *c != '\0'; c++)
        good = good && (unsigned char)*c >= 0x20 && *c != 0x7f;
    if (good)
        return 0;
    return mg_err_set(err, 422, "invalid_text",
                      "the %s has to be UTF-8 text of at most %zu bytes without control "
                      "characters",
                      what, max);
}

int
mg_words_price(const char *text, const char *what, int64_t *pico, struct mg_err *err)
{
    if (mg_money_parse(text, PRICE_PLACES, pico) != 0 || *pico < 0 || *text == '-')
        return mg_err_set(err, 422, "invalid_price",
                          "%s: '%.40s' is no price; write credits per million tokens, such as 3 "
                          "or 0.075, with at most %d places after the point",
                          what, text, PRICE_PLACES);
    if (*pico > PRICE_MOST)
        return mg_err_set(err, 422, "invalid_price",
                          "%s: %s credits per million tokens are more than one credit a token; "
                          "is the unit right?",
                          what, text);
    return 0;
}

static int
bad_url(struct mg_err *err, const char *text, const char *why)
{
    return mg_err_set(err, 422, "invalid_url",
                      "'%.120s' cannot be the address of an upstream: %s; write it like "
                      "https://api.example.com/v1",
                      text, why);
}

/* Length of "host" or "host:port" at p, 0 when it is none. */
static size_t
authority(const char *p)
{
    size_t n = p[0] == '[' ? strspn(p + 1, "0123456789abcdefABCDEF:.") + 1 : 0;
    if (n > 0) {
        if (n < 3 || p[n++] != ']')
            return 0;
    } else {
        while (p[n] != '\0' && (unsigned char)p[n] < 0x80 &&
               (isalnum((unsigned char)p[n]) || strchr(".-_", p[n]) != NULL))
            n++;
        if (n == 0)
            return 0;
    }
    if (p[n] == ':') {
        size_t port = strspn(p + n + 1, "0123456789");
        long number = port > 0 && port <= 5 ? strtol(p + n + 1, NULL, 10) : 0;
        if (number < 1 || number > 65535)
            return 0;
        n += 1 + port;
    }
    return n;
}

static bool
ends_in_endpoint(const char *path, size_t n)
{
    static const char *const endpoints[] = {"/completions", "/responses", "/messages", "/models"};
    for (size_t i = 0; i < sizeof(endpoints) / sizeof(endpoints[0]); i++) {
        size_t len = strlen(endpoints[i]);
        if (n >= len && strncasecmp(path + n - len, endpoints[i], len) == 0)
            return true;
    }
    return false;
}

int
mg_words_url(const char *text, char url[MG_WORDS_URL], struct mg_err *err)
{
    bool tls = strncasecmp(text, "https://", 8) == 0;
    if (!tls && strncasecmp(text, "http://", 7) != 0)
        return bad_url(err, text, "it has to begin with https:// or http://");
    const char *rest = text + (tls ? 8 : 7);
    size_t host = authority(rest);
    if (host == 0 || (rest[host] != '/' && rest[host] != '\0'))
        return bad_url(err, text, "a host name or address (and a port) has to follow, without a "
                                  "user, query or fragment");
    const char *path = rest + host;
    size_t n = strlen(path);
    while (n > 0 && path[n - 1] == '/')
        n--;
    for (size_t i = 0; i < n; i++)
        if (!((unsigned char)path[i] < 0x80 && isalnum((unsigned char)path[i])) &&
            strchr("/._~-%:@", path[i]) == NULL)
            return bad_url(err, text, "the path holds a query, fragment or odd character");
    if (ends_in_endpoint(path, n))
        return bad_url(err, text, "it names an endpoint, but only the base is wanted");
    if (n == 0) {
        path = "/v1";
        n = 3;
    }
    int len = snprintf(url, MG_WORDS_URL, "http%s://%.*s%.*s", tls ? "s" : "", (int)host,
                       rest, (int)n, path);
    return len < MG_WORDS_URL ? 0 : bad_url(err, text, "it is too long");
}
