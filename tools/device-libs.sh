#!/bin/sh
# Makes a complete folder of AMD device libraries for clang-19 out of the system's.
#
#   tools/device-libs.sh DESTINATION [SYSTEM_FOLDER]
#
# Debian's device libraries are older than clang-19: they lack the one-constant modules of newer targets and of
# code object version 6. The destination gets a symbolic link to every module of the system plus the missing ones.
# Use it with clang's option --rocm-device-lib-path=DESTINATION. Running it again changes nothing.
set -eu

destination=$1
system=${2:-}
if [ -z "$system" ]; then # Debian 12's place; Debian 13's, among the resources of a compiler
    for system in "/usr/lib/$(uname -m)-linux-gnu/amdgcn/bitcode" /usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode; do
        [ ! -f "$system/ockl.bc" ] || break
    done
fi
clang=${CLANG:-clang-19}

[ -f "$system/ockl.bc" ] || { echo "device-libs.sh: no device libraries in $system (package rocm-device-libs, rocm-device-libs-17 or rocm-device-libs-21)" >&2; exit 1; }
mkdir -p "$destination"
for module in "$system"/*.bc; do
    [ -e "$destination/${module##*/}" ] || ln -s "$module" "$destination/"
done

# constant FILE NAME VALUE: a module that defines one i32 constant of the device libraries
constant() {
    [ -e "$destination/$1" ] && return 0
    printf 'target triple = "amdgcn-amd-amdhsa"\n@%s = linkonce_odr protected local_unnamed_addr addrspace(4) constant i32 %s, align 4\n' "$2" "$3" |
        "$clang" -target amdgcn-amd-amdhsa -nogpulib -Wno-override-module -x ir -emit-llvm -c - -o "$destination/$1.$$"
    mv "$destination/$1.$$" "$destination/$1"
}

# The constant is major * 1000 + minor * 100 + stepping, the stepping in decimal.
while read -r target value; do
    constant "oclc_isa_version_$target.bc" __oclc_ISA_version "$value"
done <<END
940 9400
941 9401
942 9402
950 9500
1100 11000
1101 11001
1102 11002
1103 11003
1150 11500
1151 11501
1152 11502
1153 11503
1200 12000
1201 12001
1250 12500
1251 12501
9-generic 9000
9-4-generic 9400
10-1-generic 10100
10-3-generic 10300
11-generic 11003
12-generic 12000
12-5-generic 12500
END
constant oclc_abi_version_600.bc __oclc_ABI_version 600

# The system's ockl reads the clock with s_memrealtime, which gfx11 and gfx12 lack: clang drops the functions that need
# it there, and malloc in a kernel then waits forever. llvm.readsteadycounter is right on every target; clang 19 has it.
if [ "$("$clang" -dumpversion | cut -d. -f1)" -ge 19 ] && [ -L "$destination/ockl.bc" ]; then
    "$clang" -target amdgcn-amd-amdhsa -nogpulib -Wno-override-module -x ir -Xclang -disable-llvm-passes -S -emit-llvm "$system/ockl.bc" -o - |
        sed -e 's/@llvm\.amdgcn\.s\.memrealtime/@llvm.readsteadycounter/' -e 's/"target-features"="+s-memrealtime"//' |
        "$clang" -target amdgcn-amd-amdhsa -nogpulib -Wno-override-module -x ir -Xclang -disable-llvm-passes -emit-llvm -c - -o "$destination/ockl.bc.$$"
    mv "$destination/ockl.bc.$$" "$destination/ockl.bc"
fi
