# Processes and messages for t/stack and quickstart; sourced by bash, no program of its own.
# shellcheck shell=bash
#
# The caller sets RUN (folder of pid files), LOGS (folder of logs) and AS (array: a command in
# front of every started program that changes its user; empty: none).

# A script that one of ours has called goes on counting where that one began.
export MG_BEGUN=${MG_BEGUN:-$(date +%s%N)}

# One line of progress on stderr, with the seconds since the start.
say()
{
    local ms=$((($(date +%s%N) - MG_BEGUN) / 1000000))
    printf '[%3d.%d s] %s\n' $((ms / 1000)) $((ms % 1000 / 100)) "$*" >&2
}

# Ends with a message; the lines of a log file, if one is named, show why.
die()
{
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    if [ -n "${2-}" ] && [ -s "$2" ]; then
        printf -- '--- the end of %s\n' "$2" >&2
        tail -n 25 "$2" | sed 's/^/    /' >&2
    fi
    exit 1
}

# The start time of a process in clock ticks since boot; nothing if it does not run. Together
# with the pid it names a process for good: a pid alone may be somebody else's by now.
start_time()
{
    local stat
    { read -r stat < "/proc/$1/stat"; } 2> /dev/null || return 1
    stat=${stat##*) }
    # A zombie is over, whoever has still to collect it.
    [ "${stat%% *}" != Z ] || return 1
    # shellcheck disable=SC2086
    set -- $stat
    echo "${20}"
}

# pid_of NAME: its pid if the process that was started under this name still runs.
pid_of()
{
    local pid time
    { read -r pid time < "$RUN/$1.pid"; } 2> /dev/null || return 1
    [ "$(start_time "$pid")" = "$time" ] || return 1
    echo "$pid"
}

# start_process NAME COMMAND…: in a session of its own, with its output in $LOGS/NAME.log.
start_process()
{
    local name=$1 pid
    shift
    setsid "${AS[@]}" "$@" < /dev/null >> "$LOGS/$name.log" 2>&1 &
    pid=$!
    disown "$pid"
    # setsid and setpriv become the program, so the pid stays.
    echo "$pid $(start_time "$pid")" > "$RUN/$name.pid"
}

# stop_process NAME [SIGNAL [SECONDS]]: waits for its end, then kills it.
stop_process()
{
    local name=$1 signal=${2-TERM} ticks=$((${3-15} * 20)) pid
    pid=$(pid_of "$name") || return 0
    kill "-$signal" "$pid" 2> /dev/null
    while pid_of "$name" > /dev/null; do
        if [ $((ticks--)) -le 0 ]; then
            say "$name does not end: killed"
            kill -KILL "$pid" 2> /dev/null
            sleep 0.2
            break
        fi
        sleep 0.05
    done
    rm -f "$RUN/$name.pid"
}

# wait_until SECONDS COMMAND…: asks again until it succeeds.
wait_until()
{
    local ticks=$(($1 * 20))
    shift
    until "$@"; do
        [ $((ticks--)) -gt 0 ] || return 1
        sleep 0.05
    done
}

port_is_free()
{
    ! (exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null
}

# A port on the loopback address that nobody uses now.
free_port()
{
    perl -MIO::Socket::INET -e \
        'print IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 1)->sockport'
}
