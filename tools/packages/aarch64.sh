#!/bin/sh
# aarch64.sh BUILD: cross builds Wavelift for AArch64 in BUILD, with Debian's arm64 packages in BUILD/sysroot, and leaves the wheel and the .tar.zst in
# BUILD/packages. Tools that the build runs run under qemu-user.
set -eu
here=$(realpath "$(dirname "$0")")
sources=$(realpath "$here/../..")
mkdir -p "$1"
build=$(realpath "$1")
"$sources/tools/install-deps.sh" "$sources/tools/aarch64-tools.txt"
"$sources/tools/aarch64-sysroot.sh" "$build/sysroot"
cmake -G Ninja -S "$sources" -B "$build" "-DCMAKE_TOOLCHAIN_FILE=$sources/cmake/aarch64-linux-gnu.cmake" "-DWAVELIFT_SYSROOT=$build/sysroot" \
    -DWAVELIFT_STATIC_LIBRARIES=ON -DWAVELIFT_TESTS=OFF
cmake --build "$build" --target installable
for kind in tree tarball wheel; do "$here/$kind.sh" "$build"; done
