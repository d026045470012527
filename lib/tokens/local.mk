# The tokenizer. Its table is made of the vocabulary; o200k.c takes it into the library, and is
# copied so that it is compiled after every change of the table.
lib_libmodelgateway_la_SOURCES += \
    lib/tokens/merge.c lib/tokens/merge.h \
    lib/tokens/piece.c lib/tokens/piece.h \
    lib/tokens/table.h \
    lib/tokens/tokens.c lib/tokens/tokens.h
nodist_lib_libmodelgateway_la_SOURCES = lib/tokens/o200k.c
noinst_PROGRAMS += lib/tokens/mktable
lib_tokens_mktable_SOURCES = lib/tokens/mktable.c
tokens_data = $(srcdir)/lib/tokens/o200k.vocabulary $(srcdir)/lib/tokens/o200k.classes
lib/tokens/o200k.c: lib/tokens/mktable$(EXEEXT) $(tokens_data) $(srcdir)/lib/tokens/table.c.in
	$(AM_V_GEN)lib/tokens/mktable$(EXEEXT) $(tokens_data) lib/tokens/o200k.table && \
	cp $(srcdir)/lib/tokens/table.c.in $@
CLEANFILES += lib/tokens/o200k.table lib/tokens/o200k.c
EXTRA_DIST += lib/tokens/o200k.vocabulary lib/tokens/o200k.classes lib/tokens/table.c.in \
    lib/tokens/LICENSE lib/tokens/README.md lib/tokens/generate.mjs
