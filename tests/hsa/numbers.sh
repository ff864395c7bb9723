#!/bin/sh
# numbers.sh CC HEADERS NUMBERS: the numbers of NUMBERS (src/hsa/numbers.inc) are those of AMD's headers. Headers of an older release lack some.
set -eu
cc=$1 headers=$2 numbers=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
grep -oE '[A-Z][A-Z0-9_]+ = (0x)?[0-9a-f]+' "$numbers" >"$folder/ours"
cat "$headers"/hsa*.h | grep -oE '\<[A-Z][A-Z0-9_]+\>' | LC_ALL=C sort -u >"$folder/theirs"
{
    for header in hsa hsa_ext_amd hsa_ext_image hsa_ven_amd_loader; do
        echo "#include \"$headers/$header.h\""
    done
    while read -r name _ value; do
        if grep -qx "$name" "$folder/theirs"; then
            echo "_Static_assert((unsigned)$name == (unsigned)$value, \"$name is another number\");"
        fi
    done <"$folder/ours"
} >"$folder/numbers.c"
compared=$(grep -c _Static_assert "$folder/numbers.c")
[ "$compared" -gt 200 ] || { echo "only $compared numbers were found in the headers"; exit 1; }
"$cc" -std=gnu17 -fsyntax-only "$folder/numbers.c"
echo "$compared numbers are AMD's"
