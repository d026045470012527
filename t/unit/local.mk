# Unit tests of the lowest rooms: base, json.
base_tests = \
    t/unit/str.t \
    t/unit/pool.t \
    t/unit/err.t \
    t/unit/utf8.t \
    t/unit/id.t \
    t/unit/digest.t \
    t/unit/clock.t \
    t/unit/money.t \
    t/unit/conf.t \
    t/unit/vault.t \
    t/unit/json_parse.t \
    t/unit/json_scan.t \
    t/unit/json_splice.t \
    t/unit/json_writer.t \
    t/unit/json_field.t
check_PROGRAMS += $(base_tests)
TESTS += $(base_tests)
t_unit_str_t_SOURCES = t/unit/str.c
t_unit_str_t_LDADD = lib/libmodelgateway.la
t_unit_pool_t_SOURCES = t/unit/pool.c
t_unit_pool_t_LDADD = lib/libmodelgateway.la
t_unit_err_t_SOURCES = t/unit/err.c
t_unit_err_t_LDADD = lib/libmodelgateway.la
t_unit_utf8_t_SOURCES = t/unit/utf8.c
t_unit_utf8_t_LDADD = lib/libmodelgateway.la
t_unit_id_t_SOURCES = t/unit/id.c
t_unit_id_t_LDADD = lib/libmodelgateway.la
t_unit_digest_t_SOURCES = t/unit/digest.c
t_unit_digest_t_LDADD = lib/libmodelgateway.la
t_unit_clock_t_SOURCES = t/unit/clock.c
t_unit_clock_t_LDADD = lib/libmodelgateway.la
t_unit_money_t_SOURCES = t/unit/money.c
t_unit_money_t_LDADD = lib/libmodelgateway.la
t_unit_conf_t_SOURCES = t/unit/conf.c
t_unit_conf_t_LDADD = lib/libmodelgateway.la
t_unit_vault_t_SOURCES = t/unit/vault.c
t_unit_vault_t_LDADD = lib/libmodelgateway.la
t_unit_json_parse_t_SOURCES = t/unit/json_parse.c
t_unit_json_parse_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_json_parse_t_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_unit_json_scan_t_SOURCES = t/unit/json_scan.c t/unit/random_json.h
t_unit_json_scan_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_json_scan_t_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_unit_json_splice_t_SOURCES = t/unit/json_splice.c t/unit/random_json.h
t_unit_json_splice_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_json_splice_t_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_unit_json_writer_t_SOURCES = t/unit/json_writer.c t/unit/random_json.h
t_unit_json_writer_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_json_writer_t_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
t_unit_json_field_t_SOURCES = t/unit/json_field.c
t_unit_json_field_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_json_field_t_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)

# accounts, keys and the catalogue, against a database of their own
check_PROGRAMS += t/unit/identity.t t/unit/catalogue.t t/unit/desk.t
TESTS += t/unit/identity.t t/unit/catalogue.t t/unit/desk.t
t_unit_desk_t_SOURCES = t/unit/desk.c t/unit/scratch.h
t_unit_desk_t_LDADD = lib/libmodelgateway.la $(PTHREAD_LIBS)
t_unit_identity_t_SOURCES = t/unit/identity.c t/unit/scratch.h
t_unit_identity_t_LDADD = lib/libmodelgateway.la $(PTHREAD_LIBS)
t_unit_catalogue_t_SOURCES = t/unit/catalogue.c t/unit/scratch.h
t_unit_catalogue_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_catalogue_t_LDADD = lib/libmodelgateway.la $(PTHREAD_LIBS)

# stored objects
check_PROGRAMS += t/unit/store_object.t
TESTS += t/unit/store_object.t
t_unit_store_object_t_SOURCES = t/unit/store_object.c t/unit/scratch.h
t_unit_store_object_t_LDADD = lib/libmodelgateway.la $(PTHREAD_LIBS)

# payments: what needs no database
check_PROGRAMS += t/unit/payment.t
TESTS += t/unit/payment.t
t_unit_payment_t_SOURCES = t/unit/payment.c
t_unit_payment_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_payment_t_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)

# what is made of a stream that is kept
check_PROGRAMS += t/unit/wire_transcript.t
TESTS += t/unit/wire_transcript.t
t_unit_wire_transcript_t_SOURCES = t/unit/wire_transcript.c
t_unit_wire_transcript_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_wire_transcript_t_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)

# signing in, mails
check_PROGRAMS += t/unit/signin.t t/unit/mail_message.t
TESTS += t/unit/signin.t t/unit/mail_message.t
t_unit_signin_t_SOURCES = t/unit/signin.c t/unit/scratch.h
t_unit_signin_t_LDADD = lib/libmodelgateway.la $(PTHREAD_LIBS)
t_unit_mail_message_t_SOURCES = t/unit/mail_message.c
t_unit_mail_message_t_LDADD = lib/libmodelgateway.la

# setup scripts
check_PROGRAMS += t/unit/setup.t
TESTS += t/unit/setup.t
t_unit_setup_t_SOURCES = t/unit/setup.c
t_unit_setup_t_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
t_unit_setup_t_LDADD = lib/libmodelgateway.la $(JSONC_LIBS)
