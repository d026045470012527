/* The life of a responder: settings, start-up, serving, orderly end.
 *
 *   int main(int argc, char **argv)
 *   {
 *       static const struct mg_service service = {"chat", routes, COUNT(routes), MG_BILLS};
 *       return mg_service_main(&service, argc, argv);
 *   }
 *
 * The handlers' context is the process's struct mg_app; mg_service_caller says who asks. */
#ifndef MG_SERVICE_SERVICE_H
#define MG_SERVICE_SERVICE_H

#include "http/route.h"
#include "identity/session.h"
#include "infer/app.h"

/* Values of mg_route.auth. */
enum {
    MG_AUTH_NONE,   /* public */
    MG_AUTH_KEY,    /* System Key or User API Key (specification part 5) */
    MG_AUTH_SESSION,/* dashboard session: cookie, or its token as Bearer */
    MG_AUTH_FORM    /* public, but not for pages of other sites: sign-in and the like */
};

#define MG_SESSION_COOKIE "__Host-session"

/* What a responder needs besides the database. */
enum {
    MG_BILLS = 1,    /* it generates: ledger and event loops */
    MG_SIGNS_IN = 2, /* it computes passwords: few threads */
    MG_SELLS = 4     /* it takes payments */
};

struct mg_service {
    const char *name; /* of the route family; the program is mg-NAME */
    const struct mg_route *routes;
    size_t count;
    unsigned needs;
};

/* Runs a responder: --config FILE, --listen unix:PATH, --help, --version. The exit status of
 * main. */
int mg_service_main(const struct mg_service *service, int argc, char **argv)
    __attribute__((nonnull));

/* Who asks, on a route with MG_AUTH_KEY or MG_AUTH_SESSION. */
const struct mg_principal *mg_service_caller(const struct mg_request *req)
    __attribute__((nonnull, returns_nonnull));

#endif
