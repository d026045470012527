lib_libmodelgateway_la_SOURCES += \
    lib/catalogue/catalogue.c \
    lib/catalogue/catalogue.h \
    lib/catalogue/destination.c \
    lib/catalogue/destination.h \
    lib/catalogue/edit.c \
    lib/catalogue/edit.h \
    lib/catalogue/price.c \
    lib/catalogue/price.h \
    lib/catalogue/snapshot.c \
    lib/catalogue/snapshot.h \
    lib/catalogue/words.c \
    lib/catalogue/words.h
