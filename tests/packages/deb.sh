#!/bin/sh
# deb.sh BUILD RELEASE: installs the .deb packages of BUILD/packages in a fresh Debian of that release as docs/installing.md says, compiles and runs a
# kernel, beside AMD's packages, also those of other libraries whose names Wavelift has; makes Wavelift the default and takes that back; removes all of it. Prints how long each part took.
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

# AMD's other libraries whose names Wavelift has too, as far as the release packages them, are installed beside it.
also=
for package in libhsa-runtime64-1 librocm-smi64-1 libroctx64-4 libamd-smi27; do
    ! inside apt-cache show "$package" >/dev/null 2>&1 || also="$also $package"
done
# shellcheck disable=SC2086
quietly install $also
# AMD's libraries come first for other programs, until Wavelift is made the default.
ours() { inside ldconfig -p | grep -c ' /usr/lib/wavelift/' || true; }
[ "$(ours)" = 0 ] || fail "AMD's libraries are not the default"
quietly install "$default"
inside ldconfig -p | awk '$NF ~ "^/usr/lib/wavelift/" { ours[$1] = 1 } !first[$1] { first[$1] = $NF }
    END { for (name in ours) { count++; if (first[name] !~ "^/usr/lib/wavelift/") { print first[name] " comes first"; bad = 1 } } exit bad || count < 20 }' ||
    fail "Wavelift's libraries are not the default"
for name in libamdhip64.so.5 libamdhip64.so.6 libamdhip64.so.7 libhsa-runtime64.so.1 librocm_smi64.so.1 libamd_smi.so.27 libroctx64.so.4 libaml.so.1; do
    inside ldconfig -p | grep -q "$name .* /usr/lib/wavelift/lib/$name\$" || fail "the loader does not know Wavelift's $name"
done
quietly inside apt-get remove -y -qq wavelift-default
[ "$(ours)" = 0 ] || fail "AMD's libraries are not the default again"
quietly inside apt-get purge -y -qq libwavelift
[ ! -e "$root/usr/lib/wavelift" ] && [ ! -e "$root/usr/bin/wavelift" ] && [ ! -e "$root/etc/ld.so.conf.d/00-wavelift.conf" ] || fail "files are left"
echo "PASS deb $release"
