# The responders: one program a route family. Their route tables are the map of the API.
pkglibexec_PROGRAMS += fcgi/mg-account fcgi/mg-models fcgi/mg-responses fcgi/mg-chat \
    fcgi/mg-messages fcgi/mg-auth
responder_ldadd = lib/libmodelgateway.la $(JSONC_LIBS) $(PTHREAD_LIBS)

fcgi_mg_account_SOURCES = \
    fcgi/account.c \
    fcgi/account.h \
    fcgi/account_benefit.c \
    fcgi/account_health.c \
    fcgi/account_keys.c \
    fcgi/account_ledger.c \
    fcgi/account_me.c \
    fcgi/account_model.c \
    fcgi/account_setup.c \
    fcgi/account_topup.c \
    fcgi/account_totals.c \
    fcgi/account_usage.c \
    fcgi/account_wallet.c \
    fcgi/account_webhook.c
fcgi_mg_account_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
fcgi_mg_account_LDADD = $(responder_ldadd)
fcgi_mg_models_SOURCES = fcgi/models.c
fcgi_mg_models_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
fcgi_mg_models_LDADD = $(responder_ldadd)
fcgi_mg_responses_SOURCES = fcgi/responses.c fcgi/responses.h fcgi/responses_running.c fcgi/responses_stored.c
fcgi_mg_responses_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
fcgi_mg_responses_LDADD = $(responder_ldadd)
fcgi_mg_chat_SOURCES = fcgi/chat.c fcgi/chat.h fcgi/chat_stored.c
fcgi_mg_chat_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
fcgi_mg_chat_LDADD = $(responder_ldadd)
fcgi_mg_messages_SOURCES = fcgi/messages.c
fcgi_mg_messages_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
fcgi_mg_messages_LDADD = $(responder_ldadd)
fcgi_mg_auth_SOURCES = fcgi/auth.c fcgi/auth.h fcgi/auth_password.c fcgi/auth_register.c \
    fcgi/auth_session.c fcgi/auth_signin.c fcgi/auth_verify.c
fcgi_mg_auth_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
fcgi_mg_auth_LDADD = $(responder_ldadd)
