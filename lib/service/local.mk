lib_libmodelgateway_la_SOURCES += \
    lib/service/account_json.c lib/service/account_json.h \
    lib/service/benefit_json.c \
    lib/service/benefit_json.h \
    lib/service/gate.c lib/service/gate.h \
    lib/service/service.c lib/service/service.h
