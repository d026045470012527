bin_PROGRAMS += ctl/mgctl
dist_man_MANS = ctl/mgctl.1
ctl_mgctl_SOURCES = \
    ctl/account.c \
    ctl/args.c ctl/args.h \
    ctl/benefit.c \
    ctl/command.h \
    ctl/help.c ctl/help.h \
    ctl/key.c \
    ctl/mail.c \
    ctl/mgctl.c \
    ctl/migrate.c ctl/migrate.h \
    ctl/model.c \
    ctl/order.c \
    ctl/probe.c ctl/probe.h \
    ctl/schema.c \
    ctl/sheet.c ctl/sheet.h \
    ctl/signin.c ctl/signin.h \
    ctl/upstream.c \
    ctl/who.c ctl/who.h \
    $(ctl_serve_sources)
ctl_mgctl_LDADD = lib/libmodelgateway.la $(PTHREAD_LIBS)

# the supervisor (mgctl serve)
ctl_serve_sources = \
    ctl/crew.c ctl/crew.h \
    ctl/listener.c ctl/listener.h \
    ctl/notify.c ctl/notify.h \
    ctl/responder.c ctl/responder.h \
    ctl/serve.c ctl/serve.h
