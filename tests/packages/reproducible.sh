#!/bin/sh
# reproducible.sh BUILD: builds the packages of BUILD's sources again, in another folder under another name, with nothing of the first build, and compares all
# files of a release: as long as `make dist`.
set -eu
build=$(realpath "$1")
sources=$(realpath "$(dirname "$0")/../..")
other="$build/again/of another length"
rm -rf "$build/again"
mkdir -p "$other"
git -c safe.directory='*' clone -q "$sources" "$other/wavelift"
cd "$other/wavelift"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH CCACHE_DISABLE=1
cmake -G Ninja -S . -B build-packages -DWAVELIFT_STATIC_LIBRARIES=ON -DWAVELIFT_TESTS=OFF >/dev/null
cmake --build build-packages --target installable >/dev/null
for kind in tree tarball wheel deb rpm; do tools/packages/$kind.sh build-packages >/dev/null; done
tools/packages/aarch64.sh build-packages-aarch64 >/dev/null
tools/packages/dist.sh build-packages build-packages-aarch64 >/dev/null
if diff "$build/dist/SHA256SUMS" build-packages/dist/SHA256SUMS; then
    echo "PASS reproducible: $(wc -l <"$build/dist/SHA256SUMS") files"
else
    echo "FAIL reproducible: files differ"
    exit 1
fi
