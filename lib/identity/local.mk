lib_libmodelgateway_la_SOURCES += \
    lib/identity/account.c \
    lib/identity/account.h \
    lib/identity/allowance.c \
    lib/identity/allowance.h \
    lib/identity/address.c \
    lib/identity/address.h \
    lib/identity/desk.c \
    lib/identity/desk.h \
    lib/identity/key.c \
    lib/identity/key.h \
    lib/identity/keyring.c \
    lib/identity/keyring.h \
    lib/identity/password.c \
    lib/identity/password.h \
    lib/identity/principal.c \
    lib/identity/principal.h \
    lib/identity/session.c \
    lib/identity/session.h \
    lib/identity/signin.c \
    lib/identity/signin.h \
    lib/identity/throttle.c \
    lib/identity/throttle.h \
    lib/identity/ticket.c \
    lib/identity/ticket.h \
    lib/identity/token.c \
    lib/identity/token.h
