/* Chat Completions and legacy Completions (specification part 4, Chat Completions family). */
#include "chat.h"

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
    {"GET", "/v1/chat/completions", MG_AUTH_KEY, 0, MG_CHAT, list_completions},
    {"GET", "/v1/chat/completions/{completion_id}", MG_AUTH_KEY, 0, MG_CHAT, get_completion},
    {"POST", "/v1/chat/completions/{completion_id}", MG_AUTH_KEY, MG_ROUTE_SMALL_BODY, MG_CHAT,
     update_completion},
    {"PATCH", "/v1/chat/completions/{completion_id}", MG_AUTH_KEY, MG_ROUTE_SMALL_BODY, MG_CHAT,
     update_completion},
    {"DELETE", "/v1/chat/completions/{completion_id}", MG_AUTH_KEY, 0, MG_CHAT,
     delete_completion},
    {"GET", "/v1/chat/completions/{completion_id}/messages", MG_AUTH_KEY, 0, MG_CHAT,
     list_messages},
    {"POST", "/v1/completions", MG_AUTH_KEY, MG_ROUTE_BODY, MG_COMPLETIONS, create_completion},
};

int
main(int argc, char **argv)
{
    static const struct mg_service service = {
        "chat", routes, sizeof(routes) / sizeof(routes[0]), MG_BILLS};
    return mg_service_main(&service, argc, argv);
}
