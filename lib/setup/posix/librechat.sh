
# The folder is the current one when LibreChat is there, else $LIBRECHAT_DIR or ~/LibreChat.
setup_librechat()
{
    local folder="${LIBRECHAT_DIR:-$HOME/LibreChat}"
    if [ -z "${LIBRECHAT_DIR-}" ]; then
        [ ! -e librechat.yaml ] && [ ! -e librechat.example.yaml ] || folder=$PWD
    fi
    [ -d "$folder" ] || die "LibreChat is not in $folder; run this in its folder, or set LIBRECHAT_DIR"
    librechat=$folder
    begin librechat "$folder/librechat.yaml"
    [ -s "$work/now" ] || printf '%s\n' 'version: 1.2.1' > "$work/now"
    # shellcheck disable=SC2016 # LibreChat reads the variable from .env
    yaml apply 'endpoints|custom' <%sh:librechat_endpoint%> > "$work/new" ||
        die "$folder/librechat.yaml has its endpoints in one line; put them under each other and run this again"
    finish librechat "$folder/librechat.yaml"
}
