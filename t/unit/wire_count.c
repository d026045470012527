/* Counting comes near what providers stated, and misses no part of a request. */
#include "tap.h"

#include "json/parse.h"
#include "wire/base64.h"
#include "wire/count.h"
#include "wire/count_request.h"
#include "wire/weight.h"

#include <dirent.h>
#include <limits.h>

#define FILE_MOST 65536
#define NEAR 25  /* percent … */
#define SMALL 12 /* … or tokens */

static struct json_object *
parse(const char *text)
{
    struct mg_err err = MG_ERR_INIT;
    struct json_object *tree = NULL;
    if (mg_json_parse(text, strlen(text), &tree, &err) != 0)
        printf("# no JSON: %s\n", text);
    mg_err_free(&err);
    return tree;
}

static int64_t
count(enum mg_family family, const char *text)
{
    struct json_object *tree = parse(text);
    int64_t tokens = mg_count_input(family, family, tree, MG_COUNT_CAREFUL);
    json_object_put(tree);
    return tokens;
}

static struct json_object *
read_file(const char *path)
{
    static char text[FILE_MOST];
    FILE *in = fopen(path, "r");
    if (in == NULL)
        return NULL;
    size_t n = fread(text, 1, sizeof(text) - 1, in);
    text[n] = '\0';
    fclose(in);
    return parse(text);
}

/* Input tokens that the provider stated, with what it read from and wrote to its cache. */
static int64_t
stated(struct json_object *reply)
{
    struct json_object *usage = mg_json_get(reply, "usage");
    return mg_json_int(usage, "input_tokens", 0) + mg_json_int(usage, "prompt_tokens", 0) +
           mg_json_int(usage, "cache_read_input_tokens", 0) +
           mg_json_int(usage, "cache_creation_input_tokens", 0);
}

static struct {
    size_t all, near;
    int64_t stated, counted;
} recorded;

static void
compare(const char *folder, const char *name, const char *provider, enum mg_family family)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s/%s/request.json", folder, name, provider);
    struct json_object *request = read_file(path);
    snprintf(path, sizeof(path), "%s/%s/%s/response.json", folder, name, provider);
    struct json_object *reply = request != NULL ? read_file(path) : NULL;
    int64_t want = stated(reply);
    if (want > 0 && strstr(name, "FileUrl") == NULL) {
        int64_t got = mg_count_input(family, family, request, MG_COUNT_CAREFUL);
        int64_t off = got > want ? got - want : want - got;
        recorded.all++;
        recorded.near += off <= SMALL || off * 100 <= want * NEAR;
        recorded.stated += want;
        recorded.counted += got;
        if (off > SMALL && off * 100 > want * NEAR)
            printf("# %s/%s: %lld counted, %lld stated\n", name, provider, (long long)got,
                   (long long)want);
    }
    json_object_put(request);
    json_object_put(reply);
}

static void
test_recordings(void)
{
    char folder[PATH_MAX];
    const char *source = getenv("MG_SRCDIR");
    snprintf(folder, sizeof(folder), "%s/t/golden/recordings", source ? source : ".");
    DIR *dir = opendir(folder);
    if (!ok(dir != NULL, "there are recordings"))
        return;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        compare(folder, entry->d_name, "anthropic", MG_MESSAGES);
        compare(folder, entry->d_name, "chat-completions", MG_CHAT);
        compare(folder, entry->d_name, "responses", MG_RESPONSES);
    }
    closedir(dir);
    ok(recorded.all >= 50, "%zu of them state their usage", recorded.all);
    ok(recorded.near * 100 >= recorded.all * 95, "95%% of the counts are within %d%% (%zu of %zu)",
       NEAR, recorded.near, recorded.all);
    int64_t percent = recorded.counted * 100 / (recorded.stated ? recorded.stated : 1);
    ok(percent > 85 && percent < 115, "all together, too (%lld%%)", (long long)percent);
}

