# The stages of t/check; sourced by it. Working directory: the source tree. `counts` is the file
# for a TAP stage's numbers, `out` the folder for builds.
# shellcheck shell=bash disable=SC2154

# name, a file of the source tree without which the stage is absent ("-": always there), what.
stages='packages - installs what is missing
scripts t/check shellcheck of every script
build configure.ac gcc, warnings are errors
style t/style/*.t sizes, includes, banned functions, schema comments
npm t/conformance/package.json packages of the conformance checker
unit t/unit/*.c unit tests and everything else of make check
conformance t/conformance/*.t the conformance checker itself
clients_install t/clients/package.json SDKs and command line clients in exact versions
quickstart t/deploy/*.t from nothing to a billed answer, again, side by side, down
e2e_lighttpd t/e2e/*.t end to end behind lighttpd
e2e_apache t/e2e/*.t end to end behind Apache
clang configure.ac clang, warnings are errors
sanitizers t/unit/*.c unit tests under AddressSanitizer and UBSan
e2e_sanitizers t/e2e/*.t end to end behind lighttpd under the sanitizers
fuzz t/fuzz/*.c every fuzz target for some seconds on its corpus
distcheck configure.ac the release archive builds and installs from nothing'

# Seconds a fuzz target runs; compilers and unit tests at a time; end-to-end tests at a time, which
# mostly wait.
fuzz_seconds=${MG_FUZZ_SECONDS:-5}
jobs=${MG_JOBS:-$(nproc)}
e2e_jobs=${MG_E2E_JOBS:-$((jobs + 1))}

## Building

bootstrap()
{
    [ configure -nt configure.ac ] && [ -e build-aux/missing ] || autoreconf -fi
}

# build_in FOLDER TARGET… -- CONFIGURE-ARGUMENT…: configures once, then makes.
build_in()
{
    local folder=$out/$1 targets=()
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do targets+=("$1"); shift; done
    shift
    bootstrap && mkdir -p "$folder" || return 1
    if [ ! -e "$folder/config.status" ] || [ "$*" != "$(cat "$folder/arguments")" ]; then
        (cd "$folder" && "$source_dir/configure" -q "$@") || return 1
        echo "$*" > "$folder/arguments"
    fi
    # One after the other: `all` starts a make of its own, which must not meet another one.
    local target
    for target in "${targets[@]}"; do
        make -C "$folder" -k "-j$jobs" "$target" || return 1
    done
}

# The TAP programs of `make check` in a build folder, those of the source tree by their path there.
tests_of()
{
    local name
    for name in $(make -s -C "$out/$1" print-tests); do
        if [ -e "$out/$1/$name" ]; then echo "$out/$1/$name"; else echo "$source_dir/$name"; fi
    done
}

# The programs that make check builds, without running anything.
build_gcc() { build_in gcc all check-programs -- --enable-werror; }

stage_build() { build_gcc; }
stage_clang() { build_in clang all check-programs -- --enable-werror CC=clang; }
build_sanitizers()
{
    build_in sanitizers all check-programs -- --enable-sanitizers CFLAGS='-O1 -g'
}

## Plain stages

stage_packages() { install_packages /dev/stdout build run lighttpd apache check; }

stage_scripts()
{
    local file scripts=()
    # What lib/setup holds are templates; the scripts made of them are checked in t/e2e.
    while read -r file; do
        case $(head -n 1 "$file" | tr -d '\0') in
            '#!/bin/sh'* | '#!/bin/bash'*) scripts+=("$file") ;;
        esac
    done < <(find . \( -name .git -o -name node_modules -o -name build-aux -o -name build \
        -o -name .quickstart -o -name autom4te.cache -o -path ./lib/setup \) -prune \
        -o -type f -size -100k -print)
    # SC2317: a function that only a trap calls looks unreachable to it.
    shellcheck -x -e SC2317 "${scripts[@]}"
}

stage_npm() { (cd t/conformance && npm ci --no-audit --no-fund); }

stage_distcheck()
{
    build_gcc &&
        make -C "$out/gcc" "-j$jobs" distcheck DISTCHECK_CONFIGURE_FLAGS=--enable-werror TESTS= &&
        nothing_forgotten "$out"/gcc/model-gateway-*.tar.xz
}

# Every file that git knows is in the archive.
nothing_forgotten()
{
    local missing
    missing=$(comm -23 <(git ls-files | grep -v '\.gitignore$' | sort) \
        <(tar tf "$1" | sed 's|^[^/]*/||' | sort))
    [ -z "$missing" ] || { echo "not in the archive:"; echo "$missing"; return 1; }
}

