#include "service/origin.h"

#include <string.h>
#include <strings.h>

/* Length of "scheme://host:port" without a port that goes without saying. */
static size_t
origin_length(const char *url)
{
    const char *host = strstr(url, "://");
    if (host == NULL)
        return strlen(url);
    size_t n = (size_t)(host - url) + 3;
    n += strcspn(url + n, "/?#");
    const char *usual = strncasecmp(url, "https:", 6) == 0 ? ":443" : ":80";
    size_t port = strlen(usual);
    return n > port && memcmp(url + n - port, usual, port) == 0 ? n - port : n;
}

bool
mg_origin_same(const char *base_url, const char *origin)
{
    size_t n = origin_length(base_url);
    return origin_length(origin) == n && strncasecmp(base_url, origin, n) == 0 &&
           strpbrk(origin + n, "/?#") == NULL;
}

static int
refuse(struct mg_err *err)
{
    mg_err_set(err, 403, "foreign_origin",
               "This request comes from a page of another site, so it was not carried out.");
    err->no_retry = true;
    return -1;
}

/* What the browser says of the page: 1 ours, 0 nothing, -1 foreign. */
static int
judge(const struct mg_request *req, const char *base_url)
{
    const char *origin = mg_request_header(req, "origin");
    const char *site = mg_request_header(req, "sec-fetch-site");
    if (origin != NULL)
        return mg_origin_same(base_url, origin) ? 1 : -1;
    if (site == NULL || strcmp(site, "none") == 0) /* none: typed by the user */
        return 0;
    return strcmp(site, "same-origin") == 0 ? 1 : -1;
}

int
mg_origin_check_cookie(const struct mg_request *req, const char *base_url, struct mg_err *err)
{
    int verdict = judge(req, base_url);
    if (strcmp(req->method, "GET") == 0)
        return verdict >= 0 ? 0 : refuse(err);
    if (verdict <= 0)
        return refuse(err);
    if (*req->content_type != '\0' && strcmp(req->content_type, "application/json") != 0)
        return mg_err_set(err, 415, "unsupported_media_type",
                          "The body must be JSON (content-type: application/json).");
    return 0;
}

int
mg_origin_check_form(const struct mg_request *req, const char *base_url, struct mg_err *err)
{
    return judge(req, base_url) >= 0 ? 0 : refuse(err);
}
