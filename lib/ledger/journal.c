#include "ledger/journal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "ledger/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".journal"
#define BYTES_MOST (8UL << 20) /* of one append: a full queue of settles is far below */

struct mg_journal {
    char *dir;
    int dir_fd;
    int fd;          /* the current file, locked; -1 = none */
    off_t good;      /* its length without a torn end */
    int64_t born_ms; /* monotonic */
};

struct mg_replay {
    int dir_fd;
    char name[NAME_MAX + 1];
    FILE *in;
    char *line;
    size_t room;
    unsigned long number; /* lines read */
    bool damaged;         /* one of them, not the last, is not what was written */
};

struct mg_journal *
mg_journal_new(const char *dir, struct mg_err *err)
{
    if (mkdir(dir, 0700) != 0 && errno != EEXIST) {
        mg_err_internal(err, "state_dir %s: %s", dir, strerror(errno));
        return NULL;
    }
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) != 0) {
        mg_err_internal(err, "state_dir %s: %s", dir, strerror(errno));
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    struct mg_journal *j = mg_calloc(1, sizeof(*j));
    j->dir = mg_strdup(dir);
    j->dir_fd = fd;
    j->fd = -1;
    return j;
}

void
mg_journal_free(struct mg_journal **journal)
{
    if (*journal == NULL)
        return;
    mg_journal_close(*journal);
    close((*journal)->dir_fd);
    free((*journal)->dir);
    free(*journal);
    *journal = NULL;
}

void
mg_journal_close(struct mg_journal *journal)
{
    if (journal->fd >= 0)
        close(journal->fd);
    journal->fd = -1;
}

int64_t
mg_journal_age(const struct mg_journal *journal)
{
    return journal->fd >= 0 ? mg_mono_ms() - journal->born_ms + 1 : 0;
}

static int
complain(const struct mg_journal *journal, const char *what)
{
    mg_error("journal in %s: %s: %s", journal->dir, what, strerror(errno));
    return -1;
}

/* True when the file behind fd is locked by us now and still has its name: between opening and
 * locking somebody may have taken it for a finished one and removed it. */
static bool
lock_file(int fd)
{
    struct stat st;
    return flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &st) == 0 && st.st_nlink > 0;
}

static int
open_file(struct mg_journal *journal)
{
    char name[MG_ID_HEX + sizeof(SUFFIX)], hex[MG_ID_HEX];
    uint8_t id[MG_ID_BYTES];
    for (int attempt = 0; attempt < 5; attempt++) {
        mg_id_new(id); /* begins with the time: names sort by age */
        snprintf(name, sizeof(name), "%s%s", mg_hex(id, MG_ID_BYTES, hex), SUFFIX);
        int fd = openat(journal->dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC,
                        0600);
        if (fd < 0)
            return complain(journal, "cannot make a file");
        if (lock_file(fd) && fsync(journal->dir_fd) == 0) {
            journal->fd = fd;
            journal->good = 0;
            journal->born_ms = mg_mono_ms();
            return 0;
        }
        close(fd);
    }
    return complain(journal, "cannot lock a file");
}

static int
write_all(int fd, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        p += done;
        n -= (size_t)done;
    }
    return 0;
}

int
mg_journal_append(struct mg_journal *journal, const struct mg_settle *const *settles,
                  size_t count)
{
    struct mg_str lines;
    if (journal->fd < 0 && open_file(journal) != 0)
        return -1;
    mg_str_init(&lines, BYTES_MOST);
    for (size_t i = 0; i < count; i++)
        mg_record_write(&lines, settles[i]);
    int rc = mg_str_ok(&lines) ? 0 : -1;
    if (rc == 0 && (write_all(journal->fd, lines.p, lines.len) != 0 ||
                    fdatasync(journal->fd) != 0)) {
        rc = complain(journal, "cannot write");
        /* What was written of it must not stand in front of a later record. Without that
         * certainty the next append begins another file. */
        if (ftruncate(journal->fd, journal->good) != 0 || fdatasync(journal->fd) != 0)
            mg_journal_close(journal);
    }
    if (rc == 0)
        journal->good += (off_t)lines.len;
    mg_str_free(&lines);
    return rc;
}

static int
is_journal(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > strlen(SUFFIX) && strcmp(entry->d_name + n - strlen(SUFFIX), SUFFIX) == 0;
}

/* Opens and locks one file; NULL when somebody else has it. */
static struct mg_replay *
take(int dir_fd, const char *name)
{
    int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    FILE *in = lock_file(fd) ? fdopen(fd, "r") : NULL;
    if (in == NULL) {
        close(fd);
        return NULL;
    }
    struct mg_replay *replay = mg_calloc(1, sizeof(*replay));
    replay->in = in;
    replay->dir_fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);
    snprintf(replay->name, sizeof(replay->name), "%s", name);
    return replay;
}

struct mg_replay *
mg_replay_take(const char *dir)
{
    struct dirent **names;
    struct mg_replay *replay = NULL;
    int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir_fd < 0)
        return NULL;
    int count = scandirat(dir_fd, ".", &names, is_journal, alphasort);
    for (int i = 0; i < count; i++) {
        if (replay == NULL)
            replay = take(dir_fd, names[i]->d_name);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    close(dir_fd);
    return replay;
}

int
mg_replay_next(struct mg_replay *replay, struct mg_settle *settle)
{
    ssize_t n;
    while ((n = getline(&replay->line, &replay->room, replay->in)) > 0) {
        replay->number++;
        if (n == 1)
            continue;
        if (mg_record_read(replay->line, (size_t)n, settle) == 0)
            return 1;
        if (replay->line[n - 1] != '\n') {
            mg_warn("journal %s: a torn last line is skipped", replay->name);
            continue;
        }
        mg_error("journal %s: line %lu is damaged and skipped", replay->name, replay->number);
        replay->damaged = true;
    }
    return 0;
}

void
mg_replay_end(struct mg_replay **replay, bool done)
{
    struct mg_replay *r = *replay;
    if (r == NULL)
        return;
    char kept[sizeof(r->name) + 16];
    snprintf(kept, sizeof(kept), "%s.damaged", r->name);
    /* Gone before the lock goes, so that nobody takes it in between. */
    if (done && (r->damaged ? renameat(r->dir_fd, r->name, r->dir_fd, kept)
                            : unlinkat(r->dir_fd, r->name, 0)) != 0)
        mg_error("journal %s: cannot be removed: %s", r->name, strerror(errno));
    fclose(r->in);
    close(r->dir_fd);
    free(r->line);
    free(r);
    *replay = NULL;
}
