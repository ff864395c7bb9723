#!/usr/bin/env python3
"""Random programs, run on the device and compared with the host.

    random_programs.py --kind KIND --runner RUN [--count N] [--seed S] [--batch K] [--size small|large] [--keep FOLDER]

KIND names the generator: a module of this folder (csmith) or a kind of generate.py. A batch of K programs becomes one file,
compiled by clang-19 for the host at -O1 and for one target at one optimization level, which rotate with the batch's number. The
runner (run.c) then runs and compares. The first line names the seed of the first program; program i has seed S + i, so that any
program can be made again alone: --seed SEED --count 1, with the target and level that the report names (--target, --level).
--compiler names another clang++ for the device, for a target that clang-19 does not know.
Without --seed, the seed is random. A program that differs is kept in FOLDER. Exit status: 0 if no program
differed or failed.
"""

import argparse
import importlib
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TARGETS = ["gfx906", "gfx1030", "gfx90a", "gfx1100", "gfx942", "gfx1200"]
LEVELS = ["O2", "O1", "O3", "O2", "O1", "O3", "O2", "O0"] # code of -O0 takes the most time
WAVE64 = "-mwavefrontsize64"
# Both sides agree on what C leaves open.
COMMON = ["-std=c++17", "-w", "-fwrapv", "-fno-strict-aliasing", "-fno-finite-loops", "-ffp-contract=off", "-Wno-c++11-narrowing", f"-I{HERE}"]
HOST = ["clang++-19", "-x", "c++", "-O1", "-shared", "-fPIC", "-mfma", "-mf16c"] + COMMON
DEVICE = ["-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "-nogpulib", "-nogpuinc", "-DDEVICE"] + COMMON

HEAD = """#include "program.h"
#ifdef DEVICE
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#pragma clang force_cuda_host_device begin
#endif
inline void *operator new(__SIZE_TYPE__, void *at) noexcept { return at; }
"""
TAIL = """
#ifdef DEVICE
#pragma clang force_cuda_host_device end
#else
extern "C" const struct random_program random_programs[] = {
    %s,
};
extern "C" const unsigned random_program_count = %d;
#endif
"""


class Totals:
    def __init__(self):
        self.equal = self.different = self.skipped = self.failed = self.unmade = 0

    def add(self, equal, different, skipped):
        self.equal += equal
        self.different += different
        self.skipped += skipped


def variants():
    """(target, level, more flags), rotating so that each target meets each level and, from gfx10 on, both wave sizes."""
    for n in itertools.count():
        target = TARGETS[n % len(TARGETS)]
        wide = target.startswith("gfx1") and n // len(TARGETS) % 3 == 2
        yield target, LEVELS[(n + n // 24) % len(LEVELS)], [WAVE64] if wide else []


def compile_file(command, source, output):
    return subprocess.run(command + [source, "-o", output], capture_output=True, text=True)


def write_batch(path, prelude, programs):
    with open(path, "w") as file:
        file.write(HEAD + prelude + "".join(p[0] for p in programs) + TAIL % (",\n    ".join(p[2] for p in programs), len(programs)))


def compile_all(command, source, output, prelude, programs, totals):
    """Compiles what it can of a batch: C++ refuses some of csmith's programs (a jump past an initializer), and clang crashes on a few
    at -O0. Returns the programs that are in `output`."""
    write_batch(source, prelude, programs)
    if compile_file(command, source, output).returncode == 0:
        return programs
    good = []
    for program in programs:
        write_batch(source, prelude, [program])
        if compile_file(command, source, output).returncode == 0:
            good.append(program)
    totals.unmade += len(programs) - len(good)
    write_batch(source, prelude, good)
    if not good or compile_file(command, source, output).returncode != 0:
        return []
    return good


def compile_batch(folder, compiler, prelude, programs, target, level, flags, totals):
    """Host library and module of a batch."""
    source, host, module = (os.path.join(folder, name) for name in ("batch.cc", "host.so", "module.co"))
    programs = compile_all([compiler] + DEVICE + [f"--offload-arch={target}", "-" + level] + flags, source, module, prelude, programs, totals)
    on_host = compile_all(HOST, source, host, prelude, programs, totals) if programs else []
    if len(on_host) < len(programs): # the module may hold more kernels than the library knows
        programs = on_host
    return (source, host, module, [name for _, name, _ in programs]) if programs else None


def run_batch(arguments, number, seed, count, variant, totals):
    target, level, flags = variant
    if arguments.target:
        target = arguments.target
        flags = [WAVE64] if arguments.wave64 else []
    level = arguments.level or level
    name = "csmith" if arguments.kind == "csmith" else "generate"
    generator = importlib.import_module(name)
    generator.TRACE = arguments.trace
    make = generator.generate if name == "csmith" else (lambda s, size: generator.generate(s, size, arguments.kind))
    size = {"small": "tiny", "large": "small"}.get(arguments.size) if level == "O0" else arguments.size # such code is long
    programs = [p for p in (make(s, size) for s in range(seed, seed + count)) if p]
    totals.unmade += count - len(programs)
    if not programs:
        return
    with tempfile.TemporaryDirectory(prefix="random.") as folder:
        compiled = compile_batch(folder, arguments.compiler, generator.prelude(), programs, target, level, flags, totals)
        if not compiled:
            return
        source, host, module, compiled_programs = compiled
        environment = dict(os.environ, WAVELIFT_ARCH=target)
        environment.setdefault("WAVELIFT_CACHE_SIZE", "0")
        bad, errors, start = [], "", 0
        while start < len(compiled_programs): # the runner ends with the first program that fails otherwise than by its results
            wave = "64" if target.startswith("gfx9") or WAVE64 in flags else "32"
            ran = subprocess.run([arguments.runner, host, module, str(start), wave], capture_output=True, text=True, env=environment)
            bad += [line for line in ran.stdout.splitlines() if re.match(r"DIFFERS|ERROR", line)]
            counts = re.search(r"(\d+) equal, (\d+) different, (\d+) skipped, (\d+) done", ran.stdout)
            if counts:
                totals.add(*map(int, counts.groups()[:3]))
                start += int(counts.group(4))
            if not counts or ran.returncode > 1: # crashed, hung or refused: in the program whose name was printed last
                names = re.findall(r"^(\w+)$", ran.stdout, re.M)
                bad.append(f"ERROR the runner ended with status {ran.returncode} in {names[-1] if names else 'its start'}")
                totals.failed += 1
                errors += ran.stderr[-2000:]
                start = compiled_programs.index(names[-1]) + 1 if names else len(compiled_programs)
        for line in bad:
            print(f"{target} {level} {' '.join(flags)}: {line}", flush=True)
        if errors:
            print(errors)
        if bad and arguments.keep:
            os.makedirs(arguments.keep, exist_ok=True)
            for file in (source, host, module):
                kept = os.path.join(arguments.keep, f"{arguments.kind}-{seed}-{target}-{level}-{os.path.basename(file)}")
                with open(file, "rb") as original, open(kept, "wb") as copy:
                    copy.write(original.read())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", required=True)
    parser.add_argument("--runner", required=True)
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--first-variant", type=int, default=0)
    parser.add_argument("--size", default="small")
    parser.add_argument("--target")
    parser.add_argument("--compiler", default="clang++-19", help="for the device")
    parser.add_argument("--level")
    parser.add_argument("--wave64", action="store_true", help="with --target")
    parser.add_argument("--keep")
    parser.add_argument("--trace", action="store_true", help="kinds of generate.py: the memory's word tells behind which statement (// point W) a lane differs first")
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(1 << 27)
    print(f"{arguments.kind}: seeds {seed} to {seed + arguments.count - 1}", flush=True)
    totals = Totals()
    rotation = itertools.islice(variants(), arguments.first_variant, None)
    for number, start in enumerate(range(0, arguments.count, arguments.batch)):
        run_batch(arguments, number, seed + start, min(arguments.batch, arguments.count - start), next(rotation), totals)
        if number % 20 == 19:
            print(f"... {vars(totals)}", flush=True)
    print(f"{arguments.kind}: {totals.equal} equal, {totals.different} different, {totals.failed} failed, {totals.skipped} without an end on the host, "
          f"{totals.unmade} not made")
    sys.exit(1 if totals.different or totals.failed or totals.equal == 0 else 0)


if __name__ == "__main__":
    main()
