#!/bin/sh
# glibc.sh COMPILER: what is linked with the stubs of an older glibc (tools/old-glibc) needs no newer version, and works here: constructors and
# destructors of programs, variables that have several names, functions that came later.
set -eu
compiler=$1
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)/"a name with blanks"
mkdir "$work"
trap 'rm -rf "$(dirname "$work")"' EXIT
fail() { echo "FAIL glibc: $*"; exit 1; }
for version in 2.28 2.17; do
    python3 "$here/../../tools/old-glibc/stubs.py" $version "$work/$version" "$compiler"
    "$compiler" -D_GNU_SOURCE -Wall -Wextra -Werror -L"$work/$version" -Wl,--wrap=__libc_start_main \
        -Wl,--no-as-needed "$work/$version/libpthread.so.0" "$work/$version/libdl.so.2" "$here/glibc.c" -lm -o "$work/program" 2>"$work/log" ||
        { [ $version = 2.17 ] && grep -q "undefined reference to .getrandom" "$work/log" && continue; cat "$work/log"; fail "it cannot be linked for $version"; }
    [ $version = 2.28 ] || fail "getrandom, of 2.25, is there in $version"
    # A library may have a function of a newer name itself, as libwavelift-topology has.
    echo 'int stat(void); int gettid(void); int stat(void) { return gettid(); }' |
        "$compiler" -shared -fPIC -fno-builtin "-L$work/$version" -x c - -o "$work/library.so" || fail "a library with a stat of its own"
    readelf --dyn-syms -W "$work/library.so" | grep -qE 'DEFAULT +[0-9]+ stat$' || fail "a library does not export its own stat"
    newest=$(readelf -V "$work/program" | grep -oE 'GLIBC_[0-9.]+' | sed 's/GLIBC_//' | sort -Vu | tail -n 1)
    [ "$(printf '%s\n%s\n' "$newest" $version | sort -V | tail -n 1)" = $version ] || fail "it needs glibc $newest"
    [ "$(readelf -d "$work/program" | grep -cE 'NEEDED.*(libpthread\.so\.0|libdl\.so\.2)')" = 2 ] || fail "it does not need the libraries of older versions"
    [ "$(NAME=value timeout 60 "$work/program" argument | tail -n 1)" = "destructor" ] || fail "it does not work"
done
echo "PASS glibc"
