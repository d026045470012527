lib_libmodelgateway_la_SOURCES += \
    lib/upstream/call.c lib/upstream/call.h \
    lib/upstream/easy.c lib/upstream/easy.h \
    lib/upstream/loop.c lib/upstream/loop.h \
    lib/upstream/multi.c lib/upstream/multi.h \
    lib/upstream/smtp.c lib/upstream/smtp.h \
    lib/upstream/transfer.c lib/upstream/transfer.h
