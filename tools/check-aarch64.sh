#!/bin/sh
# Builds Wavelift for AArch64 in a folder of its own and runs its tests under qemu-user:
#   tools/check-aarch64.sh FOLDER [JOBS [CTEST ARGUMENTS...]]
# Installs the compilers and the emulator, fetches Debian's arm64 packages into FOLDER/sysroot. Without ctest arguments: the
# unit tests and the examples for gfx90a and gfx1030 at -O3, but not what translates thousands of kernels: hours under emulation.
set -eu

folder=$1
jobs=${2:-$(nproc)}
[ $# -lt 2 ] || shift
shift
here=$(dirname "$0")
"$here/install-deps.sh" "$here/aarch64-tools.txt"
"$here/aarch64-sysroot.sh" "$folder/sysroot"
sysroot=$(cd "$folder/sysroot" && pwd)
cmake -G Ninja -S "$here/.." -B "$folder" -DCMAKE_TOOLCHAIN_FILE="$here/../cmake/aarch64-linux-gnu.cmake" \
    -DWAVELIFT_SYSROOT="$sysroot" -DWAVELIFT_MATRIX=small
cmake --build "$folder" -j "$jobs"
cmake --build "$folder" -j "$jobs" --target programs
if [ $# -eq 0 ]; then
    set -- -E '^(isa-(alu|memory-gfx|image$|numerics|coverage)|translate-(lift|memory)|targets\.|hiprtc|api/managed)'
fi
export WL_TEST_EMULATOR="$(command -v qemu-aarch64-static) -L $sysroot" # for tests that start themselves (tests/itself.h)
# Ten times the time, which cmake wrote afresh above.
find "$folder" -name CTestTestfile.cmake -not -path "$sysroot/*" -exec sed -i -E 's/TIMEOUT "([0-9]+)"/TIMEOUT "\10"/' {} +
exec "$here/run-tests.sh" "$folder" "$jobs" "$@"
