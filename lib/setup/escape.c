#include "setup/escape.h"

#include "base/utf8.h"
#include "json/writer.h"

#include <string.h>

static void
escape_sh(const char *value, struct mg_str *out)
{
    mg_str_addc(out, '\'');
    for (const char *c = value; *c != '\0'; c++) {
        if (*c == '\'')
            mg_str_addz(out, "'\\''");
        else
            mg_str_addc(out, *c);
    }
    mg_str_addc(out, '\'');
}

/* PowerShell takes the typographic single quotes U+2018 … U+201B for quotes, too: in UTF-8 three
 * bytes, e2 80 98 … 9b. */
static size_t
ps_quote(const char *c)
{
    if (*c == '\'')
        return 1;
    const unsigned char *u = (const unsigned char *)c;
    return u[0] == 0xe2 && u[1] == 0x80 && u[2] >= 0x98 && u[2] <= 0x9b ? 3 : 0;
}

static void
escape_ps(const char *value, struct mg_str *out)
{
    mg_str_addc(out, '\'');
    for (const char *c = value; *c != '\0';) {
        size_t n = ps_quote(c);
        if (n > 0)
            mg_str_add(out, c, n);
        n += n == 0;
        mg_str_add(out, c, n);
        c += n;
    }
    mg_str_addc(out, '\'');
}

static void
escape_toml(const char *value, struct mg_str *out)
{
    mg_str_addc(out, '"');
    for (const char *c = value; *c != '\0'; c++) {
        unsigned char u = (unsigned char)*c;
        if (u == '"' || u == '\\')
            mg_str_addf(out, "\\%c", u);
        else if (u < 0x20 || u == 0x7f)
            mg_str_addf(out, "\\u%04X", u);
        else
            mg_str_addc(out, *c);
    }
    mg_str_addc(out, '"');
}

/* Line ends of other alphabets (U+0085, U+2028, U+2029) end no comment in our languages. */
static void
escape_comment(const char *value, struct mg_str *out)
{
    for (const char *c = value; *c != '\0'; c++)
        mg_str_addc(out, (unsigned char)*c < 0x20 || *c == 0x7f ? ' ' : *c);
}

static void
escape_url(const char *value, struct mg_str *out)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789-._~";
    for (const char *c = value; *c != '\0'; c++) {
        if (strchr(plain, *c) != NULL)
            mg_str_addc(out, *c);
        else
            mg_str_addf(out, "%%%02X", (unsigned char)*c);
    }
}

void
mg_escape(enum mg_setup_language language, const char *value, struct mg_str *out)
{
    if (!mg_utf8_valid(value, strlen(value)))
        value = "";
    switch (language) {
    case MG_SETUP_SH:
        escape_sh(value, out);
        break;
    case MG_SETUP_PS:
        escape_ps(value, out);
        break;
    case MG_SETUP_JSON:
        mg_json_quote(out, value, strlen(value));
        break;
    case MG_SETUP_TOML:
        escape_toml(value, out);
        break;
    case MG_SETUP_COMMENT:
        escape_comment(value, out);
        break;
    case MG_SETUP_URL:
        escape_url(value, out);
        break;
    }
}

int
mg_escape_language(struct mg_span name)
{
    static const char *const names[] = {
        [MG_SETUP_SH] = "sh",     [MG_SETUP_PS] = "ps",           [MG_SETUP_JSON] = "json",
        [MG_SETUP_TOML] = "toml", [MG_SETUP_COMMENT] = "comment", [MG_SETUP_URL] = "url",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (mg_span_is(name, names[i]))
            return (int)i;
    return -1;
}
