#include "upstream/easy.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define AGENT "model-gateway/1.0"
#define IDLE_S 30L          /* a kept connection that was unused for longer is not trusted */
#define LIFE_S 600L         /* addresses change: connect anew now and then */
#define UPLOAD_BUFFER 16384L

static void
init_curl(void)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        abort();
}

void
mg_easy_library(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_curl);
}

CURL *
mg_easy_new(void)
{
    mg_easy_library();
    CURL *easy = curl_easy_init();
    if (easy == NULL)
        abort();
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_PROXY, ""); /* also none from the environment */
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, IDLE_S);
    curl_easy_setopt(easy, CURLOPT_MAXLIFETIME_CONN, LIFE_S);
    curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, UPLOAD_BUFFER);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, AGENT);
    /* Asks for plain bytes, and undoes a coding that is sent all the same. */
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "identity");
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, mg_easy_on_ready);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, mg_easy_on_header);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, mg_easy_on_body);
    return easy;
}

void
mg_easy_prepare(CURL *easy, const struct mg_transfer_request *request,
                struct curl_slist *headers, char *problem, void *owner)
{
    if (strcmp(request->method, "POST") == 0) {
        curl_easy_setopt(easy, CURLOPT_POST, 1L);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.n);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request->body.n > 0 ? request->body.p : "");
    } else {
        curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    }
    curl_easy_setopt(easy, CURLOPT_URL, request->url);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     (long)(request->connect_ms > 0 ? request->connect_ms : 10000));
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, problem);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, owner);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, owner);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, owner);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, owner);
}

void
mg_easy_clear(CURL *easy)
{
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, NULL);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, NULL);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, NULL);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, NULL);
}

static bool
is_name(const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                            "0123456789!#$%&'*+-.^_`|~");
    return n > 0 && name[n] == '\0';
}

/* A line break in a value would begin another header, or another request. */
static bool
is_value(const char *value)
{
    for (; *value != '\0'; value++)
        if (((unsigned char)*value < 0x20 && *value != '\t') || *value == 0x7f)
            return false;
    return true;
}

static void
append(struct curl_slist **list, const char *line)
{
    struct curl_slist *longer = curl_slist_append(*list, line);
    if (longer == NULL)
        abort();
    *list = longer;
}

const char *
mg_easy_headers(const struct mg_transfer_request *request, struct curl_slist **list)
{
    bool typed = false;
    struct mg_str line;
    mg_str_init(&line, (size_t)64 * 1024);
    for (size_t i = 0; i < request->header_count; i++) {
        const struct mg_transfer_header *h = &request->headers[i];
        if (!is_name(h->name) || !is_value(h->value)) {
            mg_str_free(&line);
            return "a header of the request is not valid";
        }
        typed |= strcasecmp(h->name, "content-type") == 0;
        mg_str_reset(&line);
        /* libcurl's way to send a header without a value is a semicolon */
        mg_str_addf(&line, h->value[0] != '\0' ? "%s: %s" : "%s;%s", h->name, h->value);
        append(list, line.p);
    }
    mg_str_free(&line);
    append(list, "Expect:"); /* no waiting for 100 Continue */
    if (!typed)
        append(list, "Content-Type:"); /* libcurl would call it a form */
    return NULL;
}

int64_t
mg_easy_uploaded(CURL *easy)
{
    curl_off_t n = 0;
    curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &n);
    return n;
}
