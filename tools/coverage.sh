#!/bin/sh
# coverage.sh BUILD: which lines of src/ the tests of a build with --coverage ran, as a table: all, and each folder. Counters are
# those of all runs since the build, or since the last `coverage.sh --reset BUILD`.
set -eu
if [ "$1" = --reset ]; then
    find "$2" -name '*.gcda' -delete
    exit 0
fi
build=$(cd "$1" && pwd)
source=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
jobs=$(nproc)
gcovr -j "$jobs" -r "$source" -f "$source/src/" --gcov-ignore-parse-errors --json-summary "$build/coverage.json" "$build" >/dev/null
python3 - "$build/coverage.json" <<'END'
import collections, json, sys

lines, run = collections.Counter(), collections.Counter()
for file in json.load(open(sys.argv[1]))["files"]:
    parts = file["filename"].split("/")
    if parts[0] != "src":  # generated
        continue
    folder = "/".join(parts[:3 if parts[1] == "translate" and len(parts) > 3 else 2])
    for key in ("src", folder):
        lines[key] += file["line_total"]
        run[key] += file["line_covered"]
for key in sorted(lines):
    print(f"{key:28} {run[key]:6} of {lines[key]:6} lines  {100 * run[key] / max(lines[key], 1):5.1f} %")
END
