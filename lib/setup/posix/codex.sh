
setup_codex()
{
    local path="${CODEX_HOME:-$HOME/.codex}/config.toml"
    begin codex "$path"
    {
        printf '%s\n' '# >>> model-gateway >>>' <%sh:codex_top%> '# <<< model-gateway <<<'
        toml apply || die "$path cannot be read"
        printf '%s\n' '# >>> model-gateway >>>' <%sh:codex_provider%> '# <<< model-gateway <<<'
    } > "$work/new"
    finish codex "$path"
}
