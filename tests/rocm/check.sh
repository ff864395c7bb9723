#!/bin/sh
# check.sh BUILD [RELEASE [TARGET ...]]: installs a release of Debian with its ROCm libraries (default: trixie; sid has ROCm 6) into
# BUILD/RELEASE, some 10 GB, compiles this folder's programs there with its compiler and headers, and runs them on the library of that build.
# Needs what root.sh needs, and half an hour.
set -eu
build=$(realpath "$1")
release=${2:-trixie}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- gfx90a gfx1030 gfx1100
here=$(realpath "$(dirname "$0")")
root=$build/$release
# shellcheck source=root.sh
. "$here/root.sh"

root_tools
root_make "$root" "$release"
root_install "$root" "$release" g++ hipcc librocblas-dev librocfft-dev libhipfft-dev librocsolver-dev librocthrust-dev libhipcub-dev
root_wavelift "$root" "$build"
mkdir -p "$root/programs"
cp "$here"/*.h "$here"/*.cpp "$here"/*.hip "$root/programs/"

inside() {
    root_inside "$root" "$@"
}
inside g++ -O2 -w -D__HIP_PLATFORM_AMD__ programs/gemm.cpp -o programs/gemm -lrocblas -lamdhip64
inside g++ -O2 -w -D__HIP_PLATFORM_AMD__ programs/fft.cpp -o programs/fft -lhipfft -lrocfft -lamdhip64
inside g++ -O2 -w -D__HIP_PLATFORM_AMD__ programs/solver.cpp -o programs/solver -lrocsolver -lrocblas -lamdhip64
# shellcheck disable=SC2046
inside $(cd "$root" && ls usr/bin/clang++-[0-9]* | tail -n 1) -x hip $(printf -- '--offload-arch=%s ' "$@") -O2 -w programs/thrust.hip -o programs/thrust -lamdhip64

status=0
for target; do
    for program in gemm solver thrust fft; do
        echo "== $program $target"
        inside env LD_LIBRARY_PATH=/wavelift/lib WAVELIFT_CACHE_DIR=/wavelift/cache WAVELIFT_DEVICES=cpu WAVELIFT_ARCH="$target" \
            "/programs/$program" || status=1
    done
done
exit $status
