#include "service/service.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "config.h"
#include "http/server.h"
#include "identity/throttle.h"
#include "identity/ticket.h"
#include "mail/postman.h"
#include "mail/queue.h"
#include "infer/ability.h"
#include "infer/muster.h"
#include "infer/roster.h"
#include "infer/tally.h"
#include "ledger/checkin_path.h"
#include "payment/provider.h"
#include "service/gate.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BREAK_OFF_MS 6000 /* the supervisor kills who takes much longer */
#define CONNECTIONS 8 /* more than a few only queue inside the database */
#define MAIL_KEPT_MS (30 * 86400000LL) /* what was sent or given up */
#define SIGN_IN_THREADS 16 /* most of which wait for a turn at the computation */

struct options {
    const char *config, *listen;
};

static int
usage(const char *name, FILE *out, int status)
{
    fprintf(out,
            "usage: mg-%s [--config FILE] [--listen unix:PATH]\n"
            "FastCGI responder of the %s routes; the listening socket is descriptor 0 unless\n"
            "--listen makes one. `mgctl config` explains the settings.\n", name, name);
    return status;
}

/* -1: go on; else the exit status. */
static int
read_options(const char *name, int argc, char **argv, struct options *o)
{
    static const struct option longs[] = {
        {"config", required_argument, NULL, 'c'}, {"listen", required_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},         {"version", no_argument, NULL, 'V'},
        {NULL, 0, NULL, 0},
    };
    *o = (struct options){.config = MG_SYSCONFDIR "/gateway.conf"};
    for (int c; (c = getopt_long(argc, argv, "c:l:hV", longs, NULL)) != -1;) {
        switch (c) {
        case 'c':
            o->config = optarg;
            break;
        case 'l':
            o->listen = optarg;
            break;
        case 'h':
            return usage(name, stdout, 0);
        case 'V':
            return puts(PACKAGE_STRING) < 0;
        default:
            return usage(name, stderr, 2);
        }
    }
    return -1;
}

static int
start_loops(struct mg_app *app, struct mg_err *err)
{
    char name[32];
    size_t count = (size_t)app->conf->loops;
    app->loops = mg_calloc(count, sizeof(struct mg_loop *));
    for (; app->loop_count < count; app->loop_count++) {
        snprintf(name, sizeof(name), "loop%zu", app->loop_count);
        app->loops[app->loop_count] = mg_loop_new(name, err);
        if (app->loops[app->loop_count] == NULL)
            return -1;
    }
    app->side_loop = mg_loop_new("side", err);
    return app->side_loop != NULL ? 0 : -1;
}

/* The loops give work to each other, to the clerks and to the ledger, which answer to the loops;
 * a clerk asks the ledger whose process this is. So first nothing gives work any more, then what
 * was given is done, and only then the loops go that the answers are posted to. */
static void
halt_loops(struct mg_app *app)
{
    for (size_t i = 0; i < app->loop_count; i++)
        mg_loop_halt(app->loops[i]);
    if (app->side_loop != NULL)
        mg_loop_halt(app->side_loop);
    mg_clerks_stop(&app->clerks);
}

static void
free_loops(struct mg_app *app)
{
    for (size_t i = 0; i < app->loop_count; i++)
        mg_loop_stop(&app->loops[i]);
    mg_loop_stop(&app->side_loop);
    free(app->loops);
}

/* The key that seals reasoning in transit: derived, so that the master key itself has one use. */
static void
derive_pack_key(struct mg_app *app)
{
    static const char purpose[] = "model-gateway packed reasoning";
    mg_hmac_sha256(app->vault.key, sizeof(app->vault.key), purpose, sizeof(purpose) - 1,
                   app->pack_key);
}

/* Rows that nobody will ask for any more. */
static int
tidy(struct mg_db *db, const struct mg_conf *conf, struct mg_err *err)
{
    int64_t now = mg_now_ms();
    if (mg_session_tidy(db, conf, err) != 0 || mg_ticket_tidy(db, err) != 0 ||
        mg_throttle_tidy(db, now, err) != 0)
        return -1;
    return mg_mail_tidy(db, now - MAIL_KEPT_MS, err);
}

/* What belongs to signing in: passwords and mails. */
static int
start_front_desk(struct mg_app *app, struct mg_err *err)
{
    app->hasher = mg_hasher_new((int)app->conf->password_cost);
    app->postman = mg_postman_start(app->conf, &app->vault, tidy, err);
    return app->postman != NULL ? 0 : -1;
}

