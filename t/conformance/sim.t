#!/bin/sh
# The probes against the simulated provider: both know the formats from their own reading, so where
# they agree the reading is likely right; and where the provider is told to fail, the probes must see it.
here=$(cd "$(dirname "$0")" && pwd)
sim=${MG_SIM:-${MG_BUILDDIR:-$here/../..}/t/sim/mg-sim}
work=$(mktemp -d) || exit 1
count=0
failed=0
pid=

skip_all()
{
    echo "1..0 # SKIP $1"
    exit 0
}

cleanup()
{
    [ -z "$pid" ] || kill "$pid" 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT

command -v node >/dev/null 2>&1 || skip_all 'node is not installed'
[ -d "$here/node_modules/ajv" ] || skip_all 'ajv is not installed: npm ci --prefix t/conformance'
[ -x "$sim" ] || skip_all 'the simulated provider is not built'

# expect STATUS SENTENCE ARGUMENT...: probes the provider and compares the exit status.
expect()
{
    want=$1
    what=$2
    shift 2
    count=$((count + 1))
    MG_KEY=sk-sim node "$here/mg-conform.mjs" --base-url "http://127.0.0.1:$port" --provider \
        --timeout 20 "$@" >"$work/out" 2>&1
    got=$?
    if [ "$got" -eq "$want" ]; then
        echo "ok $count - $what"
    else
        echo "not ok $count - $what"
        sed 's/^/# /' "$work/out"
        failed=1
    fi
}

"$sim" --listen 127.0.0.1:0 --port-file "$work/port" --key sk-sim --models power-ai,second >"$work/log" 2>&1 &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -s "$work/port" ] && break
    sleep 0.1
done
port=$(cat "$work/port" 2>/dev/null) || skip_all 'the simulated provider does not start'

# The provider serves its model list without a key and unpaged, and takes any prompt.
expect 0 'the simulated provider conforms in all families' --skip models.no-key --skip 'models.messages-*' \
    --skip completions.bad-request --skip messages.unknown-path
expect 0 'two tools at once conform' --only '*.parallel*' --header 'x-sim: tools=2'
expect 0 'interleaved tools conform' --only '*.parallel*' --header 'x-sim: tools=3 interleave=1'
expect 0 'arguments in single bytes conform' --only '*.tools-stream' --header 'x-sim: tools=1 args-chunk=1'
expect 0 'thinking conforms' --only 'messages.thinking*' --only 'responses.reasoning*' \
    --header 'x-sim: reasoning=20 summary=10 words=5'
expect 0 'stop sequences conform' --only '*.stop*' --header 'x-sim: text=1%202%203%204%205%206%207%208'
for fault in tool-index=3 no-done=1 done-only=1 noname=1 nofinal=1 fault=cut fault=garble fault=empty \
    fault=html fault=error-event; do
    expect 1 "the probes see $fault" --only '*.tools-stream' --header "x-sim: tools=1 $fault"
done
echo "1..$count"
exit $failed
