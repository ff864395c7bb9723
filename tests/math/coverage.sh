#!/bin/sh
# Does a test call every function of AMD's device math library? Compares the library's symbols with what the tests list.
#     coverage.sh NM OCML.BC TEST...
set -u
nm=$1 library=$2
shift 2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"$nm" --defined-only "$library" | awk '$3 ~ /^__ocml_/ && $3 !~ /^__ocml_priv/ { print $3 }' | sort -u >"$folder/defined"
for test; do
    "$test" --list || exit 1
done | sort -u >"$folder/called"
# These cannot be compiled: they are made of intrinsics that have no f64 form on AMD's GPUs ("Cannot select").
for name in sin cos exp exp2 log log2 log10; do
    echo "__ocml_native_${name}_f64"
done | sort >"$folder/unusable"
# What OCML 5.2 has is tested; by 5.7 it also has functions with a direction of rounding in their name, and these.
newer='_(cvt)?rt[enpz]_|_(pred|succ|remquo2)_'
sort -u "$folder/called" "$folder/unusable" | comm -23 "$folder/defined" - | grep -vE "$newer" >"$folder/missing"
if [ -s "$folder/missing" ] || ! [ -s "$folder/defined" ]; then
    echo "FAIL: no test calls:"
    cat "$folder/missing"
    exit 1
fi
echo "PASS: $(wc -l <"$folder/defined") functions, $(wc -l <"$folder/unusable") of them unusable"
