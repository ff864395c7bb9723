#!/bin/sh
# dist.sh BUILD AARCH64 [KEY]: BUILD/dist, all files of a release: the sources as git has them, the packages of BUILD and of AARCH64, the script for CI services, a list of what is linked in
# (SPDX), and SHA256SUMS, signed by gpg with that key if one is named. Made twice of one commit, it has the same bytes.
set -eu
. "$(dirname "$0")/common.sh"
dist=$build/dist
rm -rf "$dist"
mkdir -p "$dist"
name=wavelift-$version
git -c safe.directory='*' -C "$sources" archive --format=tar --prefix="$name/" --mtime="@$SOURCE_DATE_EPOCH" HEAD >"$made/$name.tar" 2>/dev/null ||
    git -c safe.directory='*' -C "$sources" archive --format=tar --prefix="$name/" HEAD >"$made/$name.tar"
zstd -q -19 --rm -f "$made/$name.tar" -o "$dist/$name.tar.zst"
cp "$2"/packages/*.whl "$2"/packages/*-linux-*.tar.zst "$dist/"
cp "$made"/*.deb "$made"/*.rpm "$made"/*.whl "$made"/*-linux-*.tar.zst "$made/tree/share/doc/wavelift/sbom.spdx.json" "$here/../ci/setup.sh" "$dist/"
(cd "$dist" && sha256sum -- * >"$made/sums" && mv "$made/sums" SHA256SUMS)
[ -z "${3:-}" ] || gpg --batch --yes --local-user "$3" --armor --detach-sign --output "$dist/SHA256SUMS.asc" "$dist/SHA256SUMS"
ls -l "$dist"
