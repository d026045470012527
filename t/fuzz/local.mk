# libFuzzer targets: ./configure CC=clang --enable-fuzz --enable-sanitizers, then for example
#   mkdir -p found && t/fuzz/route -max_total_time=60 found t/fuzz/corpus/route
# (what libFuzzer finds goes into the first folder)
if FUZZ
noinst_PROGRAMS += t/fuzz/route t/fuzz/fcgi_stream
t_fuzz_route_SOURCES = t/fuzz/route.c
t_fuzz_route_LDADD = lib/libmodelgateway.la
t_fuzz_route_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
t_fuzz_fcgi_stream_SOURCES = t/fuzz/fcgi_stream.c
t_fuzz_fcgi_stream_LDADD = lib/libmodelgateway.la
t_fuzz_fcgi_stream_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
endif
EXTRA_DIST += t/fuzz/corpus

# JSON in
if FUZZ
noinst_PROGRAMS += t/fuzz/json_field t/fuzz/json_splice
t_fuzz_json_field_SOURCES = t/fuzz/json_field.c
t_fuzz_json_field_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_fuzz_json_field_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_fuzz_json_field_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
t_fuzz_json_splice_SOURCES = t/fuzz/json_splice.c
t_fuzz_json_splice_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_fuzz_json_splice_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_fuzz_json_splice_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
endif

# the tokenizer and counting
if FUZZ
noinst_PROGRAMS += t/fuzz/tokens t/fuzz/count
t_fuzz_count_SOURCES = t/fuzz/count.c
t_fuzz_count_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_fuzz_count_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_fuzz_count_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
t_fuzz_tokens_SOURCES = t/fuzz/tokens.c
t_fuzz_tokens_LDADD = lib/libmodelgateway.la
t_fuzz_tokens_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
endif
EXTRA_DIST += t/fuzz/seeds/count t/fuzz/seeds/tokens

# the event reader
if FUZZ
noinst_PROGRAMS += t/fuzz/sse
t_fuzz_sse_SOURCES = t/fuzz/sse.c
t_fuzz_sse_LDADD = lib/libmodelgateway.la
t_fuzz_sse_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
endif
EXTRA_DIST += t/fuzz/sse.c

# what is kept of streams, sealed texts of clients, events of payment providers, what decides
# without the database
if FUZZ
noinst_PROGRAMS += t/fuzz/wire_keep t/fuzz/sealed t/fuzz/payment_event t/fuzz/dashboard
t_fuzz_wire_keep_SOURCES = t/fuzz/wire_keep.c $(wire_case)
t_fuzz_wire_keep_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/t
t_fuzz_wire_keep_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_fuzz_wire_keep_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_fuzz_wire_keep_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
t_fuzz_sealed_SOURCES = t/fuzz/sealed.c
t_fuzz_sealed_LDADD = lib/libmodelgateway.la
t_fuzz_sealed_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
t_fuzz_payment_event_SOURCES = t/fuzz/payment_event.c
t_fuzz_payment_event_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_fuzz_payment_event_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_fuzz_payment_event_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
t_fuzz_dashboard_SOURCES = t/fuzz/dashboard.c
t_fuzz_dashboard_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_fuzz_dashboard_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_fuzz_dashboard_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
endif
EXTRA_DIST += t/fuzz/wire_keep.c t/fuzz/sealed.c t/fuzz/payment_event.c t/fuzz/dashboard.c \
    t/fuzz/seeds/wire_keep t/fuzz/seeds/payment_event t/fuzz/seeds/dashboard
