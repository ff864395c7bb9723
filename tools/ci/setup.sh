#!/bin/sh
# Installs Wavelift on a machine of a CI service and makes it the HIP of the steps that follow:
#
#   setup.sh [--compiler] [--cache FOLDER] PACKAGES
#
# PACKAGES is a folder or the address of a page (https://...) that has what `make dist` made. On Debian, Ubuntu and their like the .deb packages are
# installed, elsewhere the .tar.zst, in $WAVELIFT_PREFIX (/opt/wavelift). --compiler also installs a clang and AMD's headers, where there are .deb packages.
# --cache names the folder that the service keeps from run to run, for native code. Settings for later steps go to the files that $GITHUB_ENV and
# $GITHUB_PATH name, and to stdout as a shell reads them. Needs root or sudo.
set -eu
compiler=
cache=
while [ $# -gt 1 ]; do
    case $1 in
    --compiler) compiler=1 ;;
    --cache) cache=$2 && shift ;;
    *) break ;;
    esac
    shift
done
[ $# = 1 ] || { echo "usage: setup.sh [--compiler] [--cache FOLDER] PACKAGES" >&2; exit 2; }
packages=$1
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work" # apt reads packages as a user without rights

# get NAME...: copies these files of PACKAGES to $work, and checks them against its list of sums
get() {
    for name in SHA256SUMS "$@"; do
        case $packages in
        https://*) curl -fsSL --retry 3 -o "$work/$name" "$packages/$name" ;;
        *) cp "$packages/$name" "$work/$name" ;;
        esac
    done
    for name; do
        grep -F "  $name" "$work/SHA256SUMS" >>"$work/wanted" || { echo "setup.sh: SHA256SUMS does not list $name" >&2; exit 1; }
    done
    (cd "$work" && sha256sum --quiet -c wanted) >&2
}
list() {
    case $packages in
    https://*) curl -fsSL --retry 3 "$packages/SHA256SUMS" ;;
    *) cat "$packages/SHA256SUMS" ;;
    esac | sed 's/^[^ ]* *//'
}
machine=$(uname -m)
if command -v apt-get >/dev/null; then
    debs=$(list | grep "_$(dpkg --print-architecture)\.deb$")
    # shellcheck disable=SC2086 # a list of names
    get $debs
    # shellcheck disable=SC2086,SC2046
    (cd "$work" && export DEBIAN_FRONTEND=noninteractive && $as_root apt-get -qq update &&
        $as_root apt-get install -y -qq -o "APT::Install-Recommends=$([ -n "$compiler" ] && echo true || echo false)" $(printf './%s\n' $debs)) >&2
    prefix=/usr/lib/wavelift
else
    [ -z "$compiler" ] || echo "setup.sh: install a clang from 17 to 22 and AMD's headers yourself: wavelift doctor says which are found" >&2
    tarball=$(list | grep "linux-$machine\.tar\.zst$")
    get "$tarball"
    prefix=${WAVELIFT_PREFIX:-/opt/wavelift}
    $as_root mkdir -p "$prefix"
    zstd -dc "$work/$tarball" | $as_root tar -C "$prefix" --strip-components=1 -xf -
fi
setting() {
    [ -z "${GITHUB_ENV:-}" ] || echo "$1=$2" >>"$GITHUB_ENV"
    echo "export $1='$2'"
}
[ -z "${GITHUB_PATH:-}" ] || echo "$prefix/bin" >>"$GITHUB_PATH"
echo "export PATH='$prefix/bin':\$PATH"
setting LD_LIBRARY_PATH "$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
setting CMAKE_PREFIX_PATH "$prefix${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"
if [ -n "$cache" ]; then
    mkdir -p "$cache"
    setting WAVELIFT_CACHE_DIR "$(realpath "$cache")"
    # What is made while a test runs is there for the next run of the service, and native code is made to the end.
    setting WAVELIFT_CACHE_SIZE 1G
fi
"$prefix/bin/wavelift" info >&2
