/* The handlers of mg-responses by topic; their table is fcgi/responses.c. */
#ifndef MG_FCGI_RESPONSES_H
#define MG_FCGI_RESPONSES_H

#include "http/route.h"

/* responses_stored.c: responses that are kept. */
mg_handler get_response, delete_response, list_input_items, compact_response;
/* responses_running.c: those that are generated in the background. */
mg_handler cancel_response;

#endif
