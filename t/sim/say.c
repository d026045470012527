#include "say.h"

#include "codec.h"
#include "schema.h"

#include <string.h>

const char *sim_say_words(struct sim_pool *pool, int64_t n)
{
    static const char *const words[] = {
        "alpha", "beta", "gamma", "delta", "omega", "sigma", "kappa", "theta",
    };
    enum { COUNT = sizeof words / sizeof words[0] };
    struct sim_buf b = {0};
    const char *s;
    int64_t i;

    for (i = 0; i < n; i++) {
        sim_buf_puts(&b, i ? " " : "");
        sim_buf_puts(&b, words[i % COUNT]);
    }
    s = sim_pool_copy(pool, b.p ? b.p : "", b.len);
    sim_buf_free(&b);
    return s;
}

/* Exactly n bytes: words of seven letters, or one endless word. */
static const char *some_bytes(struct sim_pool *pool, int64_t n, bool one_word)
{
    char *s = sim_pool_alloc(pool, (size_t)n + 1);
    int64_t i;

    for (i = 0; i < n; i++) {
        s[i] = one_word ? 'x' : "abcdefg "[i % 8];
    }
    return s;
}

const char *sim_say_greeting(const struct sim_turn *turn)
{
    const struct sim_ask *ask = turn->ask;
    const char *said = ask->user_text;
    size_t n = sim_utf8_cut(said, strlen(said), 200);
    const char *seen = "";

    if (ask->results) {
        return sim_pool_fmt(turn->pool, "The tool answered: %.2000s",
                            ask->last_result ? ask->last_result : "");
    }
    if (ask->images || ask->files) {
        seen = sim_pool_fmt(turn->pool, " I see %d image(s) and %d file(s).", ask->images,
                            ask->files);
    }
    return sim_pool_fmt(turn->pool, "Hello from the simulated model! You said: \"%.*s\".%s", (int)n,
                        said, seen);
}

const char *sim_say_structured(const struct sim_turn *turn)
{
    struct sim_buf b = {0};
    const char *s;

    if (turn->ask->output == SIM_OUT_JSON_OBJECT) {
        return "{\"ok\":true}";
    }
    sim_schema_instance(&b, turn->ask->schema, turn->ask->schema);
    s = sim_pool_copy(turn->pool, b.p, b.len);
    sim_buf_free(&b);
    return s;
}

const char *sim_say_wanted(const struct sim_turn *turn)
{
    const struct sim_cmd *cmd = turn->cmd;

    if (cmd->text) {
        return cmd->text;
    }
    if (cmd->bigline >= 0) {
        return some_bytes(turn->pool, cmd->bigline, true);
    }
    if (cmd->bytes >= 0) {
        return some_bytes(turn->pool, cmd->bytes, false);
    }
    return cmd->words >= 0 ? sim_say_words(turn->pool, cmd->words) : NULL;
}
