#!/usr/bin/env python3
"""compare.py BUILD [NAME ...]: times the suite's kernels on an NVIDIA GPU, AMD code that Wavelift translates beside nvcc's.

Every side is the same program with the same inputs (bench/suite/worker.c): only the file differs that hipModuleLoad gets. In every
round each side runs once, in turn; figures are medians. Speed is native time / Wavelift's time: 1 is as fast as nvcc's code.
Writes BUILD/bench/gpu.json."""
import json
import os
import statistics
import subprocess
import sys
import tempfile

import numpy

ROUNDS = 7
SECONDS = 0.05
BARS = {"triad": {"gfx90a": 0.97, "gfx1100": 0.97}, "gemm_f16": {"gfx942": 0.5, "gfx1100": 0.5}}
BAR = {"gfx90a": 0.75, "gfx1100": 0.9}
TYPES = {1: "f", 2: "d"}  # enum element of bench.h


class Side:
    def __init__(self, build, name, arch):
        folder = f"{build}/bench/gpu"
        environment = dict(os.environ, WAVELIFT_DEVICES="cuda", **({"WAVELIFT_ARCH": arch} if arch else {}))
        libraries = [f"{build}/lib"] + [p for p in (os.environ.get("LD_LIBRARY_PATH"),) if p]
        environment["LD_LIBRARY_PATH"] = ":".join(libraries)
        self.result, self.times = tempfile.TemporaryFile(), []
        os.dup2(self.result.fileno(), 3)
        self.process = subprocess.Popen(
            [f"{folder}/worker", name, f"{folder}/{name}.{'co' if arch else 'cubin'}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True, pass_fds=(3,))

    def ask(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            return self.process.stdout.readline().split()
        except BrokenPipeError:
            return []

    def save(self):
        answer = self.ask("save")
        if len(answer) < 6:
            return None
        self.element, self.relative, self.absolute, self.work, self.unit = (
            int(answer[1]), float(answer[2]), float(answer[3]), float(answer[4]), answer[5])
        self.result.seek(0)
        return self.result.read()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def same(native, other, side):
    if native == other:
        return True
    if side.element not in TYPES or len(native) != len(other):
        return False
    a, b = numpy.frombuffer(native, TYPES[side.element]), numpy.frombuffer(other, TYPES[side.element])
    return bool(numpy.all((a == b) | (numpy.abs(a - b) <= side.absolute + side.relative * numpy.abs(a))))


def measure(build, name):
    archs = ["gfx942" if name.startswith("gemm") else "gfx90a", "gfx1100"]
    sides = {arch: Side(build, name, arch) for arch in [None, *archs]}
    results = {arch: side.save() for arch, side in sides.items()}
    row = {"name": name}
    alive = [arch for arch, data in results.items() if data is not None]
    for _ in range(ROUNDS):
        for arch in alive:
            sides[arch].times.append(float(sides[arch].ask(f"run {SECONDS}")[0]))
    if None in alive:
        native = statistics.median(sides[None].times)
        row["native_ms"], row["rate"] = native * 1e3, f"{sides[None].work / native:.4g} {sides[None].unit}/s"
        for arch in archs:
            if arch in alive:
                row[arch] = {"ms": statistics.median(sides[arch].times) * 1e3,
                             "speed": native / statistics.median(sides[arch].times),
                             "right": same(results[None], results[arch], sides[None])}
    for side in sides.values():
        side.close()
    return row


def main():
    os.dup2(os.open(os.devnull, os.O_RDONLY), 3)  # where workers find their result's file: no other file may take the number
    build = os.path.abspath(sys.argv[1])
    names = sys.argv[2:] or [f[:-6] for f in sorted(os.listdir(f"{build}/bench/gpu")) if f.endswith(".cubin")]
    rows = []
    for name in names:
        row = measure(build, name)
        rows.append(row)
        print(f"{name:14} native {row.get('native_ms', float('nan')):9.3f} ms {row.get('rate', 'failed'):>16}", end="")
        for arch in [a for a in row if a.startswith("gfx")] or []:
            bar = BARS.get(name, BAR).get(arch)
            print(f"   {arch} {row[arch]['speed']:.3f} of it (bar {bar}){'' if row[arch]['right'] else ' WRONG RESULT'}", end="")
        print(flush=True)
    with open(f"{build}/bench/gpu.json", "w") as file:
        json.dump(rows, file, indent=1)


main()
