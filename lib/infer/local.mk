lib_libmodelgateway_la_SOURCES += \
    lib/infer/ability.c lib/infer/ability.h \
    lib/infer/admission.c lib/infer/admission.h \
    lib/infer/app.h \
    lib/infer/background.c lib/infer/background.h \
    lib/infer/bill.c lib/infer/bill.h \
    lib/infer/compact.c lib/infer/compact.h \
    lib/infer/count.c lib/infer/count.h \
    lib/infer/credit.c lib/infer/credit.h \
    lib/infer/delivery.c lib/infer/delivery.h \
    lib/infer/exchange.c lib/infer/exchange.h \
    lib/infer/follow.c lib/infer/follow.h \
    lib/infer/generate.c lib/infer/generate.h \
    lib/infer/hold.c lib/infer/hold.h \
    lib/infer/keep.c lib/infer/keep.h \
    lib/infer/muster.c lib/infer/muster.h \
    lib/infer/plan.c lib/infer/plan.h \
    lib/infer/recall.c lib/infer/recall.h \
    lib/infer/refusal.c lib/infer/refusal.h \
    lib/infer/roster.c lib/infer/roster.h \
    lib/infer/tally.c lib/infer/tally.h
