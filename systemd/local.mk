# Units, user and folders of a system service. Installed below the prefix; with --prefix=/usr that
# is where systemd looks.
systemdunitdir = $(prefix)/lib/systemd/system
nodist_systemdunit_DATA = \
    systemd/model-gateway.service \
    systemd/model-gateway.socket \
    systemd/model-gateway-audit.service
dist_systemdunit_DATA = systemd/model-gateway-audit.timer
sysusersdir = $(prefix)/lib/sysusers.d
nodist_sysusers_DATA = systemd/model-gateway.conf
tmpfilesdir = $(prefix)/lib/tmpfiles.d
nodist_tmpfiles_DATA = systemd/tmpfiles/model-gateway.conf
EXTRA_DIST += systemd/README.md systemd/model-gateway.service.in systemd/model-gateway.socket.in \
    systemd/model-gateway-audit.service.in systemd/model-gateway.sysusers \
    systemd/model-gateway.tmpfiles
CLEANFILES += $(nodist_systemdunit_DATA) $(nodist_sysusers_DATA) $(nodist_tmpfiles_DATA)

systemd_edit = $(MKDIR_P) `dirname $@` && \
    $(SED) -e 's|@bindir[@]|$(bindir)|g' -e 's|@sysconfdir[@]|$(sysconfdir)|g'
$(nodist_systemdunit_DATA): Makefile
systemd/model-gateway.service: systemd/model-gateway.service.in
	$(AM_V_GEN)$(systemd_edit) $(srcdir)/systemd/model-gateway.service.in > $@
systemd/model-gateway.socket: systemd/model-gateway.socket.in
	$(AM_V_GEN)$(systemd_edit) $(srcdir)/systemd/model-gateway.socket.in > $@
systemd/model-gateway-audit.service: systemd/model-gateway-audit.service.in
	$(AM_V_GEN)$(systemd_edit) $(srcdir)/systemd/model-gateway-audit.service.in > $@
# Both folders want a file named after the package.
systemd/model-gateway.conf: systemd/model-gateway.sysusers
	$(AM_V_GEN)$(MKDIR_P) systemd && cp $(srcdir)/systemd/model-gateway.sysusers $@
systemd/tmpfiles/model-gateway.conf: systemd/model-gateway.tmpfiles
	$(AM_V_GEN)$(MKDIR_P) systemd/tmpfiles && cp $(srcdir)/systemd/model-gateway.tmpfiles $@
