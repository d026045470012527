/* The vault: a secret opens at its place, with its key, and nowhere else. */
#include "base/vault.h"

#include "tap.h"

#include <sys/stat.h>
#include <unistd.h>

static char key_file[] = "/tmp/mg-vault-XXXXXX";

static int
open_vault(struct mg_vault *vault, const char *key, struct mg_err *err)
{
    FILE *out = fopen(key_file, "we");
    if (out == NULL || fputs(key, out) < 0 || fclose(out) != 0)
        abort();
    struct mg_conf conf = {.master_key_file = key_file};
    return mg_vault_open(vault, &conf, err);
}

static void
cannot_open(const struct mg_vault *vault, struct mg_vault_place place, const uint8_t *sealed,
            size_t n, const char *why, const char *what)
{
    struct mg_err err = MG_ERR_INIT;
    char *secret = mg_vault_unseal(vault, place, sealed, n, &err);
    if (!ok(secret == NULL && err.status == 500 && strstr(err.detail, why) != NULL, "%s", what))
        printf("# %s\n", err.detail);
    free(secret);
    mg_err_free(&err);
}

int
main(void)
{
    plan(0);
    int fd = mkstemp(key_file);
    if (fd < 0)
        skip_all("no temporary file");
    close(fd);

    static const struct mg_vault_place place = {"system-key", 7, 1};
    struct mg_vault vault, other;
    struct mg_err err = MG_ERR_INIT;
    uint8_t sealed[6 + MG_VAULT_OVERHEAD];
    is_int(open_vault(&vault, "0123456789abcdef0123456789abcdef", &err), 0, "a vault opens");
    is_int(open_vault(&other, "0123456789abcdef0123456789abcdeF", &err), 0, "another one too");
    mg_vault_seal(&vault, place, "secret", 6, sealed);
    char *secret = mg_vault_unseal(&vault, place, sealed, sizeof(sealed), &err);
    is_str(secret, "secret", "what is sealed is opened");
    free(secret);
    mg_vault_seal(&vault, place, "", 0, sealed);
    secret = mg_vault_unseal(&vault, place, sealed, MG_VAULT_OVERHEAD, &err);
    is_str(secret, "", "an empty secret too");
    free(secret);

    mg_vault_seal(&vault, place, "secret", 6, sealed);
    cannot_open(&other, place, sealed, sizeof(sealed), "another master key",
                "another master key is named as the reason");
    cannot_open(&vault, (struct mg_vault_place){"system-key", 8, 1}, sealed, sizeof(sealed),
                "was altered", "a value copied to another account does not open");
    cannot_open(&vault, (struct mg_vault_place){"system-key", 7, 2}, sealed, sizeof(sealed),
                "was altered", "nor does an old generation");
    cannot_open(&vault, (struct mg_vault_place){"upstream-key", 7, 1}, sealed, sizeof(sealed),
                "was altered", "nor one of another purpose");
    cannot_open(&vault, place, sealed, MG_VAULT_OVERHEAD - 1, "cut off", "a cut value is named");
    cannot_open(&vault, place, sealed, 0, "cut off", "an empty one too");
    sealed[sizeof(sealed) - 1] ^= 1;
    cannot_open(&vault, place, sealed, sizeof(sealed), "was altered", "a changed byte is noticed");

    mg_vault_close(&vault);
    static const struct mg_vault nothing;
    ok(memcmp(&vault, &nothing, sizeof(vault)) == 0, "a closed vault holds no key");
    is_int(open_vault(&vault, "short", &err), -1, "a file that is no key is refused");
    unlink(key_file);
    mg_err_free(&err);
    return done();
}
