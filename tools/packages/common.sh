# Sourced by the scripts that make packages. Each is called with a build folder (WAVELIFT_STATIC_LIBRARIES=ON) and leaves its packages in
# BUILD/packages. The same build gives the same bytes: times are those of SOURCE_DATE_EPOCH, else of the last commit, and owners are numbers.
# shellcheck shell=sh disable=SC2034
here=$(realpath "$(dirname "$0")")
sources=$(realpath "$here/../..")
build=$(realpath "$1")
made=$build/packages
mkdir -p "$made"
exec 9>"$made/lock"
flock 9 # these scripts share BUILD/packages/tree
version=$("$build/bin/wavelift" --version | cut -d' ' -f2)
machine=$(readelf -h "$build/bin/wavelift" | sed -n 's/.*Machine: *//p' | sed 's/.*X86-64/x86_64/;s/AArch64/aarch64/')
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -c safe.directory='*' -C "$sources" log -1 --format=%ct 2>/dev/null || stat -c %Y "$sources/CHANGELOG.md")}
export SOURCE_DATE_EPOCH
export LC_ALL=C TZ=UTC
umask 022

# The parts that packages are made of, as lists of names relative to the installed folder.
part_runtime() { (cd "$1" && find lib -maxdepth 1 -name 'lib*.so.*' && echo lib/libwavelift-threaded.so && find share/doc); }
part_native() { echo lib/libwavelift-translate.so; }
part_dev() { (cd "$1" && find include sbin lib/cmake lib/pkgconfig share/hip ! -type d && find lib -maxdepth 1 -name '*.so' -type l); }
part_tools() { (cd "$1" && find bin lib/wavelift share/man ! -type d && echo lib/libwavelift-topology.so); }

# tree: makes BUILD/packages/tree, the installed folder with the licences of what is linked into it; and fails if it needs anything of the
# system but glibc 2.28.
tree() {
    tree=$made/tree
    rm -rf "$tree"
    cmake --install "$build" --prefix "$tree" >/dev/null
    rm -rf "$tree/lib/wavelift/device-libs" # links to this system's
    "$here/forward.sh" "$tree/lib"
    find "$tree" -type f | while read -r file; do
        case $(head -c 4 "$file" | tr -d '\0') in ?ELF) "${STRIP:-strip}" "$file" ;; esac
    done
    mkdir -p "$tree/share/doc/wavelift"
    cp "$sources/LICENSE" "$sources/CHANGELOG.md" "$sources/README.md" "$tree/share/doc/wavelift/"
    "$here/third-party.sh" "$build" "$tree/share/doc/wavelift"
    check_needs "$tree"
    find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}

# check_needs FOLDER: which libraries, and which versions of glibc, its programs and libraries need.
check_needs() {
    find "$1" -type f \( -name '*.so*' -o -path '*/bin/*' \) -exec readelf -d -V {} + >"$made/needs"
    if sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' "$made/needs" | sort -u | grep -vE '^(lib(c|m|dl|pthread)\.so\.[0-9]+|ld-linux.*|lib(amdhip64|hiprtc)\.so\.7)$'; then
        echo "packages: these libraries are needed of the system" >&2
        return 1
    fi
    newest=$(grep -oE 'GLIBC_(ABI_[A-Z_]*|[0-9.]+)' "$made/needs" | sed 's/GLIBC_//' | sort -Vu | tail -n 1)
    rm "$made/needs"
    [ "$(printf '%s\n2.28\n' "$newest" | sort -V | tail -n 1)" = 2.28 ] || { echo "packages: glibc $newest is needed, not 2.28" >&2; return 1; }
}

# size_within FILE MIB: a package keeps to its bound.
size_within() {
    [ "$(stat -c %s "$1")" -le $(($2 * 1048576)) ] || { echo "packages: $1 is larger than $2 MiB" >&2; return 1; }
}
