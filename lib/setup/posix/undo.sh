
steps=<%sh:steps%>

uninstall()
{
    local step
    for step in $steps; do
        restore "$step"
    done
    [ -z "$dry_run" ] || return 0
    rm -f "$state/uninstall.sh"
    rmdir "$backup" "$state" 2> /dev/null
    say 'Model Gateway is not set up any more.'
}
