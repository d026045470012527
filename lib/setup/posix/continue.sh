
setup_continue()
{
    local path="$HOME/.continue/config.yaml"
    begin continue "$path"
    [ -s "$work/now" ] || printf '%s\n' 'name: Model Gateway' 'version: 1.0.0' 'schema: v1' > "$work/now"
    yaml apply models <%sh:continue_model%> > "$work/new" ||
        die "$path has its models in one line; put them under each other and run this again"
    finish continue "$path"
}
