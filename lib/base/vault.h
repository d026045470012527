/* Secrets that have to be read again: sealed under the master key, bound to their row.
 *
 * A System Key is shown to its owner and an upstream's credential is sent to it, so hashes do
 * not do. Both lie in the database sealed (AES-256-GCM); purpose, owner and version of the row
 * are authenticated with them, so that a sealed value copied to another row does not open. The
 * first four bytes tell which master key sealed it, so that a wrong key file is told apart
 * from a damaged row. */
#ifndef MG_BASE_VAULT_H
#define MG_BASE_VAULT_H

#include "base/conf.h"
#include "base/digest.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define MG_VAULT_MARK 4
#define MG_VAULT_OVERHEAD (MG_VAULT_MARK + MG_SEAL_OVERHEAD)

struct mg_vault {
    uint8_t key[MG_SEAL_KEY];
    uint8_t mark[MG_VAULT_MARK]; /* tells this master key from others */
};

/* Where a secret belongs: a constant word, the id of the row's owner, a generation. */
struct mg_vault_place {
    const char *purpose;
    uint64_t owner, version;
};

/* Reads the master key file of the settings. 0, or -1 with err. */
int mg_vault_open(struct mg_vault *vault, const struct mg_conf *conf, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));
/* Wipes the key. */
void mg_vault_close(struct mg_vault *vault) __attribute__((nonnull));
/* Seals n bytes for `place` into out, which has n + MG_VAULT_OVERHEAD bytes. */
void mg_vault_seal(const struct mg_vault *vault, struct mg_vault_place place, const char *secret,
                   size_t n, uint8_t *out) __attribute__((nonnull));
/* Opens n sealed bytes. The secret with a NUL behind it; wipe and free it. NULL with err (500;
 * the detail says whether another master key sealed it or the row was altered). */
char *mg_vault_unseal(const struct mg_vault *vault, struct mg_vault_place place,
                      const void *sealed, size_t n, struct mg_err *err)
    __attribute__((nonnull, warn_unused_result));

#endif
