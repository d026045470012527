/* Output items of the Responses format. */
#include "responses.h"
#include "sign.h"

#include <string.h>

const char *sim_item_id(const struct sim_turn *turn, size_t i)
{
    static const char *const prefix[] = {
        [SIM_PART_TEXT] = "msg_", [SIM_PART_REFUSAL] = "msg_", [SIM_PART_REASONING] = "rs_",
        [SIM_PART_TOOL] = "fc_", [SIM_PART_CUSTOM] = "ctc_", [SIM_PART_SHELL] = "lsh_",
        [SIM_PART_COMPACTION] = "cmp_",
    };

    return sim_render_call_id(turn, prefix[turn->part[i].kind], i);
}

bool sim_item_summary(const struct sim_turn *turn)
{
    return turn->cmd->summary >= 0 ? turn->cmd->summary > 0 : turn->ask->summary;
}

bool sim_item_open_text(const struct sim_turn *turn)
{
    return turn->cmd->reasoning_text > 0;
}

static bool cut_short(const struct sim_turn *turn, size_t i)
{
    return i + 1 == turn->parts && strcmp(sim_response_status(turn), "incomplete") == 0;
}

static void put_status(struct sim_buf *b, const struct sim_turn *turn, size_t i,
                       enum sim_item_state state)
{
    sim_j_str(b, "status", state == SIM_ITEM_ADDED  ? "in_progress"
                           : cut_short(turn, i) ? "incomplete"
                                                : "completed");
}

void sim_item_part(struct sim_buf *b, const char *key, const struct sim_turn *turn, size_t i,
                   size_t n)
{
    const struct sim_part *part = &turn->part[i];

    sim_j_open(b, key, '{');
    if (part->kind == SIM_PART_REFUSAL) {
        sim_j_str(b, "type", "refusal");
        sim_j_text(b, "refusal", part->text, n);
    } else {
        sim_j_str(b, "type", "output_text");
        sim_j_none(b, "annotations");
        sim_render_logprobs(b, "logprobs", part->text, turn->ask->logprobs >= 0 ? n : 0,
                            turn->ask->logprobs);
        sim_j_text(b, "text", part->text, n);
    }
    sim_j_close(b, '}');
}

static void put_message(struct sim_buf *b, const struct sim_turn *turn, size_t i,
                        enum sim_item_state state)
{
    sim_j_str(b, "type", "message");
    put_status(b, turn, i, state);
    sim_j_str(b, "role", "assistant");
    sim_j_open(b, "content", '[');
    if (state == SIM_ITEM_DONE) {
        sim_item_part(b, NULL, turn, i, turn->part[i].len);
    }
    sim_j_close(b, ']');
}

static void put_reasoning(struct sim_buf *b, const struct sim_turn *turn, size_t i,
                          enum sim_item_state state)
{
    const struct sim_part *part = &turn->part[i];

    sim_j_str(b, "type", "reasoning");
    sim_j_open(b, "summary", '[');
    if (state == SIM_ITEM_DONE && sim_item_summary(turn)) {
        sim_j_open(b, NULL, '{');
        sim_j_str(b, "type", "summary_text");
        sim_j_text(b, "text", part->text, part->len);
        sim_j_close(b, '}');
    }
    sim_j_close(b, ']');
    if (state == SIM_ITEM_DONE && sim_item_open_text(turn)) {
        sim_j_open(b, "content", '[');
        sim_j_open(b, NULL, '{');
        sim_j_str(b, "type", "reasoning_text");
        sim_j_text(b, "text", part->text, part->len);
        sim_j_close(b, '}');
        sim_j_close(b, ']');
    }
    if (state == SIM_ITEM_DONE && turn->ask->encrypted) {
        sim_j_str(b, "encrypted_content",
                  sim_sign_seal(turn->pool, sim_item_id(turn, i), part->text, part->len));
    }
}

static void put_call(struct sim_buf *b, const struct sim_turn *turn, size_t i,
                     enum sim_item_state state)
{
    const struct sim_part *part = &turn->part[i];
    bool custom = part->kind == SIM_PART_CUSTOM;

    sim_j_str(b, "type", custom ? "custom_tool_call" : "function_call");
    put_status(b, turn, i, state);
    sim_j_text(b, custom ? "input" : "arguments", part->text,
               state == SIM_ITEM_DONE ? part->len : 0);
    sim_j_str(b, "call_id", sim_render_call_id(turn, "call_", i));
    sim_j_str(b, "name", part->name);
    if (part->ns) {
        sim_j_str(b, "namespace", part->ns);
    }
}

static void put_shell(struct sim_buf *b, const struct sim_turn *turn, size_t i,
                      enum sim_item_state state)
{
    sim_j_str(b, "type", "local_shell_call");
    put_status(b, turn, i, state);
    sim_j_str(b, "call_id", sim_render_call_id(turn, "call_", i));
    sim_j_open(b, "action", '{');
    sim_j_str(b, "type", "exec");
    sim_j_open(b, "command", '[');
    sim_j_str(b, NULL, "bash");
    sim_j_str(b, NULL, "-lc");
    sim_j_text(b, NULL, turn->part[i].text, turn->part[i].len);
    sim_j_close(b, ']');
    sim_j_raw(b, "env", "{}");
    sim_j_close(b, '}');
}

void sim_item_put(struct sim_buf *b, const char *key, const struct sim_turn *turn, size_t i,
                  enum sim_item_state state)
{
    const struct sim_part *part = &turn->part[i];

    sim_j_open(b, key, '{');
    sim_j_str(b, "id", sim_item_id(turn, i));
    switch (part->kind) {
    case SIM_PART_TEXT:
    case SIM_PART_REFUSAL:
        put_message(b, turn, i, state);
        break;
    case SIM_PART_REASONING:
        put_reasoning(b, turn, i, state);
        break;
    case SIM_PART_TOOL:
    case SIM_PART_CUSTOM:
        put_call(b, turn, i, state);
        break;
    case SIM_PART_SHELL:
        put_shell(b, turn, i, state);
        break;
    case SIM_PART_COMPACTION:
        sim_j_str(b, "type", "compaction");
        sim_j_str(b, "encrypted_content",
                  sim_sign_seal(turn->pool, "compaction", part->text, part->len));
        break;
    }
    sim_j_close(b, '}');
}
