
## Codex: a provider of its own in ~/.codex/config.toml

toml() { TOML_OP=$1 LC_ALL=C awk <%sh:toml_awk%> "$work/now"; }

undo_codex() { toml strip > "$work/new"; }
