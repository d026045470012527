/* What a request asks of its model, found in every format, and only where it is content; and how
 * model lists tell what a model can take. */
#include "tap.h"

#include "json/parse.h"
#include "wire/model_list.h"
#include "wire/needs.h"

/* `want` has a letter for each need: i, p, t, s. */
static void
needs(enum mg_family family, const char *body, const char *want, const char *what)
{
    struct json_object *tree = mg_json_of(mg_span_z(body));
    struct mg_needs n;
    char got[8];
    mg_needs_read(family, tree, &n);
    snprintf(got, sizeof(got), "%s%s%s%s", n.image ? "i" : "", n.pdf ? "p" : "",
             n.tools ? "t" : "", n.structured ? "s" : "");
    ok(tree != NULL, "%s", what);
    is_str(got, want, "  is seen");
    json_object_put(tree);
}

static void
test_chat(void)
{
    needs(MG_CHAT, "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"tools\":[]}", "",
          "plain text needs nothing");
    needs(MG_CHAT, "{\"messages\":[{\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":"
                   "\"https://x.example/a.png\"}}]}]}", "i", "an image by address");
    needs(MG_CHAT, "{\"messages\":[{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":"
                   "\"file\",\"file\":{}}]}],\"functions\":[{\"name\":\"f\"}]}", "pt",
          "a file, and tools in the old form");
    needs(MG_CHAT, "{\"messages\":[1],\"response_format\":{\"type\":\"json_schema\"},\"tools\":"
                   "[{\"type\":\"function\"}]}", "ts", "a schema");
    needs(MG_CHAT, "{\"messages\":[{\"tool_calls\":[{\"function\":{\"arguments\":\"{}\"},\"type\":"
                   "\"image\"}]}],\"metadata\":{\"type\":\"document\"},\"response_format\":"
                   "{\"type\":\"json_object\"}}", "", "a word outside of the content");
}

static void
test_responses(void)
{
    needs(MG_RESPONSES, "{\"input\":\"hi\",\"text\":{\"format\":{\"type\":\"text\"}}}", "",
          "a string");
    needs(MG_RESPONSES, "{\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_image\"}]},"
                        "{\"type\":\"function_call_output\",\"output\":[{\"type\":\"input_file\"}]"
                        "}]}", "ip", "parts of messages and of results");
    needs(MG_RESPONSES, "{\"input\":[{\"type\":\"additional_tools\",\"tools\":[{}]}],\"text\":"
                        "{\"format\":{\"type\":\"json_schema\"}}}", "ts",
          "tools that travel as an item");
}

static void
test_messages(void)
{
    needs(MG_MESSAGES, "{\"messages\":[{\"content\":[{\"type\":\"tool_result\",\"content\":[{"
                       "\"type\":\"image\"}]},{\"type\":\"tool_use\",\"input\":{\"type\":"
                       "\"document\",\"content\":[{\"type\":\"document\"}]}}]}]}", "i",
          "an image in a result, and none in a call's input");
    needs(MG_MESSAGES, "{\"messages\":[{\"content\":[{\"type\":\"document\",\"source\":{\"type\":"
                       "\"base64\"}}]}],\"output_config\":{\"format\":{\"type\":\"json_schema\"}}"
                       "}", "ps", "a document");
    needs(MG_MESSAGES, "{\"messages\":[{\"content\":[{\"type\":\"document\",\"source\":{\"type\":"
                       "\"text\",\"data\":\"a\"}}]}],\"output_config\":{\"effort\":\"low\"}}", "",
          "one of plain text");
    needs(MG_MESSAGES, "{\"messages\":[{\"content\":[{\"type\":\"document\",\"source\":{\"type\":"
                       "\"content\",\"content\":[{\"type\":\"image\"}]}}]}],\"tools\":[{}]}", "it",
          "one made of parts");
    needs(MG_COMPLETIONS, "{\"prompt\":\"a\",\"tools\":[1]}", "", "a prompt");
    needs(MG_MESSAGES, "{\"messages\":{\"content\":[{\"type\":\"image\"}]},\"tools\":7}", "",
          "a shape that the format does not know");
}

static struct json_object *
described(struct mg_model_info info)
{
    struct mg_str out;
    mg_str_init(&out, 65536);
    info.id = info.display_name = "m";
    mg_model_show_messages(&info, &out);
    struct json_object *tree = mg_json_of(mg_str_span(&out));
    mg_str_free(&out);
    return tree;
}

/* The words among `words` whose member says that it is supported. */
static void
supports(struct mg_model_info info, const char *key, const char *const *words, const char *want,
         const char *what)
{
    struct json_object *tree = described(info);
    struct json_object *o = mg_json_get(mg_json_get(tree, "capabilities"), key);
    if (strcmp(key, "thinking") == 0)
        o = mg_json_get(o, "types");
    char got[128] = "";
    for (; *words != NULL; words++)
        if (mg_json_bool(mg_json_get(o, *words), "supported", -1) == 1)
            snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s ", *words);
    is_str(got, want, what);
    json_object_put(tree);
}

static void
test_lists(void)
{
    static const char *const efforts[] = {"low", "medium", "high", "xhigh", "max", NULL};
    static const char *const types[] = {"adaptive", "enabled", "disabled", "between_tools", NULL};
    const unsigned some = 1u << MG_EFFORT_NONE | 1u << MG_EFFORT_LOW | 1u << MG_EFFORT_MAX;
    supports((struct mg_model_info){.efforts = some}, "effort", efforts, "",
             "a model that does not reason has no efforts");
    supports((struct mg_model_info){.adaptive = true}, "thinking", types, "", "and no thinking");
    supports((struct mg_model_info){.reasoning = true}, "effort", efforts, "low medium high ",
             "one that does has the usual ones");
    supports((struct mg_model_info){.reasoning = true, .efforts = some}, "effort", efforts,
             "low max ", "or those that are stated");
    supports((struct mg_model_info){.reasoning = true, .budget = true}, "thinking", types,
             "enabled disabled ", "and thinks by a budget");
    supports((struct mg_model_info){.reasoning = true, .adaptive = true}, "thinking", types,
             "adaptive disabled ", "or as it likes");
    const struct mg_model_info info = {.id = "m", .display_name = "m", .reasoning = true,
                                       .efforts = some};
    struct mg_str out;
    mg_str_init(&out, 65536);
    mg_model_list_openai(&info, 1, true, &out);
    ok(strstr(out.p, "\"supported_reasoning_levels\":[{\"effort\":\"none\",\"description\":"
                     "\"none\"},{\"effort\":\"low\",\"description\":\"low\"}]") != NULL,
       "a client that knows no max is not told of it");
    mg_str_free(&out);
}

int
main(void)
{
    plan(0);
    test_chat();
    test_responses();
    test_messages();
    test_lists();
    return done();
}
