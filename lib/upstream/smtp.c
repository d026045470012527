#include "upstream/smtp.h"

#include "upstream/easy.h"

#include <curl/curl.h>
#include <string.h>

#define CONNECT_MS 15000
#define TOTAL_MS 90000

struct reading {
    struct mg_span left;
};

static size_t
on_read(char *buf, size_t one, size_t n, void *owner)
{
    struct mg_span *left = &((struct reading *)owner)->left;
    size_t take = one * n < left->n ? one * n : left->n;
    memcpy(buf, left->p, take);
    left->p += take;
    left->n -= take;
    return take;
}

static size_t
ignore(char *bytes, size_t one, size_t n, void *owner)
{
    (void)bytes, (void)owner;
    return one * n;
}

static int
on_progress(void *owner, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    (void)a, (void)b, (void)c, (void)d;
    return atomic_load((const atomic_bool *)owner);
}

static void
prepare(CURL *easy, const struct mg_smtp *smtp, struct reading *reading, char *problem)
{
    curl_easy_setopt(easy, CURLOPT_URL, smtp->url);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, problem);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)TOTAL_MS);
    curl_easy_setopt(easy, CURLOPT_USE_SSL, (long)(smtp->tls ? CURLUSESSL_ALL : CURLUSESSL_TRY));
    if (*smtp->ca_file != '\0')
        curl_easy_setopt(easy, CURLOPT_CAINFO, smtp->ca_file);
    if (*smtp->user != '\0') {
        curl_easy_setopt(easy, CURLOPT_USERNAME, smtp->user);
        curl_easy_setopt(easy, CURLOPT_PASSWORD, smtp->password);
    }
    curl_easy_setopt(easy, CURLOPT_MAIL_FROM, smtp->from);
    curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, on_read);
    curl_easy_setopt(easy, CURLOPT_READDATA, reading);
    curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)smtp->message.n);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, ignore);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, ignore);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, smtp->stop);
}

/* Replies that speak of this recipient or this mail, not of how we are set up: RFC 5321 section
 * 4.2.3. Being refused to sign in (535) or to send at all (530, 550 at MAIL) looks alike at
 * times, so the caller tries these again, too, but not for days. */
static bool
is_refusal(long code)
{
    return code == 550 || code == 551 || code == 552 || code == 553 || code == 554 || code == 501;
}

int
mg_smtp_send(const struct mg_smtp *smtp, struct mg_err *err)
{
    char problem[CURL_ERROR_SIZE] = "";
    struct reading reading = {smtp->message};
    long reply = 0;
    mg_easy_library();
    CURL *easy = curl_easy_init();
    struct curl_slist *to = curl_slist_append(NULL, smtp->to);
    if (easy == NULL || to == NULL) {
        curl_slist_free_all(to);
        curl_easy_cleanup(easy);
        return mg_err_internal(err, "libcurl has no memory");
    }
    prepare(easy, smtp, &reading, problem);
    curl_easy_setopt(easy, CURLOPT_MAIL_RCPT, to);
    CURLcode code = curl_easy_perform(easy);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &reply);
    curl_easy_cleanup(easy);
    curl_slist_free_all(to);
    if (code == CURLE_OK)
        return 0;
    mg_err_set(err, is_refusal(reply) ? 550 : 503, "mail_not_sent",
               "The mail server did not take the mail.");
    mg_err_detail(err, "%s (reply %ld)", *problem ? problem : curl_easy_strerror(code), reply);
    return -1;
}
