#!/bin/sh
# ci.sh BUILD RELEASE: what docs/ci.md has for CI services, as far as it goes without them: the commands of action.yml, of the template for GitLab and of the
# container file, each in a fresh Debian of that release, with the files of BUILD/dist.
set -eu
. "$(dirname "$0")/in_root.sh"
clean_root ci
inside apt-get -qq update
quietly inside apt-get install -y -qq curl ca-certificates # as the images of the services have them

# entries FOLDER: the files of a cache, and when they were made
entries() { find "$root$1" -name '*.wlo' -printf '%f %T@\n' | sort; }
# twice COMMAND...: the first run makes native code, the second finds all of it
twice() {
    cache=$1
    shift
    quietly "$@"
    first=$(entries "$cache")
    [ -n "$first" ] || fail "no native code in $cache"
    quietly "$@"
    [ "$(entries "$cache")" = "$first" ] || fail "the second run made native code in $cache"
}

# ---- the action: its last step, as GitHub runs it
mkdir -p "$root/action" "$root/files"
cp -r "$sources/tools" "$root/action/"
cp "$build"/dist/* "$root/files/"
awk '/^      run: \|/ { inside = 1; next } /^      [a-z]/ { inside = 0 } inside { sub(/^        /, ""); print }' "$sources/action.yml" >"$root/action/step"
[ -s "$root/action/step" ] || fail "action.yml has no step"
quietly inside env GITHUB_ACTION_PATH=/action GITHUB_ENV=/action/env GITHUB_PATH=/action/path PACKAGES=/files COMPILER=true ARCH=gfx90a DEVICES=cpu:2 sh -e /action/step
path=$(cat "$root/action/path")
# shellcheck disable=SC2046 # the settings, as words
job() { inside env $(cat "$root/action/env") WAVELIFT_TIER=2 "PATH=$path:/usr/bin:/bin" "$@"; }
quietly job hipcc /packages/memory.hip -o /packages/memory
twice /root/.cache/wavelift-ci job /packages/memory
[ "$(job rocm_agent_enumerator -t GPU | wc -l)" = 2 ] || fail "the action's devices"
echo "PASS action $release"

# A package whose sum is another one is refused.
echo >>"$root/files/$(cd "$root/files" && ls wavelift_*.deb)"
! inside sh /action/tools/ci/setup.sh /files >"$root/log" 2>&1 || fail "setup.sh takes a package that was changed"
grep -q "FAILED" "$root/log" || fail "setup.sh does not say which package was changed"

# again: the system is fresh again
again() {
    mount_fresh
    mkdir "$root/files"
    cp "$build"/dist/* "$root/files/"
}

# ---- the template for GitLab: the commands before a job's own
again
quietly inside apt-get -qq update
awk '/^  before_script:/ { inside = 1; next } /^  [a-z]/ { inside = 0 } inside && /^    - \|$/ { next }
    inside && /^    - / { sub(/^    - /, ""); print; next } inside { sub(/^      /, ""); print }' "$sources/tools/ci/gitlab.yml" >"$root/packages/before"
echo 'hipcc /packages/memory.hip -o /packages/memory && /packages/memory' >>"$root/packages/before"
sed -i '1i cd /packages' "$root/packages/before"
twice /packages/.wavelift-cache inside env WAVELIFT_PACKAGES=/files WAVELIFT_SETUP=/files/setup.sh WAVELIFT_TIER=2 WAVELIFT_ARCH=gfx90a sh -e /packages/before
echo "PASS gitlab $release"

# ---- the container file: what it copies, runs and sets
again
mkdir -p "$root/tmp/packages"
cp "$build"/dist/*.deb "$root/tmp/packages/"
rm -rf "$root/files"
quietly inside sh -e -c "$(sed -n '/^RUN /,/[^\\]$/{s/^RUN //;p}' "$sources/tools/ci/Containerfile" | sed 's/\\$//' | tr '\n' ' ')"
quietly inside wavelift doctor --only=run
case $(inside ldconfig -p | sed -n 's/.*libamdhip64\.so\.6 .*=> //p' | head -n 1) in /usr/lib/wavelift/*) ;; *) fail "the container's default is not Wavelift" ;; esac
# Debian's slim image leaves these folders out.
size=$(du -sxm --exclude=usr/share/doc --exclude=usr/share/man --exclude=usr/share/locale --exclude=usr/share/info --exclude=proc --exclude=packages "$root" | cut -f1)
[ "$size" -le 150 ] || fail "the container's system has $size MB"
echo "PASS container $release: $size MB"
