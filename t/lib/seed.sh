# The catalogue and the demo account of a stack; sourced by t/stack. Uses its mgctl, recall,
# remember, die and say.
# shellcheck shell=bash

# One operator's command; its output shows only when it fails.
operate()
{
    mgctl "$@" > "$LOGS/seed.log" 2>&1 || die "mgctl $*" "$LOGS/seed.log"
}

# ID, upstream model, prices of input, output, cache read, cache write 5m and 1h, and the rest.
seed_model()
{
    local id=$1 upstream_model=$2 input=$3 output=$4 read=$5 write_5m=$6 write_1h=$7
    shift 7
    listed model "$id" || operate model add "$id" --upstream sim --upstream-model "$upstream_model" \
        --input "$input" --output "$output" --cache-read "$read" --cache-write-5m "$write_5m" \
        --cache-write-1h "$write_1h" --capabilities image,pdf,tools,structured,reasoning,sampling "$@"
}

# Prices are credits per million tokens: a list like a provider's, not any provider's own.
seed_catalogue()
{
    listed upstream sim || operate upstream add sim --formats chat,responses,completions,messages \
        --url "http://127.0.0.1:$(recall sim.port)"
    seed_model frontier sim-frontier 5 25 0.5 6.25 10 \
        --label "Frontier" --premium --context 400000 --max-output 128000
    seed_model coder sim-coder 3 15 0.3 3.75 6 --label "Coder" --context 200000 --max-output 64000
    seed_model swift sim-swift 1 5 0.1 1.25 2 --label "Swift" --context 200000 --max-output 64000
    seed_model mini sim-mini 0.25 2 0.025 0.3125 0.5 \
        --label "Mini" --context 128000 --max-output 32000
    operate alias set power-ai coder
}

# listed AREA NAME: true if `mgctl AREA list` has it.
listed()
{
    mgctl "$1" list | awk -v name="$2" '$1 == name { found = 1 } END { exit !found }'
}

# use_provider URL FORMATS MODEL INPUT-PRICE OUTPUT-PRICE [KEY-FILE]: from now on this upstream
# answers for power-ai. May be said again with other values.
use_provider()
{
    local url=$1 formats=$2 model=$3 prices=(--input "$4" --output "$5") key=() verb=add
    if [ -n "${6-}" ]; then # the operator's file may be closed to the user of the gateway
        cat "$6" > "$ETC/provider.key" || die "cannot read $6"
        chmod 0600 "$ETC/provider.key"
        chown "$user" "$ETC/provider.key" 2> /dev/null
        key=(--key-file "$ETC/provider.key")
    fi
    ! listed upstream provider || verb=set
    operate upstream $verb provider --formats "$formats" --url "$url" "${key[@]}"
    rm -f "$ETC/provider.key" # it is sealed in the database now
    if listed model "$model"; then
        operate model set "$model" --upstream provider --upstream-model "$model"
        operate price set "$model" "${prices[@]}"
    else
        operate model add "$model" --upstream provider --upstream-model "$model" "${prices[@]}"
    fi
    operate alias set power-ai "$model"
}

# new_account CREDIT: a fresh account; prints "NAME KEY".
new_account()
{
    local name
    name=t$(date +%s%N)$((RANDOM % 1000))
    make_account "$name" "$1"
}

# make_account NAME CREDIT: the same, if it is not there yet, under this name.
make_account()
{
    local key credit=(--credit "$2")
    [ "$2" != 0 ] || credit=()
    mgctl account show "$1" > /dev/null 2>&1 ||
        operate account create "$1" "${credit[@]}"
    key=$(mgctl key show-system "$1" 2> "$LOGS/seed.log" | grep -o 'sk-[A-Za-z0-9_-]*')
    [ -n "$key" ] || die "mgctl key show-system $1" "$LOGS/seed.log"
    echo "$1 $key"
}

# Once a stack: the catalogue, and an account with five credits.
seed()
{
    local account
    if [ "$(recall seeded)" != yes ]; then
        say "filling the catalogue"
        seed_catalogue
        remember seeded yes
    fi
    if [ -z "$(recall demo.key)" ]; then
        account=$(make_account demo 5) || exit 1
        remember demo.key "${account#* }"
    fi
    [ -z "$(recall demo.password)" ] || return 0
    make_secret demo.password
    mgctl account password demo --password-file - < "$ETC/demo.password" > "$LOGS/seed.log" 2>&1 ||
        die "mgctl account password demo" "$LOGS/seed.log"
}
