#!/usr/bin/env python3
"""How much sanitizers cost: time of the suite's kernels with a tool and without.

    bench/sanitize.py BUILD TOOLS [NAME ...]     TOOLS: as WAVELIFT_SANITIZE has them

Needs `ninja suite`. For each benchmark and its first target two workers run in turn, one without the tool; the figure is the ratio of
the medians. Prints a table, and the median of the ratios."""
import os
import re
import statistics
import sys

import worker

ROUNDS, SECONDS = int(os.environ.get("WAVELIFT_BENCH_ROUNDS", "5")), 0.05


class Worker(worker.Worker):
    def __init__(self, build, name, arch, tools):
        self.errors = open(f"{build}/bench/sanitize-{name}.log", "w+" if tools else "w")
        super().__init__(build, name, arch, "cache-sanitize", errors=self.errors, environment={"WAVELIFT_SANITIZE": tools} if tools else None)

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1)) / 1024


def main():
    build, tools, names = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    ratios = []
    print("| kernel | without, ms | with, ms | ratio | memory ratio |\n|---|---|---|---|---|")
    for name, arch in worker.benchmarks(names):
        pair = [Worker(build, name, arch, None), Worker(build, name, arch, tools)]
        try:
            for each in pair:
                each.run(SECONDS)
            times = [[each.run(SECONDS) for each in pair] for _ in range(ROUNDS)]
            plain, checked = (statistics.median(column) for column in zip(*times))
            ratios.append(checked / plain)
            memory = pair[1].memory() / pair[0].memory()
            print(f"| {name} | {plain * 1e3:.2f} | {checked * 1e3:.2f} | {checked / plain:.2f} | {memory:.2f} |", flush=True)
        except ValueError:
            print(f"| {name} | failed | | | |", flush=True)
        for each in pair:
            each.end()
    print(f"\nmedian of the ratios, {len(ratios)} kernels: {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
