#!/bin/sh
# tarball.sh BUILD: wavelift-VERSION-linux-MACHINE.tar.zst. What is in it can lie anywhere and needs nothing of the system but glibc 2.28.
set -eu
. "$(dirname "$0")/common.sh"
name=wavelift-$version
file=$made/$name-linux-$machine.tar.zst
tar -C "$made" --transform "s|^tree|$name|" --sort=name --owner=0 --group=0 --numeric-owner -cf - tree | zstd -q -f "-${LEVEL:-19}" -o "$file"
size_within "$file" 40
ls -l "$file"
