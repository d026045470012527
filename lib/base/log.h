/* The log: one line an event on standard error, for people and for machines.
 *
 *   2026-11-20T10:41:00.123Z info chat[4711] req=req_01… account=7 status=200 ms=812
 *
 * Never give it a key, a prompt or an answer. Values are cleaned of control characters. */
#ifndef MG_BASE_LOG_H
#define MG_BASE_LOG_H

enum mg_log_level { MG_LOG_ERROR, MG_LOG_WARN, MG_LOG_INFO, MG_LOG_DEBUG };

/* Name of the program in every line, and the lowest level that is printed. Call once. */
void mg_log_init(const char *program, enum mg_log_level level) __attribute__((nonnull));
/* "error", "warn", "info", "debug" → level; -1 for anything else. */
int mg_log_level_parse(const char *name) __attribute__((nonnull));
/* Writes one line. */
void mg_log(enum mg_log_level level, const char *fmt, ...)
    __attribute__((nonnull, format(printf, 2, 3)));

#define mg_error(...) mg_log(MG_LOG_ERROR, __VA_ARGS__)
#define mg_warn(...) mg_log(MG_LOG_WARN, __VA_ARGS__)
#define mg_info(...) mg_log(MG_LOG_INFO, __VA_ARGS__)
#define mg_debug(...) mg_log(MG_LOG_DEBUG, __VA_ARGS__)

#endif
