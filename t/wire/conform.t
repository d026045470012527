#!/bin/sh
# What translation makes of recordings and golden replies fits the published schemas and the
# order of their streams.
cd "${MG_BUILDDIR:-.}" || exit 1
src=${MG_SRCDIR:-.}
if ! command -v node >/dev/null 2>&1 || [ ! -d "$src/t/conformance/node_modules" ]; then
    echo '1..0 # SKIP node or the packages of t/conformance are not installed'
    exit 0
fi
echo 1..2
n=0
check() {
    n=$((n + 1))
    t/wire/wire-run "$1" "$2" | node "$src/t/conformance/mg-conform.mjs" batch |
        awk -v n=$n -v what="$3" '
            { lines++ }
            # The schema of chunks has no word for custom tools, which its service streams.
            /"ok":false/ && !/must be one of \\"function\\"/ { bad++; print "# " $0 }
            END { print (lines > 100 && !bad ? "ok " : "not ok ") n " - " what }'
}
check --batch "$src/t/golden/recordings" 'recordings, translated, fit the schemas of every client'
check --golden "$src/t/golden/reply" 'golden replies fit the schemas of every client'
