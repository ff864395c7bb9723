#!/bin/sh
# Makes a folder with Debian's arm64 packages of tools/aarch64-packages.txt and all that they need, unpacked:
#   tools/aarch64-sysroot.sh DESTINATION
# The system's own package database stays as it is: apt works on lists and a status file of its own, with the system's
# sources and keys, and needs no rights. Does nothing when the folder was made from the same list before.
set -eu

list=$(dirname "$0")/aarch64-packages.txt
mkdir -p "$1"
root=$(cd "$1" && pwd)
! cmp -s "$list" "$root/made-from" || exit 0

state=$root/var/apt
rm -rf "$root/usr" "$root/lib" "$root/made-from"
mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$root/usr/lib"
: >"$state/status"
apt() {
    apt-get -q -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State="$state" -o Dir::State::status="$state/status" \
        -o Dir::Cache="$state/cache" -o APT::Sandbox::User= -o APT::Install-Recommends=false "$@"
}
echo "fetching arm64 packages into $root"
apt update >"$state/log" 2>&1 || { cat "$state/log" >&2; exit 1; }
# shellcheck disable=SC2046 # a list of words
apt install -y --download-only $(sed 's/#.*//' "$list") >"$state/log" 2>&1 || { cat "$state/log" >&2; exit 1; }
ln -s usr/lib "$root/lib" # as on a system whose /lib is a link
for package in "$state"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -C "$root" -x --keep-directory-symlink --no-same-owner \
        ./usr/include ./usr/lib ./usr/share/hip ./lib 2>/dev/null || true # not every package has all four
done
rm -rf "$state/cache" "$state/lists"
# Links with absolute targets lead into the folder.
find "$root/usr" -type l | while read -r link; do
    target=$(readlink "$link")
    case $target in /*) ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$root$target")" "$link" ;; esac
done
# So do the names of libraries in LLVM's CMake files.
find -L "$root/usr/lib/llvm-19/lib/cmake" -name '*.cmake' -exec sed -i "s#\([\";]\)/usr/lib/aarch64#\1$root/usr/lib/aarch64#g" {} +
[ -e "$root/usr/lib/aarch64-linux-gnu/libc.so.6" ] || { echo "no C library among the packages" >&2; exit 1; }
cp "$list" "$root/made-from"
