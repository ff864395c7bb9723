#!/bin/sh
# Compiles programs from an installed prefix alone, in all ways that users have:
#     compile.sh BUILD EXAMPLES
# hipcc with AMD's options, CMake with nothing but CMAKE_PREFIX_PATH, make, Meson; what says that something is missing; the tools that tell of
# devices. CMAKE: another cmake than the one in PATH (check_cmake.sh).
set -eu
build=$1
examples=$2
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
unset LD_LIBRARY_PATH HCC_AMDGPU_TARGET
export WAVELIFT_CACHE_DIR="$work/cache" WAVELIFT_ARCH=gfx90a WAVELIFT_TIER=1 WAVELIFT_DEVICES=cpu:2
cmake=${CMAKE:-cmake}

fail() { echo "FAIL compile: $*"; exit 1; }
# quiet COMMAND...: shows the output if the command fails
quiet() { "$@" >"$work/log" 2>&1 || { echo "FAIL compile: $*"; cat "$work/log"; exit 1; }; }
# says TEXT: what the last quiet command printed has it
says() { grep -qF -- "$1" "$work/log" || { cat "$work/log"; fail "no \"$1\""; }; }
# refuses TEXT COMMAND...: the command fails with 1 and says this
refuses() {
    text=$1
    shift
    set +e
    "$@" >"$work/log" 2>&1
    status=$?
    set -e
    [ $status = 1 ] || { cat "$work/log"; fail "status $status of $*"; }
    says "$text"
}

quiet "$cmake" --install "$build" --prefix "$work/first"
mv "$work/first" "$prefix" # it can be moved

# CMake: the package, then the language, with nothing but CMAKE_PREFIX_PATH.
quiet "$cmake" -G Ninja -S "$here/enable_language" -B "$work/a" -DCMAKE_PREFIX_PATH="$prefix"
quiet "$cmake" --build "$work/a"
quiet "$work/a/memory"
# A project that begins with HIP, with nothing but CMAKE_PREFIX_PATH: where there is no hipconfig of AMD's in PATH, whose word CMake would take first.
mkdir "$work/tools"
for tool in ninja sh uname ld ar nm ranlib strip objdump objcopy readelf addr2line; do
    ln -s "$(command -v $tool)" "$work/tools/$tool"
done
clang=$("$prefix/bin/wavelift" config --clang) # one that reads the device libraries
ln -s "$clang" "$work/tools/clang++-$("$clang" -dumpversion | cut -d. -f1)"
ln -s "$(dirname "$clang")/ld.lld" "$work/tools/ld.lld"
cmake_path=$(command -v "$cmake")
quiet env PATH="$work/tools" "$cmake_path" -G Ninja -S "$here/first_language" -B "$work/first" -DCMAKE_PREFIX_PATH="$prefix"
quiet env PATH="$work/tools" "$cmake_path" --build "$work/first"
quiet "$work/first/memory"
[ -z "${CMAKE:-}" ] || exit 0

# The compiler that CMake is told of is not taken for one that is installed, wherever it comes from.
refuses "apt install clang-19" env PATH="$prefix/sbin" HIP_CLANG_PATH="$prefix/lib/wavelift/clang" "$prefix/bin/wavelift" config --clang

# What is missing, and where to get it.
refuses "apt install clang-19" env PATH="$prefix/bin" hipcc -c "$here/memory.hip"
refuses "apt install clang-19" env PATH="$prefix/bin" wavelift config --clang
refuses "have nothing for gfx90b" "$prefix/bin/hipcc" --offload-arch=gfx90b -fsyntax-only "$here/memory.hip"

export PATH="$prefix/bin:$PATH"
cd "$work"
quiet hipcc "$here/memory.hip" -o memory # for the device's architecture
quiet ./memory
quiet wavelift disasm --no-code memory
says "code object gfx90a"
# Objects, libraries and sources together; each part with its own options.
printf 'int forty(void) { return 40; }\n' >forty.c
printf '#include <hip/hip_runtime.h>\n__device__ int two() { return 2; }\n' >two.cpp
printf '%s\n' '#include <hip/hip_runtime.h>' 'extern "C" int forty(void);' 'extern __device__ int two();' \
    '__global__ void sum(int *p, int n) { *p = n + two(); }' \
    'int main() { int *p; return hipMallocManaged(&p, sizeof *p) || (sum<<<1, 1>>>(p, forty()), hipDeviceSynchronize()) || *p != 42; }' >sum.cu
quiet hipcc -fPIC -c forty.c -o forty.o
quiet hipcc -fgpu-rdc -O1 -c two.cpp -o two.o
quiet hipcc -fgpu-rdc -O1 sum.cu two.o forty.o -o sum
quiet ./sum
quiet hipcc --genco -O1 --amdgpu-target=gfx1030 two.cpp -o two.co
quiet hipcc --version
says "HIP version: "
[ "$(hipcc --short-version)-wavelift" = "$(hipconfig --version)" ] || fail "versions differ"

quiet make -f "$examples/projects/make/Makefile" PROGRAM="$here/memory.hip" program
quiet ./program
if command -v meson >/dev/null; then
    quiet meson setup meson "$examples/projects/meson" -Dsource="$here/memory.hip"
    quiet ninja -C meson
    quiet meson/saxpy
fi

# Tools that tell of devices: two, each under the name of the architecture.
[ "$(rocm_agent_enumerator | tr '\n' ' ')" = "gfx000 gfx90a gfx90a " ] || fail "rocm_agent_enumerator"
[ "$(rocm_agent_enumerator -t GPU | tr '\n' ' ')" = "gfx90a gfx90a " ] || fail "rocm_agent_enumerator -t GPU"
[ "$(rocm_agent_enumerator -name | head -1)" = amdgcn-amd-amdhsa--gfx90a ] || fail "rocm_agent_enumerator -name"
echo gfx1100 >targets
[ "$(ROCM_TARGET_LST=targets rocm_agent_enumerator -t GPU)" = gfx1100 ] || fail "ROCM_TARGET_LST"
[ "$(amdgpu-arch | uniq)" = gfx90a ] || fail "amdgpu-arch"
[ "$(offload-arch --only=amdgpu | wc -l)" = 2 ] || fail "offload-arch"
refuses "there is no device" env HIP_VISIBLE_DEVICES= amdgpu-arch
quiet rocminfo
[ "$(grep -c '^  Name: *gfx90a$' log)" = 2 ] || fail "rocminfo"
[ "$(hipconfig --rocmpath)" = "$prefix" ] || fail "hipconfig --rocmpath"
echo "PASS compile"
