/* The upstream of the transfer tests: what it does is chosen by the path of the request. */
#ifndef MG_TEST_UPSTREAM_SCRIPT_H
#define MG_TEST_UPSTREAM_SCRIPT_H

#include "http_origin.h"

/* Requests that reached a path whose connection is closed without any reply. */
extern int script_nothings;

origin_serve script_serve;

#endif
