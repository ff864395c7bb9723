#!/bin/sh
# `wavelift doctor` where nothing is wrong, and with each problem made on purpose: doctor.sh BUILD
set -eu
build=$1
doctor="$build/bin/wavelift doctor"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH WAVELIFT_ARCH WAVELIFT_TIER HIP_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES CUDA_VISIBLE_DEVICES
export WAVELIFT_CACHE_DIR="$work/cache" WAVELIFT_DEVICES=cpu

# expect STATUS TEXT COMMAND...: the report has a line with this, and the command this exit status
expect() {
    status=0
    text=$2
    wanted=$1
    shift 2
    "$@" >"$work/log" 2>&1 || status=$?
    [ $status = "$wanted" ] && grep -q -- "$text" "$work/log" && return
    cat "$work/log"
    echo "FAIL doctor: status $status, or no \"$text\": $*"
    exit 1
}
# problem TEXT COMMAND...: that is found, with a remedy behind it
problem() {
    expect 1 "$@"
    grep -A1 "^PROBLEM .*$1" "$work/log" | grep -q "remedy: ." || { cat "$work/log"; echo "FAIL doctor: no remedy for $1"; exit 1; }
}

expect 0 "^no problems" $doctor
for line in "ok  *run: self-test  *a kernel runs in threaded code" "ok  *run: self-test  *a kernel runs in native code" \
    "ok  *run: cache  *$work/cache" "ok  *compile: program"; do
    grep -q "$line" "$work/log" || { cat "$work/log"; echo "FAIL doctor: no \"$line\""; exit 1; }
done
expect 2 "run or compile" $doctor --only=all

run="$doctor --only=run"
expect 0 "ok .*libamdhip64.so.5 is Wavelift's" env LD_LIBRARY_PATH="$build/lib" $run
problem "cannot be made: Not a directory" env WAVELIFT_CACHE_DIR=/dev/null/cache $run
mkdir -m 777 "$work/open"
problem "others can write" env WAVELIFT_CACHE_DIR="$work/open" $run
problem "programs see no device" env HIP_VISIBLE_DEVICES= $run
problem "the driver is there, and no GPU can be used" env WAVELIFT_DEVICES=cuda,cpu WAVELIFT_CUDA_LIBRARY=libm.so.6 $run
expect 0 "NVIDIA GPUs  *none: no CUDA driver" env WAVELIFT_DEVICES=cuda,cpu WAVELIFT_CUDA_LIBRARY=libnone.so $run
problem "address space is limited to 1.9 GiB" sh -c "ulimit -v 2000000; $run"
grep -q "PROBLEM .*self-test" "$work/log" || { cat "$work/log"; echo "FAIL doctor: a kernel runs without address space"; exit 1; }

# An installation without the translator.
mkdir -p "$work/part/bin" "$work/part/lib"
cp "$build/bin/wavelift" "$work/part/bin"
cp "$build/lib/libamdhip64.so.7" "$build/lib/libwavelift-threaded.so" "$work/part/lib"
problem "no native code" "$work/part/bin/wavelift" doctor --only=run
grep -q "ok .*a kernel runs in threaded code" "$work/log" || { cat "$work/log"; echo "FAIL doctor: threaded code needs the translator"; exit 1; }
grep -q "PROBLEM .*a kernel in native code" "$work/log" || { cat "$work/log"; echo "FAIL doctor: native code without a translator"; exit 1; }

compile="$doctor --only=compile"
problem "no clang++ from 17 to 22" env PATH="$build/bin" $compile
mkdir "$work/compiler"
printf '#!/bin/sh\necho "${VERSION:-19}.1.0"\n' >"$work/compiler/clang++"
chmod +x "$work/compiler/clang++"
problem "is of version 14" env VERSION=14 HIP_CLANG_PATH="$work/compiler" $compile
ln -s /bin/sh /bin/echo "$work/compiler"
problem "ld.lld, which" env PATH="$work/compiler" WAVELIFT_CLANG="$work/compiler/clang++" $compile
ln -s /bin/true "$work/compiler/ld.lld"
ln -s /bin/true "$work/compiler/clang-offload-bundler"
cat >"$work/compiler/clang++" <<'END'
#!/bin/sh
[ "$1" != -dumpversion ] || { echo 19; exit; }
echo "ocml.bc: Unknown attribute (Producer: 'LLVM21.1.8')" >&2
exit 1
END
problem "they are of LLVM 21" env WAVELIFT_CLANG="$work/compiler/clang++" $compile
problem "hipcc fails" env HIPCC_COMPILE_FLAGS_APPEND=--no-such-option $compile
problem "they are not complete" env HIP_DEVICE_LIB_PATH="$work" $compile
problem "cannot be made: No such file" env TMPDIR="$work/none" $compile
echo "PASS doctor"
