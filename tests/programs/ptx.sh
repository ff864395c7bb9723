#!/bin/bash
# Kernels as PTX: ptxas takes what `wavelift ptx` makes of the example programs, and what matters for speed is as it should be.
#     ptx.sh WAVELIFT FOLDER-OF-PROGRAMS full|small CLANG      the matrix that the programs were built for, and the version of the clang that did so
# What is counted is there in code of clang 19: of another one's it is only seen that there is PTX, which ptxas takes.
set -u
wavelift=$1 programs=$2 clang=$4
thorough="gfx90a gfx1100" brief="gfx906 gfx942 gfx1030 gfx1200"
[ "$3" = full ] || { thorough=gfx90a brief=gfx1030; }
ptxas=$(command -v ptxas || ls /usr/local/cuda/bin/ptxas 2>/dev/null)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0 kernels=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# make PROGRAM ARCH BLOCK: kernels of a program to $work/PROGRAM-ARCH, through ptxas where there is one
make() {
    local folder=$work/$1-$2
    mkdir -p "$folder"
    "$wavelift" ptx --arch "$2" --block "$3" --out "$folder" "$programs/$1-O3" 2>"$folder/log" || fail "$1 $2: $(head -c 400 "$folder/log")"
    for text in "$folder"/*.ptx; do
        [ -f "$text" ] || { fail "$1 $2: no kernel"; continue; }
        kernels=$((kernels + 1))
        # ptxas makes wrong code of upper halves of mul.lo.s64.
        awk '/mul\.lo\.s64/ { product[$2] = 1 } /mov\.b64 *{/ { if (product[substr($(NF - 1), 1, length($(NF - 1)) - 1) ","]) exit 1 }' "$text" ||
            fail "$text: takes the result of mul.lo.s64 apart"
        [ -z "$ptxas" ] || "$ptxas" -arch=sm_90 -v "$text" -o "$text.cubin" >"$text.log" 2>&1 || fail "$text: $(grep -m1 error "$text.log")"
    done
}

# count PATTERN LEAST MOST FILE...: lines with the pattern
count() {
    local pattern=$1 least=$2 most=$3 found
    [ "$clang" = 19 ] || return
    shift 3
    found=$(cat "$@" | grep -c -E "$pattern")
    [ "$found" -ge "$least" ] && [ "$found" -le "$most" ] || fail "$found lines with '$pattern' instead of $least to $most in $*"
}

# registers MOST FILE...: a thread's, as ptxas counts them
registers() {
    local most=$1 used
    shift
    [ -n "$ptxas" ] && [ "$clang" = 19 ] || return
    for text in "$@"; do
        used=$(sed -n 's/.*Used \([0-9]*\) registers.*/\1/p' "$text.log")
        [ "$used" -le "$most" ] || fail "$text: $used registers, more than $most"
    done
}

