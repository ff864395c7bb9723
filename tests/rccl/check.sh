#!/bin/sh
# check.sh BUILD [RELEASE [TARGET]]: installs a release of Debian (default: trixie, with RCCL 5.4; experimental has 7.2) with RCCL into BUILD/rccl, some 5 GB, compiles
# this folder's programs there, and runs them on the libraries of that build: over 2, 4 and 8 devices of a process, and of a process each; several communicators, graphs, an abort, a killed process; last of two machines that reach each other by sockets. Needs what
# tests/rocm/root.sh needs; some minutes on two idle CPUs.
set -eu
build=$(realpath "$1")
release=${2:-trixie}
target=${3:-gfx90a}
here=$(realpath "$(dirname "$0")")
root=$build/rccl/$release
# shellcheck source=../rocm/root.sh
. "$here/../rocm/root.sh"

root_tools
root_make "$root" "$release"
root_install "$root" "$release" g++ librccl-dev libamdhip64-dev libllvm19
root_wavelift "$root" "$build"
mkdir -p "$root/wavelift/bin" "$root/programs"
cp "$build/bin/wavelift" "$root/wavelift/bin/"
cp "$here"/*.h "$here"/*.cpp "$root/programs/"
for program in collectives communicators killed ranks; do
    root_inside "$root" g++ -O2 -w -D__HIP_PLATFORM_AMD__ "programs/$program.cpp" -o "programs/$program" -lrccl -lamdhip64
done

status=0
# run DEVICES PROGRAM ARGUMENT...
run() {
    devices=$1
    program=$2
    shift 2
    echo "== $program $* $target"
    root_inside "$root" env WAVELIFT_CACHE_DIR=/wavelift/cache WAVELIFT_DEVICES="cpu:$devices" WAVELIFT_ARCH="$target" \
        timeout 1800 /wavelift/bin/wavelift run "/programs/$program" "$@" || status=1
}
run 2 collectives 2
run 4 collectives 4
run 8 collectives 8 1 10000
run 2 communicators 2
run 4 communicators 4
run 2 killed 2
run 2 ranks 2 1000000 10 10
run 8 ranks 8 1000 1000
run 2 ranks 4 1000 100 0 2
if command -v ip >/dev/null; then # the same two machines, each in a network namespace of its own
    trap 'for machine in 0 1; do ip netns del "wl-rccl-$machine"; done' EXIT
    ip netns add wl-rccl-0
    ip netns add wl-rccl-1
    ip link add wl0 netns wl-rccl-0 type veth peer name wl1 netns wl-rccl-1
    for machine in 0 1; do
        ip -n "wl-rccl-$machine" addr add "10.99.0.$((machine + 1))/24" dev "wl$machine"
        ip -n "wl-rccl-$machine" link set "wl$machine" up
        ip -n "wl-rccl-$machine" link set lo up
    done
    NCCL_SOCKET_IFNAME=wl run 2 ranks 4 1000 100 0 2 "/proc/$$/root/run/netns/wl-rccl-"
fi
exit $status
