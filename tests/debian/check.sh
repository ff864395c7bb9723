#!/bin/sh
# check.sh BUILD RELEASE [TARGET...]: the project's set-up on a fresh Debian of that release (trixie is Debian 13): makes such a system in a
# folder under BUILD, copies the sources there, and runs `make demo` and `make check` in it, as the README says; or `make TARGET` alone.
# Needs what tests/rocm/root.sh needs. Some 5 GB, and as long as `make check` takes.
set -eu
build=$(realpath "$1")
release=$2
shift 2
[ $# -gt 0 ] || set -- demo check
here=$(realpath "$(dirname "$0")")
root=$build/debian/$release
# shellcheck source=../rocm/root.sh
. "$here/../rocm/root.sh"

root_tools
root_make "$root" "$release"
root_install "$root" "$release" make git ca-certificates
mkdir -p "$root/wavelift"
# What git knows, as it stands in the working tree, and a repository of its own, which the tests of the repository's files ask.
cd "$here/../.."
git -c safe.directory='*' ls-files -z --cached --others --exclude-standard | xargs -0 ls -d 2>/dev/null | tar -c -T - | tar -x -C "$root/wavelift"
[ -d "$root/wavelift/.git" ] || root_inside "$root" git -C /wavelift init -q
root_inside "$root" git -C /wavelift add -A
for target; do
    root_inside "$root" make -C /wavelift "$target"
done
