lib_libmodelgateway_la_SOURCES += \
    lib/payment/audit.c lib/payment/audit.h \
    lib/payment/checkout.c lib/payment/checkout.h \
    lib/payment/form.c lib/payment/form.h \
    lib/payment/news.h \
    lib/payment/order.c lib/payment/order.h \
    lib/payment/outcome.c lib/payment/outcome.h \
    lib/payment/provider.c lib/payment/provider.h \
    lib/payment/rate.c lib/payment/rate.h \
    lib/payment/sandbox.c lib/payment/sandbox.h \
    lib/payment/signature.c lib/payment/signature.h \
    lib/payment/stripe.c lib/payment/stripe.h lib/payment/stripe_event.c \
    lib/payment/webhook.c lib/payment/webhook.h
