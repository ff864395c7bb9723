#!/usr/bin/env python3
"""How much `wavelift profile` costs: time of the suite's kernels with it and without.

    bench/profile.py BUILD [OPTIONS [NAME ...]]     OPTIONS: of `wavelift profile`, one word; "" for none

Needs `ninja suite`. For each benchmark and its first target two workers run in turn, one under `wavelift profile`; the figure is the median of the
ratios of neighbouring rounds, of the CPU time of the workers' threads, which other programs disturb less than the time that passes. Prints a table,
and the ratios' median and geometric mean."""
import glob
import os
import statistics
import sys

import worker

ROUNDS, SECONDS = int(os.environ.get("WAVELIFT_BENCH_ROUNDS", "9")), 0.1


class Worker(worker.Worker):
    def __init__(self, build, name, arch, options):
        self.profiled = options is not None
        super().__init__(build, name, arch, "cache-profile", [f"{build}/bin/wavelift", "profile", *options, "--"] if self.profiled else [])

    def run_once(self):
        return self.run(1e-9)

    def cpu_time(self):
        pid = self.process.pid
        if self.profiled: # the worker is a child
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
                pid = int(children.read().split()[0])
        total = 0
        for name in glob.glob(f"/proc/{pid}/task/*/schedstat"):
            with open(name, encoding="ascii") as stat:
                total += int(stat.read().split()[0])
        return total / 1e9

    def round(self, runs):
        before = self.cpu_time()
        for _ in range(runs):
            self.run_once()
        return (self.cpu_time() - before) / runs


def main():
    build, options, names = os.path.abspath(sys.argv[1]), sys.argv[2].split() if len(sys.argv) > 2 else [], sys.argv[3:]
    ratios = []
    print("| kernel | without, ms | with, ms | ratio |\n|---|---|---|---|")
    for name, arch in worker.benchmarks(names):
        pair = [Worker(build, name, arch, None), Worker(build, name, arch, options)]
        runs = max(1, int(SECONDS / min(each.run_once() for each in pair * 2)))
        rounds = []
        for i in range(ROUNDS): # each goes first in turn
            answers = {each: each.round(runs) for each in (pair if i % 2 else pair[::-1])}
            rounds.append([answers[each] for each in pair])
        plain, profiled = (statistics.median(column) for column in zip(*rounds))
        ratios.append(statistics.median(second / first for first, second in rounds))
        print(f"| {name} | {plain * 1e3:.3f} | {profiled * 1e3:.3f} | {ratios[-1]:.3f} |", flush=True)
        for each in pair:
            each.end()
    print(f"\n{len(ratios)} kernels: median {statistics.median(ratios):.3f}, geometric mean {statistics.geometric_mean(ratios):.3f}")


if __name__ == "__main__":
    main()
