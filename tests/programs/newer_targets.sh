#!/bin/sh
# newer_targets.sh BUILD [TARGET...]: compiles examples/, and for gfx950 scaled_products.hip, by clang 22 for processors that clang 19 does not know
# (default: gfx950, gfx1250, gfx1251), and runs them in both tiers. Clang 22 comes from Debian 12's security archive into a folder of BUILD and is not installed. Its driver does not take
# gfx12-5-generic.
# PROGRAMS: the examples to take, without arguments. LEVEL: of optimization, 3.
set -eu
build=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- gfx950 gfx1250 gfx1251
here=$(realpath "$(dirname "$0")")
sources=$here/../../examples
clang=$build/clang22
programs=$build/newer-targets
version=22

if [ ! -x "$clang/usr/lib/llvm-$version/bin/clang" ]; then
    rm -rf "$clang"
    mkdir -p "$clang/packages"
    (cd "$clang/packages" && apt-get -q download clang-$version clang-tools-$version libclang-cpp$version libllvm$version lld-$version \
        libclang-common-$version-dev)
    for package in "$clang"/packages/*.deb; do
        dpkg -x "$package" "$clang"
    done
fi
mkdir -p "$programs"

# compile NAME TARGET
compile() {
    lanes=32
    case $2 in gfx9*) lanes=64 ;; esac
    source=$sources/$1.hip
    [ -e "$source" ] || source=$here/$1.hip
    LD_LIBRARY_PATH=$clang/usr/lib/llvm-$version/lib:$clang/usr/lib/$(uname -m)-linux-gnu PATH=$clang/usr/lib/llvm-$version/bin:$PATH clang++ \
        -x hip -std=c++17 "-O${LEVEL:-3}" -w --rocm-device-lib-path="$build/device-libs" --offload-arch="$2" "-D__AMDGCN_WAVEFRONT_SIZE=$lanes" \
        -include "$here/newer_targets.h" -I"$sources" "$source" -o "$programs/$1-$2" -lamdhip64
}

passed=0 failed=0
for target; do
    while read -r name arguments; do
        case " ${PROGRAMS:-$name} " in *" $name "*) ;; *) continue ;; esac
        case $target:$name in gfx125*:radix_sort | gfx125*:half | gfx125*:grid_sync) continue ;; esac # DPP broadcasts, v_dot2, GWS: it has none
        case $target:$name in gfx950:*) ;; *:scaled_products) continue ;; esac # its functions are gfx950's
        if ! compile "$name" "$target" 2>"$programs/log"; then
            echo "FAIL $name $target: does not compile: $(grep -m 1 error: "$programs/log")"
            failed=$((failed + 1))
            continue
        fi
        for tier in 1 2; do
            # shellcheck disable=SC2086 # a list of words
            if LD_LIBRARY_PATH=$build/lib WAVELIFT_DEVICES=cpu WAVELIFT_ARCH=$target WAVELIFT_TIER=$tier WAVELIFT_CACHE_SIZE=0 timeout 300 \
                "$programs/$name-$target" $arguments >"$programs/log" 2>&1 </dev/null; then
                passed=$((passed + 1))
            else
                failed=$((failed + 1))
                echo "FAIL $name $target, tier $tier: $(tail -n 1 "$programs/log")"
            fi
        done
    done <<END
saxpy
vadd 10007
stream 5000
sgemm 64
dgemm 40 37 50
reduce 20003
histogram 20001
scan 20003
radix_sort 5000
nbody 300
mandelbrot 70 50 100
black_scholes 2000
stencil 75 50 4
spmv 500
half 8192
printf 2
assert
malloc 300
calls 200
memory
indexing
grid_sync 24
streams 5000
graphs 5000
scaled_products
END
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
