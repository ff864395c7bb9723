#!/bin/sh
# ptxas.sh PTXAS WAVELIFT PROGRAM ARCH WORK [FUNCTION...]: NVIDIA's assembler takes the PTX of all kernels of a program for an architecture,
# which calls these functions of device code.
set -e
ptxas=$1 wavelift=$2 program=$3 arch=$4 work=$5
rm -rf "$work"
mkdir -p "$work/ptx"
"$wavelift" ptx "$program" --arch "$arch" --block 64 --out "$work/ptx"
count=0
for file in "$work"/ptx/*.ptx; do
    "$ptxas" -arch=sm_90 "$file" -o "$work/code.cubin" || { echo "ptxas refuses $file"; exit 1; }
    count=$((count + 1))
done
[ "$count" -gt 0 ] || { echo "no kernels"; exit 1; }
shift 5
for function; do
    grep -q "$function" "$work"/ptx/*.ptx || { echo "no kernel calls $function"; exit 1; }
done
echo "$count kernels"
