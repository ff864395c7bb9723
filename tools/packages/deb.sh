#!/bin/sh
# deb.sh BUILD: packages for Debian 12 and later, and for what is made of it:
#   libwavelift         the runtime, with threaded code: what a HIP program needs to run
#   libwavelift-native  the translator to native code, with LLVM in it
#   libwavelift-dev     headers, CMake packages, pkg-config files
#   wavelift            the command, hipcc and AMD's tools by their names
#   wavelift-default    makes the loader take Wavelift's libamdhip64 before AMD's
# All files lie in /usr/lib/wavelift, but for /usr/bin/wavelift and /usr/bin/hipify: AMD's packages, which have the same libraries and tools, can be
# installed beside them.
set -eu
. "$(dirname "$0")/common.sh"
case $machine in x86_64) arch=amd64 ;; aarch64) arch=arm64 ;; esac
prefix=usr/lib/wavelift

# deb NAME DEPENDS RECOMMENDS SUMMARY DESCRIPTION: from the files in "$root"
deb() {
    mkdir -p "$root/DEBIAN" "$root/usr/share/doc/$1"
    cp "$sources/LICENSE" "$root/usr/share/doc/$1/copyright"
    cat >"$root/DEBIAN/control" <<END
Package: $1
Version: $version
Architecture: $arch
Maintainer: Wavelift <wavelift@localhost>
Section: libs
Priority: optional
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f1)
Depends: $2
Recommends: $3
Description: $4
 $5
END
    sed -i '/^[A-Za-z]*: $/d' "$root/DEBIAN/control"
    find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$root" "$made/$1_${version}_$arch.deb" >/dev/null
    rm -rf "$root"
    ls -l "$made/$1_${version}_$arch.deb"
}
# files PART: puts that part of the tree into a new "$root"
files() {
    root=$made/root
    rm -rf "$root"
    mkdir -p "$root/$prefix"
    part_"$1" "$tree" | tar -C "$tree" -cf - --no-recursion -T - | tar -C "$root/$prefix" -xf -
}
files runtime
deb libwavelift "libc6 (>= 2.28)" "libwavelift-native (= $version)" "HIP runtime for machines without an AMD GPU" \
    "Runs unmodified AMD GPU programs on CPUs and on NVIDIA GPUs. Kernels run in threaded code."
size_within "$made/libwavelift_${version}_$arch.deb" 12
files native
deb libwavelift-native "libwavelift (= $version)" "" "HIP runtime for machines without an AMD GPU: native code" \
    "The translator of AMD's machine code to native code and PTX."
files tools
mkdir -p "$root/usr/bin" "$root/usr/share/man"
for program in wavelift hipify; do ln -s "../lib/wavelift/bin/$program" "$root/usr/bin/$program"; done
mv "$root/$prefix/share/man/man1" "$root/usr/share/man/"
gzip -9n "$root"/usr/share/man/man1/*
rm -r "$root/$prefix/share"
deb wavelift "libwavelift (= $version)" "libwavelift-native (= $version)" "HIP runtime for machines without an AMD GPU: commands" \
    "wavelift run, doctor, sanitize, hipcc; and in /usr/lib/wavelift/bin AMD's tools by their names."
files dev
# hipcc: the first Debian whose clang can be used is 13; before it, a newer clang with that release's device libraries.
deb libwavelift-dev "libwavelift (= $version), wavelift (= $version)" \
    "hipcc (>= 5.7) | clang-19, hipcc (>= 5.7) | lld-19, hipcc (>= 5.7) | clang-tools-19, hipcc (>= 5.7) | rocm-device-libs, libamdhip64-dev, libc6-dev, libstdc++-14-dev | libstdc++-12-dev | libstdc++-dev" \
    "HIP runtime for machines without an AMD GPU: development" "Headers, packages for CMake and pkg-config. Compiling device code needs a clang and AMD's headers."
root=$made/root
mkdir -p "$root/etc/ld.so.conf.d"
echo "/$prefix/lib" >"$root/etc/ld.so.conf.d/00-wavelift.conf" # before the folders of Debian and of AMD, in the order of names
mkdir -p "$root/usr" "$root/DEBIAN"
# The loader's list of libraries is made again when the package comes and goes. The file is not marked as a setting: it goes with the package.
echo "activate-noawait ldconfig" >"$root/DEBIAN/triggers"
printf '#!/bin/sh\nset -e\nldconfig\n' >"$root/DEBIAN/postrm"
chmod 755 "$root/DEBIAN/postrm"
deb wavelift-default "libwavelift (= $version)" "" "HIP runtime for machines without an AMD GPU: as the default" \
    "All HIP programs of this machine run on Wavelift, also where AMD's libamdhip64 is installed."
