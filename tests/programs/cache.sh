#!/bin/sh
# The native-code cache through a real program (with WAVELIFT_TIER=2: native code is made at once):
#     cache.sh PROGRAM MAPS_LIBRARY [ARGUMENTS]
# The second run opens no LLVM; fifty processes share an empty cache; damaged entries are noticed and rebuilt; a cache that
# cannot be used does no harm; the size is bounded; two builds of Wavelift share a folder and no entries.
set -u
program=$1
maps=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAIL cache: $*"; failed=1; }

# run NAME [VARIABLE=value ...]: runs the program with the folder $work/NAME as its cache; prints "llvm" or "clean"
run() {
    folder=$1
    shift
    env "$@" WAVELIFT_CACHE_DIR="$work/$folder" MAPS_OUT="$work/maps" LD_PRELOAD="$maps${LD_PRELOAD:+:$LD_PRELOAD}" "$program" $arguments >"$work/output" 2>&1 ||
        { echo "failed: $(tail -3 "$work/output")"; return; }
    cat "$work/maps"
}
arguments=$*

first=$(run a)
[ "$first" = llvm ] || fail "first run: $first"
second=$(run a)
[ "$second" = clean ] || fail "second run: $second"
files=$(find "$work/a" -type f | wc -l)
[ "$files" -gt 0 ] || fail "no files in the cache"

# Another build of Wavelift beside this one: neither reads what the other has written.
folder=${LD_LIBRARY_PATH%%:*}
mkdir "$work/other"
cp -L "$folder"/libamdhip64.so.[567] "$folder"/libwavelift-*.so "$work/other/"
note=$(LC_ALL=C readelf -SW "$work/other/libwavelift-translate.so" | sed -n 's/.*\.note\.gnu\.build-id *NOTE *[0-9a-f]* *\([0-9a-f]*\).*/\1/p')
[ -n "$note" ] || fail "the translator has no build id"
printf 'other' | dd of="$work/other/libwavelift-translate.so" bs=1 seek=$((0x$note + 16)) conv=notrunc 2>/dev/null # behind the note's head
other() { run a LD_LIBRARY_PATH="$work/other:$LD_LIBRARY_PATH"; }
[ "$(other)" = llvm ] || fail "another build reads the cache of this one: $(other)"
[ "$(other)" = clean ] || fail "another build does not find its own entries: $(other)"
[ "$(run a)" = clean ] || fail "this build does not find its entries beside those of another"
[ "$(find "$work/a" -type f | wc -l)" = $((2 * files)) ] || fail "the two builds do not have as many entries as each other"

# Threaded code runs first; native code is made in the background, and at the end of the process as far as it takes no long time:
# some process later all of it is there.
i=0
until [ "$(run c WAVELIFT_TIER=0)" = clean ] || [ $i = 20 ]; do
    i=$((i + 1))
done
[ $i -lt 20 ] || fail "the cache is never complete"

# Fifty at once on an empty cache.
i=0
while [ $i -lt 50 ]; do
    (WAVELIFT_CACHE_DIR="$work/b" WAVELIFT_THREADS=1 "$program" $arguments >"$work/out.$i" 2>&1; echo $? >"$work/status.$i") &
    i=$((i + 1))
done
wait
i=0
while [ $i -lt 50 ]; do
    [ "$(cat "$work/status.$i")" = 0 ] || fail "process $i of fifty: $(cat "$work/out.$i")"
    i=$((i + 1))
done
[ "$(run b)" = clean ] || fail "after fifty processes the cache is not complete"
left=$(find "$work/b" -name '*tmp*' | wc -l)
[ "$left" = 0 ] || fail "$left temporary files are left"

# Damage of every kind, to every entry.
damage() {
    for file in $(find "$work/a" -type f); do
        size=$(stat -c %s "$file")
        case $1 in
        truncate) truncate -s $((size / 2)) "$file" ;;
        empty) : >"$file" ;;
        flip) printf '\377\000\377' | dd of="$file" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null ;;
        tail) printf '\125' | dd of="$file" bs=1 seek=$((size - 1)) conv=notrunc 2>/dev/null ;;
        text) echo "not an object" >"$file" ;;
        esac
    done
}
for kind in truncate empty flip text; do
    damage $kind
    [ "$(run a)" = llvm ] || fail "$kind: the damaged entries were used or the run failed"
    [ "$(run a)" = clean ] || fail "$kind: not rebuilt"
done

# Unusable folders, and no cache at all.
: >"$work/file"
[ "$(run file)" = llvm ] || fail "a file in the place of the folder: $(run file)"
[ "$(run none WAVELIFT_CACHE_SIZE=0)" = llvm ] || fail "WAVELIFT_CACHE_SIZE=0"
[ ! -e "$work/none" ] || [ "$(find "$work/none" -type f | wc -l)" = 0 ] || fail "WAVELIFT_CACHE_SIZE=0 leaves files"

# The bound.
[ "$(run small WAVELIFT_CACHE_SIZE=4K)" = llvm ] || fail "small cache"
[ "$(run small WAVELIFT_CACHE_SIZE=4K)" != "" ] || fail "small cache, again"
used=$(find "$work/small" -type f -printf '%s\n' 2>/dev/null | awk '{s += $1} END {print s + 0}')
[ "$used" -le 65536 ] || fail "a cache of 4K holds $used bytes"

[ $failed = 0 ] && echo "PASS cache"
exit $failed
