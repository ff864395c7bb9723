#!/bin/sh
# Is every instruction of a library's kernels supported? Looks at one kernel in N, or at all of them (0: the long run). The seed is fresh
# and logged; WAVELIFT_SEED repeats a choice.
#     check-sample.sh WAVELIFT LIBRARY N
set -u
seed=${WAVELIFT_SEED:-$(($(date +%s) % 1000000))}
echo "$2: one kernel in $3, WAVELIFT_SEED=$seed"
exec "$1" check --only-unsupported --sample "$3" --seed "$seed" "$2"
