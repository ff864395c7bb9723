#!/bin/sh
# run-tests.sh BUILD [JOBS [ARGUMENT...]]: runs the tests of a build folder; further arguments are ctest's. The last line is
# "N passed, N failed[, N skipped]", taken from ctest's own record (test-summary.py), and the exit status says the same.
set -u
build=$1
jobs=${2:-$(nproc)}
[ $# -lt 2 ] || shift
shift

# The tests are the CPU device's, but for those that say otherwise; else a machine with a GPU would test that instead.
WAVELIFT_DEVICES=${WAVELIFT_DEVICES:-cpu}
export WAVELIFT_DEVICES

report=$(cd "$build" && pwd)/ctest.xml
rm -f "$report"
ctest --test-dir "$build" -j "$jobs" --output-on-failure --no-tests=error --output-junit "$report" "$@"
status=$?
"$(dirname "$0")/test-summary.py" "$report" "$build/left-out.txt" || status=1
exit "$status"
