#!/bin/sh
# deb.sh BUILD RELEASE: installs the .deb packages of BUILD/packages in a fresh Debian of that release as docs/installing.md says, compiles and runs a
# kernel, beside AMD's packages; makes Wavelift the default and takes that back; removes all of it. Prints how long each part took.
set -eu
. "$(dirname "$0")/in_root.sh"
clean_root deb

cp "$build"/packages/*.deb "$root/packages/"
inside apt-get -qq update
# seconds COMMAND...: runs it quietly; $took is how long it took
seconds() { took=$(date +%s); quietly "$@"; took=$(($(date +%s) - took)); }
packages=$(cd "$root" && ls packages/wavelift_*.deb packages/libwavelift*.deb | sed 's|^|./|')
default=$(cd "$root" && ls packages/wavelift-default_*.deb | sed 's|^|./|')
install() { inside env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o APT::Install-Recommends=true -o APT::Sandbox::User=root "$@"; }
# What they recommend, the compiler and AMD's headers, is installed first, to tell its time from that of Wavelift's own.
# shellcheck disable=SC2086 # a list of words
install --simulate $packages | sed -n 's/^Inst \([^ ]*\).*/\1/p' | grep -v wavelift >"$root/recommended"
# shellcheck disable=SC2046
seconds install --download-only $(cat "$root/recommended")
said="$release: download $took s"
# shellcheck disable=SC2046
seconds install $(cat "$root/recommended")
said="$said; install: compiler and AMD's headers $took s"
# shellcheck disable=SC2086
seconds install $packages
said="$said, Wavelift $took s"
seconds inside wavelift hipcc /packages/memory.hip -o /packages/memory
said="$said; compile $took s"
seconds inside /packages/memory
echo "$said, run $took s"
quietly inside wavelift doctor
[ "$(inside ldd /packages/memory | grep -c '=> /usr/lib/wavelift/lib/libamdhip64')" -ge 1 ] || fail "the program does not find Wavelift's library"

# AMD's library comes first for other programs, until Wavelift is made the default.
first() { inside ldconfig -p | sed -n 's/.*libamdhip64\.so\.[56] .*=> //p' | head -n 1; }
case $(first) in /usr/lib/wavelift/* | "") fail "AMD's library is not the default" ;; esac
quietly install "$default"
for name in 5 6 7; do
    [ "$(inside ldconfig -p | sed -n "s/.*libamdhip64\.so\.$name .*=> //p" | head -n 1)" = /usr/lib/wavelift/lib/libamdhip64.so.$name ] || fail "Wavelift's library $name is not the default"
done
quietly inside apt-get remove -y -qq wavelift-default
case $(first) in /usr/lib/wavelift/* | "") fail "AMD's library is not the default again" ;; esac
quietly inside apt-get purge -y -qq libwavelift
[ ! -e "$root/usr/lib/wavelift" ] && [ ! -e "$root/usr/bin/wavelift" ] && [ ! -e "$root/etc/ld.so.conf.d/00-wavelift.conf" ] || fail "files are left"
echo "PASS deb $release"
