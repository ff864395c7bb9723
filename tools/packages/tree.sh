#!/bin/sh
# tree.sh BUILD: BUILD/packages/tree, of which the other scripts make packages: the installed folder, with the licences of what is linked into it. Fails if it
# needs anything of the system but glibc 2.28.
set -eu
. "$(dirname "$0")/common.sh"
rm -rf "$tree"
cmake --install "$build" --prefix "$tree" >/dev/null
rm -rf "$tree/lib/wavelift/device-libs" # links to this system's
CC=$(sed -n 's/^set(CMAKE_C_COMPILER "\(.*\)")/\1/p' "$build"/CMakeFiles/*/CMakeCCompiler.cmake) "$here/forward.sh" "$tree/lib"
strip=$(sed -n 's/^CMAKE_STRIP:[A-Z]*=//p' "$build/CMakeCache.txt")
find "$tree" -type f | while read -r file; do
    case $(head -c 4 "$file" | tr -d '\0') in ?ELF) "$strip" "$file" ;; esac
done
mkdir -p "$tree/share/doc/wavelift"
cp "$sources/LICENSE" "$sources/CHANGELOG.md" "$sources/README.md" "$tree/share/doc/wavelift/"
"$here/third-party.sh" "$build" "$version" "$tree/share/doc/wavelift"

# What its programs and libraries need: no library of the system but glibc's, and those of its own; and which version of glibc.
own=$(cd "$tree/lib" && echo lib*.so.*)
find "$tree" -type f \( -name '*.so' -o -name '*.so.*[0-9]' -o -path '*/bin/*' \) -exec readelf -d -V {} + >"$made/needs"
for library in $(sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' "$made/needs" | sort -u); do
    case $library in lib[cm].so.* | libdl.so.* | libpthread.so.* | ld-linux*) continue ;; esac
    case " $own " in *" $library "*) ;; *) echo "packages: $library is needed of the system" >&2; exit 1 ;; esac
done
newest=$(grep -oE 'GLIBC_(ABI_[A-Z_]*|[0-9.]+)' "$made/needs" | sed 's/GLIBC_//' | sort -Vu | tail -n 1)
rm "$made/needs"
[ "$(printf '%s\n2.28\n' "$newest" | sort -V | tail -n 1)" = 2.28 ] || { echo "packages: glibc $newest is needed, not 2.28" >&2; exit 1; }
find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
