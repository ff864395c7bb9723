#!/bin/sh
# How the suite's kernels and the launch path scale with threads: scaling.sh BUILD [THREADS ...]. One line for each number of threads and
# kernel: milliseconds of native C and of Wavelift (gfx90a), the least of several runs, and each side's speed-up over its first line.
# WAVELIFT_SCALING lists other kernels than the default ones.
set -eu
build=$1
shift
threads=${*:-1 2 $(nproc)}
kernels=${WAVELIFT_SCALING:-triad nbody sgemm64 cg stencil3d}
export LD_LIBRARY_PATH="$build/lib" WAVELIFT_CACHE_DIR="$build/bench/cache" WAVELIFT_DEVICES=cpu WAVELIFT_TIER=2 WAVELIFT_ARCH=gfx90a
unset OMP_WAIT_POLICY

# least SIDE KERNEL: milliseconds of one run
least() {
    printf 'run 0.15\nrun 0.15\nrun 0.15\nrun 0.15\nrun 0.15\n' | "$build/bench/suite/worker-$1" "$2" "$build/bench/suite/$2.co" |
        sort -g | awk 'NR == 1 { printf "%.4f", $1 * 1000 }'
}

printf '%-12s %7s %12s %12s %9s %9s\n' kernel threads native Wavelift x x
for kernel in $kernels; do
    first_native='' first_own=''
    for n in $threads; do
        native=$(OMP_NUM_THREADS=$n least native "$kernel")
        own=$(WAVELIFT_THREADS=$n least hip "$kernel")
        first_native=${first_native:-$native} first_own=${first_own:-$own}
        echo "$kernel $n $native $own $first_native $first_own" |
            awk '{ printf "%-12s %7d %12.4f %12.4f %9.2f %9.2f\n", $1, $2, $3, $4, $5 / $3, $6 / $4 }'
    done
done
for n in $threads; do
    echo "threads: $n"
    OMP_NUM_THREADS=$n WAVELIFT_THREADS=$n timeout 60 "$build/bench/bench-queue" "$build/bench/launch.co" || true
done
