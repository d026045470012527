/* Fuzzing of request translation: any body, any pair of formats, any destination; and of what
 * happens to a body that is passed through.
 *
 * Input: one byte that names the formats, one that names what the destination takes, then the
 * body. Whatever comes, the answer is a well-formed body or an error with a status that a client
 * can act on, and nothing leaks. */
#include "json/parse.h"
#include "wire/needs.h"
#include "wire/purge.h"
#include "wire/translate.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool good)
{
    if (!good)
        abort();
}

static struct mg_destination
destination(uint8_t bits)
{
    return (struct mg_destination){
        .model = "m", .origin = bits & 1 ? "up" : "", .image = bits & 2, .pdf = bits & 2,
        .tools = bits & 4, .structured = bits & 8, .reasoning = bits & 16, .sampling = bits & 32,
        .system_midway = bits & 64, .thinking = bits & 128 ? MG_THINKING_EFFORT
                                                           : MG_THINKING_BUDGET,
        .default_max_output = 4096,
    };
}

static void
check(const struct mg_translate_in *in)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_translation *left = NULL;
    struct mg_str out;
    mg_str_init(&out, (size_t)64 << 20);
    if (mg_translate_request(in, &out, &left, &err) == 0) {
        struct json_object *tree = NULL;
        struct mg_err bad = MG_ERR_INIT;
        must(left != NULL && mg_json_parse(out.p, out.len, &tree, &bad) == 0);
        must(mg_json_text(tree, "model") != NULL);
        for (size_t i = 0; i < left->tool_count; i++)
            must(mg_translation_tool(left, mg_span_z(left->tools[i].upstream)) == &left->tools[i]);
        (void)mg_translation_echo(left, "tools");
        json_object_put(tree);
        mg_err_free(&bad);
    } else {
        must(left == NULL && out.len == 0);
        must(err.status == 400 || err.status == 413 || err.status == 422);
    }
    mg_translation_free(&left);
    mg_str_free(&out);
    mg_err_free(&err);
}

/* What packs are taken out of is JSON still, and has none left. */
static void
check_passed(const struct mg_translate_in *in)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_needs needs;
    struct mg_str out;
    mg_str_init(&out, (size_t)64 << 20);
    mg_needs_read(in->client, in->tree, &needs);
    int rc = mg_purge_body(in->key, 1, in->client, in->body, &out, &err);
    if (rc == 1) {
        struct json_object *tree = NULL;
        struct mg_str again;
        mg_str_init(&again, (size_t)64 << 20);
        must(mg_json_parse(out.p, out.len, &tree, &err) == 0);
        must(mg_purge_body(in->key, 1, in->client, mg_str_span(&out), &again, &err) == 0);
        mg_str_free(&again);
        json_object_put(tree);
    } else {
        must(out.len == 0 && (rc == 0 || err.status == 400));
    }
    mg_str_free(&out);
    mg_err_free(&err);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t key[MG_PACK_KEY] = "an example key of thirty-two byt";
    static const enum mg_family upstreams[] = {MG_CHAT, MG_RESPONSES, MG_MESSAGES};
    struct json_object *tree = NULL;
    struct mg_err err = MG_ERR_INIT;
    if (size < 3)
        return 0;
    struct mg_translate_in in = {
        .client = data[0] % MG_FAMILIES, .upstream = upstreams[data[0] / MG_FAMILIES % 3],
        .body = {(const char *)data + 2, size - 2}, .stream = data[0] & 128,
        .to = destination(data[1]), .key = key,
    };
    if (mg_json_parse(in.body.p, in.body.n, &tree, &err) == 0) {
        in.tree = tree;
        check(&in);
        check_passed(&in);
    }
    json_object_put(tree);
    mg_err_free(&err);
    return 0;
}
