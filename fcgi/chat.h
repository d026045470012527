/* The handlers of mg-chat by topic; their table is fcgi/chat.c. */
#ifndef MG_FCGI_CHAT_H
#define MG_FCGI_CHAT_H

#include "http/route.h"

/* chat_stored.c: chat completions that are kept. */
mg_handler list_completions, get_completion, update_completion, delete_completion, list_messages;

#endif
