#!/bin/sh
# check.sh BUILD [SUITE [TARGET ...]]: installs a Debian suite with its ROCm libraries (default: trixie; sid has ROCm 6) into BUILD/SUITE,
# some 10 GB, compiles this folder's programs there with its compiler and headers, and runs them on the library of that build. Needs root,
# mmdebstrap and half an hour.
set -eu
build=$(realpath "$1")
suite=${2:-trixie}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- gfx90a gfx1030 gfx1100
here=$(realpath "$(dirname "$0")")
root=$build/$suite
packages="g++ hipcc librocblas-dev librocfft-dev libhipfft-dev librocsolver-dev librocthrust-dev libhipcub-dev"

if [ ! -e "$root/installed" ]; then
    mmdebstrap --mode=root --variant=apt --aptopt='Acquire::Check-Valid-Until "false"' --include="$(echo "$packages" | tr ' ' ,)" \
        "$suite" "$root" http://deb.debian.org/debian
    touch "$root/installed"
fi
mkdir -p "$root/wavelift/lib" "$root/programs"
cp -a "$build"/lib/lib*.so* "$root/wavelift/lib/"
for library in libmpack.so.0 libxxhash.so.0; do # what the library needs and that suite may lack
    cp -L "$(ldconfig -p | sed -n "s/.*$library.* => //p" | head -n 1)" "$root/wavelift/lib/"
done
cp "$here"/*.h "$here"/*.cpp "$here"/*.hip "$root/programs/"

# The compiler looks for its own files by /proc; the mount is this process's.
inside() {
    unshare --mount sh -c 'mount --bind /proc "$0/proc"; exec chroot "$0" "$@"' "$root" "$@"
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
