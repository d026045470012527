
setup_claude()
{
    local path="${CLAUDE_CONFIG_DIR:-$HOME/.claude}/settings.json" name value
    begin claude "$path"
    for name in $claude_names; do
        case $name in
            ANTHROPIC_BASE_URL) value=<%sh.json:base_url%> ;;
            ANTHROPIC_AUTH_TOKEN) value=<%sh.json:key%> ;;
            *_MODEL) value=<%sh.json:model%> ;;
            *) value='""' ;; # one that is set elsewhere would win over the others
        esac
        json set "env|$name" "$value" || die "$path is not JSON; mend it and run this again"
    done
    mv "$work/now" "$work/new"
    finish claude "$path"
}
