/* A mail as bytes: its headers, and what cannot become one. */
#include "base/err.h"
#include "mail/message.h"
#include "mail/postman.h"
#include "tap.h"

static struct mg_str out;

static const char *
write(const char *subject, const char *text)
{
    const struct mg_message m = {"Model Gateway <no-reply@example.com>", "to@example.org", subject,
                                 text, 7, 1700000000000};
    mg_str_reset(&out);
    mg_message_write(&m, &out);
    return out.p;
}

static void
test_plain(void)
{
    is_str(write("Hello", "one\n.\ntwo\n"),
           "Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n"
           "From: Model Gateway <no-reply@example.com>\r\nTo: <to@example.org>\r\n"
           "Subject: Hello\r\nMessage-ID: <mg.7.1700000000000@example.com>\r\n"
           "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
           "Content-Transfer-Encoding: 7bit\r\nAuto-Submitted: auto-generated\r\n\r\n"
           "one\r\n.\r\ntwo\r\n",
           "a plain mail");
    ok(strstr(write("x", "no end"), "\r\n\r\nno end\r\n") != NULL, "the last line has an end");
}

static void
test_subject(void)
{
    ok(strstr(write("Gr\xc3\xbc\xc3\x9f" "e", ""), "\r\nSubject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\r\n"),
       "a subject that is not ASCII is encoded");
    ok(strstr(write("=?x?= y", ""), "Subject: =?UTF-8?Q?=3D=3Fx=3F=3D=20y?=\r\n"),
       "and so is one that looks as if it were");
    ok(strstr(write("a\r\nBcc: eve@example.com", ""), "\r\nBcc:") == NULL,
       "no line break gets through");
    char many[201] = "";
    for (int i = 0; i < 100; i++)
        snprintf(many + 2 * i, 3, "\xc3\xa4");
    write(many, "");
    size_t line = 0, longest = 0;
    for (const char *c = out.p; *c != '\0'; c++) {
        line = *c == '\n' ? 0 : line + 1;
        longest = line > longest ? line : longest;
    }
    ok(longest <= 78, "long ones are folded");
    ok(strstr(out.p, "=C3?=") == NULL, "between characters");
}

static void
test_quoted(void)
{
    ok(strstr(write("x", "\xc3\xa4=b \n.\n"),
              "quoted-printable\r\nAuto-Submitted: auto-generated\r\n\r\n=C3=A4=3Db=20\r\n=2E\r\n"),
       "a text that is not ASCII is encoded");
    char text[2000];
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    write("x", text);
    ok(strstr(out.p, "a=\r\na") != NULL, "and so is one with a long line");
}

static void
test_sender(void)
{
    static const struct {
        const char *from, *address; /* NULL = refused */
    } cases[] = {
        {"a@b.example", "a@b.example"},       {"Some Name <a@b.example>", "a@b.example"},
        {"<a@b.example>", "a@b.example"},     {"a", NULL},
        {"", NULL},                           {"x <a@b.example", NULL},
        {"x <a@b.example> y", NULL},          {"\"x\" <a@b.example>", NULL},
        {"x\nBcc: c@d.example <a@b.example>", NULL}, {"a@b.example, c@d.example", NULL},
        {"gr\xc3\xbcn <a@b.example>", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mg_err err = MG_ERR_INIT;
        char address[255];
        int rc = mg_message_sender(cases[i].from, address, &err);
        is_str(rc == 0 ? address : NULL, cases[i].address, cases[i].from);
        mg_err_free(&err);
    }
}

static void
test_patience(void)
{
    is_int(mg_postman_wait(1), 60000, "the second attempt comes after a minute");
    is_int(mg_postman_wait(2), 240000, "the third after four");
    is_int(mg_postman_wait(1000), 6 * 3600000, "later ones every six hours");
}

int
main(void)
{
    plan(0);
    mg_str_init(&out, 1 << 20);
    test_plain();
    test_subject();
    test_quoted();
    test_sender();
    test_patience();
    mg_str_free(&out);
    return done();
}
