# Sourced, behind tests/rocm/root.sh, by the scripts that test packages in a clean system.
# shellcheck shell=sh

fail() { echo "FAIL $(basename "$0"): $*"; exit 1; }

# own_mounts "$@": the script goes on with mounts of its own, which go when it ends.
own_mounts() { [ -n "${OWN_MOUNTS:-}" ] || OWN_MOUNTS=1 exec unshare --mount "$0" "$@"; }

# clean_root BUILD RELEASE NAME: a fresh minimal Debian of that release is mounted at $root, with a program's source in /packages. What is written to it
# goes when the script ends; the original is kept in BUILD/roots.
clean_root() {
    root_tools
    root_make "$1/roots/$2" "$2"
    root=$1/roots/$2-$3
    fresh="lowerdir=$1/roots/$2,upperdir=$root-changes/upper,workdir=$root-changes/work"
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
