lib_libmodelgateway_la_SOURCES += \
    lib/db/connect.c \
    lib/db/connect.h \
    lib/db/db.c \
    lib/db/db.h \
    lib/db/fault.c \
    lib/db/fault.h \
    lib/db/host.c \
    lib/db/host.h \
    lib/db/list.c \
    lib/db/list.h \
    lib/db/pool.c \
    lib/db/statement.c \
    lib/db/statement.h \
    lib/db/txn.c
