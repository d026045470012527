lib_libmodelgateway_la_SOURCES += \
    lib/mail/mail.c \
    lib/mail/mail.h \
    lib/mail/message.c \
    lib/mail/message.h \
    lib/mail/postman.c \
    lib/mail/postman.h \
    lib/mail/queue.c \
    lib/mail/queue.h
