#!/bin/sh
# check-clang.sh BUILD [VERSION ...]: installs versions of clang (default: 21 and 22), with HIP's headers of ROCm 7, into a Debian system of
# its own under BUILD/suites/experimental, and runs there, on the library of that build, the test of run-time compilation and linking, and
# examples/ of several source files that are linked. Needs what tests/rocm/root.sh needs.
set -eu
build=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- 21 22
here=$(realpath "$(dirname "$0")")
root=$build/suites/experimental
# shellcheck source=../rocm/root.sh
. "$here/../rocm/root.sh"

root_tools
root_make "$root" experimental
packages=
for version; do
    packages="$packages clang-$version clang-tools-$version llvm-$version lld-$version rocm-device-libs-$version"
done
# shellcheck disable=SC2086 # a list of words
root_install "$root" experimental hipcc g++ libcmocka0 $packages
root_wavelift "$root" "$build"
cp --remove-destination "$build/bin/test_hiprtc" "$root/wavelift/"
rm -rf "$root/wavelift/examples"
mkdir "$root/wavelift/examples"
cp -r "$here"/../../examples/*.h "$here/../../examples/rdc" "$root/wavelift/examples/"

inside() {
    root_inside "$root" env "LD_LIBRARY_PATH=/wavelift/lib" "WAVELIFT_CACHE_DIR=/wavelift/cache-clang" "WAVELIFT_DEVICES=cpu" "$@"
}
status=0
for version; do
    for target in gfx90a gfx1100; do
        echo "== clang $version, $target"
        rm -rf "$root/wavelift/cache-clang"
        inside "WAVELIFT_CLANG=clang++-$version" "WAVELIFT_ARCH=$target" WL_TEST_PRECOMPILED=1 timeout 900 /wavelift/test_hiprtc || status=1
        for level in 0 3; do
            # shellcheck disable=SC2016 # the inner shell's
            inside sh -c 'cd /wavelift/examples/rdc && "clang++-$0" -x hip -fgpu-rdc "--offload-arch=$1" "-O$2" --hip-link -w -I.. ./*.hip \
                    -o rdc -L/wavelift/lib -Wl,-rpath-link,/wavelift/lib -lamdhip64' \
                "$version" "$target" $level && inside "WAVELIFT_ARCH=$target" timeout 300 /wavelift/examples/rdc/rdc 2000 || status=1
        done
    done
done
exit $status
