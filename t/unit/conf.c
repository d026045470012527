/* Settings: defaults, file, environment, and what every mistake says. */
#include "base/conf.h"

#include "tap.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/mg-conf-XXXXXX";

static const char *
path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static const char *
file_with(const char *name, const void *bytes, size_t n)
{
    const char *path = path_of(name);
    FILE *out = fopen(path, "we");
    if (out == NULL || fwrite(bytes, 1, n, out) != n || fclose(out) != 0)
        abort();
    chmod(path, 0600);
    return path;
}

static int
load(struct mg_conf *conf, const char *text, struct mg_err *err)
{
    mg_err_free(err);
    return mg_conf_load(conf, file_with("gateway.conf", text, strlen(text)), err);
}

/* The text is refused and the detail holds both parts. */
static void
refused(const char *text, const char *place, const char *why)
{
    struct mg_conf conf;
    struct mg_err err = MG_ERR_INIT;
    int rc = load(&conf, text, &err);
    if (!ok(rc == -1 && strstr(err.detail, place) != NULL && strstr(err.detail, why) != NULL,
            "refused: %s … %s", place, why))
        printf("# rc %d: %s\n", rc, err.detail);
    if (rc == 0)
        mg_conf_free(&conf);
    mg_err_free(&err);
}

static void
test_defaults(void)
{
    struct mg_conf conf;
    struct mg_err err = MG_ERR_INIT;
    is_int(mg_conf_load(&conf, NULL, &err), 0, "without a file there are the defaults");
    is_str(conf.managed_alias, "power-ai", "a text");
    is_int(conf.threads, 32, "a number");
    mg_conf_free(&conf);
    ok(conf.db_name == NULL, "freeing leaves nothing behind");
    is_int(load(&conf, "", &err), 0, "an empty file changes nothing");
    is_int(conf.slice_tokens, 4096, "also not another number");
    mg_conf_free(&conf);
}

static void
test_file(void)
{
    struct mg_conf conf;
    struct mg_err err = MG_ERR_INIT;
    int rc = load(&conf,
                  "# a comment\n\n  threads=7  \n\tdb_name =  my db \r\n"
                  "base_url = https://x.example/gw///\ndb_password_file =\n managed_alias = a = b",
                  &err);
    is_int(rc, 0, "comments, blank lines, spaces and a last line without an end are fine");
    is_int(conf.threads, 7, "a number is read");
    is_str(conf.db_name, "my db", "a text keeps its inner spaces and loses the outer ones");
    is_str(conf.base_url, "https://x.example/gw", "an address loses its last slashes");
    is_str(conf.db_password_file, "", "a value may be empty");
    is_str(conf.managed_alias, "a = b", "only the first = divides");
    is_int(conf.loops, 2, "what the file does not name has its default");
    mg_conf_free(&conf);
    mg_err_free(&err);
}

static void
test_mistakes(void)
{
    char longest[6000];
    refused("threads = 5\nthraeds = 7\n", "gateway.conf:2:", "unknown setting 'thraeds'");
    refused("threads\n", "gateway.conf:1:", "name = value");
    refused("\n\n= 7\n", "gateway.conf:3:", "unknown setting ''");
    refused("threads = many\n", "gateway.conf:1:", "threads must be a whole number from 1 to 1024");
    refused("threads = 0\n", "gateway.conf:1:", "not '0'");
    refused("threads = 1025\n", "gateway.conf:1:", "not '1025'");
    refused("threads = 3.5\n", "gateway.conf:1:", "not '3.5'");
    refused("threads = 99999999999999999999\n", "gateway.conf:1:", "whole number");
    refused("threads =\n", "gateway.conf:1:", "not ''");
    refused("threads = 5\nloops = 1\nthreads = 6\n", "gateway.conf:3:", "in line 1 already");
    refused("log_level = loud\n", "log_level", "'loud'");
    refused("base_url = ftp://x\n", "base_url", "http:// or https://");
    refused("heartbeat_ms = 5000\nstale_ms = 9000\n", "stale_ms (9000)",
            "twice heartbeat_ms (5000)");
    memset(longest, 'x', sizeof(longest));
    memcpy(longest, "threads = 4\ndb_name = ", 22);
    snprintf(longest + sizeof(longest) - 20, 20, "\nthreads = 5\n");
    refused(longest, "gateway.conf:2:", "longer than");
}

static void
test_unreadable(void)
{
    struct mg_conf conf;
    struct mg_err err = MG_ERR_INIT;
    is_int(mg_conf_load(&conf, path_of("missing"), &err), -1,
           "a file that is not there is an error");
    ok(strstr(err.detail, "missing: No such file") != NULL, "that names it");
    mg_err_free(&err);
    is_int(mg_conf_load(&conf, folder, &err), -1, "so is a folder");
    ok(strstr(err.detail, "Is a directory") != NULL, "that says so");
    mg_err_free(&err);
}

