#!/bin/sh
# tarball.sh BUILD: wavelift-VERSION-linux-MACHINE.tar.zst in BUILD/packages, from a build with WAVELIFT_STATIC_LIBRARIES=ON. What is in it can
# lie anywhere and needs nothing of the system but glibc. Device libraries are left out: they are links to the system's.
set -eu
build=$1
name=wavelift-$("$build/bin/wavelift" --version | cut -d' ' -f2)
made=$build/packages
rm -rf "$made"
mkdir -p "$made"
cmake --install "$build" --prefix "$made/$name" --strip >/dev/null
rm -rf "$made/$name/lib/wavelift/device-libs"
cp LICENSE "$made/$name/"
for library in "$made/$name"/lib/*.so* "$made/$name/bin/wavelift"; do
    readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p'
done | sort -u >"$made/needed"
if grep -vE '^(lib(c|m|dl|pthread)\.so\.[0-9]+|ld-linux.*|libamdhip64\.so\.7)$' "$made/needed"; then
    echo "tarball.sh: these libraries are needed of the system" >&2
    exit 1
fi
file=$made/$name-linux-$(uname -m).tar.zst
tar -C "$made" --sort=name --owner=0 --group=0 --numeric-owner -cf - "$name" | zstd -q -T2 "-${LEVEL:-19}" -o "$file"
ls -l "$file"
# Unpacked elsewhere, it runs kernels.
mkdir "$made/elsewhere"
tar -C "$made/elsewhere" --zstd -xf "$file"
rm -rf "${made:?}/$name"
"$made/elsewhere/$name/bin/wavelift" doctor --only=run
rm -rf "$made/elsewhere" "$made/needed"
