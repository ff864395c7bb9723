#!/usr/bin/env python3
"""How much sanitizers cost: CPU time and memory of the suite's kernels with tools and without.

    bench/sanitize.py BUILD TOOLS[/TOOLS ...] [NAME ...]     TOOLS: as WAVELIFT_SANITIZE has them; memcheck/racecheck: two columns

Needs `ninja suite`. For each benchmark and its first target workers run in turn, one without a tool and one for each TOOLS, with one thread for
kernels; a ratio is the median over rounds, each with the time without of that round. Prints a table of ratios of time, with those of
memory (the most that was resident) in brackets, and the medians of both."""
import os
import re
import statistics
import sys

import worker

ROUNDS, SECONDS = int(os.environ.get("WAVELIFT_BENCH_ROUNDS", "5")), 0.05


class Worker(worker.Worker):
    def __init__(self, build, name, arch, tools):
        with open(f"{build}/bench/sanitize-{name}.log", "w" if tools is None else "a", encoding="utf-8") as errors:
            environment = {"WAVELIFT_THREADS": "1"} | ({"WAVELIFT_SANITIZE": tools} if tools else {})
            super().__init__(build, name, arch, "cache-sanitize", errors=errors, environment=environment)

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1)) / 1024


def main():
    build, tools, names = os.path.abspath(sys.argv[1]), sys.argv[2].split("/"), sys.argv[3:]
    time, memory = [[] for _ in tools], [[] for _ in tools]
    print("| kernel | without, ms | " + " | ".join(tools) + " |\n|" + "---|" * (len(tools) + 2))
    for name, arch in worker.benchmarks(names):
        workers = [Worker(build, name, arch, each) for each in [None, *tools]]
        try:
            for each in workers:
                each.run_cpu(SECONDS)
            rounds = [[each.run_cpu(SECONDS) for each in workers] for _ in range(ROUNDS)]
            cells = []
            for i in range(len(tools)):
                time[i].append(statistics.median(row[i + 1] / row[0] for row in rounds))
                memory[i].append(workers[i + 1].memory() / workers[0].memory())
                cells.append(f"{time[i][-1]:.2f} ({memory[i][-1]:.2f})")
            print(f"| {name} | {statistics.median(row[0] for row in rounds) * 1e3:.2f} | " + " | ".join(cells) + " |", flush=True)
        except ValueError:
            print(f"| {name} | failed |" + " |" * len(tools), flush=True)
        for each in workers:
            each.end()
    medians = (f"{statistics.median(of_time):.2f} ({statistics.median(of_memory):.2f})" for of_time, of_memory in zip(time, memory))
    print(f"| median of {len(time[0])} | | " + " | ".join(medians) + " |")


if __name__ == "__main__":
    main()