## Stages of TAP programs

tap() { "$source_dir/t/lib/tap-stage" "$@"; }

stage_style() { tap "$counts" t/style/*.t; }

stage_unit()
{
    local tests
    build_gcc || return 1
    mapfile -t tests < <(tests_of gcc | grep -v -e /t/style/ -e /t/conformance/)
    MG_BUILDDIR=$out/gcc tap --jobs "$jobs" "$counts" "${tests[@]}"
}

stage_conformance() { build_gcc && MG_BUILDDIR=$out/gcc tap "$counts" t/conformance/*.t; }

stage_sanitizers()
{
    local tests
    build_sanitizers || return 1
    mapfile -t tests < <(tests_of sanitizers | grep -e "^$out/sanitizers" -e /t/ctl/)
    MG_BUILDDIR=$out/sanitizers tap --jobs "$jobs" "$counts" "${tests[@]}"
}

stage_quickstart() { tap "$counts" t/deploy/*.t; }

# e2e FOLDER SERVER TEST…: one stack a test file, all behind this web server.
e2e()
{
    MG_BUILDDIR=$out/$1 MG_HTTPD=$2 tap --jobs "$e2e_jobs" "$counts" "${@:3}"
}

# The real clients and the conformance probes take most of the time. Behind lighttpd they go through
# every kind of upstream; behind Apache and under the sanitizers, where nothing else differs for
# them, with MG_BRIEF through one. Pictures of the pages are taken once.
stage_e2e_lighttpd() { build_gcc && MG_SHOTS=$LOGS/pages e2e gcc lighttpd t/e2e/*.t t/browser/*.t; }
stage_e2e_apache() { build_gcc && MG_BRIEF=1 e2e gcc apache t/e2e/*.t t/browser/*.t; }
stage_e2e_sanitizers()
{
    # A small quarantine for freed memory, because some tests measure what a responder needs. Not
    # t/browser: pages and scripts are the same files, and every route they call is in t/e2e.
    build_sanitizers && MG_BRIEF=1 MG_SLOW=4 ASAN_OPTIONS=abort_on_error=1:quarantine_size_mb=16 \
        e2e sanitizers lighttpd t/e2e/*.t
}

## Fuzzing and real clients

stage_fuzz()
{
    local target name folder folders number=0 bad=0
    build_in fuzz all -- --enable-fuzz --enable-sanitizers CC=clang && cd "$out/fuzz" || return 1
    for target in $(find t/fuzz -maxdepth 1 -type f -perm -u+x | sort); do
        name=${target##*/}
        mkdir -p "corpus/$name"
        folders=("corpus/$name")
        for folder in "$source_dir/t/fuzz/corpus/$name" "$source_dir/t/fuzz/seeds/$name"; do
            [ ! -d "$folder" ] || folders+=("$folder")
        done
        if "./$target" -max_total_time="$fuzz_seconds" -timeout=10 -rss_limit_mb=2048 \
            -print_final_stats=1 "${folders[@]}"; then
            echo "ok $((++number)) - $name"
        else
            echo "not ok $((++number)) - $name"
            bad=$((bad + 1))
        fi
    done
    echo "$((number - bad)) $bad 0" > "$counts"
    [ $bad -eq 0 ] && [ $number -gt 0 ]
}

stage_clients_install() { t/clients/install; }
