#!/bin/sh
# newer.sh VERSION TEST: runs the test of run-time compilation with that version of clang, if it is installed; it comes with HIP headers and
# device libraries of its own time, or uses those of this machine.
if ! command -v "clang++-$1" >/dev/null; then
    echo "skipped: clang++-$1 is not installed; tests/hiprtc/check-clang.sh runs this test with one in a folder of its own"
    exit 77
fi
if ! "$("clang++-$1" -print-prog-name=ld.lld)" --version 2>/dev/null | grep -q "LLD $1\."; then
    echo "skipped: clang++-$1 is installed without its linker (lld-$1)"
    exit 77
fi
WAVELIFT_CLANG=clang++-$1 exec "$2"
