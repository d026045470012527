# The parts of a stack: how each is configured, started, stopped; sourced by t/stack, whose folders
# (STATE ETC RUN LOGS; DATABASE: of the stack that owns the database), programs (mgctl libexec share
# sim) and user they use.
# shellcheck shell=bash disable=SC2154

## The database

db() { setsid "$source_dir/t/mariadb.sh" "$1" "$DATABASE/db" "${@:2}"; }

make_secret()
{
    [ -s "$ETC/$1" ] || head -c 48 /dev/urandom | od -An -tx1 | tr -d ' \n' > "$ETC/$1"
    chmod 0600 "$ETC/$1"
    chown "$user" "$ETC/$1" 2> /dev/null
}

# Two users: the owner of the schema (mgctl), and the responders', who may not change a table.
prepare_db()
{
    make_secret db-owner.password
    make_secret db.password
    [ -s "$ETC/master.key" ] || head -c 32 /dev/urandom > "$ETC/master.key"
    chmod 0600 "$ETC/master.key"
    chown "$user" "$ETC/master.key" 2> /dev/null
    [ "$(recall db-prepared)" != yes ] || return 0
    db sql << SQL > "$LOGS/db-prepare.log" 2>&1 || die "the database users" "$LOGS/db-prepare.log"
CREATE DATABASE IF NOT EXISTS model_gateway CHARACTER SET utf8mb4;
CREATE USER IF NOT EXISTS gateway_owner@localhost;
ALTER USER gateway_owner@localhost IDENTIFIED BY '$(cat "$ETC/db-owner.password")';
CREATE USER IF NOT EXISTS gateway@localhost;
ALTER USER gateway@localhost IDENTIFIED BY '$(cat "$ETC/db.password")';
GRANT ALL ON model_gateway.* TO gateway_owner@localhost WITH GRANT OPTION;
GRANT SELECT ON mysql.user TO gateway_owner@localhost;
SQL
    remember db-prepared yes
}

start_db()
{
    db pid > /dev/null && return
    ! is_guest || die "$DATABASE: its database does not run"
    say "starting MariaDB"
    db start > "$LOGS/db-start.log" 2>&1 || die "MariaDB does not start" "$LOGS/db-start.log"
}

stop_db() { db "$([ "$1" = KILL ] && echo kill || echo stop)" >> "$LOGS/db-start.log" 2>&1; }

migrate()
{
    mgctl migrate --sql-dir "$share/sql" > "$LOGS/migrate.log" 2>&1 || die "mgctl migrate" "$LOGS/migrate.log"
}

## The simulated provider

start_sim()
{
    pid_of sim > /dev/null && return
    [ -x "$sim" ] || die "$sim is not built (make t/sim/mg-sim)"
    say "starting the simulated provider"
    rm -f "$RUN/sim.port"
    local port
    port=$(recall sim.port)
    start_process sim "$sim" --listen "127.0.0.1:${port:-0}" --port-file "$RUN/sim.port" \
        --default "$(recall sim.commands)"
    wait_until 10 test -s "$RUN/sim.port" ||
        die "the simulated provider does not start" "$LOGS/sim.log"
    remember sim.port "$(cat "$RUN/sim.port")"
}

## The responders

# The later of two lines with one name wins in gateway.conf, so overrides come last.
write_conf()
{
    local port
    port=$(recall port)
    {
        echo "# Written by t/stack; change settings with: t/stack reload --conf NAME=VALUE"
        echo "base_url = http://127.0.0.1:$port"
        [ "$(recall vip)" != yes ] || echo "vip_base_url = http://vip.localhost:$port"
        echo "run_dir = $RUN"
        echo "state_dir = $STATE/var"
        echo "db_hosts = unix:$DATABASE/db/db.sock"
        echo "db_name = model_gateway"
        echo "db_user = gateway"
        echo "db_password_file = $ETC/db.password"
        echo "db_admin_user = gateway_owner"
        echo "db_admin_password_file = $ETC/db-owner.password"
        echo "master_key_file = $ETC/master.key"
        recall overrides
    } > "$ETC/gateway.conf"
}

# add_override NAME=VALUE
add_override()
{
    case $1 in *=*) ;; *) die "--conf needs NAME=VALUE, not '$1'" ;; esac
    { recall overrides | grep -v "^${1%%=*} ="; echo "${1%%=*} = ${1#*=}"; } > "$ETC/overrides.new"
    mv "$ETC/overrides.new" "$ETC/overrides"
}

