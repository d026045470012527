/* Fuzzing of what decides without the database: the pages and ids that routes of stored objects
 * are asked for, metadata, the session cookie, and whether a request comes from our own pages.
 *
 * Input: the query, an id as it stands in the path, the Cookie, the Origin, the Sec-Fetch-Site and
 * metadata, one a line. */
#include "base/alloc.h"
#include "http/request.h"
#include "identity/token.h"
#include "json/parse.h"
#include "service/origin.h"
#include "service/stored.h"
#include "store/metadata.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BASE_URL "https://gateway.example"
#define ID_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-"

enum { QUERY, ID, COOKIE, ORIGIN, SITE, METADATA, LINES };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool good)
{
    if (!good)
        abort();
}

static void
check_page(const struct mg_request *req)
{
    struct mg_stored_page page;
    struct mg_err err = MG_ERR_INIT;
    if (mg_stored_page(req, true, &page, &err) == 0)
        must(page.limit >= 1 && page.limit <= MG_STORED_PAGE_MOST);
    else
        must(err.status == 422);
    mg_err_free(&err);
}

static void
check_id(struct mg_request *req, const char *text)
{
    struct mg_err err = MG_ERR_INIT;
    req->param[0] = text;
    const char *id = mg_stored_id(req, "response_id", &err);
    size_t n = strlen(text);
    must((id != NULL) == (n >= 1 && n <= 128 && strspn(text, ID_CHARACTERS) == n));
    must(id != NULL || err.status == 422);
    mg_err_free(&err);
}

/* A page that is not ours changes nothing, whatever it calls itself. */
static void
check_origin(const struct mg_request *req, const char *origin, const char *site)
{
    struct mg_err err = MG_ERR_INIT, other = MG_ERR_INIT;
    bool ours = *origin != '\0' ? strcasecmp(origin, BASE_URL) == 0 ||
                                      strcasecmp(origin, BASE_URL ":443") == 0
                                : strcmp(site, "same-origin") == 0;
    must((mg_origin_check_cookie(req, BASE_URL, &err) == 0) == ours);
    bool silent = *origin == '\0' && (*site == '\0' || strcmp(site, "none") == 0);
    must((mg_origin_check_form(req, BASE_URL, &other) == 0) == (ours || silent));
    must(ours || err.status == 403);
    mg_err_free(&err);
    mg_err_free(&other);
    const char *token = mg_request_cookie(req, "__Host-session");
    if (token != NULL)
        must(!mg_token_well_formed("mgs_", token) || strlen(token) == 4 + MG_TOKEN_TAIL);
}

static void
check_metadata(const char *text)
{
    struct mg_err err = MG_ERR_INIT;
    struct mg_str once, twice;
    mg_str_init(&once, MG_METADATA_MAX * 8);
    mg_str_init(&twice, MG_METADATA_MAX * 8);
    if (mg_metadata_read(mg_span_z(text), &once, &err) == 0 && once.len > 0) {
        must(mg_metadata_read(mg_str_span(&once), &twice, &err) == 0);
        must(once.len == twice.len && memcmp(once.p, twice.p, once.len) == 0);
    } else {
        must(once.len == 0 && (err.status == 0 || err.status == 422));
    }
    mg_str_free(&once);
    mg_str_free(&twice);
    mg_err_free(&err);
}

/* "NAME=value"; the caller frees it. */
static char *
parameter(const char *name, const char *value)
{
    struct mg_str text;
    mg_str_init(&text, strlen(name) + strlen(value) + 1);
    mg_str_addz(&text, name);
    mg_str_addz(&text, value);
    return mg_str_take(&text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mg_strndup((const char *)data, size), *rest = text;
    const char *line[LINES], *params[6] = {"REQUEST_METHOD=POST"};
    char *made[4];
    size_t count = 1;
    struct mg_err err = MG_ERR_INIT;
    for (size_t i = 0; i < LINES; i++) {
        line[i] = strsep(&rest, "\n");
        line[i] = line[i] != NULL ? line[i] : "";
    }
    made[0] = parameter("REQUEST_URI=/v1/chat/completions?", line[QUERY]);
    made[1] = parameter("HTTP_COOKIE=", line[COOKIE]);
    made[2] = parameter("HTTP_ORIGIN=", line[ORIGIN]);
    made[3] = parameter("HTTP_SEC_FETCH_SITE=", line[SITE]);
    for (size_t i = 0; i < 4; i++)
        if (i < 2 || *line[i == 2 ? ORIGIN : SITE] != '\0')
            params[count++] = made[i];
    struct mg_request *req = mg_request_new(params, &err);
    if (err.status == 0) {
        check_page(req);
        check_id(req, line[ID]);
        check_origin(req, line[ORIGIN], line[SITE]);
    }
    check_metadata(line[METADATA]);
    mg_request_free(&req);
    mg_err_free(&err);
    for (size_t i = 0; i < 4; i++)
        free(made[i]);
    free(text);
    return 0;
}
