lib_libmodelgateway_la_SOURCES += \
    lib/ledger/audit.c \
    lib/ledger/audit.h \
    lib/ledger/batch.c \
    lib/ledger/batch.h \
    lib/ledger/beat.c \
    lib/ledger/beat.h \
    lib/ledger/book.c \
    lib/ledger/book.h \
    lib/ledger/claim.c \
    lib/ledger/claim.h \
    lib/ledger/grant.c \
    lib/ledger/grant.h \
    lib/ledger/journal.c \
    lib/ledger/journal.h \
    lib/ledger/ledger.c \
    lib/ledger/ledger.h \
    lib/ledger/proc.c \
    lib/ledger/proc.h \
    lib/ledger/record.c \
    lib/ledger/record.h \
    lib/ledger/spend.c \
    lib/ledger/spend.h \
    lib/ledger/sweep.c \
    lib/ledger/sweep.h \
    lib/ledger/table.c \
    lib/ledger/table.h \
    lib/ledger/usage.c \
    lib/ledger/usage.h \
    lib/ledger/wallet.c \
    lib/ledger/wallet.h \
    lib/ledger/writer.c \
    lib/ledger/writer.h
EXTRA_DIST += lib/ledger/README.md