/* Each pair: a request, and the same with a part more. */
static void
test_parts(void)
{
#define USER "\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]"
#define ASK "{\"messages\":[{\"role\":\"user\",\"content\":"
    static const struct {
        enum mg_family family;
        const char *what, *less, *more;
        int least;
    } pairs[] = {
        {MG_MESSAGES, "a system text", "{" USER "}", "{\"system\":\"Be very brief.\"," USER "}", 4},
        {MG_MESSAGES, "system blocks", "{" USER "}",
         "{\"system\":[{\"type\":\"text\",\"text\":\"Be very brief.\"}]," USER "}", 4},
        {MG_MESSAGES, "tools", "{\"tools\":[]," USER "}",
         "{\"tools\":[{\"name\":\"f\",\"input_schema\":{\"type\":\"object\"}}]," USER "}", 300},
        {MG_MESSAGES, "a tool call", "{" USER "}", ASK
         "[{\"type\":\"tool_use\",\"id\":\"x\",\"name\":\"read\",\"input\":"
         "{\"path\":\"/etc\"}}]}]}", 12},
        {MG_MESSAGES, "a tool result", "{" USER "}", ASK
         "[{\"type\":\"tool_result\",\"tool_use_id\":\"x\",\"content\":"
         "\"one two three four\"}]}]}", 10},
        {MG_MESSAGES, "an image in a tool result", "{" USER "}", ASK
         "[{\"type\":\"tool_result\",\"tool_use_id\":\"x\",\"content\":[{\"type\":\"image\","
         "\"source\":{\"type\":\"url\",\"url\":\"https://a.example/x.png\"}}]}]}]}", 1500},
        {MG_MESSAGES, "thinking", "{" USER "}", ASK
         "[{\"type\":\"thinking\",\"thinking\":\"one two three four\",\"signature\":\"s\"}]}]}", 3},
        {MG_MESSAGES, "a text document", "{" USER "}", ASK "[{\"type\":\"document\",\"source\":"
         "{\"type\":\"text\",\"media_type\":\"text/plain\",\"data\":"
         "\"one two three four\"}}]}]}", 3},
        {MG_CHAT, "a tool call", "{" USER "}",
         "{\"messages\":[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"x\",\"type\":"
         "\"function\",\"function\":{\"name\":\"read\",\"arguments\":\"{}\"}}]}]}", 4},
        {MG_CHAT, "an image", "{" USER "}", ASK "[{\"type\":\"image_url\",\"image_url\":"
         "{\"url\":\"https://a.example/x.png\"}}]}]}", 700},
        {MG_RESPONSES, "instructions", "{\"input\":\"Hi\"}",
         "{\"input\":\"Hi\",\"instructions\":\"Be very brief.\"}", 4},
        {MG_RESPONSES, "a call's output", "{\"input\":[]}", "{\"input\":[{\"type\":"
         "\"function_call_output\",\"call_id\":\"x\",\"output\":\"one two three four\"}]}", 8},
        {MG_RESPONSES, "a custom call", "{\"input\":[]}", "{\"input\":[{\"type\":"
         "\"custom_tool_call\",\"call_id\":\"x\",\"name\":\"sh\",\"input\":\"ls -la /tmp\"}]}", 8},
        {MG_COMPLETIONS, "a prompt", "{}", "{\"prompt\":\"one two three four\"}", 4},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        int64_t less = count(pairs[i].family, pairs[i].less);
        int64_t more = count(pairs[i].family, pairs[i].more);
        ok(more - less >= pairs[i].least, "%s counts (%lld, %lld)", pairs[i].what,
           (long long)less, (long long)more);
    }
    is_int(count(MG_RESPONSES, "{}"), 0, "nothing counts nothing");
}

static void
test_long(void)
{
    struct json_object *tree = json_object_new_object();
    char *text = malloc(1 << 20);
    for (size_t i = 0; i < 1 << 20; i++)
        text[i] = "one two three four "[i % 19];
    json_object_object_add(tree, "input", json_object_new_string_len(text, 1 << 20));
    int64_t whole = mg_count_input(MG_RESPONSES, MG_RESPONSES, tree, MG_COUNT_CAREFUL);
    int64_t part = mg_count_input(MG_RESPONSES, MG_RESPONSES, tree, MG_COUNT_QUICK);
    ok(whole > 200000 && part > whole * 99 / 100 && part < whole * 101 / 100,
       "what is past the budget is extrapolated (%lld, %lld)", (long long)whole, (long long)part);
    json_object_put(tree);
    free(text);
}

static void
is_size(const char *bytes, size_t n, int64_t width, int64_t height, const char *what)
{
    int64_t w = -1, h = -1;
    bool known = mg_weight_size((struct mg_span){bytes, n}, &w, &h);
    ok(known == (width > 0) && (!known || (w == width && h == height)), "%s (%lld x %lld)", what,
       (long long)w, (long long)h);
}
#define IS_SIZE(bytes, width, height, what) is_size(bytes, sizeof(bytes) - 1, width, height, what)

