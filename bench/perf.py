#!/usr/bin/env python3
"""Whether Linux's perf shows the time of the suite's kernels under their names and source lines.

    bench/perf.py BUILD [NAME ...]

Needs `ninja suite` and perf. For each benchmark and its first target a worker runs it under `perf record`, which records only while the benchmark is run
again and again: not while the process starts, makes its inputs and translates. Prints, of the samples: how many there are; the shares that are in native
code under a kernel's name, and under a name and a source line; and where most of the others are. Then all samples' shares, each benchmark counted
alike."""
import collections
import os
import re
import subprocess
import sys
import tempfile

import worker

SECONDS = float(os.environ.get("WAVELIFT_BENCH_SECONDS", "1"))
SAMPLE = re.compile(r"^\s*([0-9a-f]+) (.+) \((.+)\)$")
KERNEL = re.compile(r".+ \[(?:full|masked|workgroup|loops)\]$")  # the copies of native code (src/device/cpu/code/units.c)


class Recorder:
    """A worker under perf, which records between `begin` and `end`."""

    def __init__(self, build, name, arch, folder):
        self.data, paths = os.path.join(folder, "data"), [os.path.join(folder, each) for each in ("control", "answers")]
        for path in paths:
            os.mkfifo(path)
        # Opened for both directions, so that nobody waits for the other side.
        self.control, self.answers = (os.fdopen(os.open(path, os.O_RDWR), mode, buffering=0) for path, mode in zip(paths, ("wb", "rb")))
        command = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "1999", "-k", "1", "-D", "-1", f"--control=fifo:{paths[0]},{paths[1]}", "-o", self.data]
        self.worker = worker.Worker(build, name, arch, "cache-perf", command, environment={"WAVELIFT_PERF": "on", "TMPDIR": folder})

    def tell(self, word):
        self.control.write(word + b"\n")
        if not self.answers.read(5).startswith(b"ack"):
            sys.exit(f"perf does not take {word!r}")

    def samples(self):
        """(symbol, library, source line or None) of each sample."""
        self.worker.run(1e-9)  # code is made
        self.tell(b"enable")
        self.worker.run(SECONDS)
        self.tell(b"disable")
        self.worker.end()
        with_lines = self.data + ".lines"
        subprocess.run(["perf", "inject", "--jit", "-i", self.data, "-o", with_lines], check=True, capture_output=True)
        text = subprocess.run(["perf", "script", "-i", with_lines, "-F", "ip,sym,dso,srcline"], check=True, capture_output=True, text=True).stdout
        found = []
        for line in text.splitlines():
            match = SAMPLE.match(line)
            if match:
                found.append([match[2], os.path.basename(match[3]), None])
            elif found and re.search(r"\S+:\d+$", line):
                found[-1][2] = line.strip()
        return found


def main():
    build, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    shares = []
    print("| kernel | target | samples | under a name | and a line | others |\n|---|---|---|---|---|---|")
    for name, arch in worker.benchmarks(names):
        with tempfile.TemporaryDirectory() as folder:
            samples = Recorder(build, name, arch, folder).samples()
        if not samples:
            sys.exit(f"{name}: perf has recorded nothing")
        kernels = [sample for sample in samples if KERNEL.match(sample[0])]
        lines = sum(1 for sample in kernels if sample[2])
        others = collections.Counter(f"{symbol} ({library})" for symbol, library, line in samples if not (KERNEL.match(symbol) and line))
        shares.append((len(kernels) / len(samples), lines / len(samples)))
        words = ", ".join(f"{place} {count / len(samples):.1%}" for place, count in others.most_common(4))
        print(f"| {name} | {arch} | {len(samples)} | {shares[-1][0]:.1%} | {shares[-1][1]:.1%} | {words} |", flush=True)
    print("all: {:.1%} under a name, {:.1%} under a name and a line".format(*(sum(column) / len(shares) for column in zip(*shares))))


main()
