#!/bin/sh
# wheel.sh BUILD: the Python package, wavelift-VERSION-py3-none-manylinux_2_28_MACHINE.whl: the runtime, `wavelift`, headers for `wavelift hipcc`.
set -eu
. "$(dirname "$0")/common.sh"
WAVELIFT_VERSION=$version python3 "$here/wheel.py" "$build" "$machine"
size_within "$made/wavelift-$version-py3-none-manylinux_2_28_$machine.whl" 40
ls -l "$made/wavelift-$version-py3-none-manylinux_2_28_$machine.whl"
