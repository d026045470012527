lib_libmodelgateway_la_SOURCES += \
    lib/store/body.c lib/store/body.h \
    lib/store/clerk.c lib/store/clerk.h \
    lib/store/object.c lib/store/object.h
