/* Settles on disk: written whole, read back, never twice at the same time, torn ends skipped. */
#include "ledger/journal.h"
#include "ledger/record.h"
#include "tap.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/mg-journal-XXXXXX";
static struct mg_err err = MG_ERR_INIT;

static struct mg_settle
example(int n)
{
    struct mg_settle s = {.wallet_id = UINT64_MAX, .api_key_id = 7, .charge = INT64_MAX,
                          .model = "mod\"el\\\n\xc3\xa9", .served_by = "x/y", .label = "L",
                          .family = "chat", .input = 1, .cache_read = 2, .cache_write_5m = 3,
                          .cache_write_1h = 4, .output = 5, .reasoning = 6,
                          .price_version = UINT64_MAX, .flags = 0xffffffff, .status = 200,
                          .first_ms = -1, .total_ms = INT32_MAX};
    memset(s.request_id, n, MG_ID_BYTES);
    return s;
}

static bool
same(const struct mg_settle *a, const struct mg_settle *b)
{
    return memcmp(a->request_id, b->request_id, MG_ID_BYTES) == 0 && a->wallet_id == b->wallet_id &&
           a->api_key_id == b->api_key_id && a->charge == b->charge && a->release == b->release &&
           strcmp(a->model, b->model) == 0 && strcmp(a->served_by, b->served_by) == 0 &&
           strcmp(a->label, b->label) == 0 && strcmp(a->family, b->family) == 0 &&
           a->input == b->input && a->cache_read == b->cache_read &&
           a->cache_write_5m == b->cache_write_5m && a->cache_write_1h == b->cache_write_1h &&
           a->output == b->output && a->reasoning == b->reasoning &&
           a->price_version == b->price_version && a->flags == b->flags &&
           a->status == b->status && a->first_ms == b->first_ms && a->total_ms == b->total_ms;
}

static void
test_record(void)
{
    struct mg_settle in = example(1), got;
    struct mg_str line;
    mg_str_init(&line, 1 << 16);
    in.release = true;
    mg_record_write(&line, &in);
    ok(mg_str_ok(&line) && line.p[line.len - 1] == '\n' &&
       memchr(line.p, '\n', line.len) == line.p + line.len - 1, "a record is one line");
    ok(mg_record_read(line.p, line.len, &got) == 0 && same(&in, &got), "it is read back whole");
    int accepted = 0;
    for (size_t n = 0; n + 1 < line.len; n++)
        accepted += mg_record_read(line.p, n, &got) == 0;
    is_int(accepted, 0, "cut anywhere it is not accepted");
    for (size_t i = 0; i + 1 < line.len; i++) {
        line.p[i] ^= 1;
        accepted += mg_record_read(line.p, line.len, &got) == 0;
        line.p[i] ^= 1;
    }
    is_int(accepted, 0, "with any bit changed neither");
    memset(in.model, 'm', sizeof(in.model) - 1);
    memset(in.served_by, '\1', sizeof(in.served_by) - 1);
    mg_str_reset(&line);
    mg_record_write(&line, &in);
    ok(mg_record_read(line.p, line.len, &got) == 0 && same(&in, &got),
       "the longest texts fit, however they are escaped");
    mg_str_free(&line);
}

static int
count_files(const char *suffix)
{
    int n = 0;
    DIR *d = opendir(dir);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        size_t len = strlen(e->d_name), want = strlen(suffix);
        n += len > want && strcmp(e->d_name + len - want, suffix) == 0;
    }
    closedir(d);
    return n;
}

static void
append(struct mg_journal *j, int from, int to)
{
    for (int i = from; i <= to; i++) {
        struct mg_settle s = example(i);
        const struct mg_settle *list[] = {&s};
        ok(mg_journal_append(j, list, 1) == 0, "settle %d is put on disk", i);
    }
}

static int
replay_all(bool done)
{
    struct mg_replay *r;
    struct mg_settle s;
    int n = 0;
    while ((r = mg_replay_take(dir)) != NULL) {
        while (mg_replay_next(r, &s) == 1)
            n++;
        mg_replay_end(&r, done);
        if (!done)
            break;
    }
    return n;
}

