#include "identity/password.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "base/utf8.h"

#include <libscrypt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define AT_ONCE 2  /* computations at a time */
#define WAITING 8  /* more than these are told to come back */
#define BLOCK 8    /* scrypt's r */
#define PARALLEL 1 /* scrypt's p */

_Static_assert(SCRYPT_MCF_LEN <= MG_PASSWORD_HASH, "a hash of libscrypt fits");

struct mg_hasher {
    pthread_mutex_t lock;
    pthread_cond_t left;
    int busy, waiting;
    int cost;
    char nobody[MG_PASSWORD_HASH]; /* of a random password: what a missing account is compared to */
};

/* The commonest passwords of leaked lists that are long enough to pass, and what people make of
 * "password" when they are asked for ten characters. Lower case. */
static const char *const common[] = {
    "0123456789",   "01234567890",  "0987654321",    "1029384756",    "123123123123",
    "1234567890",   "12345678901",  "123456789012",  "1234567891",    "12345678910",
    "123456789a",   "1234567890q",  "123qwe123qwe",  "1q2w3e4r5t",    "1q2w3e4r5t6y",
    "1qaz2wsx3edc", "9876543210",   "abcdefghij",    "abcd123456",    "administrator",
    "adminadmin",   "asdfghjkl;",   "asdfghjkl1",    "changeme123",   "changemenow",
    "facebook123",  "football123",  "iloveyou123",   "letmein123",    "letmeinnow",
    "linkedin123",  "mypassword",   "p@ssw0rd123",   "passw0rd123",   "password01",
    "password10",   "password11",   "password12",    "password123",   "password1234",
    "password12345", "password123456", "password1!", "password!1",    "password123!",
    "passwordpassword", "princess123", "q1w2e3r4t5", "q1w2e3r4t5y6",  "qazwsxedcr",
    "qwerty1234",   "qwerty12345",  "qwerty123456",  "qwertyuiop",    "qwertyuiop1",
    "qwertyuiop123", "sunshine123", "superman123",   "test123456",    "testtest123",
    "testtesttest", "welcome123",   "welcome1234",   "zaq12wsxcde3",  "zxcvbnm123",
};

static bool
is_common(const char *password)
{
    for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
        if (strcasecmp(password, common[i]) == 0)
            return true;
    return false;
}

/* "aaaaaaaaaa", "abababababab": no more than two different bytes. */
static bool
is_monotonous(const char *password)
{
    char seen[2] = {password[0], password[0]};
    for (const char *c = password; *c != '\0'; c++) {
        if (*c == seen[0] || *c == seen[1])
            continue;
        if (seen[1] != seen[0])
            return false;
        seen[1] = *c;
    }
    return true;
}

int
mg_password_check(const char *password, const char *username, const char *email,
                  const char *field, struct mg_err *err)
{
    size_t n = strlen(password);
    const char *type = "value_error", *msg = NULL;
    if (n < MG_PASSWORD_LEAST)
        type = "too_short", msg = "A password has at least 10 characters";
    else if (n > MG_PASSWORD_MOST)
        type = "too_long", msg = "A password has at most 256 bytes";
    else if (!mg_utf8_valid(password, n))
        msg = "Input should be text in UTF-8";
    else if ((username != NULL && strcasecmp(password, username) == 0) ||
             (email != NULL && strcasecmp(password, email) == 0))
        msg = "A password is not the username and not the mail address";
    else if (is_common(password) || is_monotonous(password))
        msg = "This is one of the first passwords that others would try; choose another one";
    return msg != NULL ? mg_err_field(err, type, msg, "body/%s", field) : 0;
}

static void
hash_with(int cost, const char *password, char hash[MG_PASSWORD_HASH])
{
    memset(hash, 0, MG_PASSWORD_HASH);
    if (libscrypt_hash(hash, password, (uint32_t)1 << cost, BLOCK, PARALLEL) > 0)
        return;
    fprintf(stderr, "scrypt failed: no memory, or no random bytes\n");
    abort();
}

struct mg_hasher *
mg_hasher_new(int cost)
{
    struct mg_hasher *h = mg_calloc(1, sizeof(*h));
    char password[64];
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->left, NULL);
    h->cost = cost;
    /* Not a hash of anything that could be sent: it holds a byte that is no UTF-8. */
    snprintf(password, sizeof(password), "\xffnobody");
    hash_with(cost, password, h->nobody);
    return h;
}

void
mg_hasher_free(struct mg_hasher **hasher)
{
    struct mg_hasher *h = *hasher;
    *hasher = NULL;
    if (h == NULL)
        return;
    pthread_cond_destroy(&h->left);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

int
mg_hasher_enter(struct mg_hasher *hasher, struct mg_err *err)
{
    int rc = 0;
    pthread_mutex_lock(&hasher->lock);
    if (hasher->busy == AT_ONCE && hasher->waiting == WAITING) {
        rc = mg_err_set(err, 429, "busy", "Too many people are signing in right now; try again in "
                                          "a moment.");
        err->retry_after_s = 2;
    } else {
        hasher->waiting++;
        while (hasher->busy == AT_ONCE)
            pthread_cond_wait(&hasher->left, &hasher->lock);
        hasher->waiting--;
        hasher->busy++;
    }
    pthread_mutex_unlock(&hasher->lock);
    return rc;
}

void
mg_hasher_leave(struct mg_hasher *hasher)
{
    pthread_mutex_lock(&hasher->lock);
    hasher->busy--;
    pthread_cond_signal(&hasher->left);
    pthread_mutex_unlock(&hasher->lock);
}

void
mg_hasher_hash(struct mg_hasher *hasher, const char *password, char hash[MG_PASSWORD_HASH])
{
    hash_with(hasher->cost, password, hash);
}

bool
mg_hasher_matches(struct mg_hasher *hasher, const char *hash, const char *password)
{
    char copy[MG_PASSWORD_HASH]; /* libscrypt writes into it */
    bool somebody = hash != NULL && strlen(hash) < sizeof(copy);
    memcpy(copy, hasher->nobody, sizeof(copy));
    if (somebody)
        snprintf(copy, sizeof(copy), "%s", hash);
    bool same = libscrypt_check(copy, password) > 0;
    mg_wipe(copy, sizeof(copy));
    return same && somebody;
}

/* "$s1$0f0801$…": the exponent of N, r and p, two hexadecimal digits each. */
bool
mg_hasher_is_old(const struct mg_hasher *hasher, const char *hash)
{
    unsigned long n = 0;
    if (strncmp(hash, "$s1$", 4) == 0 && strlen(hash) > 10)
        n = strtoul((char[3]){hash[4], hash[5], '\0'}, NULL, 16);
    return n < (unsigned long)hasher->cost;
}