start_serve()
{
    pid_of serve > /dev/null && return
    say "starting the responders"
    : > "$LOGS/serve.log"
    start_process serve env -i "PATH=$PATH" ${ASAN_OPTIONS:+"ASAN_OPTIONS=$ASAN_OPTIONS"} \
        ${UBSAN_OPTIONS:+"UBSAN_OPTIONS=$UBSAN_OPTIONS"} \
        "$mgctl" serve --config "$ETC/gateway.conf" --libexecdir "$libexec" \
        --only "$(families)"
    wait_until 10 said_ready || die "mgctl serve does not start" "$LOGS/serve.log"
}

said_ready() { grep -q '^ready' "$LOGS/serve.log"; }

stop_serve()
{
    # Responders get shutdown_seconds for their streams.
    stop_process serve "$1" 320
}

times_reloaded() { grep -c '^reload' "$LOGS/serve.log"; }
has_reloaded() { [ "$(times_reloaded)" -gt "$1" ]; }

reload()
{
    local pid before
    write_conf
    pid=$(pid_of serve) || die "the responders do not run"
    before=$(times_reloaded)
    kill -HUP "$pid"
    wait_until 30 has_reloaded "$before" || die "no answer to SIGHUP" "$LOGS/serve.log"
    [ "$(grep '^reload' "$LOGS/serve.log" | tail -n 1)" = reloaded ] ||
        die "the new settings were not taken" "$LOGS/serve.log"
}

## The web server

make_certificate()
{
    [ -s "$ETC/tls.pem" ] || openssl req -x509 -newkey rsa:2048 -nodes -days 365 \
        -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
        -keyout "$ETC/tls.key" -out "$ETC/tls.pem" 2> /dev/null || die "openssl req failed"
    chown "$user" "$ETC/tls.key" "$ETC/tls.pem" 2> /dev/null
}

write_httpd_conf()
{
    local settings=() htdocs=$share/htdocs connections
    connections=$((($(ulimit -n) - 100) / 2)) # a stream has two descriptors in lighttpd
    if [ "$share" = "$source_dir" ]; then # a closed source tree is closed to the web server
        cp -R "$share/htdocs/." "$STATE/htdocs/" 2> /dev/null
        htdocs=$STATE/htdocs
    fi
    if [ "$(recall tls)" = yes ]; then
        make_certificate
        settings+=("HTTPS_PORT=$(recall tls.port)" "CERT_FILE=$ETC/tls.pem"
            "KEY_FILE=$ETC/tls.key")
    fi
    [ "$(recall vip)" != yes ] || settings+=(VIP_NAME=vip.localhost)
    "$share/httpd-conf/mkconf" errors "$ETC/errors" || die "mkconf failed"
    "$share/httpd-conf/mkconf" "$(recall server)" --families "$(families)" \
        ADDRESS=127.0.0.1 "HTTP_PORT=$(recall port)" "HTDOCS=$htdocs" \
        "ERROR_DIR=$ETC/errors" "RUN_DIR=$RUN" "LOG_DIR=$LOGS" "SPOOL_DIR=$STATE/spool" \
        "PID_FILE=$RUN/httpd.own.pid" USER= GROUP= DEFLATE=yes "MAX_FDS=$(ulimit -n)" "MAX_CONNECTIONS=$connections" \
        APACHE_PROCESSES=12 APACHE_THREADS=450 APACHE_WORKERS=5400 \
        "${settings[@]}" > "$ETC/httpd.conf" || die "mkconf failed"
    chown -R "$user" "$ETC/errors" 2> /dev/null
    return 0
}

start_httpd()
{
    pid_of httpd > /dev/null && return
    local server
    server=$(recall server)
    say "starting $server"
    write_httpd_conf
    if [ "$server" = lighttpd ]; then
        start_process httpd "$(find_program lighttpd /usr/sbin /usr/local/sbin)" \
            -D -f "$ETC/httpd.conf"
    else
        start_process httpd "$(find_program apache2 /usr/sbin)" -DFOREGROUND \
            -f "$ETC/httpd.conf"
    fi
    wait_until 15 answers || die "$server does not answer" "$LOGS/httpd.log"
}

# Any reply but "no responder" will do: what it says is not our affair.
answers()
{
    local status
    pid_of httpd > /dev/null || return 1
    status=$(curl -s -o /dev/null -w '%{http_code}' --noproxy '*' --max-time 5 \
        "http://127.0.0.1:$(recall port)/api/health") || return 1
    [ "$status" != 503 ]
}
