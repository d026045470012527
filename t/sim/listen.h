/*
 * Listening sockets on a loopback port or a unix path.
 */
#ifndef SIM_LISTEN_H
#define SIM_LISTEN_H

#include <stddef.h>

/*
 * Opens count non-blocking listening sockets for addr ("127.0.0.1:PORT", "unix:/path"): a TCP port
 * once per socket (SO_REUSEPORT), a path once for all. Fills fd[] and writes the final address to
 * shown. Returns the port (0 for a path), or -1 with the reason on stderr.
 */
int sim_listen(const char *addr, int *fd, int count, char *shown, size_t size);

#endif
