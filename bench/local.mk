# Measurements. Nothing here is installed; bench/run prints one table.
noinst_PROGRAMS += bench/mg-bench
bench_mg_bench_SOURCES = bench/bench.h bench/main.c bench/streams.c bench/upstream.c
EXTRA_DIST += bench/run bench/stored bench/README.md bench/package.json bench/package-lock.json
noinst_PROGRAMS += bench/ledger-bench
bench_ledger_bench_SOURCES = bench/ledger-bench.c
bench_ledger_bench_LDADD = lib/libmodelgateway.la $(PTHREAD_LIBS)
noinst_PROGRAMS += bench/mg-translate-bench
bench_mg_translate_bench_SOURCES = bench/translate.c t/wire/case.c t/wire/case.h
bench_mg_translate_bench_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/t
bench_mg_translate_bench_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
bench_mg_translate_bench_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
noinst_PROGRAMS += bench/mg-tokens-bench
bench_mg_tokens_bench_SOURCES = bench/tokens.c
bench_mg_tokens_bench_LDADD = lib/libmodelgateway.la
