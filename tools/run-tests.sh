#!/bin/sh
# Runs the tests of a build folder and ends with one line "N passed, N failed[, N skipped]", taken from ctest's own
# record. The exit status says the same. Further arguments are ctest's.
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
if [ ! -s "$report" ]; then
    echo "0 passed, 1 failed"
    exit 1
fi
count() { grep -o "<testcase [^>]*status=\"$1\"" "$report" | wc -l; }
passed=$(count run)
failed=$(count fail)
skipped=$(($(count notrun) + $(count disabled)))
[ "$failed" -gt 0 ] && status=1
[ "$status" -ne 0 ] && [ "$failed" -eq 0 ] && failed=1
line="$passed passed, $failed failed"
[ "$skipped" -gt 0 ] && line="$line, $skipped skipped"
echo "$line"
exit "$status"