static void
test_sizes(void)
{
    IS_SIZE("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x04\0\0\0\x03\0", 1024, 768, "PNG");
    IS_SIZE("GIF89a\x40\x01\xf0\0", 320, 240, "GIF");
    IS_SIZE("\xff\xd8\xff\xe0\0\x04zz\xff\xc4\0\x03z\xff\xff\xc2\0\x11\x08\x01\xe0\x02\x80\x03",
            640, 480, "JPEG behind other segments");
    IS_SIZE("RIFF\x10\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xff\x03\0\xff\x02\0", 1024, 768,
            "WebP, extended");
    IS_SIZE("RIFF\x10\0\0\0WEBPVP8L\x0a\0\0\0/\xff\xc3\x5f\0zzzzz", 1024, 384, "WebP, lossless");
    IS_SIZE("RIFF\x10\0\0\0WEBPVP8 \x0a\0\0\0zzz\x9d\x01\x2a\x80\x02\xe0\x01", 640, 480,
            "WebP, lossy");
    IS_SIZE("\x89PNG\r\n\x1a\n", 0, 0, "a cut PNG says nothing");
    IS_SIZE("\xff\xd8\xff\xe0\0\0\xff\xff", 0, 0, "a JPEG without end neither");
    IS_SIZE("", 0, 0, "nothing says nothing");
    is_int(mg_weight_area(1000, 1000), 1334, "Messages: pixels by 750");
    is_int(mg_weight_area(100000, 100000), 1600, "Messages: at most 1600");
    is_int(mg_weight_area(INT32_MAX, 1), 1, "Messages: at least 1");
    is_int(mg_weight_tiles(1024, 1024, false), 765, "OpenAI: a square of 1024 is 765");
    is_int(mg_weight_tiles(2048, 4096, false), 1105, "OpenAI: 2048 x 4096 is 1105");
    is_int(mg_weight_tiles(4096, 8192, true), 85, "OpenAI: low detail is 85");
}

static void
test_media(void)
{
    struct mg_str b64;
    static const char pdf[] =
        "%PDF-1.4 /Type /Pages /Count 3 /Type /Page x /Type/Page y /Type\n/Page";
    mg_str_init(&b64, 4096);
    mg_base64url(pdf, sizeof(pdf) - 1, &b64);
    int64_t three = mg_weight_document(mg_str_span(&b64));
    is_int(three, 7500, "a PDF counts by its pages");
    mg_str_free(&b64);
    struct mg_span png =
        mg_span_z("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAoAAAAUCAYAAAC07w7b");
    is_int(mg_weight_image(png, true, false), 1, "an image by its head");
    struct mg_span address = mg_span_z("https://a.example/x"), nothing = mg_span_z("");
    is_int(mg_weight_image(address, true, false), 1600, "or as an ordinary one");
    ok(mg_weight_document(mg_span_z("file_1")) > 0 && mg_weight_image(nothing, false, true) == 85,
       "and so do ids and nothing");
}

static void
test_request(void)
{
    static const struct {
        enum mg_family family;
        const char *body, *loc;
    } bad[] = {
        {MG_MESSAGES, "{}", "body/messages"},
        {MG_MESSAGES, "[]", "body"},
        {MG_MESSAGES, "{\"messages\":[]}", "body/messages"},
        {MG_MESSAGES, "{\"messages\":[3]}", "body/messages/0"},
        {MG_MESSAGES, "{\"messages\":[{\"role\":\"user\",\"content\":5}]}",
         "body/messages/0/content"},
        {MG_MESSAGES, "{" USER ",\"system\":7}", "body/system"},
        {MG_MESSAGES, "{" USER ",\"model\":7}", "body/model"},
        {MG_RESPONSES, "{\"input\":{}}", "body/input"},
        {MG_RESPONSES, "{\"tools\":\"x\"}", "body/tools"},
        {MG_RESPONSES, "{\"instructions\":[]}", "body/instructions"},
    };
    struct mg_facts facts;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct mg_err err = MG_ERR_INIT;
        struct json_object *tree = parse(bad[i].body);
        int rc = mg_count_request_read(bad[i].family, tree, &facts, &err);
        ok(rc == -1 && err.status == 422 && strcmp(err.field[0].loc, bad[i].loc) == 0,
           "%s is refused at %s", bad[i].body, bad[i].loc);
        mg_err_free(&err);
        json_object_put(tree);
    }
    struct mg_err err = MG_ERR_INIT;
    struct json_object *tree = parse("{}");
    ok(mg_count_request_read(MG_RESPONSES, tree, &facts, &err) == 0,
       "an empty Responses body is fine");
    json_object_put(tree);
    tree = parse("{" USER ",\"thread\":{}}");
    ok(mg_count_request_read(MG_MESSAGES, tree, &facts, &err) == 0 && facts.thread,
       "no max_tokens is needed, a thread is noticed");
    json_object_put(tree);
    mg_err_free(&err);
}

int
main(void)
{
    plan(0);
    test_recordings();
    test_parts();
    test_long();
    test_sizes();
    test_media();
    test_request();
    return done();
}
