# The shared library: one list a room, lowest room first.
pkglib_LTLIBRARIES += lib/libmodelgateway.la
lib_libmodelgateway_la_CPPFLAGS = $(AM_CPPFLAGS)
lib_libmodelgateway_la_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS) $(CURL_CFLAGS) $(CRYPTO_CFLAGS) \
    $(MARIADB_CFLAGS) $(ZLIB_CFLAGS) $(ZSTD_CFLAGS)
lib_libmodelgateway_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -no-undefined
lib_libmodelgateway_la_LIBADD = $(JSONC_LIBS) $(CURL_LIBS) $(CRYPTO_LIBS) $(MARIADB_LIBS) \
    $(ZLIB_LIBS) $(ZSTD_LIBS) $(FCGI_LIBS) $(SCRYPT_LIBS) $(PTHREAD_LIBS)
lib_libmodelgateway_la_SOURCES =
EXTRA_DIST += lib/README.md lib/DEPENDS

include lib/base/local.mk
include lib/json/local.mk
include lib/tokens/local.mk
include lib/wire/local.mk
include lib/http/local.mk
include lib/db/local.mk
include lib/identity/local.mk
include lib/mail/local.mk
include lib/catalogue/local.mk
include lib/ledger/local.mk
include lib/upstream/local.mk
include lib/store/local.mk
include lib/payment/local.mk
include lib/infer/local.mk
include lib/setup/local.mk
include lib/service/local.mk
