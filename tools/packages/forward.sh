#!/bin/sh
# forward.sh FOLDER: makes older names of FOLDER's libraries, libamdhip64.so.6 for one, which are links in a build, libraries of these names: they have no
# functions, need the newest library and define the same versions of symbols. Python wheels cannot hold links, and ldconfig knows a library by the one
# name that is written in it.
set -eu
folder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/empty.c"
# forward NAME TO
forward() {
    LC_ALL=C readelf -V "$folder/$2" | sed -n '/^Version definition/,/^Version needs/s/.*Flags: [^B]* Name: \([^ ]*\).*/\1/p' | awk '
        NR == 1 { print $1 " { local: *; };" } NR > 1 { print $1 " { } " before ";" } { before = $1 }' >"$work/map"
    script=
    [ ! -s "$work/map" ] || script="-Wl,--version-script=$work/map"
    # shellcheck disable=SC2016,SC2086 # the loader knows $ORIGIN; no script is no word
    "${CC:-gcc}" -shared -nostdlib -Wl,--build-id=none "-Wl,-soname,$1" '-Wl,-rpath,$ORIGIN' -Wl,-z,nodelete $script -Wl,--no-as-needed "$work/empty.c" "$folder/$2" -o "$work/$1"
    rm -f "$folder/$1"
    mv "$work/$1" "$folder/$1"
}
for link in "$folder"/lib*.so.*[0-9]; do
    name=$(basename "$link")
    own=$(LC_ALL=C readelf -d "$link" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
    # libNAME.so.7.1.0 is the file of libNAME.so.7
    case $name in "$own" | "$own".*) continue ;; esac
    forward "$name" "$own"
done
