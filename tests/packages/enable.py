"""wavelift.enable() in a process that then loads modules linked with libamdhip64.so.5, .6 and .7: enable.py FOLDER, with module.c in it. The module is
built there, with a library of each name that has the same versions of symbols as AMD's. Run by a Python in which the wheel is installed."""
import ctypes
import os
import subprocess
import sys

import wavelift

folder = sys.argv[1]
modules = []
for version in (5, 6, 7):
    name = f"libamdhip64.so.{version}"
    place = os.path.join(folder, f"like-{version}")
    os.makedirs(place, exist_ok=True)
    with open(os.path.join(wavelift.library_folder(), "libamdhip64.so.7"), "rb") as file:
        data = file.read()
    assert data.count(b"\0libamdhip64.so.7\0") == 1
    with open(os.path.join(place, name), "wb") as file:
        file.write(data.replace(b"\0libamdhip64.so.7\0", b"\0" + name.encode() + b"\0"))
    module = os.path.join(folder, f"module-{version}.so")
    subprocess.run(["gcc", "-shared", "-fPIC", os.path.join(folder, "module.c"), os.path.join(place, name), "-o", module], check=True)
    needed = subprocess.run(["readelf", "-d", module], check=True, text=True, stdout=subprocess.PIPE).stdout
    assert f"[{name}]" in needed, needed
    modules.append(module)

wavelift.enable()
wavelift.enable()
os.environ["WAVELIFT_DEVICES"] = "cpu:3"
for module in modules:
    assert ctypes.CDLL(module).devices() == 3, module  # AMD's library knows no such setting
child = subprocess.run([sys.executable, "-c", f"import ctypes; print(ctypes.CDLL({modules[0]!r}).devices())"], stdout=subprocess.PIPE, text=True, check=True)
assert child.stdout == "3\n", child.stdout
late = subprocess.run([sys.executable, "-c", f"import ctypes, wavelift; ctypes.CDLL({os.path.join(folder, 'like-5', 'libamdhip64.so.5')!r}); wavelift.enable()"],
                      stderr=subprocess.PIPE, text=True)
assert late.returncode != 0 and "comes too late" in late.stderr, late.stderr
print("PASS enable")
