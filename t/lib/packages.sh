# Installing what is missing; sourced by quickstart and t/check, which provide say and die.
# shellcheck shell=bash

packages_list=$(dirname "${BASH_SOURCE[0]}")/packages

is_installed()
{
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" = installed ]
}

# missing_packages GROUP…: "package why" lines of what these groups lack.
missing_packages()
{
    local group package why program
    while read -r group package why; do
        case " $* " in *" $group "*) ;; *) continue ;; esac
        program=$(sed -n 's/^\[\(.*\)\].*/\1/p' <<< "$why")
        [ -z "$program" ] || ! command -v "$program" > /dev/null || continue
        is_installed "$package" || echo "$package ${why#\[*\] }"
    done < <(grep -v '^#' "$packages_list" | grep .)
}

# A package's maintainer script asks this file whether it may start a service: no. It is only put
# there for the time of the installation, and only where there is none.
forbid_services()
{
    local policy=/usr/sbin/policy-rc.d
    [ ! -e $policy ] || return 0
    printf '#!/bin/sh\n# put here by %s, gone in a minute\nexit 101\n' "$0" | as_root tee $policy \
        > /dev/null
    as_root chmod 0755 $policy
    trap 'as_root rm -f /usr/sbin/policy-rc.d' EXIT
}

allow_services()
{
    grep -qs 'gone in a minute' /usr/sbin/policy-rc.d && as_root rm -f /usr/sbin/policy-rc.d
    trap - EXIT
}

as_root()
{
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# Only for a lighttpd that we have just installed: its service shall not start at the next boot
# either. One that was there before is none of our business.
leave_service_off()
{
    if [ -d /run/systemd/system ]; then
        as_root systemctl disable --now "$1" > /dev/null 2>&1
    elif command -v update-rc.d > /dev/null; then
        as_root update-rc.d "$1" disable > /dev/null 2>&1
    fi
    return 0
}

# install_packages LOG GROUP…: installs what is missing, and says what and why.
install_packages()
{
    local log=$1 package why names=()
    shift
    while read -r package why; do
        [ ${#names[@]} -gt 0 ] || say "installing packages:"
        printf '            %-24s %s\n' "$package" "$why" >&2
        names+=("$package")
    done < <(missing_packages "$@")
    [ ${#names[@]} -gt 0 ] || return 0
    command -v apt-get > /dev/null || die "there is no apt-get here: install them by hand"
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo > /dev/null; then
        die "neither root nor sudo; as root: apt-get install ${names[*]}"
    fi
    forbid_services
    as_root apt-get update -q > "$log" 2>&1 < /dev/null || die "apt-get update" "$log"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
        "${names[@]}" >> "$log" 2>&1 < /dev/null || die "apt-get install" "$log"
    allow_services
    case " ${names[*]} " in *" lighttpd "*) leave_service_off lighttpd ;; esac
}
