#!/bin/sh
# tarball.sh BUILD: wavelift-VERSION-linux-MACHINE.tar.zst. What is in it can lie anywhere and needs nothing of the system but glibc 2.28.
set -eu
. "$(dirname "$0")/common.sh"
name=wavelift-$version
file=$made/$name-linux-$machine.tar.zst
tree
rm -rf "${made:?}/$name"
mv "$tree" "$made/$name"
tar -C "$made" --sort=name --owner=0 --group=0 --numeric-owner -cf - "$name" | zstd -q -f "-${LEVEL:-19}" -o "$file"
mv "$made/$name" "$tree"
size_within "$file" 40
ls -l "$file"
