#include "setup/script.h"

#include "setup/escape.h"
#include "setup/compose.h"

#include <string.h>

static const struct mg_setup_target targets[] = {
    {"linux", "Linux", "linux", "model-gateway.sh", MG_SETUP_POSIX, false,
     "Codex and Claude Code", "codex claude"},
    {"macos", "macOS", "macos", "model-gateway.sh", MG_SETUP_POSIX, false,
     "Codex and Claude Code", "codex claude"},
    {"windows", "Windows PowerShell", "windows", "model-gateway.ps1", MG_SETUP_POWERSHELL, false,
     "Codex and Claude Code", "codex claude"},
    {"vscode", "VS Code", "any", "model-gateway-vscode.sh", MG_SETUP_POSIX, false,
     "Continue, and the extensions of Codex and Claude Code", "codex claude continue"},
    {"opencode", "opencode", "any", "model-gateway-opencode.sh", MG_SETUP_POSIX, false,
     "opencode", "opencode"},
    {"librechat", "LibreChat", "any", "model-gateway-librechat.sh", MG_SETUP_POSIX, false,
     "LibreChat", "librechat librechat_env"},
    {"vip", "VIP Server", "any", "model-gateway-vip.sh", MG_SETUP_POSIX, true,
     "Codex and Claude Code, by the VIP Server", "codex claude"},
};
#define TARGETS (sizeof(targets) / sizeof(targets[0]))

const struct mg_setup_target *
mg_setup_targets(size_t *count)
{
    *count = TARGETS;
    return targets;
}

const struct mg_setup_target *
mg_setup_find(const char *id, const struct mg_setup_facts *facts)
{
    for (size_t i = 0; i < TARGETS; i++)
        if (strcmp(targets[i].id, id) == 0 && (!targets[i].vip || facts->vip_base_url != NULL))
            return &targets[i];
    return NULL;
}

const char *
mg_setup_language(const struct mg_setup_target *target)
{
    return target->kind == MG_SETUP_POWERSHELL ? "powershell" : "sh";
}

int
mg_setup_script(const struct mg_setup_target *target, const struct mg_setup_facts *facts,
                bool uninstall, struct mg_str *out, struct mg_err *err)
{
    return mg_setup_compose(target, facts, uninstall, out, err);
}

void
mg_setup_command(const struct mg_setup_target *target, const char *url, struct mg_str *out)
{
    bool ps = target->kind == MG_SETUP_POWERSHELL;
    mg_str_addz(out, ps ? "irm " : "curl -fsSL ");
    mg_escape(ps ? MG_SETUP_PS : MG_SETUP_SH, url, out);
    mg_str_addz(out, ps ? " | iex" : " | sh");
}

void
mg_setup_refusal(const struct mg_setup_target *target, const char *message, struct mg_str *out)
{
    if (target != NULL && target->kind == MG_SETUP_POWERSHELL) {
        mg_str_addz(out, "throw ");
        mg_escape(MG_SETUP_PS, message, out);
        mg_str_addz(out, "\n");
        return;
    }
    mg_str_addz(out, "printf '%s\\n' ");
    mg_escape(MG_SETUP_SH, message, out);
    mg_str_addz(out, " >&2\nexit 1\n");
}
