#!/usr/bin/env python3
"""Makes the Python wheel out of BUILD/packages/tree: wheel.py BUILD MACHINE. Wheels cannot hold links: each library is there under the one name that
the loader looks for."""
import base64
import hashlib
import os
import re
import subprocess
import sys
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
build, machine = sys.argv[1:]
tree = f"{build}/packages/tree"
LIBRARY = re.compile(r"lib.*\.so\.[0-9.]+")


def soname(library):
    text = subprocess.run(["readelf", "-d", library], check=True, text=True, stdout=subprocess.PIPE, env={**os.environ, "LC_ALL": "C"}).stdout
    found = re.search(r"\(SONAME\).*\[(.*)\]", text)
    return found[1] if found else None


def contents():
    """Yields (name in the wheel, bytes, whether it is a program)."""
    def read(path):
        with open(path, "rb") as file:
            return file.read()

    for script in ("wavelift-gdb.py", "wavelift_conditions.py"):
        yield f"wavelift/lib/wavelift/{script}", read(f"{tree}/lib/wavelift/{script}"), False
    for name in os.listdir(f"{tree}/lib"):
        if name.startswith("libwavelift-") or (LIBRARY.fullmatch(name) and soname(f"{tree}/lib/{name}") == name):
            yield f"wavelift/lib/{name}", read(f"{tree}/lib/{name}"), True
    for name in os.listdir(f"{tree}/lib/compat"):
        yield f"wavelift/lib/compat/{name}", read(f"{tree}/lib/compat/{name}"), True
    yield "wavelift/bin/wavelift", read(f"{tree}/bin/wavelift"), True
    for top, _, names in os.walk(f"{tree}/include"):
        for name in names:
            path = os.path.join(top, name)
            yield "wavelift/" + os.path.relpath(path, tree), read(path), False
    for name in ("__init__.py", "__main__.py"):
        yield f"wavelift/{name}", read(f"{HERE}/python/wavelift/{name}").replace(b"@VERSION@", version.encode()), False
    info = f"wavelift-{version}.dist-info"
    readme = read(f"{HERE}/python/README.md").decode()
    metadata = (f"Metadata-Version: 2.4\nName: wavelift\nVersion: {version}\nSummary: HIP runtime for machines without an AMD GPU\n"
                f"License-Expression: MIT\nLicense-File: LICENSE\nRequires-Python: >=3.8\nClassifier: Operating System :: POSIX :: Linux\n"
                f"Description-Content-Type: text/markdown\n\n{readme}")
    yield f"{info}/METADATA", metadata.encode(), False
    yield f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: wheel.py\nRoot-Is-Purelib: false\nTag: py3-none-{platform}\n".encode(), False
    yield f"{info}/entry_points.txt", b"[console_scripts]\nwavelift = wavelift.__main__:main\n", False
    yield f"{info}/licenses/LICENSE", read(f"{tree}/share/doc/wavelift/LICENSE"), False
    for name in os.listdir(f"{tree}/share/doc/wavelift/licenses"):
        yield f"{info}/licenses/{name}", read(f"{tree}/share/doc/wavelift/licenses/{name}"), False
    yield f"{info}/sboms/wavelift.spdx.json", read(f"{tree}/share/doc/wavelift/sbom.spdx.json"), False


version = os.environ["WAVELIFT_VERSION"]
platform = f"manylinux_2_28_{machine}"
target = f"{build}/packages/wavelift-{version}-py3-none-{platform}.whl"
when = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
record = f"wavelift-{version}.dist-info/RECORD"
lines = []
with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
    def add(name, data, program):
        entry = zipfile.ZipInfo(name, when)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100755 if program else 0o100644) << 16
        entry.create_system = 3
        wheel.writestr(entry, data)

    for name, data, program in sorted(contents()):
        add(name, data, program)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    add(record, ("".join(lines) + f"{record},,\n").encode(), False)
