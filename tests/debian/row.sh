#!/bin/sh
# row.sh CLANG TARGET LIBRARIES SOURCE -- PROGRAM [ARGUMENT...]: runs PROGRAM, which clang 17 has compiled from SOURCE at -O0. If it fails, and
# clang crashes when it is to print its own code for TARGET as text, then the code has an instruction without a register: exit status 77.
# (Selection copies 32 bits to 64 as they are, and the assembler writes s0 for the register that is missing: docs/results/llvm.md.)
set -u
clang=$1 target=$2 libraries=$3 source=$4
shift 5
"$@"
status=$?
[ "$status" -ne 0 ] || exit 0
text=$(mktemp)
trap 'rm -f "$text"' EXIT
"$clang" -x hip -std=c++17 -w -O0 -S --cuda-device-only --offload-arch="$target" --rocm-device-lib-path="$libraries" -I"$(dirname "$0")/../../examples" \
    -fno-crash-diagnostics "$source" -o "$text.s" >"$text" 2>&1
compiled=$?
rm -f "$text.s"
if [ "$compiled" -ne 0 ] && grep -q "AMDGPU Assembly Printer" "$text"; then
    echo "$(basename "$source") for $target has an instruction without a register: $(basename "$clang") crashes where it prints it"
    exit 77
fi
exit "$status"
