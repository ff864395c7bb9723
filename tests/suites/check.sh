#!/bin/sh
# check.sh BUILD [SUITE ...]: installs the tests that Debian packages of AMD's libraries (suites.py) into a system of their own under
# BUILD/suites, 15 GB for all, and runs a sample of each suite, or of those named, on the library of that build. Variables:
#   RELEASE  experimental (default; ROCm 7.2) or sid (ROCm 6.4)
#   TARGETS  architectures, one after the other; default: gfx90a
#   CASES    cases of each suite, spread over all of them; default: 200; all: every case
#   MINUTES  no case starts later than that for each target; default: 60, no limit with CASES=all
# SUITE may be all: every case of every suite, overnight. Needs what tests/rocm/root.sh needs. What failed has its output in
# BUILD/suites/RELEASE/wavelift/failed.
set -eu
build=$(realpath "$1")
shift
release=${RELEASE:-experimental} targets=${TARGETS:-gfx90a} cases=${CASES:-200}
if [ "$*" = all ]; then
    cases=all
    set --
fi
[ "$cases" != all ] || cases=0
minutes=${MINUTES:-$([ "$cases" = 0 ] && echo 0 || echo 60)}
here=$(realpath "$(dirname "$0")")
root=$build/suites/$release
# shellcheck source=../rocm/root.sh
. "$here/../rocm/root.sh"

root_tools
packages=$(python3 "$here/run.py" packages "$release" "$@")
root_make "$root" "$release"
# rocFFT, hipFFT and MIOpen compile kernels when they run, with the compiler and the headers of that release.
root_install "$root" "$release" hipcc
# A release that is being made may lack what a package of tests needs: that suite is left out.
set --
suites=$(echo "$packages" | while read -r suite package; do
    echo "installing the tests of $suite" >&2
    if root_install "$root" "$release" "$package" </dev/null >"$root/refused.log" 2>&1; then
        echo "$suite"
    else
        echo "left out: $suite, whose package $package cannot be installed from Debian $release:" >&2
        tail -n 5 "$root/refused.log" >&2
    fi
done)
# shellcheck disable=SC2086 # a list of words
set -- $suites
[ $# -gt 0 ] || { echo "none of the suites can be installed" >&2; exit 1; }
root_wavelift "$root" "$build"
rm -rf "$root/wavelift/failed" "$root"/wavelift/cache-*

status=0
for target in $targets; do
    echo "== $target, Debian $release"
    # shellcheck disable=SC2016 # the inner shell's
    unshare --mount sh -c 'mount --bind /proc "$1/proc"; shift; exec "$@"' sh "$root" \
        python3 "$here/run.py" run --cases "$cases" --minutes "$minutes" "$root" "$release" "$target" "$@" || status=1
done
exit $status
