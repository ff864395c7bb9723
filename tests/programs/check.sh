#!/bin/sh
# `wavelift check`: a program that runs is found right, one with an instruction that is not implemented is found wanting, by name,
# and the JSON says the same as the text.
#     check.sh WAVELIFT PROGRAM UNSUPPORTED_PROGRAM MATRIX_PROGRAM ATOMIC_PROGRAM full|small (the small set of programs is not made for gfx942)
set -u
failures=0
expect() { # DESCRIPTION: the command before succeeded?
    [ "$1" -eq "$2" ] || { echo "FAIL: $3 (status $1 instead of $2)"; failures=$((failures + 1)); }
}

text=$("$1" check --arch gfx90a "$2")
expect $? 0 "a program that runs"
echo "$text" | grep -q "^[0-9]* kernels, 0 with something unsupported; .* 0 unsupported$"
expect $? 0 "its summary"
echo "$text" | grep -q "wave64, [0-9]* VGPRs, .* bytes of LDS"
expect $? 0 "its registers"

total=$(echo "$text" | sed -n 's/^.*; \([0-9]*\) instructions:.*/\1/p')
json=$("$1" check --json --arch gfx90a "$2")
expect $? 0 "JSON"
sum=$(echo "$json" | python3 -c 'import json, sys; k = json.load(sys.stdin); print(sum(x["exact"] + x["ulp"] + x["no_effect"] + x["unsupported"] for x in k))')
[ "$sum" = "$total" ]
expect $? 0 "the JSON adds up to $sum instructions, the text to $total"

results() { # CLASS PROGRAM ARCH: how many instructions with results of this class, of all kernels
    "$wavelift" check --json --arch "$3" "$2" | python3 -c 'import json, sys; print(sum(k["results"][sys.argv[1]] for k in json.load(sys.stdin)))' "$1"
}
wavelift=$1
all=$(echo "$json" | python3 -c 'import json, sys; k = json.load(sys.stdin); print(all(sum(x["results"].values()) == x["exact"] + x["ulp"] for x in k))')
[ "$all" = True ]
expect $? 0 "each result is in a class"
[ "$(WAVELIFT_MATH=fast results error "$4" gfx942)" -gt 0 ] && [ "$(WAVELIFT_MATH=hardware results error "$4" gfx942)" -eq 0 ]
expect $? 0 "matrix sums of gfx942: the hardware's bits if that is asked for"
[ "$(WAVELIFT_MATH=fast results error "$4" gfx90a)" -eq 0 ] && [ "$(WAVELIFT_MATH=exact results error "$4" gfx90a)" -gt 0 ]
expect $? 0 "matrix sums of gfx90a: the hardware's bits unless exact ones are asked for"
[ "$6" = small ] || [ "$(results order "$5" gfx942)" -gt 0 ]
expect $? 0 "sums whose order is not defined"

wanting=$("$1" check --only-unsupported --arch gfx90a "$3")
expect $? 1 "a program with an unsupported instruction"
echo "$wanting" | grep -q "^    unsupported: [a-z_0-9]* ([0-9]*)$"
expect $? 0 "the instruction's name"

wanting=$("$1" check --kernel _Z16has_unknown_wordPii --arch gfx90a "$3")
expect $? 1 "a program with a word that is no instruction"
echo "$wanting" | grep -q "^    unsupported: word 0xfc000000 (1)$"
expect $? 0 "the word"

"$1" check "$0" >/dev/null 2>&1
expect $? 1 "a file that holds no code"
"$1" check >/dev/null 2>&1
expect $? 2 "no file"
exit "$((failures > 0))"
