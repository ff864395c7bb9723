#!/bin/bash
# `wavelift sanitize`: exit statuses, options, JSON, suppressions, processes that end in all ways.
#     command.sh WAVELIFT MEMCHECK CALLS LIBDW: two programs of the catalogue, and a libdw that crashes
set -u
wavelift=$(realpath "$1") memcheck=$(realpath "$2") calls=$(realpath "$3") libdw=$(realpath "$4") failures=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export WAVELIFT_ARCH=gfx90a

# run STATUS WHAT ARGUMENT...: runs the command; stderr is in $folder/err.
run() {
    local wanted=$1 what=$2 got
    shift 2
    "$wavelift" sanitize "$@" >"$folder/out" 2>"$folder/err"
    got=$?
    [ $got -eq "$wanted" ] || fail "$what: status $got instead of $wanted"
}
fail() {
    echo "FAIL: $1"
    sed 's/^/    /' "$folder/err" | head -20
    failures=$((failures + 1))
}
says() { grep -q -- "$1" "$folder/err" || fail "$2: no '$1' on stderr"; }
paragraphs() { grep -c '^wavelift: [a-z]*check: ' "$folder/err"; }
expect() { [ "$1" = "$2" ] || fail "$3: '$1' instead of '$2'"; }
json() { python3 -c "import json, sys; r = json.load(open(sys.argv[1])); print(($2))" "$1"; }

# ---- exit statuses ----
run 0 "no findings" "$memcheck" sound store_behind
says "^wavelift: sanitize: no findings$" "no findings"
run 1 "a finding" "$memcheck" faulty store_behind
LD_LIBRARY_PATH=$(dirname "$libdw")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} run 1 "a libdw that crashes" --tool memcheck --leak-check "$calls" faulty leak
says "allocated by hipMalloc" "a libdw that crashes"
run 42 "a finding, with a status" --error-exitcode 42 -- "$memcheck" faulty store_behind
run 0 "a finding, status 0" --error-exitcode=0 "$memcheck" faulty store_behind
run 98 "the program's status" "$memcheck" neither
run 127 "no program" "$folder/nothing"
run 126 "no program that can run" "$folder"
run 139 "a signal" sh -c 'kill -SEGV $$'
says "ended by signal 11" "a signal"
run 2 "no operand" --json "$folder/x"
run 2 "a tool" --tool memcheck,nothing "$memcheck" sound
run 2 "a number" --max-findings many "$memcheck" sound
run 2 "a status" --error-exitcode 256 "$memcheck" sound
run 1 "one tool" --tool memcheck "$memcheck" faulty store_behind
run 0 "another tool" --tool synccheck "$memcheck" faulty store_behind

# ---- the paragraph ----
run 1 "a paragraph" --tool memcheck "$memcheck" faulty last_lane
expect "$(paragraphs)" 1 "paragraphs"
says "^wavelift: memcheck: out-of-bounds write of 4 bytes at address 0x" "what"
says "in kernel void last_lane<true>(int\*, int), .*/memcheck.hip:[0-9]* (void last_lane<true>(int\*, int)+0x" "where"
says "workgroup (0, 0, 0), work item (63, 0, 0) (wave 0, lane 63)" "who"
says "0 bytes behind the 256 bytes at 0x" "the block"
says "allocated by hipMalloc" "the call"
says "case_last_lane(bool) (.*/memcheck.hip:" "the host's stack"
run 1 "an inlined function" --tool memcheck "$memcheck" faulty atomic_behind
says "^    inlined at .*/memcheck.hip:" "an inlined function"
says "memcheck out-of-bounds-atomic in void atomic_behind<true>" "the summary"
run 1 "freed memory" --tool memcheck "$memcheck" faulty read_freed
says "freed by hipFree" "freed memory"
run 1 "equal findings" --tool memcheck --leak-check "$calls" faulty leak
expect "$(paragraphs)" 1 "equal findings"
says "  3 times memcheck leak" "equal findings"

# ---- options ----
run 1 "three findings" --tool memcheck --max-findings 3 --json "$folder/three" "$memcheck" faulty
expect "$(paragraphs)" 3 "three findings"
says "findings were reported; more are only counted" "three findings"
expect "$(json "$folder/three" 'len(r["findings"]), r["not_shown"] > 10')" "(3, True)" "three findings in JSON"
run 1 "one kernel" --tool memcheck --only-kernel byte_behind "$memcheck" faulty byte_behind short_behind
expect "$(grep -c 'in kernel void byte_behind<true>(char\*, int)' "$folder/err")/$(grep -c 'in kernel' "$folder/err")" 1/1 "one kernel"
run 1 "a pattern of kernels" --tool memcheck --only-kernel '*_freed' --max-findings=9 "$memcheck" faulty read_freed write_freed add_freed short_behind
expect "$(grep -c 'in kernel void [a-z]*_freed<' "$folder/err")/$(grep -c 'in kernel' "$folder/err")" 3/3 "a pattern of kernels"
cd "$folder" || exit 1
run 1 "JSON" --tool memcheck --json relative.json "$memcheck" faulty last_lane
cd - >/dev/null || exit 1
expect "$(json "$folder/relative.json" '[(f["tool"], f["kind"], f["times"], f["bytes"], f["at"]["item"], f["allocation"]["size"]) for f in r["findings"]]')" \
    "[('memcheck', 'out-of-bounds-write', 1, 4, [63, 0, 0], 256)]" "JSON"

