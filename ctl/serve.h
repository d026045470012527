/* `mgctl serve`: the supervisor of the responders.
 *
 * It opens one socket a family below run_dir, runs `processes` responders on each, and replaces
 * those that die. It reads no request and knows no database. */
#ifndef MG_CTL_SERVE_H
#define MG_CTL_SERVE_H

#include "base/conf.h"

/* Runs until SIGTERM or SIGINT. argv[0] is the command's name, then
 *   --config FILE       given on to the responders, and read again at SIGHUP
 *   --libexecdir DIR    where mg-FAMILY programs are (default: the installed ones)
 *   --only LIST         families to serve, separated by commas (default: all)
 * `conf` is the configuration as it was read at the start.
 *
 * SIGHUP replaces all responders: new ones start, and when they have lasted a second the old
 * ones are told to drain. If the new configuration cannot be read or a new responder dies, the
 * old ones stay. SIGTERM: everybody is told to drain and gets `shutdown_seconds`; a second one
 * kills. On standard output: "ready", and after each SIGHUP "reloaded" or "reload failed".
 *
 * Exit status for main: 0 after an orderly end, 1 when it could not start, 2 for a wrong use. */
int mg_ctl_serve(int argc, char **argv, const struct mg_conf *conf) __attribute__((nonnull));

#endif
