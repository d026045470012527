#!/bin/sh
# A private MariaDB server for tests: own data folder, unix socket only, no network.
#
#   t/mariadb.sh start DIR [OPTION…]   makes DIR/data when it is not there, starts mariadbd,
#                                      waits until it answers, prints the path of its socket.
#                                      OPTIONs go to mariadbd (e.g. --log-bin). Running: no-op.
#   t/mariadb.sh stop DIR              ends it in good order (SIGTERM) and waits
#   t/mariadb.sh kill DIR              SIGKILL, as a power cut would end it, and waits
#   t/mariadb.sh pid DIR               prints its process id, or fails when it does not run
#   t/mariadb.sh sql DIR [CLIENT-OPTION…]   a client as the administrator; SQL on its input
#
# The administrator is the account named like the user who ran `start` ($(id -un)), known by
# the socket, without a password. Every commit is on disk when it is acknowledged
# (innodb_flush_log_at_trx_commit=1). Started by root, the server runs as mysql or nobody.
# Exit status 77: MariaDB is not installed.
set -eu

usage()
{
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p;}' "$0" >&2
    exit 64
}

[ $# -ge 2 ] || usage
verb=$1
dir=$2
shift 2

server=$(command -v mariadbd || command -v /usr/sbin/mariadbd || command -v mysqld || true)
if [ -z "$server" ]; then
    echo "mariadbd is not installed" >&2
    exit 77
fi

case $dir in /*) ;; *) dir=$(pwd)/$dir ;; esac
socket=$dir/db.sock
pidfile=$dir/db.pid
log=$dir/db.log
if [ ${#socket} -gt 100 ]; then
    echo "$socket: too long for a unix socket, use a shorter folder" >&2
    exit 64
fi

running()
{
    [ -s "$pidfile" ] || return 1
    pid=$(cat "$pidfile")
    [ -r "/proc/$pid/cmdline" ] || return 1
    tr '\0' '\n' < "/proc/$pid/cmdline" | grep -qx -- "--datadir=$dir/data"
}

# Who the server runs as: an unprivileged user when we are root.
server_user()
{
    if [ "$(id -u)" -ne 0 ]; then
        id -un
    elif id mysql > /dev/null 2>&1; then
        echo mysql
    else
        echo nobody
    fi
}

make_data()
{
    [ -d "$dir/data/mysql" ] && return
    rm -rf "$dir/data" "$dir/tmp"
    mkdir "$dir/data" "$dir/tmp"
    if [ "$(id -u)" -eq 0 ]; then
        chown "$(server_user)" "$dir" "$dir/data" "$dir/tmp"
    fi
    # A tmpdir of its own: a server that starts removes the temporary tables it finds in its
    # tmpdir, also those of another server that shares it.
    mariadb-install-db --no-defaults --user="$(server_user)" --datadir="$dir/data" \
        --auth-root-socket-user="$(id -un)" --skip-test-db --skip-name-resolve \
        --innodb-log-file-size=32M --tmpdir="$dir/tmp" > "$dir/install.log" 2>&1 || {
        cat "$dir/install.log" >&2
        exit 1
    }
}

wait_for_answer()
{
    n=0
    # The client is enough for this: mariadb-admin comes in a package of its own.
    until mariadb --no-defaults --socket="$socket" --user="$(id -un)" -e 'DO 1' \
        > /dev/null 2>&1; do
        n=$((n + 1))
        if [ $n -gt 600 ] || ! kill -0 "$pid" 2> /dev/null; then
            tail -n 20 "$log" >&2
            echo "mariadbd did not start, see $log" >&2
            exit 1
        fi
        sleep 0.05
    done
}

start()
{
    mkdir -p "$dir"
    if running; then
        echo "$socket"
        return
    fi
    make_data
    user=$(server_user)
    if [ ! -d "$dir/tmp" ]; then # somebody has tidied up
        mkdir "$dir/tmp"
        [ "$(id -u)" -ne 0 ] || chown "$user" "$dir/tmp"
    fi
    rm -f "$pidfile" "$socket"
    "$server" --no-defaults --user="$user" --datadir="$dir/data" --socket="$socket" \
        --pid-file="$pidfile" --skip-networking --skip-name-resolve \
        --character-set-server=utf8mb4 --max-allowed-packet=64M --max-connections=600 \
        --innodb-flush-log-at-trx-commit=1 --innodb-buffer-pool-size=256M \
        --innodb-log-file-size=128M --tmpdir="$dir/tmp" "$@" > "$log" 2>&1 < /dev/null &
    pid=$!
    wait_for_answer
    echo "$socket"
}

end()
{
    running || return 0
    kill "-$1" "$pid"
    n=0
    while kill -0 "$pid" 2> /dev/null; do
        # A zombie that its parent has not collected yet is over too.
        case $(sed 's/.*) //' "/proc/$pid/stat" 2> /dev/null) in Z* | "") break ;; esac
        n=$((n + 1))
        [ $n -le 1200 ] || { echo "mariadbd $pid does not end" >&2; exit 1; }
        sleep 0.05
    done
    rm -f "$pidfile" "$socket"
}

case $verb in
start) start "$@" ;;
stop) end TERM ;;
kill) end KILL ;;
pid) running && echo "$pid" ;;
sql) exec mariadb --no-defaults --socket="$socket" --user="$(id -un)" "$@" ;;
*) usage ;;
esac
