# Sourced by the scripts that make packages. Each is called with a build folder (WAVELIFT_STATIC_LIBRARIES=ON), takes BUILD/packages/tree, which tree.sh
# made, and leaves its packages in BUILD/packages. The same build gives the same bytes: times are those of SOURCE_DATE_EPOCH, else of the last commit,
# and owners are numbers.
# shellcheck shell=sh disable=SC2034
here=$(realpath "$(dirname "$0")")
sources=$(realpath "$here/../..")
build=$(realpath "$1")
made=$build/packages
mkdir -p "$made"
exec 9>"$made/lock"
flock 9 # these scripts share BUILD/packages/tree
tree=$made/tree
[ -d "$tree" ] || [ "$(basename "$0")" = tree.sh ] || { echo "packages: there is no $tree, which $here/tree.sh makes" >&2; exit 1; }
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt") # a build for another machine cannot be asked
machine=$(readelf -h "$build/bin/wavelift" | sed -n 's/.*Machine: *//p' | sed 's/.*X86-64/x86_64/;s/AArch64/aarch64/')
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -c safe.directory='*' -C "$sources" log -1 --format=%ct 2>/dev/null || stat -c %Y "$sources/CHANGELOG.md")}
export SOURCE_DATE_EPOCH
export LC_ALL=C TZ=UTC
umask 022

# The parts that packages are made of, as lists of names relative to the installed folder. A library's name ends in a digit; gdb's script beside it does not.
part_runtime() { (cd "$1" && find lib -maxdepth 1 -name 'lib*.so.*[0-9]' && echo lib/libwavelift-threaded.so && find lib/compat ! -type d && find share/doc); }
part_native() { echo lib/libwavelift-translate.so; }
part_dev() { (cd "$1" && find include sbin lib/cmake lib/pkgconfig share/hip ! -type d && find lib -maxdepth 1 -name '*.so' -type l); }
part_tools() { (cd "$1" && find bin lib/wavelift share/man ! -type d && find lib -maxdepth 1 -name '*-gdb.py' && echo lib/libwavelift-topology.so); }

# size_within FILE MIB: a package keeps to its bound.
size_within() {
    [ "$(stat -c %s "$1")" -le $(($2 * 1048576)) ] || { echo "packages: $1 is larger than $2 MiB" >&2; return 1; }
}
