# Tests. `make check` runs the TAP programs; ./quickstart check runs everything.
EXTRA_DIST += t/unit/tap.h t/powershell
include t/conformance/local.mk
include t/unit/local.mk
TESTS += t/ctl/mgctl.t
EXTRA_DIST += t/ctl/mgctl.t
include t/sim/local.mk

include t/lib/local.mk
include t/e2e/local.mk

# pass-through, metering, holds and bills
check_PROGRAMS += t/unit/wire_sse.t t/unit/wire_pass.t t/unit/wire_usage.t \
    t/unit/infer_money.t t/unit/infer_refusal.t
t_unit_wire_sse_t_SOURCES = t/unit/wire_sse.c
t_unit_wire_sse_t_LDADD = lib/libmodelgateway.la
t_unit_wire_pass_t_SOURCES = t/unit/wire_pass.c
t_unit_wire_pass_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_wire_pass_t_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_unit_infer_refusal_t_SOURCES = t/unit/infer_refusal.c
t_unit_infer_refusal_t_LDADD = lib/libmodelgateway.la
t_unit_wire_usage_t_SOURCES = t/unit/wire_usage.c
t_unit_wire_usage_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_wire_usage_t_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_unit_infer_money_t_SOURCES = t/unit/infer_money.c
t_unit_infer_money_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_infer_money_t_LDADD = lib/libmodelgateway.la
TESTS += t/unit/wire_sse.t t/unit/wire_pass.t t/unit/wire_usage.t \
    t/unit/infer_money.t t/unit/infer_refusal.t

# transport: FastCGI side and upstream side
include t/fuzz/local.mk
check_PROGRAMS += t/unit/http_uri.t t/unit/http_request.t t/unit/http_route.t \
    t/unit/http_encoding.t t/unit/http_server.t t/unit/http_stream.t t/unit/wire_errors.t \
    t/unit/upstream_loop.t t/unit/upstream_transfer.t
t_unit_http_stream_t_SOURCES = t/unit/http_stream.c t/unit/fcgi_peer.h
t_unit_http_stream_t_LDADD = lib/libmodelgateway.la
t_unit_upstream_loop_t_SOURCES = t/unit/upstream_loop.c
t_unit_upstream_loop_t_LDADD = lib/libmodelgateway.la
t_unit_upstream_transfer_t_SOURCES = t/unit/upstream_transfer.c t/unit/http_origin.c \
    t/unit/http_origin.h t/unit/upstream_script.c t/unit/upstream_script.h
t_unit_upstream_transfer_t_LDADD = lib/libmodelgateway.la $(ZLIB_LIBS)
check_PROGRAMS += t/unit/upstream_call.t
TESTS += t/unit/upstream_call.t
t_unit_upstream_call_t_SOURCES = t/unit/upstream_call.c t/unit/http_origin.c \
    t/unit/http_origin.h t/unit/upstream_script.c t/unit/upstream_script.h
t_unit_upstream_call_t_LDADD = lib/libmodelgateway.la $(ZLIB_LIBS)
t_unit_http_server_t_SOURCES = t/unit/http_server.c t/unit/fcgi_peer.h
t_unit_http_server_t_LDADD = lib/libmodelgateway.la $(ZLIB_LIBS)
t_unit_http_uri_t_SOURCES = t/unit/http_uri.c
t_unit_http_uri_t_LDADD = lib/libmodelgateway.la
t_unit_http_request_t_SOURCES = t/unit/http_request.c
t_unit_http_request_t_LDADD = lib/libmodelgateway.la
t_unit_http_route_t_SOURCES = t/unit/http_route.c
t_unit_http_route_t_LDADD = lib/libmodelgateway.la
t_unit_http_encoding_t_SOURCES = t/unit/http_encoding.c
t_unit_http_encoding_t_LDADD = lib/libmodelgateway.la $(ZLIB_LIBS) $(ZSTD_LIBS)
t_unit_wire_errors_t_SOURCES = t/unit/wire_errors.c
t_unit_wire_errors_t_LDADD = lib/libmodelgateway.la
TESTS += t/unit/http_uri.t t/unit/http_request.t t/unit/http_route.t t/unit/http_encoding.t \
    t/unit/http_server.t t/unit/http_stream.t t/unit/wire_errors.t t/unit/upstream_loop.t \
    t/unit/upstream_transfer.t

# translation of replies
wire_case = t/wire/case.c t/wire/case.h t/wire/golden.c t/wire/golden.h t/wire/summary.c \
    t/wire/summary.h
