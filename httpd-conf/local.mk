# The path map, the templates and their generator, installed together: an operator runs mkconf
# with his own settings. The two .conf files are what it makes of the defaults.
httpdconfdir = $(pkgdatadir)/httpd-conf
dist_httpdconf_SCRIPTS = httpd-conf/mkconf
dist_httpdconf_DATA = \
    httpd-conf/paths.map \
    httpd-conf/errors.map \
    httpd-conf/settings \
    httpd-conf/mkconf.awk \
    httpd-conf/lighttpd.conf.in \
    httpd-conf/apache.conf.in
nodist_httpdconf_DATA = \
    httpd-conf/lighttpd.conf \
    httpd-conf/apache.conf
httpderrorsdir = $(httpdconfdir)/errors
nodist_httpderrors_DATA = \
    httpd-conf/errors/400.html httpd-conf/errors/403.html httpd-conf/errors/404.html \
    httpd-conf/errors/405.html httpd-conf/errors/408.html httpd-conf/errors/411.html \
    httpd-conf/errors/413.html httpd-conf/errors/414.html httpd-conf/errors/417.html \
    httpd-conf/errors/431.html httpd-conf/errors/500.html httpd-conf/errors/501.html \
    httpd-conf/errors/502.html httpd-conf/errors/503.html httpd-conf/errors/504.html
CLEANFILES += $(nodist_httpdconf_DATA) $(nodist_httpderrors_DATA) httpd-conf/errors.stamp

$(nodist_httpdconf_DATA): $(dist_httpdconf_DATA) $(dist_httpdconf_SCRIPTS) Makefile
	$(AM_V_GEN)$(MKDIR_P) httpd-conf && \
	$(SHELL) $(srcdir)/httpd-conf/mkconf `basename $@ .conf` \
	    HTDOCS='$(pkgdatadir)/htdocs' ERROR_DIR='$(httpderrorsdir)' > $@.tmp && mv $@.tmp $@

$(nodist_httpderrors_DATA): httpd-conf/errors.stamp
httpd-conf/errors.stamp: httpd-conf/errors.map httpd-conf/mkconf
	$(AM_V_GEN)$(MKDIR_P) httpd-conf && \
	$(SHELL) $(srcdir)/httpd-conf/mkconf errors httpd-conf/errors && touch $@