# ---- suppressions ----
run 1 "suppressions are made" --tool memcheck --gen-suppressions "$memcheck" faulty
sed -n '/^{/,/^}/p' "$folder/err" >"$folder/all.supp"
run 0 "suppressions are taken" --tool memcheck --suppressions "$folder/all.supp" "$memcheck" faulty
says "no findings; suppressed [0-9]* times" "suppressions are taken"
suppressed() { # STATUS LINES...: of a file with one suppression
    local wanted=$1
    shift
    { echo '# a comment'; echo '{'; printf '  %s\n' "$@"; echo '}'; } >"$folder/one.supp"
    run "$wanted" "suppression $*" --tool memcheck --suppressions "$folder/one.supp" "$memcheck" faulty atomic_behind
}
suppressed 0 'all' '*:*'
suppressed 0 'the kind' 'racecheck,memcheck:out-of-bounds-?tomic'
suppressed 1 'another kind' 'memcheck:out-of-bounds-write'
suppressed 1 'another tool' 'racecheck:*'
suppressed 0 'the kernel' 'memcheck:*' 'kernel:atomic_behind'
suppressed 0 'its symbol' 'memcheck:*' 'kernel:_Z13atomic_behind*'
suppressed 0 'its whole name' 'memcheck:*' 'kernel:void atomic_behind<true>(int\*, int)'
suppressed 1 'another kernel' 'memcheck:*' 'kernel:atomic'
suppressed 0 'the file' 'memcheck:*' 'kernel:atomic*' 'file:*/memcheck.hip'
suppressed 0 'the line' 'memcheck:*' "file:*/memcheck.hip:$(grep -n 'KERNEL atomic_behind' "$(dirname "$0")/memcheck.hip" | cut -d: -f1)"
suppressed 1 'another line' 'memcheck:*' 'file:*/memcheck.hip:1'
suppressed 0 'the call' 'memcheck:*' 'call:hipMalloc'
suppressed 1 'another call' 'memcheck:*' 'call:hipMemcpy*'
suppressed 0 'the stack' 'memcheck:*' 'stack:case_atomic_behind'
suppressed 1 'another stack' 'memcheck:*' 'stack:case_byte_behind'
refused() { # LINE TEXT
    printf '%b' "$2" >"$folder/bad.supp"
    run 2 "a bad file" --suppressions "$folder/bad.supp" "$memcheck" sound
    says "bad.supp:$1: " "a bad file"
}
refused 1 'name\n'
refused 1 '{\n'
refused 2 '{\n}\n'
refused 3 '{\nname\nmemcheck\n}\n'
refused 3 '{\nname\nother:*\n}\n'
refused 4 '{\nname\nmemcheck:*\nline:3\n}\n'
refused 4 '{\nname\n\nmemcheck:*\n'
run 2 "no file" --suppressions "$folder/nothing" "$memcheck" sound
says "nothing cannot be read" "no file"

# ---- processes ----
run 1 "a shell" --json "$folder/many" sh -c "'$memcheck' faulty store_behind; '$memcheck' faulty load_behind; '$memcheck' sound; exit 5"
expect "$(ls "$folder" | grep -c '^many')" 3 "a file for each process"
expect "$(cat "$folder"/many* | grep -c '"kind": "out-of-bounds-')" 2 "the findings of each process"
run 5 "a shell's status" sh -c "'$memcheck' sound store_behind; exit 5"
cat >"$folder/free.py" <<'END'
import ctypes, os, sys
hip = ctypes.CDLL("libamdhip64.so")
memory = ctypes.c_void_p()
assert hip.hipMalloc(ctypes.byref(memory), ctypes.c_size_t(64)) == 0
if os.fork() == 0:
    os._exit(0)
os.wait()
assert all(map(hip.hipFree, [ctypes.c_void_p(memory.value + 8)] * 3))  # from one place: Python's own code changes in loops
if sys.argv[1] == "exit":
    os._exit(3)
if sys.argv[1] == "abort":
    os.abort()
END
run 1 "Python" --leak-check --json "$folder/python" python3 "$folder/free.py" return
says "3 times memcheck invalid-free in hipFree" "Python"
says "times\? *memcheck leak" "Python"
run 1 "an early end" --json "$folder/early" python3 "$folder/free.py" exit
says "1 of 1 processes ended early; 1 findings, 3 times in all" "an early end"
expect "$(json "$folder/early" 'len(r["findings"])')" 1 "an early end in JSON"
run 1 "abort" python3 "$folder/free.py" abort
says "ended by signal 6" "abort"
run 0 "a program without HIP" true
says "the program has not used HIP" "a program without HIP"

# ---- without the command ----
WAVELIFT_SANITIZE=memcheck WAVELIFT_SANITIZE_JSON=$folder/alone "$wavelift" run "$memcheck" faulty store_behind 2>"$folder/err"
expect $? 0 "the program's status"
expect "$(paragraphs)" 1 "the variable alone"
expect "$(json "$folder/alone" 'r["tools"]')" "['memcheck']" "the variable alone"
WAVELIFT_DEVICES=cuda WAVELIFT_SANITIZE=memcheck "$wavelift" run "$memcheck" sound store_behind 2>"$folder/err"
expect $? 99 "a GPU"
says "the sanitizers watch kernels on CPU devices alone" "a GPU"
WAVELIFT_SANITIZE=memcheck WAVELIFT_SANITIZE_RUN=$0 "$wavelift" run "$memcheck" sound store_behind 2>"$folder/err"
expect $? 0 "not a file of a run"
says "is not a file of" "not a file of a run"

[ $failures -eq 0 ] && echo "all as it should be"
exit $((failures > 0))
