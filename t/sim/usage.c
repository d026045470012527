#include "usage.h"

#include <string.h>

enum sim_usage_mode sim_usage_mode(const struct sim_cmd *cmd)
{
    static const char *const names[] = {
        [SIM_USAGE_MISSING] = "missing", [SIM_USAGE_NULL] = "null", [SIM_USAGE_ZERO] = "zero",
        [SIM_USAGE_DOUBLE] = "double",   [SIM_USAGE_EARLY] = "early", [SIM_USAGE_LATE] = "late",
        [SIM_USAGE_FINISH] = "finish",   [SIM_USAGE_EACH] = "each", [SIM_USAGE_ALWAYS] = "always",
    };
    size_t i;

    for (i = 1; cmd->usage && i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], cmd->usage) == 0) {
            return (enum sim_usage_mode)i;
        }
    }
    return SIM_USAGE_NORMAL;
}

/* Writes the cases that need no figures. Returns true when it did. */
static bool special(struct sim_buf *b, const char *key, const struct sim_turn *turn)
{
    if (turn->cmd->usage_json) {
        sim_j_raw(b, key, turn->cmd->usage_json);
        return true;
    }
    if (sim_usage_mode(turn->cmd) == SIM_USAGE_NULL) {
        sim_j_null(b, key);
        return true;
    }
    return sim_usage_mode(turn->cmd) == SIM_USAGE_MISSING;
}

static struct sim_usage shown(const struct sim_turn *turn)
{
    static const struct sim_usage zero;

    return sim_usage_mode(turn->cmd) == SIM_USAGE_ZERO ? zero : turn->usage;
}

void sim_usage_chat_so_far(struct sim_buf *b, const char *key, const struct sim_turn *turn,
                           int64_t out)
{
    struct sim_usage u = shown(turn);
    int64_t prompt = u.in + u.cache_read + u.write_5m + u.write_1h;

    if (special(b, key, turn)) {
        return;
    }
    out = out < u.out ? out : u.out;
    sim_j_open(b, key, '{');
    sim_j_int(b, "prompt_tokens", prompt);
    sim_j_int(b, "completion_tokens", out);
    sim_j_int(b, "total_tokens", prompt + out);
    sim_j_open(b, "prompt_tokens_details", '{');
    sim_j_int(b, "cached_tokens", u.cache_read);
    sim_j_int(b, "cache_write_tokens", u.write_5m + u.write_1h);
    sim_j_int(b, "audio_tokens", 0);
    sim_j_close(b, '}');
    sim_j_open(b, "completion_tokens_details", '{');
    sim_j_int(b, "reasoning_tokens", u.reasoning);
    sim_j_int(b, "audio_tokens", 0);
    sim_j_int(b, "accepted_prediction_tokens", 0);
    sim_j_int(b, "rejected_prediction_tokens", 0);
    sim_j_close(b, '}');
    sim_j_close(b, '}');
}

void sim_usage_chat(struct sim_buf *b, const char *key, const struct sim_turn *turn)
{
    sim_usage_chat_so_far(b, key, turn, turn->usage.out);
}

void sim_usage_responses(struct sim_buf *b, const char *key, const struct sim_turn *turn)
{
    struct sim_usage u = shown(turn);
    int64_t input = u.in + u.cache_read + u.write_5m + u.write_1h;

    if (special(b, key, turn)) {
        return;
    }
    sim_j_open(b, key, '{');
    sim_j_int(b, "input_tokens", input);
    sim_j_open(b, "input_tokens_details", '{');
    sim_j_int(b, "cached_tokens", u.cache_read);
    sim_j_int(b, "cache_write_tokens", u.write_5m + u.write_1h);
    sim_j_close(b, '}');
    sim_j_int(b, "output_tokens", u.out);
    sim_j_open(b, "output_tokens_details", '{');
    sim_j_int(b, "reasoning_tokens", u.reasoning);
    sim_j_close(b, '}');
    sim_j_int(b, "total_tokens", input + u.out);
    sim_j_close(b, '}');
}

void sim_usage_message(struct sim_buf *b, const char *key, const struct sim_turn *turn,
                       bool started)
{
    struct sim_usage u = shown(turn);
    enum sim_usage_mode mode = sim_usage_mode(turn->cmd);

    if (special(b, key, turn)) {
        return;
    }
    if (started && mode == SIM_USAGE_LATE) {
        memset(&u, 0, sizeof u);
    }
    sim_j_open(b, key, '{');
    sim_j_int(b, "input_tokens", u.in);
    sim_j_int(b, "cache_creation_input_tokens", u.write_5m + u.write_1h);
    sim_j_int(b, "cache_read_input_tokens", u.cache_read);
    sim_j_open(b, "cache_creation", '{');
    sim_j_int(b, "ephemeral_5m_input_tokens", u.write_5m);
    sim_j_int(b, "ephemeral_1h_input_tokens", u.write_1h);
    sim_j_close(b, '}');
    sim_j_int(b, "output_tokens", !started || mode == SIM_USAGE_EARLY ? u.out : u.out > 0);
    sim_j_open(b, "output_tokens_details", '{');
    sim_j_int(b, "thinking_tokens", started && mode != SIM_USAGE_EARLY ? 0 : u.reasoning);
    sim_j_close(b, '}');
    sim_j_null(b, "server_tool_use");
    sim_j_str(b, "service_tier", "standard");
    sim_j_str(b, "inference_geo", "not_available");
    sim_j_close(b, '}');
}

void sim_usage_delta(struct sim_buf *b, const char *key, const struct sim_turn *turn)
{
    struct sim_usage u = shown(turn);

    if (special(b, key, turn)) {
        return;
    }
    sim_j_open(b, key, '{');
    if (sim_usage_mode(turn->cmd) != SIM_USAGE_EARLY) {
        sim_j_int(b, "input_tokens", u.in);
        sim_j_int(b, "cache_creation_input_tokens", u.write_5m + u.write_1h);
        sim_j_int(b, "cache_read_input_tokens", u.cache_read);
        sim_j_open(b, "output_tokens_details", '{');
        sim_j_int(b, "thinking_tokens", u.reasoning);
        sim_j_close(b, '}');
        sim_j_null(b, "server_tool_use");
    }
    sim_j_int(b, "output_tokens", u.out);
    sim_j_close(b, '}');
}
