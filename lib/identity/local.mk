lib_libmodelgateway_la_SOURCES += \
    lib/identity/account.c \
    lib/identity/account.h \
    lib/identity/desk.c \
    lib/identity/desk.h \
    lib/identity/key.c \
    lib/identity/key.h \
    lib/identity/principal.c \
    lib/identity/principal.h
