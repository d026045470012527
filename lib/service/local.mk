lib_libmodelgateway_la_SOURCES += \
    lib/service/account_json.c lib/service/account_json.h \
    lib/service/benefit_json.c \
    lib/service/benefit_json.h \
    lib/service/csv.c lib/service/csv.h \
    lib/service/ledger_json.c lib/service/ledger_json.h \
    lib/service/order_json.c lib/service/order_json.h \
    lib/service/gate.c lib/service/gate.h \
    lib/service/letter.c lib/service/letter.h \
    lib/service/origin.c lib/service/origin.h \
    lib/service/service.c lib/service/service.h \
    lib/service/verify.c lib/service/verify.h
