#!/usr/bin/env python3
"""How much sanitizers cost: time of the suite's kernels with a tool and without.

    bench/sanitize.py BUILD TOOLS [NAME ...]     TOOLS: as WAVELIFT_SANITIZE has them

Needs `ninja suite`. For each benchmark and its first target two workers run in turn, one without the tool; the figure is the ratio of
the medians. Prints a table, and the median of the ratios."""
import os
import re
import statistics
import subprocess
import sys

ROUNDS, SECONDS = int(os.environ.get("WAVELIFT_BENCH_ROUNDS", "5")), "0.05"


class Worker:
    def __init__(self, build, name, arch, tools):
        environment = dict(os.environ, LD_LIBRARY_PATH=f"{build}/lib", WAVELIFT_ARCH=arch, WAVELIFT_TIER="2",
                           WAVELIFT_CACHE_DIR=f"{build}/bench/cache-sanitize")
        if tools:
            environment["WAVELIFT_SANITIZE"] = tools
        self.errors = open(f"{build}/bench/sanitize-{name}.log", "w+" if tools else "w")
        self.process = subprocess.Popen([f"{build}/bench/suite/worker-hip", name, f"{build}/bench/suite/{name}.co"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, env=environment)

    def run(self):
        self.process.stdin.write(f"run {SECONDS}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1)) / 1024

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    build, tools, names = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels", "table.inc")
    ratios = []
    print("| kernel | without, ms | with, ms | ratio | memory ratio |\n|---|---|---|---|---|")
    for group, name, archs in re.findall(r'^BENCHMARK\((.+), (.+), "(.+)"\)$', open(source, encoding="ascii").read(), re.M):
        if names and name not in names and group not in names:
            continue
        pair = [Worker(build, name, archs.split()[0], None), Worker(build, name, archs.split()[0], tools)]
        try:
            for worker in pair:
                worker.run()
            times = [[worker.run() for worker in pair] for _ in range(ROUNDS)]
            plain, checked = (statistics.median(column) for column in zip(*times))
            ratios.append(checked / plain)
            memory = pair[1].memory() / pair[0].memory()
            print(f"| {name} | {plain * 1e3:.2f} | {checked * 1e3:.2f} | {checked / plain:.2f} | {memory:.2f} |", flush=True)
        except ValueError:
            print(f"| {name} | failed | | | |", flush=True)
        for worker in pair:
            worker.end()
    print(f"\nmedian of the ratios, {len(ratios)} kernels: {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
