#include "mail/message.h"

#include "identity/account.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LINE 76        /* of encoded text */
#define PLAIN_LINE 990 /* RFC 5322 section 2.1.1 allows 998 */
#define WORD 60        /* characters of one encoded word, which has 75 with its frame */

int
mg_message_sender(const char *from, char address[255], struct mg_err *err)
{
    struct mg_err bad = MG_ERR_INIT;
    const char *open = strchr(from, '<');
    const char *start = open != NULL ? open + 1 : from;
    size_t n = open != NULL ? strcspn(start, ">") : strlen(start);
    bool good = n < 255 && (open == NULL || strcmp(start + n, ">") == 0);
    for (const char *c = from; c != start; c++)
        good = good && (unsigned char)*c >= 0x20 && (unsigned char)*c < 0x7f &&
               (c == open || strchr("\"\\()[]:;@,", *c) == NULL);
    snprintf(address, 255, "%.*s", (int)(n < 255 ? n : 254), start);
    good = good && mg_account_check_email(address, &bad) == 0;
    mg_err_free(&bad);
    return good ? 0 : mg_err_internal(err, "mail_from is no sender such as "
                                           "'Model Gateway <no-reply@example.com>'");
}

/* Names of days and months are English here whatever the locale. */
static void
add_date(int64_t ms, struct mg_str *out)
{
    static const char days[] = "SunMonTueWedThuFriSat";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    time_t seconds = (time_t)(ms / 1000);
    struct tm t;
    gmtime_r(&seconds, &t);
    mg_str_addf(out, "Date: %.3s, %02d %.3s %d %02d:%02d:%02d +0000\r\n", days + 3 * t.tm_wday,
                t.tm_mday, months + 3 * t.tm_mon, 1900 + t.tm_year, t.tm_hour, t.tm_min, t.tm_sec);
}

static bool
is_plain(const char *text, size_t most)
{
    size_t line = 0;
    for (; *text != '\0'; text++) {
        line = *text == '\n' ? 0 : line + 1;
        if ((unsigned char)*text >= 0x7f || ((unsigned char)*text < 0x20 && *text != '\n') ||
            line > most)
            return false;
    }
    return true;
}

static bool
is_letter(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Bytes of the character that begins here. */
static size_t
character(const char *text)
{
    size_t n = 1;
    while (((unsigned char)text[n] & 0xc0) == 0x80)
        n++;
    return n;
}

/* Encoded words (RFC 2047 section 4.2) of whole characters, one a line. */
static void
add_subject(const char *subject, struct mg_str *out)
{
    size_t line = 0;
    mg_str_addz(out, "Subject: ");
    if (is_plain(subject, LINE) && strstr(subject, "=?") == NULL) {
        mg_str_addf(out, "%s\r\n", subject);
        return;
    }
    for (size_t n; *subject != '\0'; subject += n) {
        n = character(subject);
        if (line == 0 || line + 3 * n > WORD) {
            mg_str_addz(out, line == 0 ? "=?UTF-8?Q?" : "?=\r\n =?UTF-8?Q?");
            line = 1;
        }
        for (size_t i = 0; i < n; i++) {
            unsigned char c = (unsigned char)subject[i];
            mg_str_addf(out, is_letter(c) ? "%c" : "=%02X", c);
            line += is_letter(c) ? 1 : 3;
        }
    }
    mg_str_addz(out, "?=\r\n");
}

/* Quoted-printable (RFC 2045 section 6.7). */
static void
add_quoted(const char *text, struct mg_str *out)
{
    size_t line = 0;
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        bool literal = c > 0x20 && c < 0x7f && c != '=' && (c != '.' || line > 0);
        if (c == ' ' && text[1] != '\n' && text[1] != '\0')
            literal = true;
        if (c == '\n') {
            mg_str_addz(out, "\r\n");
            line = 0;
            continue;
        }
        if (line > LINE - 4) {
            mg_str_addz(out, "=\r\n");
            line = 0;
        }
        if (literal)
            mg_str_addc(out, (char)c);
        else
            mg_str_addf(out, "=%02X", c);
        line += literal ? 1 : 3;
    }
}

static void
add_plain(const char *text, struct mg_str *out)
{
    for (; *text != '\0'; text++) {
        if (*text == '\n')
            mg_str_addc(out, '\r');
        mg_str_addc(out, *text);
    }
}

void
mg_message_write(const struct mg_message *m, struct mg_str *out)
{
    char address[255];
    struct mg_err err = MG_ERR_INIT;
    bool plain = is_plain(m->text, PLAIN_LINE);
    const char *domain = mg_message_sender(m->from, address, &err) == 0 ? strchr(address, '@') : "";
    mg_err_free(&err);
    add_date(m->created_ms, out);
    mg_str_addf(out, "From: %s\r\nTo: <%s>\r\n", m->from, m->to);
    add_subject(m->subject, out);
    mg_str_addf(out, "Message-ID: <mg.%llu.%lld%s>\r\n", (unsigned long long)m->number,
                (long long)m->created_ms, domain);
    mg_str_addf(out, "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
                     "Content-Transfer-Encoding: %s\r\nAuto-Submitted: auto-generated\r\n\r\n",
                plain ? "7bit" : "quoted-printable");
    if (plain)
        add_plain(m->text, out);
    else
        add_quoted(m->text, out);
    if (out->len > 0 && out->p[out->len - 1] != '\n')
        mg_str_addz(out, "\r\n");
}
