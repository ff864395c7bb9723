#!/bin/sh
# Installs the build into a fresh prefix and uses it from there, as projects do:
#     install.sh BUILD EXAMPLES CODE_OBJECT
# find_package(hip) and find_package(hiprtc), enable_language(HIP), pkg-config, and the command; nothing of the build folder's libraries is used.
set -eu
build=$1
examples=$2
code_object=$3
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
unset LD_LIBRARY_PATH
export WAVELIFT_CACHE_DIR="$work/cache" WAVELIFT_ARCH=gfx90a
cmake=${CMAKE:-cmake} # check_cmake.sh tries others

# quiet COMMAND...: shows the output if the command fails
quiet() { "$@" >"$work/log" 2>&1 || { echo "FAIL install: $*"; cat "$work/log"; exit 1; }; }

quiet "$cmake" --install "$build" --prefix "$prefix"
library=$(dirname "$(find "$prefix" -name libamdhip64.so.5)")
quiet "$prefix/bin/wavelift" info
if [ -x "$build/bin/hipify" ]; then
    [ "$(echo "cudaFree(p);" | "$prefix/bin/hipify")" = "hipFree(p);" ] || { echo "FAIL install: hipify does not convert"; exit 1; }
fi

quiet "$cmake" -G Ninja -S "$here/find_package" -B "$work/a" -DEXAMPLES="$examples" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$prefix/bin/hipcc"
quiet "$cmake" --build "$work/a"
quiet "$work/a/module" "$code_object"
quiet "$work/a/vadd" 1000
quiet "$work/a/rtc"

# A project whose first languages are HIP asks hipconfig, which has to be the first in PATH.
quiet env PATH="$prefix/bin:$PATH" "$cmake" -G Ninja -S "$here/language" -B "$work/b" -DEXAMPLES="$examples" -DCMAKE_HIP_ARCHITECTURES="gfx90a;gfx1030"
quiet "$cmake" --build "$work/b"
quiet "$work/b/vadd" 1000
quiet "$work/b/sgemm" 64
readelf -d "$work/b/vadd" | grep -q 'libamdhip64.so.7' || { echo "FAIL install: not linked to the installed library"; exit 1; }

export PKG_CONFIG_PATH="$library/pkgconfig"
# shellcheck disable=SC2046 # words
quiet gcc -std=c11 -Wall -Wextra -Wpedantic -Werror "$examples/module/module.c" $(pkg-config --cflags hip) $(pkg-config --libs amdhip64) -o "$work/module"
quiet env LD_LIBRARY_PATH="$library" "$work/module" "$code_object"
quiet "$prefix/bin/wavelift" run -- "$work/module" "$code_object"
quiet "$prefix/bin/wavelift" disasm --arch gfx90a "$code_object"
grep -q 's_endpgm' "$work/log" || { echo "FAIL install: disasm shows no code"; exit 1; }
echo "PASS install"
