EXTRA_DIST += lib/store/README.md
lib_libmodelgateway_la_SOURCES += \
    lib/store/asked.c lib/store/asked.h \
    lib/store/body.c lib/store/body.h \
    lib/store/chain.c lib/store/chain.h \
    lib/store/clerk.c lib/store/clerk.h \
    lib/store/completion.c lib/store/completion.h \
    lib/store/items.c lib/store/items.h \
    lib/store/metadata.c lib/store/metadata.h \
    lib/store/object.c lib/store/object.h \
    lib/store/record.c lib/store/record.h \
    lib/store/running.c lib/store/running.h
