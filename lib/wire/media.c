#include "wire/media.h"

#include "base/utf8.h"
#include "wire/base64.h"

#include <string.h>
#include <strings.h>

static bool
says(struct mg_span text, const char *word)
{
    return text.n == strlen(word) && strncasecmp(text.p, word, text.n) == 0;
}

/* The media type that the first base64 digits give away; empty when they do not. */
static struct mg_span
guess(struct mg_span data)
{
    static const struct {
        const char *begin, *type;
    } known[] = {
        {"iVBORw0KGgo", "image/png"}, {"/9j/", "image/jpeg"},     {"R0lGOD", "image/gif"},
        {"UklGR", "image/webp"},      {"JVBERi", "application/pdf"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        size_t n = strlen(known[i].begin);
        if (data.n >= n && memcmp(data.p, known[i].begin, n) == 0)
            return mg_span_z(known[i].type);
    }
    return (struct mg_span){"", 0};
}

/* Lower case, and the one wrong name that many clients use. */
static struct mg_span
normal_type(struct mg_crossing *x, struct mg_span type, struct mg_span data)
{
    if (type.n == 0 || says(type, "application/octet-stream"))
        return guess(data);
    if (says(type, "image/jpg"))
        return mg_span_z("image/jpeg");
    char *lower = mg_pool_strndup(x->pool, type.p, type.n);
    for (size_t i = 0; i < type.n; i++) {
        if (lower[i] >= 'A' && lower[i] <= 'Z')
            lower[i] = (char)(lower[i] + 32);
    }
    return (struct mg_span){lower, type.n};
}

int
mg_media_address(struct mg_crossing *x, const char *at, struct mg_span address,
                 struct mg_media *media)
{
    if (address.n < 5 || strncasecmp(address.p, "data:", 5) != 0) {
        if (address.n == 0)
            return mg_contradiction(x, at, "the address is empty");
        media->url = address;
        return 0;
    }
    const char *comma = memchr(address.p, ',', address.n);
    if (comma == NULL)
        return mg_contradiction(x, at, "this data URL has no data");
    struct mg_span head = {address.p + 5, (size_t)(comma - address.p) - 5};
    if (head.n < 7 || strncasecmp(head.p + head.n - 7, ";base64", 7) != 0)
        return mg_contradiction(x, at, "a data URL has to be base64");
    const char *end = memchr(head.p, ';', head.n);
    struct mg_span type = {head.p, (size_t)(end - head.p)};
    media->data = (struct mg_span){comma + 1, address.n - (size_t)(comma + 1 - address.p)};
    media->type = normal_type(x, type, media->data);
    return 0;
}

int
mg_media_source(struct mg_crossing *x, const char *at, struct mg_node *source,
                struct mg_media *media)
{
    if (mg_want(x, at, source, MG_NODE_OBJECT) != 0)
        return -1;
    struct mg_node *type = mg_node_get(source, "type");
    if (mg_node_says(type, "base64")) {
        struct mg_span kind;
        if (mg_want_text(x, at, source, "data", &media->data) != 0 ||
            mg_want_text(x, at, source, "media_type", &kind) != 0)
            return -1;
        media->type = normal_type(x, kind, media->data);
        return 0;
    }
    if (mg_node_says(type, "url"))
        return mg_want_text(x, at, source, "url", &media->url);
    if (mg_node_says(type, "file"))
        return mg_want_text(x, at, source, "file_id", &media->file_id);
    if (mg_node_says(type, "text")) {
        media->type = mg_span_z("text/plain");
        return mg_want_text(x, at, source, "data", &media->text);
    }
    return mg_wrong_value(x, mg_place(x, "%s.type", at),
                          "Input should be 'base64', 'url', 'text', 'content' or 'file'");
}

static bool
is_messages_image(struct mg_span type)
{
    return mg_span_is(type, "image/png") || mg_span_is(type, "image/jpeg") ||
           mg_span_is(type, "image/gif") || mg_span_is(type, "image/webp");
}

static int
image_fits(struct mg_crossing *x, const struct mg_block *block)
{
    const struct mg_media *m = &block->media;
    if (!x->in->to.image)
        return mg_refuse(x, block->at, "this model takes no images; choose one that does");
    if (m->file_id.n > 0 && x->in->upstream != x->in->client)
        return mg_refuse(x, block->at, "a file id of another provider cannot be read here; send "
                                       "the image itself (base64) or its address");
    if (x->in->upstream == MG_MESSAGES && m->data.n > 0 && !is_messages_image(m->type))
        return mg_refuse(x, block->at, "the media type '%.*s' is not taken by this model; use "
                         "image/jpeg, image/png, image/gif or image/webp",
                         (int)(m->type.n < 60 ? m->type.n : 60), m->type.p);
    if (m->data.n > 0 && m->type.n == 0)
        return mg_contradiction(x, block->at, "the media type of the image is missing");
    return 0;
}

/* Text in a base64 frame becomes plain text, which every format has. */
static int
unwrap_text(struct mg_crossing *x, struct mg_block *block)
{
    struct mg_media *m = &block->media;
    struct mg_str text;
    mg_str_init(&text, m->data.n + 4);
    bool good = mg_base64_decode(m->data, &text) && mg_utf8_valid(text.p, text.len);
    m->text = (struct mg_span){mg_pool_strndup(x->pool, text.p, text.len), text.len};
    m->data = (struct mg_span){"", 0};
    mg_str_free(&text);
    return good ? 0 : mg_contradiction(x, block->at, "the file data is not base64 of UTF-8 text");
}

static int
file_fits(struct mg_crossing *x, struct mg_block *block)
{
    struct mg_media *m = &block->media;
    if (m->file_id.n > 0 && x->in->upstream != x->in->client)
        return mg_refuse(x, block->at, "a file id of another provider cannot be read here; send "
                                       "the document itself (base64)");
    if (x->in->client != x->in->upstream && m->data.n > 0 && m->type.n > 5 &&
        strncmp(m->type.p, "text/", 5) == 0 && unwrap_text(x, block) != 0)
        return -1;
    if (m->text.p != NULL && m->data.n == 0 && m->url.n == 0)
        return 0;
    if (!x->in->to.pdf)
        return mg_refuse(x, block->at, "this model takes no documents; send their text, or "
                                       "choose a model that does");
    if (m->data.n > 0 && x->in->upstream == MG_MESSAGES &&
        !mg_span_is(m->type, "application/pdf"))
        return mg_refuse(x, block->at, "documents of type '%.*s' are not taken by this model; "
                         "use application/pdf or text/plain",
                         (int)(m->type.n < 60 ? m->type.n : 60), m->type.p);
    if (m->url.n > 0 && x->in->upstream == MG_CHAT)
        return mg_refuse(x, block->at, "a document by address is not taken by this model; send "
                                       "it as base64");
    return 0;
}

int
mg_media_fits(struct mg_crossing *x, struct mg_block *block)
{
    return block->type == MG_BLOCK_IMAGE ? image_fits(x, block) : file_fits(x, block);
}

static void
write_data_url(struct mg_jw *w, const char *key, const struct mg_media *m)
{
    mg_jw_string_begin(w, key);
    mg_jw_string_part(w, "data:", 5);
    mg_jw_string_part(w, m->type.p, m->type.n);
    mg_jw_string_part(w, ";base64,", 8);
    mg_jw_string_part(w, m->data.p, m->data.n);
    mg_jw_string_end(w);
}

static void
write_span(struct mg_jw *w, const char *key, struct mg_span text)
{
    mg_jw_bytes(w, key, text.p, text.n);
}

static void
write_address(struct mg_jw *w, const char *key, const struct mg_media *m)
{
    if (m->data.n > 0)
        write_data_url(w, key, m);
    else
        write_span(w, key, m->url);
}

static struct mg_span
file_name(const struct mg_media *m)
{
    return m->name.n > 0 ? m->name : mg_span_z("document.pdf");
}

void
mg_media_chat(struct mg_jw *w, const struct mg_block *block)
{
    const struct mg_media *m = &block->media;
    mg_jw_object(w, NULL);
    if (block->type == MG_BLOCK_IMAGE) {
        mg_jw_string(w, "type", "image_url");
        mg_jw_object(w, "image_url");
        write_address(w, "url", m);
        if (m->detail.n > 0)
            write_span(w, "detail", mg_span_is(m->detail, "original") ? mg_span_z("high")
                                                                       : m->detail);
    } else {
        mg_jw_string(w, "type", "file");
        mg_jw_object(w, "file");
        if (m->file_id.n > 0) {
            write_span(w, "file_id", m->file_id);
        } else {
            write_span(w, "filename", file_name(m));
            write_data_url(w, "file_data", m);
        }
    }
    mg_jw_end(w);
    if (block->breakpoint.n > 0)
        mg_jw_raw(w, "prompt_cache_breakpoint", block->breakpoint);
    mg_jw_end(w);
}

void
mg_media_responses(struct mg_jw *w, const struct mg_block *block)
{
    const struct mg_media *m = &block->media;
    bool image = block->type == MG_BLOCK_IMAGE;
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", image ? "input_image" : "input_file");
    if (m->file_id.n > 0) {
        write_span(w, "file_id", m->file_id);
    } else if (image) {
        write_address(w, "image_url", m);
    } else if (m->url.n > 0) {
        write_span(w, "file_url", m->url);
    } else {
        write_span(w, "filename", file_name(m));
        write_data_url(w, "file_data", m);
    }
    if (image)
        write_span(w, "detail", m->detail.n > 0 ? m->detail : mg_span_z("auto"));
    if (block->breakpoint.n > 0)
        mg_jw_raw(w, "prompt_cache_breakpoint", block->breakpoint);
    mg_jw_end(w);
}

static void
write_source(struct mg_jw *w, const struct mg_media *m)
{
    mg_jw_object(w, "source");
    if (m->data.n > 0) {
        mg_jw_string(w, "type", "base64");
        write_span(w, "media_type", m->type);
        write_span(w, "data", m->data);
    } else if (m->url.n > 0) {
        mg_jw_string(w, "type", "url");
        write_span(w, "url", m->url);
    } else if (m->file_id.n > 0) {
        mg_jw_string(w, "type", "file");
        write_span(w, "file_id", m->file_id);
    } else {
        mg_jw_string(w, "type", "text");
        mg_jw_string(w, "media_type", "text/plain");
        write_span(w, "data", m->text);
    }
    mg_jw_end(w);
}

void
mg_media_messages(struct mg_jw *w, const struct mg_block *block)
{
    const struct mg_media *m = &block->media;
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", block->type == MG_BLOCK_IMAGE ? "image" : "document");
    write_source(w, m);
    if (block->type == MG_BLOCK_FILE && m->name.n > 0)
        write_span(w, "title", m->name);
    if (block->type == MG_BLOCK_FILE && m->context.n > 0)
        write_span(w, "context", m->context);
    if (block->cache.n > 0)
        mg_jw_raw(w, "cache_control", block->cache);
    mg_jw_end(w);
}
