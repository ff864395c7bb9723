#!/bin/sh
# Installs the packages of tools/packages.txt, and of further lists that are named, that are missing; with apt, as root or through sudo.
# Does nothing, and needs no rights, when all are there. Systems without dpkg are left alone.
set -eu

command -v dpkg-query >/dev/null || exit 0
missing=
installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q '^install ok installed'; }
# of NAME...: whether one of them is installed
one_of() {
    for name; do
        ! installed "$name" || return 0
    done
    return 1
}
for package in $(sed 's/#.*//' "$(dirname "$0")/packages.txt" "$@"); do
    # shellcheck disable=SC2046 # a list of words
    one_of $(echo "$package" | tr '|' ' ') || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "missing packages; as root: apt-get install$missing" >&2; exit 1; }
    as_root=sudo
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# Of several names, the first one that this release has; the last one if it has none, so that apt says which is missing.
wanted=
for package in $missing; do
    while [ "$package" != "${package#*|}" ] && ! apt-cache show "${package%%|*}" >/dev/null 2>&1; do
        package=${package#*|}
    done
    wanted="$wanted ${package%%|*}"
done
# shellcheck disable=SC2086 # a list of words
$as_root apt-get install -y -qq --no-install-recommends $wanted
