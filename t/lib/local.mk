# What tests share, tests of the supervisor and the web servers, style, and t/check.

# supervisor
check_PROGRAMS += t/unit/crew.t
t_unit_crew_t_SOURCES = t/unit/crew.c ctl/crew.c
t_unit_crew_t_LDADD = lib/libmodelgateway.la
TESTS += t/unit/crew.t t/ctl/serve.t t/httpd/front.t
EXTRA_DIST += t/lib t/stack t/ctl/serve.t t/httpd/front.t

# style
TESTS += t/style/banned.t t/style/headers.t t/style/htdocs.t t/style/includes.t t/style/openapi.t t/style/schema.t t/style/size.t \
    t/style/words.t
EXTRA_DIST += t/style

# everything: t/check
.PHONY: check-programs print-tests
check-programs: $(check_PROGRAMS)
print-tests:
	@echo $(TESTS)
EXTRA_DIST += t/check

# deployment and real clients: run by t/check only
EXTRA_DIST += t/deploy t/clients
