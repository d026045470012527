/* Messages (specification part 4, Messages family). */
#include "http/reply.h"
#include "infer/count.h"
#include "infer/generate.h"
#include "json/writer.h"
#include "service/service.h"

static int
create_message(struct mg_request *req, void *app, struct mg_err *err)
{
    return mg_generate(app, req, mg_service_caller(req), MG_MESSAGES, err);
}

static int
count_tokens(struct mg_request *req, void *app, struct mg_err *err)
{
    int64_t tokens;
    struct mg_str out;
    struct mg_jw w;
    if (mg_count_tokens(app, req, mg_service_caller(req), MG_MESSAGES, &tokens, err) != 0)
        return -1;
    mg_str_init(&out, 256);
    mg_jw_init(&w, &out);
    mg_jw_object(&w, NULL);
    mg_jw_int(&w, "input_tokens", tokens);
    mg_jw_end(&w);
    mg_reply_json(req, 200, &out);
    mg_str_free(&out);
    return 0;
}

/* Whatever else an upstream has below /v1/messages would be a door past the meter. */
static int
refuse_subpath(struct mg_request *req, void *app, struct mg_err *err)
{
    (void)app;
    mg_err_set(err, 404, "not_found",
               "There is no `/v1/messages/%.64s` here; `/v1/messages/count_tokens` is.",
               req->param[0]);
    err->no_retry = true;
    return -1;
}

static const struct mg_route routes[] = {
    {"POST", "/v1/messages", MG_AUTH_KEY, MG_ROUTE_BODY, MG_MESSAGES, create_message},
    {"POST", "/v1/messages/count_tokens", MG_AUTH_KEY, MG_ROUTE_BODY, MG_MESSAGES, count_tokens},
    {"POST", "/v1/messages/{subpath}", MG_AUTH_KEY, 0, MG_MESSAGES, refuse_subpath},
};

int
main(int argc, char **argv)
{
    static const struct mg_service service = {
        "messages", routes, sizeof(routes) / sizeof(routes[0]), MG_BILLS};
    return mg_service_main(&service, argc, argv);
}
