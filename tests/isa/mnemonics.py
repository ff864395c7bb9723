#!/usr/bin/env python3
"""Makes tests/isa/mnemonics.txt: which mnemonics an LLVM's assembler knows, and for which processors.

    tests/isa/mnemonics.py LIBRARY LLVM_MC PROCESSOR... > tests/isa/mnemonics.txt

LIBRARY is libLLVM.so: its table of mnemonics holds each behind a byte with its length. LLVM_MC, of the same version, gets each of them alone,
without operands: its complaint tells whether the processor has it."""
import re
import subprocess
import sys

STARTS = (b"s_", b"v_", b"ds_", b"buffer_", b"tbuffer_", b"flat_", b"global_", b"scratch_", b"image_", b"lds_", b"exp", b"tensor_", b"cluster_")


def candidates(path):
    data = open(path, "rb").read()
    found = set()
    for match in re.finditer(rb"[b-v][a-z0-9_]{2,46}", data):
        # One run of letters may hold several, each behind a length that is a letter, too.
        text = match.group()
        for at in range(len(text)):
            place = match.start() + at
            length = data[place - 1]
            name = data[place : place + length]
            if 3 <= length <= 47 and re.fullmatch(rb"[a-z0-9_]+", name) and name.startswith(STARTS):
                found.add(name.decode())
    return sorted(found)


def known(mc, processor, names):
    features = [] if processor.startswith("gfx9") else ["-mattr=+wavefrontsize32"]
    run = subprocess.run([mc, "-triple=amdgcn-amd-amdhsa", "-mcpu=" + processor, *features, "-filetype=null"], input="\n".join(names) + "\n",
                         capture_output=True, text=True)
    refused = set()
    for line in run.stderr.splitlines():
        match = re.match(r"<stdin>:(\d+):\d+: error: (.*)", line)
        if match and ("invalid instruction" in match[2] or "not supported" in match[2]):
            refused.add(int(match[1]))
    return {name for i, name in enumerate(names) if i + 1 not in refused}


def main():
    library, mc, processors = sys.argv[1], sys.argv[2], sys.argv[3:]
    names = candidates(library)
    has = {processor: known(mc, processor, names) for processor in processors}
    groups = {}
    for name in names:
        group = tuple(processor for processor in processors if name in has[processor])
        if group:
            groups.setdefault(group, []).append(name)
    version = re.search(r"version (\S+)", subprocess.run([mc, "--version"], capture_output=True, text=True).stdout)
    print(f"# What the assembler of LLVM {version[1]} knows, made by tests/isa/mnemonics.py: processors, and mnemonics that these have.")
    for group in sorted(groups):
        print(" ".join(group))
        line = " "
        for name in groups[group]:
            if len(line) + len(name) > 139:
                print(line)
                line = " "
            line += " " + name
        print(line)
    print("".join(f"{processor} {len(has[processor])}\n" for processor in processors), end="", file=sys.stderr)


main()
