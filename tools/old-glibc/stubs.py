#!/usr/bin/env python3
"""Makes libraries to link with, so that the result runs with an older glibc than this machine's:

    stubs.py VERSION FOLDER COMPILER [OPTION...]

For each name that the compiler's glibc exports FOLDER's libc.so and libm.so have the newest version that is not above VERSION; names that came
later are missing, and functions.c and paths.c stand in for some of them. Nothing of the stubs is in a program: the loader takes glibc's own libraries. The
options are the compiler's, --sysroot for one. (cmake/OldGlibc.cmake)"""
import os
import re
import subprocess
import sys

LOADER = {"x86_64": "ld-linux-x86-64.so.2", "aarch64": "ld-linux-aarch64.so.1"}
# They are parts of libc.so.6 from 2.34 on, and libraries of their own before.
PARTS = ["libpthread.so.0", "libdl.so.2"]


def run(*command, **more):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **more).stdout


def number(version):
    return tuple(int(part) for part in version.split("."))


def exported(library, newest):
    """name -> (version, type, size, address, binding) of what the library exports, as of that version of glibc."""
    names = {}
    for line in run("readelf", "--dyn-syms", "--wide", library, env={**os.environ, "LC_ALL": "C"}).splitlines():
        words = line.split()
        if len(words) < 8 or words[6] in ("UND", "ABS") or words[4] not in ("GLOBAL", "WEAK"):
            continue
        match = re.fullmatch(r"(\w+)@@?GLIBC_([0-9.]+)", words[7])
        if not match or words[3] not in ("FUNC", "IFUNC", "OBJECT") or number(match[2]) > newest:
            continue
        name, version = match[1], number(match[2])
        if name not in names or names[name][0] < version:
            names[name] = (version, "object" if words[3] == "OBJECT" else "function", int(words[2], 0), int(words[1], 16), words[4].lower())
    return names


def stub(folder, name, symbols, compiler):
    """Makes a shared library of that name with these symbols."""
    source, script = f"{folder}/{name}.s", f"{folder}/{name}.map"
    versions = sorted({symbol[0] for symbol in symbols.values()})
    text = lambda version: "GLIBC_" + ".".join(map(str, version))
    with open(source, "w", encoding="ascii") as file:
        # Names of one variable share an address, and are weak or not, as in glibc: a program that has a copy of it gives the copy all names.
        for kind, section in (("function", ".text"), ("object", ".data")):
            file.write(f"{section}\n")
            last = None
            for i, (symbol, (version, is_kind, size, address, binding)) in enumerate(sorted(symbols.items(), key=lambda entry: (entry[1][3], entry[0]))):
                if is_kind != kind:
                    continue
                if address != last:
                    file.write(f".balign 32\nwl_place_{address}: .skip {size or 1}\n")
                last = address
                file.write(f".{binding} wl_stub_{i}\n.type wl_stub_{i}, %{kind}\n.size wl_stub_{i}, {size}\n.set wl_stub_{i}, wl_place_{address}\n"
                           f".symver wl_stub_{i}, {symbol}@@{text(version)}, remove\n")
        file.write('.section .note.GNU-stack,"",%progbits\n')
    with open(script, "w", encoding="ascii") as file:
        for before, version in zip([None, *versions], versions):
            file.write(f"{text(version)} {{ }}{'' if before is None else ' ' + text(before)};\n")
    versioned = [f"-Wl,--version-script={script}"] if versions else []
    run(*compiler, "-shared", "-nostdlib", f"-Wl,-soname,{name}", *versioned, source, "-o", f"{folder}/{name}")


def main():
    version, folder, *compiler = sys.argv[1:]
    newest = number(version)
    machine = run(*compiler, "-dumpmachine").split("-")[0]
    where = lambda name: os.path.realpath(run(*compiler, f"-print-file-name={name}").strip())
    os.makedirs(folder, exist_ok=True)
    folder = os.path.abspath(folder)
    for name in ("libc.so.6", "libm.so.6"):
        stub(folder, name, exported(where(name), newest), compiler)
    for name in PARTS:
        stub(folder, name, {}, compiler)
    here = os.path.dirname(os.path.abspath(__file__))
    objects = []
    for name in ("functions", "paths", "start"):
        objects.append(f"{folder}/{name}.o")
        run(*compiler, "-std=gnu17", "-O2", "-fPIC", "-fvisibility=hidden", "-ffunction-sections", "-D_GNU_SOURCE", "-c", f"{here}/{name}.c", "-o", objects[-1])
    archive = f"{folder}/libold.a"
    if os.path.exists(archive):
        os.unlink(archive)
    run("ar", "rcsD", archive, *objects)
    # Names of folders may have blanks.
    group = lambda *names: "GROUP ( " + " ".join(names) + " )\n"
    quoted = lambda *names: " ".join(f'"{name}"' for name in names)
    with open(f"{folder}/libc.so", "w", encoding="utf-8") as file:
        file.write(group(quoted(f"{folder}/libc.so.6", archive, where("libc_nonshared.a"), *(f"{folder}/{name}" for name in PARTS)),
                         f"AS_NEEDED ( {quoted(where(LOADER[machine]))} )"))
    with open(f"{folder}/libm.so", "w", encoding="utf-8") as file:
        file.write(group(quoted(f"{folder}/libm.so.6")))


main()
