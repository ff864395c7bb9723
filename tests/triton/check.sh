#!/bin/sh
# check.sh BUILD [TARGET ...]: installs Triton into BUILD/triton and runs its kernels on the library of that build.
set -eu
build=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- gfx90a gfx942 gfx950 gfx1100 gfx1200 gfx1250
here=$(realpath "$(dirname "$0")")
if [ ! -x "$build/triton/bin/python" ] || ! "$build/triton/bin/python" -c 'import triton, numpy; assert triton.__version__ == "3.9.0"' 2>/dev/null; then
    python3 -m venv "$build/triton"
    "$build/triton/bin/pip" install -q triton==3.9.0 numpy setuptools
fi
status=0
export TRITON_DEFAULT_FP_FUSION=1 AMDGCN_USE_BUFFER_OPS=1
for target; do
    TRITON_HIP_LLD_PATH=$(command -v ld.lld-19 || command -v ld.lld) TRITON_CACHE_DIR=$build/triton/cache \
        LD_LIBRARY_PATH=$build/lib WAVELIFT_CACHE_DIR=$build/cache "$build/triton/bin/python" "$here/kernels.py" "$target" || status=1
done
exit $status
