#include "wire/pack.h"

#include "base/digest.h"
#include "wire/base64.h"

#include <string.h>

#define PREFIX "mg1."
#define TAG_BYTES 16
#define PACK_MAX ((size_t)32 << 20)

/* The tag speaks of this use of the key only. */
static void
make_tag(const uint8_t *key, const char *bytes, size_t n, uint8_t tag[MG_SHA256_BYTES])
{
    static const char purpose[] = "model-gateway reasoning pack 1";
    uint8_t own[MG_SHA256_BYTES];
    mg_hmac_sha256(key, MG_PACK_KEY, purpose, sizeof(purpose) - 1, own);
    mg_hmac_sha256(own, sizeof(own), bytes, n, tag);
    mg_wipe(own, sizeof(own));
}

static void
add_field(struct mg_str *out, struct mg_span field)
{
    for (unsigned shift = 32; shift > 0; shift -= 8)
        mg_str_addc(out, (char)(field.n >> (shift - 8) & 255));
    mg_str_addspan(out, field);
}

void
mg_pack_write(const uint8_t *key, const struct mg_pack *pack, struct mg_str *out)
{
    struct mg_str plain;
    uint8_t tag[MG_SHA256_BYTES];
    mg_str_init(&plain, PACK_MAX);
    mg_str_addc(&plain, (char)pack->kind);
    add_field(&plain, pack->origin);
    add_field(&plain, pack->id);
    add_field(&plain, pack->text);
    add_field(&plain, pack->blob);
    make_tag(key, plain.p, plain.len, tag);
    struct mg_str sealed;
    mg_str_init(&sealed, PACK_MAX);
    mg_str_add(&sealed, tag, TAG_BYTES);
    mg_str_add(&sealed, plain.p, plain.len);
    if (mg_str_ok(&plain) && mg_str_ok(&sealed)) {
        mg_str_addz(out, PREFIX);
        mg_base64url(sealed.p, sealed.len, out);
    }
    mg_str_free(&sealed);
    mg_str_free(&plain);
}

bool
mg_pack_looks(struct mg_span text)
{
    return text.n > strlen(PREFIX) && memcmp(text.p, PREFIX, strlen(PREFIX)) == 0;
}

/* Takes the next length-prefixed field off the front. */
static bool
take_field(struct mg_span *rest, struct mg_span *field)
{
    if (rest->n < 4)
        return false;
    size_t n = 0;
    for (int i = 0; i < 4; i++)
        n = n << 8 | (unsigned char)rest->p[i];
    if (n > rest->n - 4)
        return false;
    *field = (struct mg_span){rest->p + 4, n};
    rest->p += 4 + n;
    rest->n -= 4 + n;
    return true;
}

static bool
open_fields(const uint8_t *key, struct mg_span sealed, struct mg_pack *pack)
{
    uint8_t tag[MG_SHA256_BYTES];
    if (sealed.n <= TAG_BYTES)
        return false;
    make_tag(key, sealed.p + TAG_BYTES, sealed.n - TAG_BYTES, tag);
    if (!mg_same(tag, sealed.p, TAG_BYTES))
        return false;
    struct mg_span rest = {sealed.p + TAG_BYTES + 1, sealed.n - TAG_BYTES - 1};
    pack->kind = (enum mg_pack_kind)sealed.p[TAG_BYTES];
    return pack->kind >= MG_PACK_THINKING && pack->kind <= MG_PACK_CHAT && pack->kind != 4 &&
           take_field(&rest, &pack->origin) && take_field(&rest, &pack->id) &&
           take_field(&rest, &pack->text) && take_field(&rest, &pack->blob) && rest.n == 0;
}

bool
mg_pack_read(const uint8_t *key, struct mg_span text, struct mg_pool *pool, struct mg_pack *pack)
{
    if (!mg_pack_looks(text) || text.n > PACK_MAX)
        return false;
    struct mg_str sealed;
    mg_str_init(&sealed, text.n + 4);
    struct mg_span digits = {text.p + strlen(PREFIX), text.n - strlen(PREFIX)};
    bool good = mg_base64_decode(digits, &sealed);
    if (good) {
        struct mg_span kept = {mg_pool_strndup(pool, sealed.p, sealed.len), sealed.len};
        good = open_fields(key, kept, pack);
    }
    mg_str_free(&sealed);
    return good;
}
