#!/bin/sh
# abi.sh BEFORE AFTER: programs that were linked with the libraries in the folder BEFORE run with those in AFTER: each library is there under each of its names,
# and has all functions with their versions. Where both have debugging information, abidiff compares types as well. Prints what is gone or changed; 1 then.
set -eu
before=$1
after=$2
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
soname() { readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p'; }
for library in $(cd "$before" && ls -d lib*.so.*); do
    name=$(soname "$before/$library")
    case $library in "$name".*) continue ;; esac # the file of a name that is compared
    [ -e "$after/$library" ] || { echo "$library is gone"; failed=1; continue; }
    # An older name is a link in a build and a library in packages (tools/packages/forward.sh).
    [ "$library" != "$name" ] || [ "$(soname "$after/$library")" = "$name" ] || { echo "$library has another name inside"; failed=1; }
    status=0
    abidiff --no-added-syms --no-show-locs "$(realpath "$before/$library")" "$(realpath "$after/$library")" >"$work/log" 2>&1 || status=$?
    [ $status = 0 ] || { echo "$library:"; cat "$work/log"; failed=1; }
done
exit $failed
