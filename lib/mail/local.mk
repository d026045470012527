lib_libmodelgateway_la_SOURCES += \
    lib/mail/mail.c \
    lib/mail/mail.h \
    lib/mail/queue.c \
    lib/mail/queue.h
