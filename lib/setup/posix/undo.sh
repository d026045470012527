
steps=<%sh:steps%>
uninstaller=$state/uninstall-<%sh:id%>.sh

uninstall()
{
    local step
    for step in $steps; do
        restore "$step"
    done
    [ -z "$dry_run" ] || return 0
    rm -f "$uninstaller"
    rmdir "$backup" "$state" 2> /dev/null
    say 'Model Gateway is not set up any more.'
}
