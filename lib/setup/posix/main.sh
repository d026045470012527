
# Everything is read before anything is done, so a script that was cut on its way does nothing.
main()
{
    local act=<%text:act%>
    while [ $# -gt 0 ]; do
        case $1 in
            --dry-run) dry_run=yes ;;
            --uninstall) act=uninstall ;;
            *) die "unknown option '$1' (--dry-run, --uninstall)" ;;
        esac
        shift
    done
    enter
    "$act"
}

main "$@"
