#!/bin/bash
# Brings the dashboard's fonts and icons into the tree: for maintainers, never run by a build.
#
#   tools/vendor.sh        fetch the pinned packages, check them, write htdocs/assets/vendor and
#                          htdocs/assets/VENDOR.sha256, and tell dom.js and local.mk where the icons are
#
# A package is taken only when its archive has the sha512 of the registry that is pinned here. A new
# version gets a folder of its own, because vendored files are served as never changing; the sprite's
# folder is named after its content. More icons: add their names below and run this again.
# `make check` compares VENDOR.sha256 offline.
set -eu

cd "$(dirname "$0")/../htdocs/assets"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

icons='arrow-down arrow-left arrow-right arrow-up badge-check ban bell book-open boxes brain
calendar-check chart-column check chevron-down chevron-left chevron-right chevron-up circle
circle-alert circle-check circle-dashed circle-user-round circle-x clock cloud-off code
coins copy credit-card crown download ellipsis external-link eye eye-off file-text flame
gift globe image inbox info key-round layout-dashboard list-filter loader-circle lock log-out
mail menu message-square-code minus monitor moon play plus receipt-text refresh-cw rotate-ccw
scroll-text search send server settings shield-check smartphone sparkles square sun table
terminal timer trash-2 triangle-alert user-round wallet wrench x zap'

# fetch NAME VERSION SHA512: unpacks the package into $work/NAME-VERSION.
fetch()
{
    local name=$1 version=$2 want=$3 file got
    file=$work/$(cd "$work" && npm pack --silent "$name@$version")
    got=$(openssl dgst -sha512 -binary "$file" | base64 -w 0)
    [ "$got" = "$want" ] || { echo "$name@$version: not the pinned archive ($got)" >&2; exit 1; }
    mkdir "$work/$version.${name##*/}"
    tar xzf "$file" -C "$work/$version.${name##*/}" --strip-components=1
}

# take NAME VERSION FILE…: these files and the licence, into vendor/NAME-VERSION.
take()
{
    local name=$1 version=$2 folder file
    shift 2
    folder=vendor/$name-$version
    mkdir -p "$folder"
    for file in "$@"; do
        install -m 0644 "$work/$version.$name/$file" "$folder/${file##*/}"
    done
    install -m 0644 "$work/$version.$name/LICENSE" "$folder/LICENSE"
}

# The sprite: one <symbol> an icon, and our own mark.
sprite()
{
    local name
    echo '<svg xmlns="http://www.w3.org/2000/svg">'
    echo "<!-- Made by tools/vendor.sh from lucide-static $1 (ISC, vendor/lucide-static-$1/LICENSE). -->"
    echo '<symbol id="mark" viewBox="0 0 24 24"><path d="M4 20V11a8 8 0 0 1 16 0v9"/><path d="M9 20v-8a3 3 0 0 1 6 0v8"/><path d="M2 20h20"/></symbol>'
    for name in $icons; do
        printf '<symbol id="%s" viewBox="0 0 24 24">' "$name"
        tr '\n' ' ' < "$work/$1.lucide-static/icons/$name.svg" |
            sed 's/^.*<svg[^>]*>//; s/<\/svg>.*//; s/  */ /g; s/ *\/>/\/>/g; s/^ //; s/ $//; s/> </></g'
        echo '</symbol>'
    done
    echo '</svg>'
}

fetch @fontsource-variable/geist 5.3.0 \
    j0m+vLQuG5XAYoHtGCVu0spvlGreR3EzpECUVzkFmI1mTVnAO38l/NEPDCFgZ177JxzYJCLSmTQibIiYPilGrA==
fetch @fontsource-variable/geist-mono 5.3.0 \
    vBbuwDEo9AkrqADMXOrlAR3DFcJi4/JxeuU43FoiQERnNwsfXNnvxvReZG02cQKmyk4DZkZdBZX3oTDvy2zBAw==
fetch lucide-static 1.62.0 \
    WBZA/m2PvkFpMGHDtsBck5P2A9G4ehLlYu4GwwICcmEm1BvYVgj00lCDxKRWLlbMlOibLaiwdQ88G5pHkSWgwA==

rm -rf vendor
take geist 5.3.0 files/geist-latin-wght-normal.woff2
take geist-mono 5.3.0 files/geist-mono-latin-wght-normal.woff2
take lucide-static 1.62.0
sprite 1.62.0 > vendor/icons.svg
folder=icons-$(sha256sum vendor/icons.svg | cut -c 1-8)
mkdir "vendor/$folder"
mv vendor/icons.svg "vendor/$folder"
sed -i "s|/vendor/icons-[0-9a-f]*/|/vendor/$folder/|" dom.js ../local.mk
find vendor -type f | LC_ALL=C sort | xargs sha256sum > VENDOR.sha256
cat VENDOR.sha256
