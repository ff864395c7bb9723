#!/usr/bin/env python3
"""How much of the time of the suite's kernels Linux's perf shows under the kernels' names and source lines.

    bench/perf.py BUILD [NAME ...]

Needs `ninja suite` and perf. For each benchmark and its first target a worker runs it under `perf record`, which records only while the benchmark is run
again and again: not while the process starts, makes its inputs and translates. A sample is a kernel's if it is in native code or in a function that
native code has called, which is what call chains are recorded for. Prints for each benchmark, in parts of all samples of the process:

    kernel   in kernels
    line     in kernels, and perf has a source line for the kernel's name
    runtime  in the runtime outside kernels: it hands out workgroups and waits for work
    system   in the system's kernel
    longest  the functions outside kernels that most samples are in"""
import collections
import os
import re
import subprocess
import sys
import tempfile
import time

import worker

SECONDS = float(os.environ.get("WAVELIFT_BENCH_SECONDS", "1"))
FRAME = re.compile(r"^\s*[0-9a-f]+ (.+) \(([^()]+)\)$")
KERNEL = re.compile(r".+ \[(?:full|masked|workgroup|loops)\]$")  # what copies of native code are called (src/device/cpu/code/units.c)


class Recorder:
    """A worker under perf, which records between two words to it."""

    def __init__(self, build, name, arch, folder):
        self.data, paths = os.path.join(folder, "data"), [os.path.join(folder, each) for each in ("control", "answers")]
        for path in paths:
            os.mkfifo(path)
        # Opened for both directions, so that nobody waits for the other side.
        self.control, self.answers = (os.fdopen(os.open(path, os.O_RDWR), mode, buffering=0) for path, mode in zip(paths, ("wb", "rb")))
        command = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "1999", "-k", "1", "--call-graph", "fp", "-D", "-1",
                   f"--control=fifo:{paths[0]},{paths[1]}", "-o", self.data]
        self.worker = worker.Worker(build, name, arch, "cache-perf", command, environment={"WAVELIFT_PERF": "on", "TMPDIR": folder})

    def tell(self, word):
        self.control.write(word + b"\n")
        if not self.answers.read(5).startswith(b"ack"):
            sys.exit(f"perf does not take {word!r}")

    def record(self):
        """Returns the file that perf has recorded, with the lines of native code."""
        self.worker.run(1e-9)  # code is made
        self.tell(b"enable")
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            self.worker.run(SECONDS / 10)
        self.tell(b"disable")
        self.worker.end()
        self.control.close()
        self.answers.close()
        subprocess.run(["perf", "inject", "--jit", "-i", self.data, "-o", f"{self.data}.lines"], check=True, capture_output=True)
        return f"{self.data}.lines"


def perf(*arguments):
    return subprocess.run(["perf", *arguments], check=True, capture_output=True, text=True).stdout


def chains(data):
    """Of each sample its frames, from the innermost on: [(symbol, library, whether perf knows the source line)]."""
    for text in perf("script", "-i", data, "-F", "ip,sym,dso,srcline").split("\n\n"):
        frames = []
        for line in text.splitlines():
            match = FRAME.match(line)
            if match:
                frames.append((match[1], os.path.basename(match[2]), False))
            elif frames and re.search(r".:[1-9]\d*$", line):
                frames[-1] = (*frames[-1][:2], True)
        if frames:
            yield frames


def kernel_of(frames):
    """The innermost frame of a kernel; None: there is none."""
    return next((frame for frame in frames if KERNEL.match(frame[0])), None)


def main():
    build, names, table = os.path.abspath(sys.argv[1]), sys.argv[2:], []
    print("| kernel | target | samples | kernel | line | runtime | system | longest |\n|---|---|---|---|---|---|---|---|")
    for name, arch in worker.benchmarks(names):
        with tempfile.TemporaryDirectory() as folder:
            data = Recorder(build, name, arch, folder).record()
            samples = list(chains(data))
        lines = sum(1 for frames in samples if (kernel_of(frames) or (None, None, False))[2]) / len(samples)
        others = [frames[0] for frames in samples if not kernel_of(frames)]
        system = sum(1 for _, library, _ in others if library.startswith("[kernel"))
        longest = ", ".join(f"{symbol} {count / len(samples):.1%}" for symbol, count in collections.Counter(frame[0] for frame in others).most_common(3))
        row = [1 - len(others) / len(samples), lines, (len(others) - system) / len(samples), system / len(samples)]
        table.append(row)
        print(f"| {name} | {arch} | {len(samples)} | {' | '.join(f'{share:.1%}' for share in row)} | {longest} |", flush=True)
    print("mean: kernel {:.1%}, line {:.1%}, runtime {:.1%}, system {:.1%}".format(*(sum(column) / len(table) for column in zip(*table))))
    print("line, of what is in kernels: least {:.1%}".format(min(lines / kernel for kernel, lines, _, _ in table)))


main()
