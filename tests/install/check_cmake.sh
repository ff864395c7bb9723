#!/bin/sh
# check_cmake.sh BUILD EXAMPLES VERSION...: find_package(hip) and enable_language(HIP) with other versions of CMake, from PyPI, in a folder of
# BUILD.
set -eu
build=$(realpath "$1")
examples=$(realpath "$2")
shift 2
here=$(dirname "$0")
for version; do
    place=$build/cmake-$version
    [ -x "$place/bin/cmake" ] || { python3 -m venv "$place" && "$place/bin/pip" install -q "cmake==$version"; }
    CMAKE=$place/bin/cmake "$here/compile.sh" "$build" "$examples"
    CMAKE=$place/bin/cmake "$here/install.sh" "$build" "$examples" "$build/programs/module-O3.co"
    echo "CMake $version: passed"
done
