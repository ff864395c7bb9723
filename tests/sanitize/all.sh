#!/bin/sh
# all.sh BUILD JOBS: the whole catalogue of faults, as its programs were built; a line for each program.
set -u
build=$1 jobs=$2 here=$(dirname "$0") failed=0
WAVELIFT_CACHE_DIR=$(cd "$build" && pwd)/cache
export WAVELIFT_CACHE_DIR WAVELIFT_DEVICES=cpu
for program in "$build"/programs/sanitize/*-O?; do
    name=$(basename "$program")
    case $name in
    images-hipcc-*) archs=gfx906,gfx1030,gfx1100 ;;
    images-*) archs=gfx906,gfx1030,gfx1100,gfx1200 ;;
    race_graphs-clang-*) archs=gfx90a,gfx942,gfx1030,gfx1100,gfx1200 ;;
    *-hipcc-*) archs=gfx90a,gfx1030,gfx1100 ;;
    *) archs=gfx90a,gfx1030,gfx1100,gfx1200 ;;
    esac
    "$here/check.py" "$build/bin/wavelift" "$here/${name%-*-O?}.hip" "$program" --archs "$archs" --jobs "$jobs" || failed=1
done
"$here/check.py" "$build/bin/wavelift" "$here/assembly.S" "$build/programs/sanitize/assembly" --archs gfx90a,gfx906,gfx1100,gfx1201 --jobs "$jobs" ||
    failed=1
exit $failed