for arch in $thorough; do
    for program in stream sgemm mandelbrot reduce; do
        make $program $arch $(if [ $program = sgemm ]; then echo 16x16; else echo 256; fi)
    done
    # Dwords at odd offsets: byte by byte where the address is not that of dwords.
    make odd_offsets $arch 64
    count '(ld|st)\.[a-z.]*b8' 8 200 $work/odd_offsets-$arch/*.ptx
    # STREAM: arguments from the constant bank, whole doubles, predicated, a vote for the branch over everything, one for the loop.
    triad=$work/stream-$arch/*triad*.ptx
    count '\.local|vote\.sync\.ballot|shfl' 0 0 $triad
    count 'vote' 0 2 $triad
    count 'ld\.global\.v2\.b32' 2 4 $triad
    # SGEMM: LDS in vectors without a test of alignment, EXEC known to be full in the loop, few registers.
    sgemm=$work/sgemm-$arch/*sgemm64*.ptx
    count 'ld\.shared\.v4' 16 128 $sgemm
    count '@.* ld\.shared\.b32' 0 0 $sgemm
    count 'selp' 0 4 $sgemm
    registers 96 $sgemm
    # A divergent loop is each thread's own, with a thread for each lane in waves of 64, too.
    count 'vote|selp' 0 0 $work/mandelbrot-$arch/*.ptx
    count 'maxntid 256' 1 1 $work/mandelbrot-$arch/*.ptx
    # So are loops with a counter in a scalar, with several exits, with stacks in private memory, branches whose ends the compiler copied, and
    # scalar conditions under a mask; arrays in LDS behind barriers are no reason against a thread for each lane, nor is private memory.
    make parting $arch 128
    count 'vote' 0 0 $work/parting-$arch/*counted*.ptx $work/parting-$arch/*searches*.ptx $work/parting-$arch/*powers*.ptx
    count 'maxntid 128' 3 3 $work/parting-$arch/*counted*.ptx $work/parting-$arch/*searches*.ptx $work/parting-$arch/*powers*.ptx
    make private_memory $arch 128
    count 'vote' 0 0 $work/private_memory-$arch/*.ptx
    count '(ld|st)\.(b32|b8|u8|s8|b16|u16|s16|v2|v4)' 0 0 $work/private_memory-$arch/*.ptx # generic ones
    count 'maxntid 128' 2 2 $work/private_memory-$arch/*counted_walks*.ptx $work/private_memory-$arch/*scribbles*.ptx
    # LDS that the shape of the workgroups keeps within; dwords that the compiler did not know to be aligned are no vectors.
    make parting $arch 8x8x8
    count '@.*\.shared' 0 1 $work/parting-$arch/*cube*.ptx
    count 'ld\.shared\.v' 0 0 $work/parting-$arch/*cube*.ptx
    # Minima of computed numbers, and as compilers write them, are one instruction.
    make extremes $arch 64
    count '(min|max)\.f32' 5 $([ $arch = gfx90a ] && echo 10 || echo 5) $work/extremes-$arch/*floats*.ptx
    count 'selp' 0 $([ $arch = gfx90a ] && echo 16 || echo 8) $work/extremes-$arch/*floats*.ptx
    # Private memory at known addresses is in registers. e^-x is the function e^x of a negated number.
    make shortcuts $arch 128
    count 'local|(ld|st)\.(volatile\.)?[bsu](8|16|32)' 0 0 $work/shortcuts-$arch/*kept*.ptx
    count '0fC2D20000' 1 2 $work/shortcuts-$arch/*decays*.ptx
    # Roots have no slow way, and of sums with a number no scale.
    count 'sqrt\.rn|bra' 0 2 $work/shortcuts-$arch/*single_roots*.ptx
    count 'sqrt\.rn' 0 0 $work/shortcuts-$arch/*roots*.ptx
    # Offsets in LDS of a step of a sorting network and of bytes are known to be within; what is left are choices of the program.
    count '@.*\.shared' 0 $([ $arch = gfx90a ] && echo 35 || echo 3) $work/shortcuts-$arch/*places_in_lds*.ptx
    count 'selp' 0 2 $work/shortcuts-$arch/*places_in_lds*.ptx
    # What lanes that left a loop need behind it, and no more, stays while the others go on. One of the loops runs a few turns at once.
    [ $arch = gfx1100 ] || count 'selp' 0 192 $work/shortcuts-$arch/*directions*.ptx
    # Nobody waits for what a lane stored to private memory.
    count 'fence' 0 0 $work/shortcuts-$arch/*scattered*.ptx
    # What one of two short ways computes in place is chosen at its end alone.
    count 'selp' 0 $([ $arch = gfx90a ] && echo 12 || echo 2) $work/shortcuts-$arch/*chosen*.ptx
    # In waves of 32, loops within branches within loops are the threads' own, though scalars are data, masks and constants in turn.
    # Quotients whose last step stands behind a loop are one operation each; one step of these comes from two ways.
    [ $arch = gfx90a ] || count 'vote' 0 0 $work/shortcuts-$arch/*directions*.ptx
    [ $arch = gfx90a ] || count '7E800000' 0 1 $work/shortcuts-$arch/*directions*.ptx
    # A loop of 64 turns of four bodies each, four turns at once.
    make nbody $arch 256
    count 'rsqrt\.approx' 16 16 $work/nbody-$arch/*ILb0E*.ptx
    # e^x and ln(x) are one function each, known by their constants -105 and 2/3.
    make black_scholes $arch 256
    count '0fC2D20000' 2 30 $work/black_scholes-$arch/*.ptx
    count '[-]1059760811' 2 30 $work/black_scholes-$arch/*.ptx
    # Of e^(-x * x / 2) it is known that the exponent is not positive; the workgroup's size is no argument.
    count '0f4B400020' 1 30 $work/black_scholes-$arch/*.ptx
    count 'ld\.param\.u16' 0 0 $work/black_scholes-$arch/*.ptx
done
# Factors of matrix products that come from LDS: one ldmatrix each, without loads and shuffles, where rows are known to be aligned.
products() { # ARCH PROGRAM INSTRUCTIONS SHUFFLES: at most, for one tile
    make $2 $1 128 # with several waves, which barriers keep apart
    local folder=$work/$2-$1
    count '^\s*ldmatrix\.sync\.aligned\.m8n8\.x4' $3 $3 $folder/*aligned_rows*.ptx
    count '@.* ld\.shared' 0 0 $folder/*aligned_rows*.ptx
    count 'shfl' 1 $4 $folder/*aligned_rows*.ptx
    count 'mma\.sync' 8 64 $folder/*aligned_rows*.ptx
    count '^\s*ldmatrix' 1 $((2 * $3)) $folder/*written_between*.ptx $folder/*one_from_memory*.ptx
    count '^\s*ldmatrix' 0 0 $folder/*odd_rows*.ptx $folder/*other_odd*.ptx $folder/*of_launch*.ptx
}
if [ "$3" = full ]; then
    products gfx90a matrix_lds 16 32
    products gfx942 matrix_lds 16 32
    products gfx1100 matrix_lds 8 9
    products gfx1100 wave64-matrix_lds 8 9
    products gfx1200 matrix_lds 8 9
fi
for arch in $brief; do
    make vadd $arch 16x16
    make scan $arch 128
done
# A loop that ends where a counter wraps, whose turns ptxas counts wrongly; the other loop of the kernel counts down to 0.
make workgroup_mode gfx1030 256
count '\.pragma "nounroll"' 1 1 $work/workgroup_mode-gfx1030/*follow*.ptx
# A flag that another wave of the workgroup sets is loaded in each round, though nothing but the loop says so.
make spinning gfx90a 512
count '^\s*ld\.relaxed\.cta\.global\.b32' 1 1 $work/spinning-gfx90a/*wavesIL3Way0EL5Flags1ELb0E*.ptx
# A flag at one address for all lanes is loaded once for the two lanes of a thread: compilers rely on it that all lanes see one value.
make progress gfx90a 64
count 'ld\.volatile' 1 1 $work/progress-gfx90a/*Z5chain*.ptx
count 'ld\.volatile' 1 1 $work/progress-gfx90a/*chain_of_barriers*.ptx
# Preloaded arguments are parameters like others; the kernel is what stands behind the trap.
make preload gfx90a 64
count 'st\.global' 1 8 $work/preload-gfx90a/*sum*.ptx
count 'ld\.param' 6 12 $work/preload-gfx90a/*sum*.ptx
# Calls, recursion and function pointers; partial workgroups; any shape.
make calls gfx90a 64
"$wavelift" ptx --arch gfx1030 --partial "$programs/vadd-O3" | grep -q 'maxntid 1024' || fail "a kernel for any workgroup"
"$wavelift" ptx --arch gfx90a --sm 60 "$programs/vadd-O3" >"$work/old" 2>&1 && fail "a GPU that is too old"
grep -q 'compute capability 6.0' "$work/old" || fail "no message about a GPU that is too old"
"$wavelift" ptx --arch gfx90a "$programs/unsupported-O3" >"$work/refused" 2>&1 && fail "an unsupported instruction"
grep -q 'offset 0x' "$work/refused" || fail "no message about an unsupported instruction"

[ -n "$ptxas" ] || echo "no ptxas here: the PTX was made and looked at, but not assembled"
echo "$kernels kernels, $failures failures"
[ $failures -eq 0 ]
