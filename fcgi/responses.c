/* Responses (specification part 4, Responses family). */
#include "responses.h"

#include "http/reply.h"
#include "infer/compact.h"
#include "infer/count.h"
#include "infer/generate.h"
#include "json/writer.h"
#include "service/service.h"

static int
create_response(struct mg_request *req, void *app, struct mg_err *err)
{
    return mg_generate(app, req, mg_service_caller(req), MG_RESPONSES, err);
}

static int
count_input(struct mg_request *req, void *app, struct mg_err *err)
{
    int64_t tokens;
    struct mg_str out;
    struct mg_jw w;
    if (mg_count_tokens(app, req, mg_service_caller(req), MG_RESPONSES, &tokens, err) != 0)
        return -1;
    mg_str_init(&out, 256);
    mg_jw_init(&w, &out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, "object", "response.input_tokens");
    mg_jw_int(&w, "input_tokens", tokens);
    mg_jw_end(&w);
    mg_reply_json(req, 200, &out);
    mg_str_free(&out);
    return 0;
}

static int
compact(struct mg_request *req, void *app, struct mg_err *err)
{
    return mg_compact(app, req, mg_service_caller(req), err);
}

static const struct mg_route routes[] = {
    {"POST", "/v1/responses", MG_AUTH_KEY, MG_ROUTE_BODY | MG_ROUTE_NO_UPGRADE, MG_RESPONSES,
     create_response},
    {"POST", "/v1/responses/compact", MG_AUTH_KEY, MG_ROUTE_BODY, MG_RESPONSES, compact},
    {"POST", "/v1/responses/input_tokens", MG_AUTH_KEY, MG_ROUTE_BODY, MG_RESPONSES, count_input},
    {"POST", "/v1/responses/count_tokens", MG_AUTH_KEY, MG_ROUTE_BODY, MG_RESPONSES, count_input},
    {"GET", "/v1/responses/{response_id}", MG_AUTH_KEY, 0, MG_RESPONSES, get_response},
    {"DELETE", "/v1/responses/{response_id}", MG_AUTH_KEY, 0, MG_RESPONSES, delete_response},
    {"GET", "/v1/responses/{response_id}/input_items", MG_AUTH_KEY, 0, MG_RESPONSES,
     list_input_items},
    {"POST", "/v1/responses/{response_id}/compact", MG_AUTH_KEY, MG_ROUTE_BODY, MG_RESPONSES,
     compact_response},
    {"POST", "/v1/responses/{response_id}/cancel", MG_AUTH_KEY, 0, MG_RESPONSES, cancel_response},
};

int
main(int argc, char **argv)
{
    static const struct mg_service service = {
        "responses", routes, sizeof(routes) / sizeof(routes[0]), MG_BILLS};
    return mg_service_main(&service, argc, argv);
}