check_PROGRAMS += t/unit/wire_reply.t t/unit/wire_parts.t t/wire/wire-run
t_unit_wire_reply_t_SOURCES = t/unit/wire_reply.c $(wire_case)
t_unit_wire_reply_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/t
t_unit_wire_reply_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_wire_reply_t_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_unit_wire_parts_t_SOURCES = t/unit/wire_parts.c t/wire/summary.c t/wire/summary.h
t_unit_wire_parts_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/t
t_unit_wire_parts_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_wire_parts_t_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_wire_wire_run_SOURCES = t/wire/wire-run.c $(wire_case)
t_wire_wire_run_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/t
t_wire_wire_run_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_wire_wire_run_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_unit_wire_turns_t_SOURCES = t/unit/wire_turns.c t/wire/case.h
t_unit_wire_turns_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/t
t_unit_wire_turns_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_wire_turns_t_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
check_PROGRAMS += t/unit/wire_turns.t
TESTS += t/unit/wire_reply.t t/unit/wire_parts.t t/unit/wire_turns.t t/wire/conform.t
EXTRA_DIST += t/wire/conform.t t/golden/reply t/golden/recordings
if FUZZ
noinst_PROGRAMS += t/fuzz/wire_reply
t_fuzz_wire_reply_SOURCES = t/fuzz/wire_reply.c $(wire_case)
t_fuzz_wire_reply_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/t
t_fuzz_wire_reply_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_fuzz_wire_reply_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
t_fuzz_wire_reply_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
endif
EXTRA_DIST += t/fuzz/wire_reply.c t/fuzz/seeds/wire_reply

# translation of requests
wire_golden_request = t/unit/golden_request.c t/unit/golden_request.h
check_PROGRAMS += t/unit/wire_request.t t/unit/wire_reasoning.t t/unit/wire_names.t \
    t/unit/wire_loop.t
t_unit_wire_request_t_SOURCES = t/unit/wire_request.c $(wire_golden_request)
t_unit_wire_request_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_wire_request_t_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_unit_wire_reasoning_t_SOURCES = t/unit/wire_reasoning.c $(wire_golden_request)
t_unit_wire_reasoning_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_wire_reasoning_t_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_unit_wire_loop_t_SOURCES = t/unit/wire_loop.c $(wire_golden_request)
t_unit_wire_loop_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_wire_loop_t_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_unit_wire_names_t_SOURCES = t/unit/wire_names.c
t_unit_wire_names_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_wire_names_t_LDADD = lib/libmodelgateway.la
TESTS += t/unit/wire_request.t t/unit/wire_reasoning.t t/unit/wire_names.t t/unit/wire_loop.t \
    t/golden/request.t
EXTRA_DIST += t/golden/request.t t/golden/request t/fuzz/wire_request.c t/fuzz/seeds/wire_request
if FUZZ
noinst_PROGRAMS += t/fuzz/wire_request
t_fuzz_wire_request_SOURCES = t/fuzz/wire_request.c
t_fuzz_wire_request_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_fuzz_wire_request_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
t_fuzz_wire_request_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
endif

check_PROGRAMS += t/unit/wire_purge.t t/unit/wire_needs.t
t_unit_wire_needs_t_SOURCES = t/unit/wire_needs.c
t_unit_wire_needs_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_wire_needs_t_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_unit_wire_purge_t_SOURCES = t/unit/wire_purge.c
t_unit_wire_purge_t_LDADD = lib/libmodelgateway.la
TESTS += t/unit/wire_purge.t t/unit/wire_needs.t

# the database and the money path: each starts a private MariaDB (skipped when there is none)
EXTRA_DIST += t/mariadb.sh
check_PROGRAMS += t/ledger-load
t_ledger_load_SOURCES = t/ledger-load.c
t_ledger_load_LDADD = lib/libmodelgateway.la $(PTHREAD_LIBS)
ledger_tests = t/unit/db.t t/unit/ledger_book.t t/unit/ledger_journal.t t/unit/ledger_batch.t \
    t/unit/ledger_money.t t/unit/ledger_history.t t/unit/ledger_sweep.t t/unit/ledger_outage.t \
    t/unit/ledger_uncertain.t t/unit/ledger_kill.t t/unit/ledger_model.t t/unit/ledger_window.t \
    t/unit/checkin_path.t t/unit/ledger_benefit.t
