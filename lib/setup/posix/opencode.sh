
setup_opencode()
{
    local folder="${XDG_CONFIG_HOME:-$HOME/.config}/opencode" path
    path=$folder/opencode.json
    [ ! -e "$folder/opencode.jsonc" ] || path=$folder/opencode.jsonc
    begin opencode "$path"
    if ! json set 'provider|model-gateway' <%sh:opencode_provider%> ||
        ! json set model <%sh.json:opencode_model%>; then
        die "$path is not JSON; mend it and run this again"
    fi
    mv "$work/now" "$work/new"
    finish opencode "$path"
}
