#!/bin/sh
# Every upstream request that translation makes of golden requests and recordings fits the
# published schemas, and what the services refuse although the schema allows it.
cd "${MG_BUILDDIR:-.}" || exit 1
src=${MG_SRCDIR:-.}
if ! command -v node >/dev/null 2>&1 || [ ! -d "$src/t/conformance/node_modules" ]; then
    echo '1..0 # SKIP node or the packages of t/conformance are not installed'
    exit 0
fi
echo 1..1
t/unit/wire_request.t --print | node "$src/t/conformance/mg-conform.mjs" batch |
    awk '
        { lines++ }
        /"ok":false/ { bad++; print "# " $0 }
        END { print (lines > 300 && !bad ? "ok 1" : "not ok 1") \
              " - translated requests fit the schemas of every upstream" }'
