#!/bin/sh
# rpm.sh BUILD: packages for systems with RPM: wavelift-libs (the runtime), wavelift-native (the translator), wavelift-devel, wavelift (the command)
# and wavelift-default. Files lie where the .deb packages have them (deb.sh). Needs rpmbuild (Debian's package rpm).
set -eu
. "$(dirname "$0")/common.sh"
top=$(mktemp -d) # rpmbuild takes no blanks in names of folders
trap 'rm -rf "$top"' EXIT
stage=$top/stage
prefix=/usr/lib/wavelift
mkdir -p "$stage$prefix" "$stage/usr/bin" "$stage/usr/share/man" "$stage/etc/ld.so.conf.d"
cp -a "$tree/." "$stage$prefix/"
mv "$stage$prefix/share/man/man1" "$stage/usr/share/man/"
rmdir "$stage$prefix/share/man"
gzip -9n "$stage"/usr/share/man/man1/*
for program in wavelift hipify; do ln -s "../lib/wavelift/bin/$program" "$stage/usr/bin/$program"; done
echo "$prefix/lib" >"$stage/etc/ld.so.conf.d/00-wavelift.conf"
# list PART: the spec's names of that part's files, and of the folders in which they lie, which go with the last of the packages
list() {
    part_"$1" "$tree" | grep -v '^share/man' | while read -r name; do
        [ -d "$tree/$name" ] || echo "$prefix/$name"
        while [ "$name" != . ]; do
            name=$(dirname "$name")
            echo "%dir $prefix/$name"
        done
    done | sed 's|/\.$||' | sort -u
}
list runtime >"$top/runtime"
list native >"$top/native"
list dev >"$top/dev"
(list tools; echo /usr/bin/wavelift; echo /usr/bin/hipify; echo '/usr/share/man/man1/*') >"$top/tools"
own=$(find "$tree/lib" -name 'lib*.so*' -printf '%f\n' | sed 's/[.]so.*//' | sort -u | paste -sd'|')
cat >"$top/wavelift.spec" <<END
%global __os_install_post %{nil}
%global debug_package %{nil}
%global _build_id_links none
%global source_date_epoch_from_changelog 0
%global use_source_date_epoch_as_buildtime 1
%global clamp_mtime_to_source_date_epoch 1
%global _buildhost wavelift
%global _binary_payload w19T1.zstdio
# Only glibc counts: no other package may depend on libraries in a folder of their own.
%global __provides_exclude_from ^$prefix/
%global __requires_exclude ^($own)[.]so
Name: wavelift
Version: $version
Release: 1
Summary: HIP runtime for machines without an AMD GPU: commands
License: MIT AND Apache-2.0 WITH LLVM-exception AND BSD-3-Clause AND BSD-2-Clause AND Zlib
Requires: wavelift-libs = %{version}
Recommends: wavelift-native = %{version}
%description
wavelift run, doctor, sanitize, hipcc; and in $prefix/bin AMD's tools by their names.
%package libs
Summary: HIP runtime for machines without an AMD GPU
Recommends: wavelift-native = %{version}
%description libs
Runs unmodified AMD GPU programs on CPUs and on NVIDIA GPUs. Kernels run in threaded code.
%package native
Summary: HIP runtime for machines without an AMD GPU: native code
Requires: wavelift-libs = %{version}
%description native
The translator of AMD's machine code to native code and PTX.
%package devel
Summary: HIP runtime for machines without an AMD GPU: development
Requires: wavelift = %{version}
Recommends: (clang and lld)
%description devel
Headers, packages for CMake and pkg-config. Compiling device code needs a clang and AMD's headers.
%package default
Summary: HIP runtime for machines without an AMD GPU: as the default
Requires: wavelift-libs = %{version}
Requires(post): /sbin/ldconfig
%description default
All HIP programs of this machine run on Wavelift, also where AMD's libamdhip64 is installed.
%post default -p /sbin/ldconfig
%postun default -p /sbin/ldconfig
%install
cp -a $stage/. %{buildroot}/
%files -f $top/tools
%files libs -f $top/runtime
%files native -f $top/native
%files devel -f $top/dev
%files default
%config /etc/ld.so.conf.d/00-wavelift.conf
END
rpmbuild -bb --quiet --target "$machine-linux" --define "_topdir $top" --define "_rpmdir $top/made" --define "_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm" "$top/wavelift.spec" >"$made/rpm.log" 2>&1 || { cat "$made/rpm.log" >&2; exit 1; }
mv "$top"/made/*.rpm "$made/"
rm "$made/rpm.log"
size_within "$made/wavelift-libs-$version-1.$machine.rpm" 12
ls -l "$made"/*.rpm
