lib_libmodelgateway_la_SOURCES += \
    lib/base/alloc.c \
    lib/base/alloc.h \
    lib/base/clock.c \
    lib/base/clock.h \
    lib/base/conf.c \
    lib/base/conf.h \
    lib/base/digest.c \
    lib/base/digest.h \
    lib/base/err.c \
    lib/base/err.h \
    lib/base/id.c \
    lib/base/id.h \
    lib/base/log.c \
    lib/base/log.h \
    lib/base/money.c \
    lib/base/money.h \
    lib/base/pool.c \
    lib/base/pool.h \
    lib/base/str.c \
    lib/base/str.h \
    lib/base/utf8.c \
    lib/base/utf8.h \
    lib/base/vault.c \
    lib/base/vault.h