check_PROGRAMS += $(ledger_tests)
TESTS += $(ledger_tests)
t_unit_db_t_SOURCES = t/unit/db.c t/unit/scratch.h
t_unit_db_t_CFLAGS = $(AM_CFLAGS) $(MARIADB_CFLAGS)
t_unit_db_t_LDADD = lib/libmodelgateway.la $(PTHREAD_LIBS)
t_unit_ledger_book_t_SOURCES = t/unit/ledger_book.c
t_unit_ledger_book_t_LDADD = lib/libmodelgateway.la
t_unit_ledger_journal_t_SOURCES = t/unit/ledger_journal.c
t_unit_ledger_journal_t_LDADD = lib/libmodelgateway.la
t_unit_ledger_batch_t_SOURCES = t/unit/ledger_batch.c t/unit/books.h t/unit/scratch.h
t_unit_ledger_batch_t_LDADD = lib/libmodelgateway.la $(PTHREAD_LIBS)
t_unit_ledger_money_t_SOURCES = t/unit/ledger_money.c t/unit/books.h t/unit/scratch.h
t_unit_ledger_money_t_LDADD = lib/libmodelgateway.la $(PTHREAD_LIBS)
t_unit_ledger_history_t_SOURCES = t/unit/ledger_history.c t/unit/books.h t/unit/scratch.h
t_unit_ledger_history_t_LDADD = lib/libmodelgateway.la $(PTHREAD_LIBS)
t_unit_ledger_sweep_t_SOURCES = t/unit/ledger_sweep.c t/unit/books.h t/unit/scratch.h
t_unit_ledger_sweep_t_LDADD = lib/libmodelgateway.la $(PTHREAD_LIBS)
t_unit_ledger_outage_t_SOURCES = t/unit/ledger_outage.c t/unit/books.h t/unit/scratch.h
t_unit_ledger_outage_t_LDADD = lib/libmodelgateway.la $(PTHREAD_LIBS)
t_unit_ledger_uncertain_t_SOURCES = t/unit/ledger_uncertain.c t/unit/books.h \
    t/unit/cutter.h t/unit/scratch.h
t_unit_ledger_uncertain_t_LDADD = lib/libmodelgateway.la $(PTHREAD_LIBS)
t_unit_ledger_model_t_SOURCES = t/unit/ledger_model.c t/unit/books.h t/unit/scratch.h
t_unit_ledger_model_t_LDADD = lib/libmodelgateway.la $(PTHREAD_LIBS)
t_unit_ledger_window_t_SOURCES = t/unit/ledger_window.c t/unit/books.h t/unit/scratch.h
t_unit_ledger_window_t_LDADD = lib/libmodelgateway.la $(PTHREAD_LIBS)
t_unit_checkin_path_t_SOURCES = t/unit/checkin_path.c
t_unit_checkin_path_t_LDADD = lib/libmodelgateway.la
t_unit_ledger_benefit_t_SOURCES = t/unit/ledger_benefit.c t/unit/books.h t/unit/scratch.h
t_unit_ledger_benefit_t_LDADD = lib/libmodelgateway.la $(PTHREAD_LIBS)
t_unit_ledger_kill_t_SOURCES = t/unit/ledger_kill.c t/unit/books.h t/unit/scratch.h
t_unit_ledger_kill_t_LDADD = lib/libmodelgateway.la $(PTHREAD_LIBS)

# the tokenizer and counting
check_PROGRAMS += t/unit/tokens.t t/unit/wire_count.t
t_unit_wire_count_t_SOURCES = t/unit/wire_count.c
t_unit_wire_count_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_wire_count_t_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_unit_tokens_t_SOURCES = t/unit/tokens.c
t_unit_tokens_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_tokens_t_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
TESTS += t/unit/tokens.t t/unit/wire_count.t
EXTRA_DIST += t/golden/tokens

# The long fault tests that CI leaves out: many kills under load, each followed by an audit.
soak: all
	$(MAKE) $(AM_MAKEFLAGS) t/unit/ledger_kill.t t/unit/ledger_model.t t/sim/mg-sim
	MG_SRCDIR='$(abs_top_srcdir)' MG_HISTORIES=5000 MG_SEED=$$$$ t/unit/ledger_model.t
	MG_SRCDIR='$(abs_top_srcdir)' MG_KILLS=100 t/unit/ledger_kill.t
	cd $(top_srcdir) && for round in 1 2 3 4 5 6 7 8 9 10; do \
	    MG_SRCDIR='$(abs_top_srcdir)' MG_BUILDDIR='$(abs_top_builddir)' \
	        prove t/e2e/kill.t t/e2e/restart.t || exit 1; done
.PHONY: soak
