#!/bin/sh
# Puts the tables of the last run of `make bench` into docs/PERFORMANCE.md: tools/paste-figures.sh [BUILD]
set -e
cd "$(dirname "$0")/.."
figures=${1:-build}/bench/figures.md
document=docs/PERFORMANCE.md
[ -s "$figures" ] || { echo "paste-figures: $figures is missing: run make bench" >&2; exit 1; }
awk -v figures="$figures" '
    /^<!-- figures: end/ { skip = 0 }
    !skip { print }
    /^<!-- figures: begin/ { skip = 1; while ((getline line < figures) > 0) print line }
' "$document" >"$document.new"
mv "$document.new" "$document"
