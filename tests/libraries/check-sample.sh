#!/bin/sh
# Is every instruction of a library's kernels supported? Looks at one kernel in N, or at all of them (0: the long run). The seed is fresh
# and logged; WAVELIFT_SEED repeats a choice. With more arguments, those go to `wavelift check`: --native makes native code as well.
#     check-sample.sh WAVELIFT LIBRARY N [OPTION...]
set -u
seed=${WAVELIFT_SEED:-$(($(date +%s) % 1000000))}
echo "$2: one kernel in $3, WAVELIFT_SEED=$seed"
wavelift=$1 library=$2 sample=$3
shift 3
exec "$wavelift" check --only-unsupported --sample "$sample" --seed "$seed" "$@" "$library"
