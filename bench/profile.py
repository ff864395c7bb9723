#!/usr/bin/env python3
"""How much `wavelift profile` costs: time of the suite's kernels with it and without.

    bench/profile.py BUILD [OPTIONS [NAME ...]]     OPTIONS: of `wavelift profile`, one word; "" for none

Needs `ninja suite`. For each benchmark and its first target two workers run in turn, one under `wavelift profile`; the figure is the median of the
ratios of neighbouring rounds, of the CPU time of the workers' threads, which other programs disturb less than the time that passes. Prints a table,
and the ratios' median and geometric mean."""
import glob
import os
import re
import statistics
import subprocess
import sys

ROUNDS, SECONDS = int(os.environ.get("WAVELIFT_BENCH_ROUNDS", "9")), 0.1


class Worker:
    def __init__(self, build, name, arch, options):
        environment = dict(os.environ, LD_LIBRARY_PATH=f"{build}/lib", WAVELIFT_ARCH=arch, WAVELIFT_TIER="2",
                           WAVELIFT_CACHE_DIR=f"{build}/bench/cache-profile")
        profile = [] if options is None else [f"{build}/bin/wavelift", "profile", *options, "--"]
        self.process = subprocess.Popen([*profile, f"{build}/bench/suite/worker-hip", name, f"{build}/bench/suite/{name}.co"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)

        self.profiled = options is not None

    def run(self):
        """One run of the benchmark, which is always longer than what is asked for."""
        self.process.stdin.write("run 1e-9\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

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
            self.run()
        return (self.cpu_time() - before) / runs

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    build, options, names = os.path.abspath(sys.argv[1]), sys.argv[2].split() if len(sys.argv) > 2 else [], sys.argv[3:]
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels", "table.inc")
    ratios = []
    print("| kernel | without, ms | with, ms | ratio |\n|---|---|---|---|")
    for group, name, archs in re.findall(r'^BENCHMARK\((.+), (.+), "(.+)"\)$', open(source, encoding="ascii").read(), re.M):
        if names and name not in names and group not in names:
            continue
        pair = [Worker(build, name, archs.split()[0], None), Worker(build, name, archs.split()[0], options)]
        runs = max(1, int(SECONDS / min(worker.run() for worker in pair * 2)))
        rounds = []
        for i in range(ROUNDS): # each goes first in turn
            answers = {worker: worker.round(runs) for worker in (pair if i % 2 else pair[::-1])}
            rounds.append([answers[worker] for worker in pair])
        plain, profiled = (statistics.median(column) for column in zip(*rounds))
        ratios.append(statistics.median(second / first for first, second in rounds))
        print(f"| {name} | {plain * 1e3:.3f} | {profiled * 1e3:.3f} | {ratios[-1]:.3f} |", flush=True)
        for worker in pair:
            worker.end()
    print(f"\n{len(ratios)} kernels: median {statistics.median(ratios):.3f}, geometric mean {statistics.geometric_mean(ratios):.3f}")


if __name__ == "__main__":
    main()
