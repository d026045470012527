
## Asking the gateway: the key goes through a file or a pipe, never onto a command line

base_url=<%sh:base_url%>
model=<%sh:model%>
key=<%sh:key%>

# ask PATH: the reply in $work/reply, its status in $status.
ask()
{
    status=000
    if command -v curl > /dev/null 2>&1; then
        status=$(printf 'header = "Authorization: Bearer %s"\n' "$key" |
            curl --silent --max-time 30 --config - --output "$work/reply" --write-out '%{http_code}' "$base_url$1")
    elif command -v wget > /dev/null 2>&1; then
        printf 'header = Authorization: Bearer %s\n' "$key" > "$work/wgetrc"
        if WGETRC=$work/wgetrc wget --quiet --timeout=30 --server-response -O "$work/reply" "$base_url$1" \
            < /dev/null 2> "$work/headers"; then
            status=200
        else
            status=$(awk '$1 ~ /^HTTP/ { status = $2 } END { print status ? status : "000" }' "$work/headers")
        fi
    else
        die 'neither curl nor wget is there to check the key with'
    fi
}

check_key()
{
    ask /api/v1/me
    case $status in
        200) say 'The key works, for the account' <%sh:username%> "at $base_url." ;;
        401) die 'the key is not valid any more; copy a fresh script from the dashboard' ;;
        000) die "$base_url cannot be reached; nothing was changed" ;;
        *) die "$base_url answered with status $status; nothing was changed" ;;
    esac
}

install()
{
    local step
    [ -n "$dry_run" ] || check_key
    for step in $steps; do
        "setup_$step"
    done
    [ -z "$dry_run" ] || return 0
    write_uninstaller > "$uninstaller" || die "cannot write to $state"
    say ''
    say "Done: model $model. Next:"
    printf '  %s\n' <%text:next%>
    say "To put everything back: sh $uninstaller"
}

write_uninstaller()
{
    cat << 'END_OF_UNINSTALL_SCRIPT'
<%text:uninstaller%>
END_OF_UNINSTALL_SCRIPT
}
