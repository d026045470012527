/* What payment providers tell by themselves, and the page of the one that is only pretended. */
#include "fcgi/account.h"

#include "http/body.h"
#include "http/uri.h"
#include "payment/sandbox.h"
#include "payment/webhook.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENT_MOST ((size_t)1 << 20)
#define TYPE_HTML "text/html; charset=utf-8"
#define PAGE_POLICY \
    "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

int
take_webhook(struct mg_request *req, void *context, struct mg_err *err)
{
    const struct mg_app *app = context;
    const struct mg_provider *provider = mg_provider_find(app->payment, req->param[0]);
    enum mg_outcome outcome;
    static const char thanks[] = "{\"received\":true}";
    if (provider == NULL)
        return mg_err_set(err, 404, "not_found", "There is no such payment provider.");
    /* Read here, for anybody can send to this door: events are small. */
    if (mg_body_read(req, EVENT_MOST, err) != 0 ||
        mg_webhook_take(app->payment, provider, mg_request_header(req, provider->signature_header),
                        req->body, req->pool, &outcome, err) != 0)
        return -1;
    mg_reply_bytes(req, 200, MG_TYPE_JSON, thanks, sizeof(thanks) - 1);
    return 0;
}

static void
write_button(struct mg_str *out, const char *action, const char *text)
{
    mg_str_addf(out, "<button name=\"action\" value=\"%s\">%s</button>\n", action, text);
}

/* Everything shown is made of numbers and words of ours: nothing has to be escaped. */
static void
write_page(const struct mg_sandbox_session *s, struct mg_str *out)
{
    mg_str_addf(out,
                "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width\">\n"
                "<title>Sandbox payment</title></head><body><main>\n<h1>Sandbox payment</h1>\n"
                "<p>A page for development: no money moves here.</p>\n"
                "<p>Amount: <strong>%lld.%02lld %s</strong></p>\n"
                "<p>Status: <strong id=\"status\">%s</strong></p>\n",
                (long long)(s->cents / 100), (long long)(s->cents % 100), s->currency, s->status);
    mg_str_addf(out, "<form method=\"post\" action=\"/api/sandbox/%s\">\n", s->id);
    if (strcmp(s->status, "open") == 0) {
        write_button(out, "pay", "Pay");
        write_button(out, "pay_silently", "Pay, but lose the event");
        write_button(out, "decline", "Decline");
        write_button(out, "expire", "Let it expire");
    } else if (strcmp(s->status, "paid") == 0 && s->refunded_cents < s->cents) {
        long long rest = (long long)(s->cents - s->refunded_cents);
        mg_str_addf(out,
                    "<label>Cents to refund <input name=\"cents\" type=\"number\" min=\"1\""
                    " max=\"%lld\" value=\"%lld\"></label>\n", rest, rest);
        write_button(out, "refund", "Refund");
    }
    mg_str_addf(out, "</form>\n<p>Refunded: %lld.%02lld %s</p>\n",
                (long long)(s->refunded_cents / 100), (long long)(s->refunded_cents % 100),
                s->currency);
    mg_str_addf(out, "<p><a href=\"%s\">%s</a></p>\n</main></body></html>\n",
                strcmp(s->status, "open") == 0 ? s->cancel_url : s->success_url,
                "Back to the dashboard");
}

int
show_sandbox(struct mg_request *req, void *context, struct mg_err *err)
{
    const struct mg_app *app = context;
    struct mg_sandbox_session *s = mg_pool_alloc(req->pool, sizeof(*s));
    struct mg_str out;
    int found = mg_sandbox_read(app->payment, req->param[0], s, err);
    if (found == 0)
        return mg_err_set(err, 404, "not_found", "There is no such page.");
    if (found < 0)
        return -1;
    mg_str_init(&out, ACCOUNT_REPLY_MAX);
    write_page(s, &out);
    mg_reply_header(req, "content-security-policy", PAGE_POLICY);
    mg_reply_bytes(req, 200, TYPE_HTML, out.p, out.len);
    mg_str_free(&out);
    return 0;
}

/* A field of the posted form; NULL when it is absent. */
static const char *
form_value(const struct mg_uri *form, const char *name)
{
    for (size_t i = 0; i < form->queries; i++)
        if (strcmp(form->query[i].name, name) == 0)
            return form->query[i].value;
    return NULL;
}

int
act_sandbox(struct mg_request *req, void *context, struct mg_err *err)
{
    const struct mg_app *app = context;
    struct mg_sandbox_session *s = mg_pool_alloc(req->pool, sizeof(*s));
    struct mg_uri form; /* a form is written as a query is */
    const char *target = mg_pool_printf(req->pool, "/?%.*s", (int)req->body.n, req->body.p);
    if (mg_uri_parse(target, req->pool, &form, err) != 0)
        return -1;
    const char *action = form_value(&form, "action"), *cents = form_value(&form, "cents");
    if (mg_sandbox_act(app->payment, req->param[0], action != NULL ? action : "",
                       cents != NULL ? strtoll(cents, NULL, 10) : 0, req->pool, s, err) != 0)
        return -1;
    bool stays = action != NULL && strcmp(action, "refund") == 0;
    mg_reply_header(req, "location",
                    stays ? mg_pool_printf(req->pool, "%s/api/sandbox/%s", app->conf->base_url,
                                           s->id)
                          : s->success_url);
    mg_reply_empty(req, 303);
    return 0;
}
