# Setup scripts. Their templates are files of their own, taken into the library as strings.
lib_libmodelgateway_la_SOURCES += \
    lib/setup/escape.c \
    lib/setup/escape.h \
    lib/setup/compose.c \
    lib/setup/compose.h \
    lib/setup/script.c \
    lib/setup/script.h \
    lib/setup/template.c \
    lib/setup/template.h \
    lib/setup/templates.h \
    lib/setup/windows.c \
    lib/setup/windows.h
nodist_lib_libmodelgateway_la_SOURCES += lib/setup/templates.c
setup_templates = \
    $(srcdir)/lib/setup/posix/claude-undo.sh \
    $(srcdir)/lib/setup/posix/claude.sh \
    $(srcdir)/lib/setup/posix/codex-provider.toml \
    $(srcdir)/lib/setup/posix/codex-top.toml \
    $(srcdir)/lib/setup/posix/codex-undo.sh \
    $(srcdir)/lib/setup/posix/codex.sh \
    $(srcdir)/lib/setup/posix/common.sh \
    $(srcdir)/lib/setup/posix/continue-undo.sh \
    $(srcdir)/lib/setup/posix/continue.sh \
    $(srcdir)/lib/setup/posix/continue.yaml \
    $(srcdir)/lib/setup/posix/head-undo.sh \
    $(srcdir)/lib/setup/posix/head.sh \
    $(srcdir)/lib/setup/posix/json.awk \
    $(srcdir)/lib/setup/posix/librechat-env.sh \
    $(srcdir)/lib/setup/posix/librechat-undo.sh \
    $(srcdir)/lib/setup/posix/librechat.sh \
    $(srcdir)/lib/setup/posix/librechat.yaml \
    $(srcdir)/lib/setup/posix/main.sh \
    $(srcdir)/lib/setup/posix/opencode-undo.sh \
    $(srcdir)/lib/setup/posix/opencode.json \
    $(srcdir)/lib/setup/posix/opencode.sh \
    $(srcdir)/lib/setup/posix/tail.sh \
    $(srcdir)/lib/setup/posix/toml.awk \
    $(srcdir)/lib/setup/posix/undo.sh \
    $(srcdir)/lib/setup/posix/yaml.awk \
    $(srcdir)/lib/setup/windows/common.ps1 \
    $(srcdir)/lib/setup/windows/head-undo.ps1 \
    $(srcdir)/lib/setup/windows/head.ps1 \
    $(srcdir)/lib/setup/windows/install.ps1 \
    $(srcdir)/lib/setup/windows/main.ps1
lib/setup/templates.c: $(setup_templates) $(srcdir)/lib/setup/embed.awk
	$(AM_V_GEN)$(MKDIR_P) lib/setup && \
	LC_ALL=C $(AWK) -f $(srcdir)/lib/setup/embed.awk $(setup_templates) > $@.new && mv $@.new $@
CLEANFILES += lib/setup/templates.c lib/setup/templates.c.new
EXTRA_DIST += lib/setup/embed.awk lib/setup/posix lib/setup/windows
