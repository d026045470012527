/*
 * What the command line settled, read-only after the start.
 */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include <stdbool.h>

enum { SIM_OPTIONS_MODELS = 64 };

struct sim_options {
    const char *listen; /* 127.0.0.1:PORT or unix:/path */
    const char *port_file;
    const char *defaults;
    const char *key;   /* demanded of every request to the API, or NULL */
    const char *model[SIM_OPTIONS_MODELS]; /* known models; none: every name is known */
    int models;
    int threads;
    long record, record_bytes;
};

extern struct sim_options sim_options;

/* Reads the command line into sim_options. Returns 0, or the exit status + 1 to end with. */
int sim_options_read(int argc, char **argv);

#endif
