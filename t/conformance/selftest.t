#!/bin/sh
# The self-test of the conformance tool, for prove and automake.
here=$(dirname "$0")
if ! command -v node >/dev/null 2>&1; then
    echo '1..0 # SKIP node is not installed'
    exit 0
fi
exec node "$here/selftest.mjs"
