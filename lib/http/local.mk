lib_libmodelgateway_la_SOURCES += \
    lib/http/body.c lib/http/body.h \
    lib/http/connection.c lib/http/connection.h \
    lib/http/deadline.c lib/http/deadline.h \
    lib/http/encoding.c lib/http/encoding.h \
    lib/http/record.c lib/http/record.h \
    lib/http/reply.c lib/http/reply.h \
    lib/http/request.c lib/http/request.h \
    lib/http/route.c lib/http/route.h \
    lib/http/server.c lib/http/server.h \
    lib/http/stream.c lib/http/stream.h \
    lib/http/uri.c lib/http/uri.h
