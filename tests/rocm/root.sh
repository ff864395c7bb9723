# Sourced by scripts that run programs of a newer Debian: makes such a system in a folder, beside the machine's own, and runs programs in it.
# It takes packages from the mirror that the machine's own apt uses. Needs Debian's tools and mmdebstrap, and root.
# shellcheck shell=sh

# root_tools: fails, and says why, on machines on which the functions below cannot work.
root_tools() {
    for tool in dpkg apt-get mmdebstrap unshare chroot; do
        command -v $tool >/dev/null && continue
        case $tool in
        dpkg | apt-get) echo "this test installs packages of Debian and needs a machine with dpkg and apt: there is no $tool" >&2 ;;
        *) echo "missing: $tool (as root: apt-get install mmdebstrap util-linux coreutils)" >&2 ;;
        esac
        return 1
    done
    [ "$(id -u)" = 0 ] || { echo "this test makes a system in a folder with chroot and has to run as root" >&2; return 1; }
}

# root_mirror: prints the address of Debian's archive as the machine's apt has it; needs lists (apt-get update).
root_mirror() {
    mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 'Component: main' | head -n 1)
    [ -n "$mirror" ] || { echo "apt knows no archive of Debian here: none among its sources, or apt-get update was never run" >&2; return 1; }
    echo "$mirror"
}

# root_emulate ARCHITECTURE: this machine runs programs of that architecture of Debian from now on: by qemu-user, as the kernel's binfmt_misc has it.
root_emulate() {
    case $1 in arm64) root_emulator=qemu-aarch64 ;; *) echo "no emulator is known for $1" >&2; return 1 ;; esac
    mountpoint -q /proc/sys/fs/binfmt_misc || mount -t binfmt_misc none /proc/sys/fs/binfmt_misc || return 1
    [ ! -e "/proc/sys/fs/binfmt_misc/$root_emulator" ] || return 0
    [ -e "/usr/lib/binfmt.d/$root_emulator.conf" ] || { echo "missing: $root_emulator (as root: apt-get install qemu-user-static)" >&2; return 1; }
    cat "/usr/lib/binfmt.d/$root_emulator.conf" >/proc/sys/fs/binfmt_misc/register
}

# root_make ROOT RELEASE [ARCHITECTURE]: makes ROOT a minimal system of that release if it is none yet. experimental is sid with packages of experimental
# beside. The architecture is this machine's, or one that is emulated.
root_make() {
    root_architecture=${3:-$(dpkg --print-architecture)}
    [ "$root_architecture" = "$(dpkg --print-architecture)" ] || root_emulate "$root_architecture" || return 1
    [ ! -e "$1/made" ] || return 0
    root_source=$(root_mirror) || return 1
    case $2 in experimental) root_base=sid ;; *) root_base=$2 ;; esac
    echo "making a system of Debian $2 in $1" >&2
    rm -rf "$1"
    mkdir -p "$(dirname "$1")" # mmdebstrap makes one folder, not those above it
    mmdebstrap --quiet --mode=root --variant=apt "--architectures=$root_architecture" --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='APT::Install-Recommends "false"' \
        "$root_base" "$1" "$root_source" || return 1
    [ "$2" = "$root_base" ] || echo "deb $root_source $2 main" >>"$1/etc/apt/sources.list"
    root_inside "$1" apt-get -qq update || return 1
    touch "$1/made"
}

# root_install ROOT RELEASE PACKAGE...: installs those that are missing there, and what they need, of that release.
root_install() {
    root_folder=$1 root_release=$2 root_missing=
    shift 2
    for package; do
        root_inside "$root_folder" dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' ||
            root_missing="$root_missing $package"
    done
    [ -n "$root_missing" ] || return 0
    echo "installing in $root_folder:$root_missing" >&2
    # shellcheck disable=SC2086 # a list of words
    root_inside "$root_folder" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -t "$root_release" $root_missing >"$root_folder/install.log" 2>&1 ||
        { cat "$root_folder/install.log" >&2; return 1; }
    root_inside "$root_folder" apt-get clean
}

# root_wavelift ROOT BUILD: puts the library of that build into ROOT/wavelift/lib, with what it needs and a release may lack.
root_wavelift() {
    mkdir -p "$1/wavelift/lib"
    cp -a --remove-destination "$2"/lib/lib*.so* "$1/wavelift/lib/" # not into files that a running program has open
    cp -L --remove-destination "$(ldconfig -p | sed -n "s/.*libxxhash.so.0.* => //p" | head -n 1)" "$1/wavelift/lib/"
}

# root_inside ROOT COMMAND...: runs it in ROOT. Compilers look for their own files by /proc, tests at devices in /sys, and tests open terminals; the
# mounts are this process's.
root_inside() {
    unshare --mount sh -c 'for folder in proc sys dev/pts; do mount --bind "/$folder" "$0/$folder"; done; exec chroot "$0" "$@"' "$@"
}
