#!/bin/sh
# Puts the tables of the last run of `make bench` into docs/PERFORMANCE.md and README.md, and draws docs/performance.svg from them:
# tools/paste-figures.sh [BUILD]
set -e
build=$(cd "${1:-build}" && pwd)
cd "$(dirname "$0")/.."

# paste TABLE DOCUMENT: between the lines "<!-- figures: begin" and "<!-- figures: end"
paste() {
    [ -s "$1" ] || { echo "paste-figures: $1 is missing: run make bench" >&2; exit 1; }
    awk -v table="$1" '
        /^<!-- figures: end/ { skip = 0 }
        !skip { print }
        /^<!-- figures: begin/ { skip = 1; while ((getline line < table) > 0) print line }
    ' "$2" >"$2.new"
    mv "$2.new" "$2"
}

paste "$build/bench/figures.md" docs/PERFORMANCE.md
paste "$build/bench/summary.md" README.md
bench/plot.py docs/PERFORMANCE.md docs/performance.svg --date "$(date -u -r "$build/bench/figures.md" +%Y-%m-%d)"
