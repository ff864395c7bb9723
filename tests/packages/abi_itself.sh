#!/bin/sh
# abi_itself.sh COMPILER ABI BUILD: the comparison of releases finds what it is for: a function that is gone, an argument of another type, a library that is
# gone; and has nothing to say of a new function, nor of the build beside itself.
set -eu
compiler=$1
abi=$2
build=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL abi: $*"; exit 1; }
# library FOLDER TEXT
library() {
    mkdir -p "$work/$1"
    printf '%s\n' "$2" >"$work/$1/source.c"
    "$compiler" -g -shared -fPIC -Wl,-soname,libaml.so.0 "$work/$1/source.c" -o "$work/$1/libaml.so.0"
}
library before 'struct s { int a; }; int f(struct s *p) { return p->a; } int g(void) { return 1; }'
library more 'struct s { int a; }; int f(struct s *p) { return p->a; } int g(void) { return 1; } int h(void) { return 2; }'
library gone 'struct s { int a; }; int f(struct s *p) { return p->a; }'
library type 'struct s { long long a, b; }; int f(struct s *p) { return (int)p->b; } int g(void) { return 1; }'
mkdir "$work/none"
"$abi" "$work/before" "$work/before" || fail "a library differs from itself"
"$abi" "$work/before" "$work/more" || fail "a new function"
! "$abi" "$work/before" "$work/gone" >"$work/log" || fail "a function that is gone"
grep -q "g" "$work/log" || fail "it does not say which"
! "$abi" "$work/before" "$work/none" >/dev/null || fail "a library that is gone"
! "$abi" "$work/before" "$work/type" >/dev/null || fail "an argument of another type"
cp -a "$build"/lib/lib*.so* "$work/none/"
rm "$work/none/librocm_smi64.so.5"
! "$abi" "$build/lib" "$work/none" >"$work/log" || fail "an older name that is gone"
[ "$(cat "$work/log")" = "librocm_smi64.so.5 is gone" ] || { cat "$work/log"; fail "it does not say which name is gone"; }
"$abi" "$build/lib" "$build/lib" || fail "the build differs from itself"
echo "PASS abi"
