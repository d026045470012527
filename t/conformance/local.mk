# The conformance tool. Its tests skip themselves where node or the npm packages are missing.
TESTS += %D%/selftest.t %D%/sim.t
EXTRA_DIST += %D%/README.md %D%/package.json %D%/package-lock.json %D%/check.mjs \
    %D%/mg-conform.mjs %D%/cut-schemas.mjs %D%/selftest.mjs %D%/selftest.t %D%/sim.t \
    %D%/lib %D%/probes %D%/samples %D%/schemas %D%/selftest
