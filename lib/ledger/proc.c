#include "ledger/proc.h"

#include "base/id.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* First line of a small file of /proc, without its end. False when it cannot be read. */
static bool
read_line(const char *path, char *text, size_t size)
{
    FILE *in = fopen(path, "re");
    bool good = in != NULL && fgets(text, (int)size, in) != NULL;
    if (in != NULL)
        fclose(in);
    if (good)
        text[strcspn(text, "\n")] = '\0';
    return good;
}

struct stat_line {
    char state;
    long threads;
    uint64_t birth;
};

/* State, number of threads and start time of a process, from /proc/PID/stat. The name in it may
 * hold blanks and brackets: the fields are counted from its last bracket. */
static bool
read_stat(int64_t pid, struct stat_line *out)
{
    char path[64], line[1024];
    snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
    if (!read_line(path, line, sizeof(line)))
        return false;
    char *rest = strrchr(line, ')'), *word;
    if (rest == NULL || *++rest != ' ')
        return false;
    rest++;
    for (int field = 3; field <= 22 && (word = strsep(&rest, " ")) != NULL; field++) {
        if (field == 3)
            out->state = word[0];
        else if (field == 20)
            out->threads = strtol(word, NULL, 10);
        else if (field == 22)
            out->birth = strtoull(word, NULL, 10);
    }
    return out->birth != 0;
}

void
mg_proc_self(struct mg_proc *self)
{
    struct stat ns;
    struct stat_line line = {0};
    char boot[48];
    memset(self, 0, sizeof(*self));
    while (self->owner == 0)
        mg_random(&self->owner, sizeof(self->owner));
    if (gethostname(self->host, sizeof(self->host) - 1) != 0)
        self->host[0] = '\0';
    self->pid = getpid();
    if (read_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot)) &&
        stat("/proc/self/ns/pid", &ns) == 0 && read_stat(self->pid, &line)) {
        snprintf(self->place, sizeof(self->place), "%s/%llu", boot,
                 (unsigned long long)ns.st_ino);
        self->birth = line.birth;
    }
}

bool
mg_proc_is_dead(const struct mg_proc *self, const struct mg_proc *other)
{
    struct stat_line line = {0};
    if (self->place[0] == '\0' || strcmp(self->place, other->place) != 0)
        return false;
    if (kill((pid_t)other->pid, 0) != 0 && errno == ESRCH)
        return true;
    if (!read_stat(other->pid, &line))
        return false; /* hidden from us, or gone this very moment: the next look will tell */
    /* The main thread of a living process may have ended; a corpse has no thread left. */
    bool corpse = (line.state == 'Z' || line.state == 'X') && line.threads <= 1;
    return corpse || line.birth != other->birth;
}
