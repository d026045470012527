# The simulated provider: a test and demonstration program, never installed.
check_PROGRAMS += t/sim/mg-sim

t_sim_mg_sim_SOURCES = \
	t/sim/agent.c \
	t/sim/ask.c t/sim/ask.h \
	t/sim/ask_chat.c \
	t/sim/ask_messages.c \
	t/sim/ask_responses.c \
	t/sim/buf.c t/sim/buf.h \
	t/sim/chat.c t/sim/chat.h \
	t/sim/chat_stream.c \
	t/sim/check.c t/sim/check.h \
	t/sim/check_blocks.c \
	t/sim/check_chat.c \
	t/sim/check_items.c \
	t/sim/check_messages.c \
	t/sim/check_responses.c \
	t/sim/cmd.c t/sim/cmd.h \
	t/sim/codec.c t/sim/codec.h \
	t/sim/completions.c \
	t/sim/conn.c t/sim/conn.h \
	t/sim/control.c t/sim/control.h \
	t/sim/error.c t/sim/error.h \
	t/sim/exchange.c t/sim/exchange.h \
	t/sim/fault.c t/sim/fault.h \
	t/sim/http.c t/sim/http.h \
	t/sim/js.c t/sim/js.h \
	t/sim/listen.c t/sim/listen.h \
	t/sim/loop.c t/sim/loop.h \
	t/sim/main.c \
	t/sim/mem.c t/sim/mem.h \
	t/sim/messages.c \
	t/sim/models.c t/sim/models.h \
	t/sim/options.c t/sim/options.h \
	t/sim/play.c \
	t/sim/recorder.c t/sim/recorder.h \
	t/sim/render.h \
	t/sim/replay.c t/sim/replay.h \
	t/sim/reply.c t/sim/reply.h \
	t/sim/response_items.c \
	t/sim/response_object.c \
	t/sim/responses.c t/sim/responses.h \
	t/sim/say.c t/sim/say.h \
	t/sim/schema.c t/sim/schema.h \
	t/sim/script.c t/sim/script.h \
	t/sim/sign.c t/sim/sign.h \
	t/sim/sse.c \
	t/sim/stats.c t/sim/stats.h \
	t/sim/tokens.c t/sim/tokens.h \
	t/sim/toolcall.c \
	t/sim/turn.c t/sim/turn.h \
	t/sim/usage.c t/sim/usage.h
t_sim_mg_sim_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS) $(CRYPTO_CFLAGS)
t_sim_mg_sim_LDADD = $(JSONC_LIBS) $(CRYPTO_LIBS) $(ZLIB_LIBS) -lpthread

sim_tests = t/sim/sim.t t/sim/faults.t t/sim/strict.t t/sim/usage.t t/sim/control.t
TESTS += $(sim_tests)
EXTRA_DIST += t/sim/README.md t/sim/lib/SimTest.pm $(sim_tests)
