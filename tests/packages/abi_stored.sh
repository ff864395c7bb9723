#!/bin/sh
# abi_stored.sh COMPILER SOURCE BUILD [write]: what programs may use of each library (functions, versions of symbols, types of the headers) is what
# tests/packages/abi has stored of it, or more. An intended change is stored by `write`. Libraries without debugging information, or a
# libabigail of another format: exit status 77.
set -eu
compiler=$1
source=$2
build=$3
stored=$source/tests/packages/abi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# describe LIBRARY FILE
describe() {
    abidw --exported-interfaces-only --drop-undefined-syms --headers-dir "$source/include" --headers-dir "$source/src/hsa" --headers-dir "$source/src/smi" \
        --drop-private-types --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --no-parameter-names --type-id-style hash "$1" >"$2" 2>"$work/log" ||
        { cat "$work/log"; exit 1; }
}

# hip_types FILE: libamdhip64's functions are entered by jumps, of which debugging information says nothing. So the types that the headers give them are
# those of variables in a library of their own.
hip_types() {
    printf '#include <hip/%s>\n' hip_runtime_api.h hip_ext.h hiprtc.h >"$work/types.c"
    "$compiler" -E -I"$source/include" "$work/types.c" | grep -o '\<hip[A-Za-z0-9_]*(' | tr -d '(' | sort -u >"$work/declared"
    nm -D --defined-only "$build"/lib/libamdhip64.so.7 "$build"/lib/libhiprtc.so.7 | sed -n 's/.* \(hip[^@]*\).*/\1/p' | sort -u >"$work/defined"
    comm -12 "$work/declared" "$work/defined" | sed 's/.*/__typeof__(\&&) type_of_&;/' >>"$work/types.c"
    "$compiler" -g -shared -fPIC -I"$source/include" "$work/types.c" -o "$work/types.so"
    describe "$work/types.so" "$1"
}

# is_same NAME [OPTION]: the description is what is stored, or has more.
is_same() { abidiff ${2:+"$2"} --suppressions "$stored/system.suppr" "$stored/$1.abi" "$work/now.abi" >"$work/log" 2>&1; }

# compare NAME
compare() {
    if [ "$mode" = write ]; then
        if [ ! -e "$stored/$1.abi" ] || ! is_same "$1"; then mv "$work/now.abi" "$stored/$1.abi"; fi
    elif [ -e "$stored/$1.abi" ]; then # a new library is like a new function
        is_same "$1" --no-added-syms || {
            ! grep -q "incompatible format version" "$work/log" || { echo "this libabigail has another format than what is stored"; exit 77; }
            echo "$1:"; cat "$work/log"; failed=1
        }
    fi
}

mode=${4:-compare}
readelf -SW "$build/lib/libamdhip64.so.7" | grep -q '\.debug_info' || { echo "the libraries have no debugging information"; exit 77; }
for library in "$build"/lib/lib*.so.*; do
    name=$(basename "$library")
    [ "$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')" = "$name" ] || continue # another name of a library, or its file
    describe "$library" "$work/now.abi"
    compare "$name"
done
hip_types "$work/now.abi"
compare hip-types
for description in "$stored"/lib*.abi; do
    [ -e "$build/lib/$(basename "$description" .abi)" ] || { echo "$(basename "$description" .abi) is gone"; failed=1; }
done
[ $failed = 0 ] || echo "If this is intended: $0 $compiler $source $build write, and a line in CHANGELOG.md"
exit $failed
