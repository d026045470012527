#include "upstream/call.h"

#include "upstream/easy.h"

#include <string.h>

#define CONNECT_MS 10000
#define TOTAL_MS 30000

static int
on_ready(void *owner, char *remote_ip, char *local_ip, int remote_port, int local_port)
{
    bool *sent = owner; /* the next thing that happens is the first byte of the request */
    (void)remote_ip, (void)local_ip, (void)remote_port, (void)local_port;
    *sent = true;
    return CURL_PREREQFUNC_OK;
}

static size_t
on_body(char *bytes, size_t one, size_t n, void *owner)
{
    struct mg_str *reply = owner;
    mg_str_add(reply, bytes, one * n);
    return mg_str_ok(reply) ? one * n : 0;
}

static size_t
on_header(char *bytes, size_t one, size_t n, void *owner)
{
    (void)bytes, (void)owner;
    return one * n;
}

static void
prepare(CURL *easy, const struct mg_call *call, struct curl_slist *headers, char *problem,
        struct mg_str *reply, bool *sent)
{
    const struct mg_transfer_request request = {
        .method = call->body.n > 0 ? "POST" : "GET", .url = call->url, .body = call->body,
        .connect_ms = call->connect_ms > 0 ? call->connect_ms : CONNECT_MS};
    mg_easy_prepare(easy, &request, headers, problem, reply);
    if (strcmp(call->method, "POST") == 0 && call->body.n == 0) {
        curl_easy_setopt(easy, CURLOPT_POST, 1L);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)0);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, "");
    } else if (strcmp(call->method, request.method) != 0) {
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, call->method);
    }
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
                     (long)(call->total_ms > 0 ? call->total_ms : TOTAL_MS));
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_ready);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, sent);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
}

static int
explain(CURLcode code, const char *problem, bool sent, const struct mg_str *reply,
        struct mg_err *err)
{
    if (!sent && (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL))
        return mg_err_internal(err, "a call to no address: %s", curl_easy_strerror(code));
    if (!mg_str_ok(reply))
        mg_err_set(err, 502, "upstream_too_large", "The answer of the upstream is too large.");
    else if (code == CURLE_OPERATION_TIMEDOUT)
        mg_err_set(err, 504, "upstream_timeout", "The upstream did not answer in time.");
    else if (!sent)
        mg_err_set(err, 502, "upstream_unreachable", "The upstream could not be reached.");
    else
        mg_err_set(err, 502, "upstream_cut", "The upstream broke off its answer.");
    mg_err_detail(err, "%s", *problem != '\0' ? problem : curl_easy_strerror(code));
    return -1;
}

int
mg_call_run(const struct mg_call *call, int *status, struct mg_str *reply, struct mg_err *err)
{
    const struct mg_transfer_request lines = {.headers = call->headers,
                                              .header_count = call->header_count};
    struct curl_slist *headers = NULL;
    char problem[CURL_ERROR_SIZE] = "";
    bool sent = false;
    long answer = 0;
    const char *wrong = mg_easy_headers(&lines, &headers);
    *status = 0;
    mg_str_reset(reply);
    if (wrong != NULL) {
        curl_slist_free_all(headers);
        return mg_err_internal(err, "a call cannot be made: %s", wrong);
    }
    CURL *easy = mg_easy_new();
    prepare(easy, call, headers, problem, reply, &sent);
    CURLcode code = curl_easy_perform(easy);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer);
    curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
    if (code != CURLE_OK)
        return explain(code, problem, sent, reply, err);
    *status = (int)answer;
    return 0;
}
