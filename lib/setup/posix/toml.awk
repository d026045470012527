# Takes what this setup added out of Codex's config.toml, and turns what it had switched off on
# again; with TOML_OP=apply it then switches off what would contradict it. Lines stay lines.
BEGIN { apply = ENVIRON["TOML_OP"] == "apply"; top = 1 }
/^# >>> model-gateway/ { ours = 1 }
ours { if (/^# <<< model-gateway/) ours = 0; next }
{ sub(/^#model-gateway# /, "") }
!apply { print; next }
{
    if (!quoted && /^[ \t]*\[/) {
        top = 0
        theirs = /^[ \t]*\[model_providers\."?model-gateway"?[].]/
    }
    off = !quoted && (theirs || top && /^[ \t]*"?(model|model_provider|profile)"?[ \t]*=/)
    print (off ? "#model-gateway# " : "") $0
    line = $0
    quoted = (quoted + gsub(/"""|\047\047\047/, "", line)) % 2
}
