#!/bin/sh
# abi.sh BEFORE AFTER: programs that were linked with the libraries in the folder BEFORE run with those in AFTER: each library is there under its name, and has
# all functions with their versions. Where both have debugging information, abidiff compares types as well. Prints what is gone or changed; 1 then.
set -eu
before=$1
after=$2
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for library in libamdhip64.so.5 libamdhip64.so.6 libamdhip64.so.7 libhiprtc.so.6 libhiprtc.so.7 libaml.so.0; do
    [ -e "$before/$library" ] || continue
    [ -e "$after/$library" ] || { echo "$library is gone"; failed=1; continue; }
    soname() { readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p'; }
    # A library of the other kind of name 6 is a link in one folder and a file in the other (tools/packages/forward.sh).
    case $library in *.6) ;; *) [ "$(soname "$before/$library")" = "$(soname "$after/$library")" ] || { echo "$library has another name inside"; failed=1; } ;; esac
    status=0
    abidiff --no-added-syms --no-show-locs "$(realpath "$before/$library")" "$(realpath "$after/$library")" >"$work/log" 2>&1 || status=$?
    [ $status = 0 ] || { echo "$library:"; cat "$work/log"; failed=1; }
done
exit $failed
