# shellcheck disable=SC3043 # `local` is in every sh that is in use
set -u
umask 077

dry_run=''
state=$HOME/.config/model-gateway
backup=$state/backup
work=''

say() { printf '%s\n' "$*"; }
die() { printf 'model-gateway setup: %s\n' "$*" >&2; exit 1; }

leave()
{
    [ -z "$work" ] || rm -rf "$work"
}

enter()
{
    [ -d "${HOME:-/no/home}" ] || die 'there is no home directory'
    work=$(mktemp -d "${TMPDIR:-/tmp}/model-gateway.XXXXXX") || die 'no temporary folder can be made'
    trap leave EXIT
    trap 'exit 1' HUP INT TERM
}

## Files that are changed: the original is kept once, and what was made of it, to tell later
## whether somebody else has changed it since.

# begin NAME PATH: $work/now is the file as it is, empty when there is none.
begin()
{
    if [ -e "$2" ]; then cat "$2" > "$work/now" || die "cannot read $2"
    else : > "$work/now"; fi
}

# finish NAME PATH: $work/new takes the place of PATH.
finish()
{
    if [ -n "$dry_run" ]; then say "would write $2"; return; fi
    mkdir -p "$(dirname "$2")" "$backup" || die "cannot make the folder of $2"
    if [ ! -e "$backup/$1.path" ]; then
        if [ -e "$2" ]; then cp -p "$2" "$backup/$1.original" || die "cannot keep a copy of $2"
        else rm -f "$backup/$1.original"; fi
        printf '%s\n' "$2" > "$backup/$1.path"
    fi
    cat "$work/new" > "$2" || die "cannot write $2"
    chmod go-rwx "$2" # it holds a key
    cp "$work/new" "$backup/$1.ours" || die "cannot write to $backup"
    say "wrote $2"
}

# restore NAME: puts the file back, or calls undo_NAME PATH where others have changed it since, which
# makes $work/new of $work/now without what is ours.
restore()
{
    local path original
    [ -e "$backup/$1.path" ] || return 0
    path=$(cat "$backup/$1.path")
    original=$backup/$1.original
    if [ -n "$dry_run" ]; then say "would put back $path"; return; fi
    if [ ! -e "$path" ]; then
        say "$path is gone already"
    elif cmp -s "$path" "$backup/$1.ours"; then
        if [ -e "$original" ]; then cp -p "$original" "$path" || die "cannot write $path"
        else rm -f "$path"; fi
        say "put back $path"
    else
        begin "$1" "$path"
        "undo_$1" || die "$path was changed and cannot be read; the original is $original"
        cat "$work/new" > "$path" || die "cannot write $path"
        say "took our part out of $path, which was changed since"
    fi
    rm -f "$backup/$1.path" "$backup/$1.ours" "$original"
}

# edit_json FILE: by the JSON_ variables that are set for it.
edit_json() { LC_ALL=C awk <%sh:json_awk%> "$1"; }

# json OP PATH [VALUE]: one change of $work/now, which becomes the new $work/now.
json()
{
    JSON_OP=$1 JSON_PATH=$2 JSON_VALUE=${3-} edit_json "$work/now" > "$work/next" || return 1
    mv "$work/next" "$work/now"
}

# take_back PATH: a JSON member as it was in the original.
take_back()
{
    local value
    if [ -e "$original" ] && value=$(JSON_OP=get JSON_PATH=$1 edit_json "$original"); then
        json set "$1" "$value"
    else
        json unset "$1"
    fi
}
