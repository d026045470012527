lib_libmodelgateway_la_SOURCES += \
    lib/json/astral.c \
    lib/json/astral.h \
    lib/json/field.c \
    lib/json/field.h \
    lib/json/parse.c \
    lib/json/parse.h \
    lib/json/scan.c \
    lib/json/scan.h \
    lib/json/splice.c \
    lib/json/splice.h \
    lib/json/strict.c \
    lib/json/strict.h \
    lib/json/writer.c \
    lib/json/writer.h
