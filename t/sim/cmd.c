#include "cmd.h"

#include "codec.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum kind { INT, STR };

struct command {
    const char *name;
    enum kind kind;
    size_t offset;
};

#define I(name, member) { name, INT, offsetof(struct sim_cmd, member) }
#define S(name, member) { name, STR, offsetof(struct sim_cmd, member) }

/* Names are written with '-' here; '_' in a request means the same. */
static const struct command commands[] = {
    S("text", text), S("refusal", refusal), S("parts", parts), I("words", words),
    I("bytes", bytes), I("bigline", bigline), S("tool-index", tool_index), I("tools", tools),
    I("args-chunk", args_chunk), I("interleave", interleave),
    I("empty-tool-calls", empty_tool_calls), I("done-only", done_only),
    S("reasoning-field", reasoning_field), I("reasoning", reasoning), I("summary", summary),
    I("reasoning-text", reasoning_text), I("redacted", redacted), I("in", in), I("out", out),
    I("cache-read", cache_read), I("cache-write-5m", cache_write_5m),
    I("cache-write-1h", cache_write_1h), I("reasoning-tokens", reasoning_tokens),
    S("usage", usage), S("usage-json", usage_json), S("finish", finish),
    S("stop-sequence", stop_sequence), S("echo-model", echo_model), S("id", id),
    I("created", created), I("delay", delay), I("first", first), I("gap", gap),
    I("chunk-gap", chunk_gap), S("eol", eol), S("gzip", gzip), I("chunk", chunk),
    I("events-per-write", events_per_write), I("crlf", crlf), I("comments", comments),
    I("nospace", nospace), I("multiline", multiline), I("nofinal", nofinal),
    I("no-done", no_done), I("noname", noname), I("bom", bom), I("pings", pings),
    I("close", close), I("status", status), S("message", message), S("code", code),
    S("type", type), S("param", param), S("fault", fault), S("at", at), I("at-byte", at_byte),
    I("silence", silence), I("strict", strict), I("max-out", max_out),
    I("no-system-role", no_system_role), S("tag", tag), I("times", times), I("skip", skip),
};

void sim_cmd_init(struct sim_cmd *c)
{
    size_t i;

    memset(c, 0, sizeof *c);
    for (i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (commands[i].kind == INT) {
            int64_t *v = (int64_t *)(void *)((char *)c + commands[i].offset);

            *v = -1;
        }
    }
}

static bool same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        char x = *a == '_' ? '-' : *a;
        char y = *b == '_' ? '-' : *b;

        if (x != y) {
            return false;
        }
    }
    return *a == *b;
}

/* name is word, alone or followed by 2 to 8: its place in the arrays, else -1. */
static int numbered(const char *name, const char *word)
{
    size_t n = strlen(word);

    if (strncmp(name, word, n) != 0) {
        return -1;
    }
    if (!name[n]) {
        return 0;
    }
    return name[n] >= '2' && name[n] <= '8' && !name[n + 1] ? name[n] - '1' : -1;
}

static const char *set_int(int64_t *v, struct sim_pool *pool, const char *name, const char *value)
{
    char *end;

    errno = 0;
    *v = strtoll(value, &end, 10);
    if (errno || end == value || *end) {
        return sim_pool_fmt(pool, "sim: %s=%s is not a number", name, value);
    }
    return NULL;
}

static const char *add_header(struct sim_cmd *c, struct sim_pool *pool, const char *name,
                              const char *value)
{
    if (c->hdrs == SIM_CMD_HEADERS) {
        return "sim: too many hdr- commands";
    }
    c->hdr_name[c->hdrs] = sim_pool_copy(pool, name, strlen(name));
    c->hdr_value[c->hdrs++] = sim_pool_copy(pool, value, strlen(value));
    return NULL;
}

/* The commands that fill an array. Returns 1 when name is one of them. */
static int set_listed(struct sim_cmd *c, struct sim_pool *pool, const char *name,
                      const char *value, const char **err)
{
    int i;

    if (strncasecmp(name, "hdr-", 4) == 0) {
        *err = add_header(c, pool, name + 4, value);
        return 1;
    }
    if (strcmp(name, "agent") == 0) {
        if (c->agents == SIM_CMD_AGENTS) {
            *err = "sim: too many agent commands";
        } else {
            c->agent[c->agents++] = sim_pool_copy(pool, value, strlen(value));
        }
        return 1;
    }
    i = numbered(name, "tool");
    if (i >= 0) {
        c->tool[i] = sim_pool_copy(pool, value, strlen(value));
        return 1;
    }
    i = strcmp(name, "input") == 0 ? 0 : numbered(name, "args");
    if (i >= 0) {
        c->args[i] = sim_pool_copy(pool, value, strlen(value));
        return 1;
    }
    return 0;
}

const char *sim_cmd_set(struct sim_cmd *c, struct sim_pool *pool, const char *name,
                        const char *value)
{
    const char *err = NULL;
    size_t i;

    if (set_listed(c, pool, name, value, &err)) {
        return err;
    }
    for (i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        void *at = (char *)c + commands[i].offset;

        if (!same_name(commands[i].name, name)) {
            continue;
        }
        if (commands[i].kind == INT) {
            return set_int(at, pool, name, value);
        }
        *(const char **)at = sim_pool_copy(pool, value, strlen(value));
        return NULL;
    }
    return sim_pool_fmt(pool, "sim: unknown command '%s'", name);
}

static bool is_gap(char ch)
{
    return isspace((unsigned char)ch) || ch == ';';
}

/* One `key=value`, n bytes. */
static const char *read_pair(struct sim_cmd *c, struct sim_pool *pool, const char *s, size_t n)
{
    char *key = sim_pool_copy(pool, s, n);
    char *eq = memchr(key, '=', n);

    if (!eq) {
        return sim_cmd_set(c, pool, key, "1");
    }
    *eq = '\0';
    sim_url_decode(eq + 1, n - (size_t)(eq + 1 - key));
    return sim_cmd_set(c, pool, key, eq + 1);
}

const char *sim_cmd_read(struct sim_cmd *c, struct sim_pool *pool, const char *s, size_t n)
{
    const char *end = memmem(s, n, "]]", 2);
    const char *err = NULL;

    if (n >= 5 && memcmp(s, "[[sim", 5) == 0) {
        s += 5;
        n -= 5;
    }
    end = end ? end : s + n;
    while (!err) {
        const char *from;

        while (s < end && is_gap(*s)) {
            s++;
        }
        from = s;
        while (s < end && !is_gap(*s)) {
            s++;
        }
        if (s == from) {
            break;
        }
        err = read_pair(c, pool, from, (size_t)(s - from));
    }
    return err;
}