static void
test_environment(void)
{
    struct mg_conf conf;
    struct mg_err err = MG_ERR_INIT;
    setenv("MG_THREADS", "9", 1);
    is_int(load(&conf, "threads = 5\n", &err), 0, "the environment is read after the file");
    is_int(conf.threads, 9, "and wins");
    mg_conf_free(&conf);
    setenv("MG_THREADS", "no", 1);
    refused("threads = 5\n", "MG_THREADS: threads", "not 'no'");
    unsetenv("MG_THREADS");
}

static void
test_print(void)
{
    struct mg_conf conf, again;
    struct mg_err err = MG_ERR_INIT;
    is_int(load(&conf, "threads = 11\ndb_name = abc\n", &err), 0, "a configuration");
    FILE *out = fopen(path_of("printed.conf"), "we");
    mg_conf_print(&conf, out);
    fclose(out);
    is_int(mg_conf_load(&again, path_of("printed.conf"), &err), 0, "what is printed can be read");
    ok(again.threads == 11 && strcmp(again.db_name, "abc") == 0 && again.loops == conf.loops,
       "and means the same");
    mg_conf_free(&conf);
    mg_conf_free(&again);
    mg_err_free(&err);
}

static void
test_secret(void)
{
    struct mg_err err = MG_ERR_INIT;
    char *secret = mg_conf_secret(file_with("pw", "s3cret \r\n\n", 10), 64, &err);
    is_str(secret, "s3cret ", "a secret loses its line ends and nothing else");
    free(secret);
    secret = mg_conf_secret(file_with("pw", "0123456789", 10), 10, &err);
    is_str(secret, "0123456789", "the longest secret");
    free(secret);
    ok(mg_conf_secret(file_with("pw", "0123456789a", 11), 10, &err) == NULL,
       "a longer one is refused");
    ok(strstr(err.detail, "larger than 10 bytes") != NULL, "and why is said");
    ok(strstr(err.detail, "01234") == NULL, "but not what it is");
    ok(mg_conf_secret(path_of("nowhere"), 10, &err) == NULL, "a file that is not there");
    ok(mg_conf_secret(folder, 10, &err) == NULL, "a folder");
    mg_err_free(&err);
}

static int
master_key(const void *bytes, size_t n, uint8_t key[32], struct mg_err *err)
{
    struct mg_conf conf;
    char text[256];
    snprintf(text, sizeof(text), "master_key_file = %s/master.key\n", folder);
    if (load(&conf, text, err) != 0)
        return -2;
    file_with("master.key", bytes, n);
    int rc = mg_conf_master_key(&conf, key, err);
    mg_conf_free(&conf);
    return rc;
}

static void
test_master_key(void)
{
    static const char hex[] = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF\n";
    static const char raw[] = "0123456789abcdef0123456789abcde\n";
    struct mg_err err = MG_ERR_INIT;
    uint8_t key[32] = {0};
    is_int(master_key(hex, 65, key, &err), 0, "64 digits and a line end are a key");
    ok(key[1] == 0x11 && key[31] == 0xff, "the right one");
    is_int(master_key(hex, 64, key, &err), 0, "also without the line end");
    is_int(master_key(raw, 32, key, &err), 0, "32 bytes are a key");
    ok(memcmp(key, raw, 32) == 0, "byte for byte, also when the last one is a line end");
    is_int(master_key(raw, 31, key, &err), -1, "31 are none");
    is_int(master_key(hex, 63, key, &err), -1, "63 digits are none");
    is_int(master_key("", 0, key, &err), -1, "nothing is none");
    char odd[64];
    memset(odd, 'g', sizeof(odd));
    is_int(master_key(odd, 64, key, &err), -1, "64 letters that are no digits are none");
    ok(strstr(err.detail, "master.key: must hold 32 bytes") != NULL, "and what is wanted is said");
    mg_err_free(&err);
}

int
main(void)
{
    plan(0);
    if (mkdtemp(folder) == NULL)
        skip_all("no temporary folder");
    test_defaults();
    test_file();
    test_mistakes();
    test_unreadable();
    test_environment();
    test_print();
    test_secret();
    test_master_key();
    static const char *const files[] = {"gateway.conf", "printed.conf", "pw", "master.key"};
    for (size_t i = 0; i < 4; i++)
        unlink(path_of(files[i]));
    rmdir(folder);
    return done();
}
