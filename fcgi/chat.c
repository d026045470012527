/* Chat Completions and legacy Completions (specification part 4, Chat Completions family). */
#include "infer/generate.h"
#include "service/service.h"

static int
create_chat_completion(struct mg_request *req, void *app, struct mg_err *err)
{
    return mg_generate(app, req, mg_service_caller(req), MG_CHAT, err);
}

static int
create_completion(struct mg_request *req, void *app, struct mg_err *err)
{
    return mg_generate(app, req, mg_service_caller(req), MG_COMPLETIONS, err);
}

static const struct mg_route routes[] = {
    {"POST", "/v1/chat/completions", MG_AUTH_KEY, MG_ROUTE_BODY, MG_CHAT, create_chat_completion},
    {"POST", "/v1/completions", MG_AUTH_KEY, MG_ROUTE_BODY, MG_COMPLETIONS, create_completion},
};

int
main(int argc, char **argv)
{
    static const struct mg_service service = {
        "chat", routes, sizeof(routes) / sizeof(routes[0]), MG_BILLS};
    return mg_service_main(&service, argc, argv);
}
