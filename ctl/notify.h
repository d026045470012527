/* Words to the service manager, in systemd's notification protocol.
 *
 * One datagram of NAME=value lines to the socket that NOTIFY_SOCKET names (sd_notify(3) describes
 * it). Without that variable nothing happens. */
#ifndef MG_CTL_NOTIFY_H
#define MG_CTL_NOTIFY_H

/* Sends `state`, e.g. "READY=1\nSTATUS=serving". Failure is not an error of ours. */
void mg_notify(const char *state) __attribute__((nonnull));
/* Announces a reload: RELOADING=1 with the time stamp that Type=notify-reload asks for. */
void mg_notify_reloading(void);

#endif