static void
test_replay(void)
{
    struct mg_journal *j = mg_journal_new(dir, &err);
    struct mg_settle s, first = example(1);
    ok(j != NULL, "a journal needs no file at first");
    is_int(count_files(".journal"), 0, "and makes none");
    append(j, 1, 3);
    is_int(count_files(".journal"), 1, "then one");
    ok(mg_replay_take(dir) == NULL, "nobody replays a file that is being written");
    mg_journal_close(j);
    struct mg_replay *r = mg_replay_take(dir);
    ok(r != NULL, "a closed one is taken");
    ok(mg_replay_take(dir) == NULL, "by one at a time");
    append(j, 4, 4);
    ok(mg_replay_next(r, &s) == 1 && same(&s, &first), "the settles come in their order");
    ok(mg_replay_next(r, &s) == 1 && mg_replay_next(r, &s) == 1 && mg_replay_next(r, &s) == 0,
       "three of them");
    mg_replay_end(&r, false);
    is_int(count_files(".journal"), 2, "a replay that did not succeed leaves the file");
    mg_journal_free(&j);
    is_int(replay_all(true), 4, "later all are replayed");
    is_int(count_files(".journal"), 0, "and the files are gone");
}

static void
damage(const char *text, bool truncate_end)
{
    DIR *d = opendir(dir);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char path[600];
        struct stat st;
        snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
        if (strstr(e->d_name, ".journal") == NULL || stat(path, &st) != 0)
            continue;
        if (truncate_end && truncate(path, st.st_size - 10) != 0)
            printf("# cannot truncate\n");
        FILE *f = fopen(path, "a");
        fputs(text, f);
        fclose(f);
    }
    closedir(d);
}

static void
test_damage(void)
{
    struct mg_journal *j = mg_journal_new(dir, &err);
    append(j, 1, 2);
    mg_journal_free(&j);
    damage("", true);
    is_int(replay_all(true), 1, "a torn last record is skipped");
    is_int(count_files(".damaged"), 0, "and nothing else is said about it");
    j = mg_journal_new(dir, &err);
    append(j, 1, 1);
    mg_journal_free(&j);
    damage("0123456789abcdef {\"not\":\"ours\"}\n\n", false);
    is_int(replay_all(true), 1, "a line that is not right is skipped");
    is_int(count_files(".damaged"), 1, "but its file is kept for a person to look at");
}

static void
test_crash(void)
{
    int ends[2], status;
    char byte;
    if (pipe(ends) != 0)
        return;
    pid_t pid = fork();
    if (pid == 0) {
        struct mg_journal *j = mg_journal_new(dir, &err);
        struct mg_settle s = example(9);
        const struct mg_settle *list[] = {&s};
        if (j == NULL || mg_journal_append(j, list, 1) != 0 || write(ends[1], "x", 1) != 1)
            _exit(1);
        pause();
    }
    ok(read(ends[0], &byte, 1) == 1 && mg_replay_take(dir) == NULL,
       "another process's journal is left to it while it lives");
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    is_int(replay_all(true), 1, "and taken when it was killed");
}

static void
test_full_disk(void)
{
    struct rlimit limit, small;
    struct mg_journal *j = mg_journal_new(dir, &err);
    struct mg_settle s = example(1);
    const struct mg_settle *list[64];
    for (int i = 0; i < 64; i++)
        list[i] = &s;
    append(j, 1, 2);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = 3000;
    setrlimit(RLIMIT_FSIZE, &small);
    is_int(mg_journal_append(j, list, 64), -1, "a write that the disk refuses is refused");
    setrlimit(RLIMIT_FSIZE, &limit);
    append(j, 3, 3);
    mg_journal_free(&j);
    is_int(replay_all(true), 3, "and leaves no half record before a later one");
    is_int(count_files(".damaged"), 1, "the file is whole");
}

int
main(void)
{
    plan(0);
    if (mkdtemp(dir) == NULL)
        return 1;
    test_record();
    test_replay();
    test_damage();
    test_crash();
    test_full_disk();
    ok(mg_journal_new("/proc/nowhere", &err) == NULL, "a folder that cannot be is an error: %s",
       err.detail);
    char command[64];
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    return system(command) != 0 || done();
}
