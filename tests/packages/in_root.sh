# Sourced by the scripts that test packages in a clean system. Each is called with a build folder and a release of Debian; $build, $release, $here,
# $sources and $architecture, the packages', are set. The script goes on with mounts of its own, which go when it ends.
# shellcheck shell=sh disable=SC2034
[ -n "${OWN_MOUNTS:-}" ] || OWN_MOUNTS=1 exec unshare --mount "$0" "$@"
build=$(realpath "$1")
release=$2
here=$(realpath "$(dirname "$0")")
sources=$(realpath "$here/../..")
case $(LC_ALL=C readelf -h "$build/packages/tree/bin/wavelift") in *AArch64*) architecture=arm64 ;; *) architecture=amd64 ;; esac
# shellcheck source=../rocm/root.sh
. "$here/../rocm/root.sh"

fail() { echo "FAIL $(basename "$0"): $*"; exit 1; }

# clean_root NAME: a fresh minimal Debian of that release is mounted at $root, with a program's source in /packages. What is written to it goes when the
# script ends; the original is kept in BUILD/roots.
clean_root() {
    root_tools
    root_make "$build/roots/$release" "$release" "$architecture"
    root=$build/roots/$release-$1
    fresh="lowerdir=$build/roots/$release,upperdir=$root-changes/upper,workdir=$root-changes/work"
    rm -rf "$root"
    mkdir -p "$root"
    trap 'umount "$root" && rm -rf "$root" "$root-changes"' EXIT
    mount_fresh
}

# mount_fresh: that system without changes; one that is mounted already goes.
mount_fresh() {
    ! mountpoint -q "$root" || umount "$root"
    rm -rf "$root-changes"
    mkdir -p "$root-changes/upper" "$root-changes/work"
    mount -t overlay overlay -o "$fresh" "$root"
    mkdir "$root/packages"
    cp "$here/../install/memory.hip" "$root/packages/"
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/fast" # it need not survive a loss of power
}

# inside COMMAND...: in that system, with an environment of its own
inside() { root_inside "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 PIP_ROOT_USER_ACTION=ignore "$@"; }

# quietly COMMAND...: what it prints is shown if it fails
quietly() { "$@" >"$root/log" 2>&1 || { cat "$root/log"; fail "$*"; }; }
