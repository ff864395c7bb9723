#!/bin/sh
# others.sh BUILD RELEASE: the .tar.zst, the wheel and, if there are some, the .rpm packages of BUILD/packages, each in a fresh Debian of that release, which
# stands for any system: it runs kernels in both tiers, and compiles and runs a program where the release has a compiler. bullseye is the oldest that can be had (glibc
# 2.31); that no newer version than 2.28 is needed, tools/packages/tree.sh sees to.
set -eu
. "$(dirname "$0")/in_root.sh"
clean_root others
cp "$build"/packages/*.whl "$root/packages/"
tar -C "$root/packages" --zstd -xf "$(ls "$build"/packages/wavelift-*.tar.zst)"
inside apt-get -qq update
install() { inside env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; }
quietly install python3-venv python3-pip rpm gcc libc6-dev
compiles=
case $release in
bookworm) compiles="clang-19 lld-19 clang-tools-19 rocm-device-libs libamdhip64-dev g++" ;;
trixie | sid) compiles="hipcc libamdhip64-dev g++" ;;
esac
# shellcheck disable=SC2086 # a list of words
[ -z "$compiles" ] || quietly install $compiles

# works NAME PROGRAM: the installed command does what it should
works() {
    quietly inside "$2" doctor --only=run
    quietly inside "$2" run ls /dev/kfd /sys/class/kfd/kfd/topology/nodes/1 # files that the topology library answers for
    if [ -n "$compiles" ]; then
        quietly inside "$2" hipcc /packages/memory.hip -o /packages/memory
        quietly inside "$2" run /packages/memory
    fi
    echo "PASS $1 $release"
}

folder=$(cd "$root/packages" && ls -d wavelift-*/)
mv "$root/packages/$folder" "$root/opt/anywhere"
works tarball /opt/anywhere/bin/wavelift

if ls "$build"/packages/*.rpm >/dev/null 2>&1; then
    cp "$build"/packages/*.rpm "$root/packages/"
    # These systems know of no RPM package that has glibc.
    quietly inside sh -c 'rpm -i --nodeps /packages/*.rpm'
    [ "$(inside ldconfig -p | sed -n 's/.*libamdhip64\.so\.7 .*=> //p' | head -n 1)" = /usr/lib/wavelift/lib/libamdhip64.so.7 ] || fail "wavelift-default has no effect"
    works rpm /usr/bin/wavelift
    quietly inside sh -c 'rpm -e --nodeps $(rpm -qa "*wavelift*")'
    [ ! -e "$root/usr/lib/wavelift" ] && [ ! -e "$root/usr/bin/wavelift" ] || fail "rpm left files"
fi

quietly inside python3 -m venv /venv
quietly inside sh -c '/venv/bin/pip install --no-index /packages/*.whl'
works wheel /venv/bin/wavelift
cp "$here/enable.py" "$here/module.c" "$root/packages/"
quietly inside /venv/bin/python /packages/enable.py /packages
echo "PASS enable $release"