static int
start(const struct mg_service *service, struct mg_app *app, struct mg_err *err)
{
    struct mg_checkin_table rewards; /* one that cannot be read should not wait for a customer */
    if (mg_checkin_table_read(app->conf->checkin_path, &rewards, err) != 0 ||
        mg_vault_open(&app->vault, app->conf, err) != 0)
        return -1;
    derive_pack_key(app);
    app->db = mg_db_pool_new(app->conf, CONNECTIONS);
    app->desk = mg_desk_new(app->conf);
    app->catalogue = mg_catalogue_cache_new(app->conf, err);
    if (app->catalogue == NULL)
        return -1;
    if (service->needs & MG_SIGNS_IN)
        return start_front_desk(app, err);
    if (service->needs & MG_SELLS &&
        mg_payment_open(app->conf, &app->vault, app->db, &app->payment, err) != 0)
        return -1;
    if (!(service->needs & MG_BILLS))
        return 0;
    app->abilities = mg_abilities_new();
    app->tally = mg_tally_new();
    app->roster = mg_roster_new(app);
    app->muster = mg_muster_new();
    app->clerks = mg_clerks_start(app->conf);
    app->ledger = mg_ledger_start(app->conf, service->name, err);
    return app->ledger != NULL ? start_loops(app, err) : -1;
}

static void
stop(struct mg_app *app)
{
    halt_loops(app);
    mg_ledger_stop(&app->ledger);
    free_loops(app);
    mg_abilities_free(&app->abilities);
    mg_postman_stop(&app->postman);
    mg_hasher_free(&app->hasher);
    mg_payment_close(&app->payment);
    mg_tally_free(&app->tally);
    mg_roster_free(&app->roster);
    mg_muster_free(&app->muster);
    mg_desk_free(&app->desk);
    mg_catalogue_cache_free(&app->catalogue);
    if (app->db != NULL)
        mg_db_pool_free(&app->db);
    mg_vault_close(&app->vault);
}

/* The end of a process whose time is over before its work is. Exchanges are broken off and charged
 * as far as they came; one that does not end even then is left as a kill leaves it, and with it all
 * that it uses; a worker that still runs may use the ledger, too. */
static _Noreturn void
leave(struct mg_app *app, bool works)
{
    if (app->muster != NULL)
        mg_muster_dismiss(app->muster, app, BREAK_OFF_MS);
    halt_loops(app);
    if (!works)
        mg_ledger_stop(&app->ledger);
    mg_info("stopped before its work was done");
    _exit(1);
}

static bool
is_busy(void *arg)
{
    struct mg_app *app = arg;
    return atomic_load(&app->active) > 0;
}

static int
serve(const struct mg_service *service, struct mg_app *app, const char *where,
      struct mg_err *err)
{
    struct mg_router router = {
        .routes = service->routes,
        .count = service->count,
        .body_limit = (size_t)app->conf->body_limit,
        .version_headers = app->conf->version_headers,
        .gate = mg_gate_pass,
    };
    struct mg_server server = {
        .router = &router,
        .listen_fd = mg_server_listen(where, err),
        .threads = (int)app->conf->threads,
        .shutdown_s = (int)app->conf->shutdown_seconds,
        .service = app,
        .busy = is_busy,
    };
    if ((service->needs & MG_SIGNS_IN) && server.threads > SIGN_IN_THREADS)
        server.threads = SIGN_IN_THREADS;
    if (server.listen_fd < 0 || mg_router_check(&router, err) != 0)
        return -1;
    mg_info("ready: %zu routes, %d threads", router.count, server.threads);
    return mg_server_run(&server, err);
}

int
mg_service_main(const struct mg_service *service, int argc, char **argv)
{
    struct options options;
    struct mg_conf conf = {0};
    struct mg_err err = MG_ERR_INIT;
    struct mg_app app = {.conf = &conf};
    int status = read_options(service->name, argc, argv, &options);
    if (status >= 0)
        return status;
    mg_log_init(service->name, MG_LOG_INFO);
    mg_server_prepare();
    if (mg_conf_load(&conf, options.config, &err) != 0) {
        mg_error("%s", err.detail);
        return 2;
    }
    int level = mg_log_level_parse(conf.log_level);
    mg_log_init(service->name, level >= 0 ? (enum mg_log_level)level : MG_LOG_INFO);
    status = start(service, &app, &err);
    if (status == 0)
        status = serve(service, &app, options.listen, &err);
    if (mg_err_is(&err))
        mg_error("%s%s%s", err.message, *err.detail ? ": " : "", err.detail);
    if (status > 0)
        leave(&app, status == 2);
    stop(&app);
    mg_conf_free(&conf);
    mg_err_free(&err);
    mg_info("stopped");
    return status == 0 ? 0 : 1;
}
