#!/usr/bin/env python3
"""Runs programs that end while native code of their kernels is being made, many times under load: no run may crash or hang.

soak_ending.py BUILD [--runs N] [--at-once N] [--limit SECONDS] [--target ARCH] [PROGRAM ...]

Takes programs of BUILD/programs (default: the 20 below, built by the target `programs`) and runs each N times (default: 500), --at-once of
them at any time (default: 15), which is the load. There is no cache, so that every run makes native code in the background anew. Prints a
line for each program: runs, those that ended before all native code they had asked for was there, wrong ends, crashes, hangs.
`make check` runs one program a few times; the full length, some hours on two cores, is for use by hand."""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys

PROGRAMS = """ending-O3 vadd-O3 stream-O3 sgemm-O3 dgemm-O3 reduce-O3 histogram-O3 scan-O3 radix_sort-O3 nbody-O3 mandelbrot-O3 black_scholes-O3
stencil-O3 spmv-O3 half-O3 matrix-O3 calls-O3 malloc-O3 streams-O3 graphs-O3""".split()

# Small sizes for programs that by default run so long that all their native code is there before they end.
ARGUMENTS = {"stream-O3": ["64"], "nbody-O3": ["64"], "mandelbrot-O3": ["16", "8", "10"], "stencil-O3": ["16", "8", "1"], "graphs-O3": ["64"]}


def run(build, program, options):
    """How one run ended, whether native code was still to come, and what was printed if something went wrong."""
    environment = os.environ | {"LD_LIBRARY_PATH": str(build / "lib"), "WAVELIFT_DEVICES": "cpu", "WAVELIFT_ARCH": options.target,
                                "WAVELIFT_TIER": "0", "WAVELIFT_CACHE_SIZE": "0", "WAVELIFT_LOG": "3"}
    process = subprocess.Popen([build / "programs" / program, *ARGUMENTS.get(program, [])], env=environment, cwd=build / "programs", start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        output = process.communicate(timeout=options.limit)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        stacks = stacks_of(process.pid)
        os.killpg(process.pid, signal.SIGKILL)
        return "hang", False, process.communicate()[0].decode(errors="replace") + stacks
    lines = [line for line in output.splitlines() if line.startswith("wavelift: ")]
    begun = {line.split()[2].rstrip(":") for line in lines if line.startswith("wavelift: threaded ")}
    made = {line.split()[2] for line in lines if line.startswith("wavelift: translated ")}
    how = "crash" if process.returncode < 0 else "wrong" if process.returncode else "end"
    return how, bool(begun - made), f"{output}status {process.returncode}\n"


def stacks_of(pid):
    """Where all threads of a process are, if there is a debugger."""
    try:
        return subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt 12"], capture_output=True, text=True, timeout=120).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--at-once", type=int, default=15)
    parser.add_argument("--limit", type=float, default=300, help="seconds after which a run hangs")
    parser.add_argument("--target", default="gfx90a")
    options = parser.parse_intermixed_args()
    build = options.build.resolve()
    programs = options.programs or PROGRAMS
    missing = [program for program in programs if not (build / "programs" / program).exists()]
    if missing:
        sys.exit(f"not built (target `programs`): {' '.join(missing)}")
    ends = {program: collections.Counter() for program in programs}
    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        # One run of each program after the other, so that different ones run beside each other.
        order = programs * options.runs
        for program, (how, early, output) in zip(order, pool.map(lambda program: run(build, program, options), order)):
            ends[program][how] += 1
            ends[program]["early"] += early
            if how != "end":
                print(f"{how}: {program}\n{output}", flush=True)
    bad = 0
    for program, end in ends.items():
        print(f"{program}: {options.runs} runs, {end['early']} ended while native code was made, "
              f"{end['wrong']} wrong, {end['crash']} crashes, {end['hang']} hangs")
        bad += end["wrong"] + end["crash"] + end["hang"]
    print("FAIL" if bad else "PASS")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
