#!/bin/sh
# python.sh BUILD: a wheel of this build, unpacked: `wavelift` as a module, wavelift.enable(), and its list of files.
set -eu
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
packages=$here/../../tools/packages
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH
export SOURCE_DATE_EPOCH=1700000000 WAVELIFT_VERSION=1.2.3
cmake --install "$build" --prefix "$work/packages/tree" >/dev/null
"$packages/forward.sh" "$work/packages/tree/lib"
mkdir -p "$work/packages/tree/share/doc/wavelift/licenses"
cp "$here/../../LICENSE" "$work/packages/tree/share/doc/wavelift/"
echo '{}' >"$work/packages/tree/share/doc/wavelift/sbom.spdx.json"
wheel=$work/packages/wavelift-1.2.3-py3-none-manylinux_2_28_x86_64.whl
python3 "$packages/wheel.py" "$work" x86_64
sum=$(sha256sum <"$wheel")
python3 "$packages/wheel.py" "$work" x86_64
[ "$sum" = "$(sha256sum <"$wheel")" ] || { echo "FAIL python: the same files give another wheel"; exit 1; }
# As pip does: programs keep their mode, and each file is as the list has it.
python3 - "$wheel" "$work/site" <<'END'
import base64, csv, hashlib, os, sys, zipfile
wheel, site = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    archive.extractall(site)
    for entry in archive.infolist():
        os.chmod(os.path.join(site, entry.filename), entry.external_attr >> 16)
    rows = {row[0]: row[1:] for row in csv.reader(archive.read("wavelift-1.2.3.dist-info/RECORD").decode().splitlines())}
    assert set(rows) == set(archive.namelist()), set(rows) ^ set(archive.namelist())
    for name, (digest, size) in rows.items():
        data = archive.read(name)
        assert name.endswith("RECORD") or (int(size) == len(data) and
            digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()), name
END
export PYTHONPATH="$work/site"
[ "$(python3 -m wavelift --version)" = "$("$build/bin/wavelift" --version)" ] || { echo "FAIL python: python -m wavelift"; exit 1; }
mkdir "$work/modules"
cp "$here/module.c" "$work/modules/"
python3 "$here/enable.py" "$work/modules"
