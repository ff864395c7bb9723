"""counters.py WAVELIFT PROGRAM WAVE: the counters of tests/profile/counted.hip, on a processor with waves of so many lanes, are those that follow
from its sources."""
import csv
import json
import os
import subprocess
import sys
import tempfile

wavelift, program, wave = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2]), int(sys.argv[3])
NAMES = ["SQ_WAVES", "WAVELIFT_ITEMS", "SQ_INSTS", "SQ_INSTS_VALU", "SQ_INSTS_SALU", "SQ_INSTS_SMEM", "SQ_INSTS_VMEM", "SQ_INSTS_VMEM_RD",
         "SQ_INSTS_VMEM_WR", "SQ_INSTS_FLAT", "SQ_INSTS_LDS", "SQ_INSTS_BRANCH", "SQ_INSTS_VALU_ADD_F32", "SQ_INSTS_VALU_MUL_F32",
         "SQ_INSTS_VALU_FMA_F32", "SQ_INSTS_VALU_TRANS_F32", "SQ_THREAD_CYCLES_VALU", "SQ_LDS_IDX_ACTIVE", "SQ_LDS_BANK_CONFLICT",
         "TCP_TOTAL_READ_sum", "TCP_TOTAL_WRITE_sum", "FETCH_SIZE", "WRITE_SIZE", "VALUUtilization", "LDSBankConflict", "WAVELIFT_FLOPS",
         "WAVELIFT_SCATTERED", "WAVELIFT_DIVERGED", "VFetchInsts"]
failures = []


def run(tier, names, more=()):
    return subprocess.run([wavelift, "profile", "--counters", names, *more, program], capture_output=True, text=True, timeout=300,
                          env=dict(os.environ, WAVELIFT_TIER=str(tier)))


def expect(counters, kernel, wanted):
    for name, value in wanted.items():
        if abs(counters[kernel][name] - value) > 1e-6 * max(1, abs(value)):
            failures.append("%s: %s is %r instead of %r" % (kernel, name, counters[kernel][name], value))


def check(counters):
    items = 3 * 7 * 256  # launches, workgroups, work items
    waves = items // wave
    expect(counters, "copy", {"SQ_WAVES": waves, "WAVELIFT_ITEMS": items, "SQ_INSTS_VMEM_RD": waves, "SQ_INSTS_VMEM_WR": waves, "SQ_INSTS_FLAT": 0,
                              "FETCH_SIZE": items * 4 / 1024, "WRITE_SIZE": items * 4 / 1024, "TCP_TOTAL_READ_sum": items * 4 // 64,
                              "TCP_TOTAL_WRITE_sum": items * 4 // 64, "SQ_INSTS_LDS": 0, "WAVELIFT_SCATTERED": 0, "WAVELIFT_FLOPS": 0,
                              "VALUUtilization": 100, "VFetchInsts": 1, "SQ_INSTS_BRANCH": 0, "WAVELIFT_DIVERGED": 0})
    items = 2 * 128
    expect(counters, "strided", {"TCP_TOTAL_READ_sum": items, "TCP_TOTAL_WRITE_sum": items * 4 // 64, "FETCH_SIZE": items * 4 / 1024,
                                 "WAVELIFT_SCATTERED": items // wave})
    items, rounds = 2 * 192, 100
    runs = items // wave * rounds
    expect(counters, "arithmetic", {"SQ_INSTS_VALU_FMA_F32": 3 * runs, "SQ_INSTS_VALU_ADD_F32": 2 * runs, "SQ_INSTS_VALU_MUL_F32": runs,
                                    "SQ_INSTS_VALU_TRANS_F32": runs, "WAVELIFT_FLOPS": items * rounds * (3 * 2 + 2 + 1 + 1)})
    waves = 256 // wave
    some = counters["some"]
    expect(counters, "some", {"SQ_INSTS_VALU_ADD_F32": 2 * waves, "WAVELIFT_FLOPS": 2 * 5 * waves, "WAVELIFT_DIVERGED": waves,
                              "SQ_THREAD_CYCLES_VALU": (some["SQ_INSTS_VALU"] - 2 * waves) * wave + 2 * waves * 5,
                              "VALUUtilization": 100 * ((some["SQ_INSTS_VALU"] - 2 * waves) * wave + 2 * waves * 5) / (some["SQ_INSTS_VALU"] * wave)})
    # Two launches of 64 work items, each with a store and a load: 32 lanes a cycle, and with a stride of 4 dwords 4 lanes in each of 8 banks: 3
    # cycles more.
    halves = 2 * 64 // 32
    expect(counters, "banks", {"SQ_INSTS_LDS": 2 * 2 * 64 // wave, "SQ_LDS_BANK_CONFLICT": 3 * halves, "SQ_LDS_IDX_ACTIVE": 2 * halves + 3 * halves,
                               "LDSBankConflict": 100 * 3 / 5})
    for kernel, c in counters.items():
        parts = sum(c["SQ_INSTS_" + name] for name in ("VALU", "SALU", "SMEM", "VMEM", "LDS", "BRANCH"))
        if not (0 < parts <= c["SQ_INSTS"]) or c["SQ_INSTS_SMEM"] == 0:
            failures.append("%s: %r instructions of %r" % (kernel, parts, c["SQ_INSTS"]))


with tempfile.TemporaryDirectory() as scratch:
    tiers = []
    for tier in (1, 2):
        path, table = os.path.join(scratch, "json"), os.path.join(scratch, "csv")
        result = run(tier, ",".join(NAMES), ["--json", path, "--csv", table])
        if (result.returncode, result.stdout) != (0, "done\n") or "counters of copy(float*, float const*)" not in result.stderr:
            failures.append("tier %d: %r" % (tier, result))
            break
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)["kernels"]
        counters = {row["name"].split("(")[0]: row["counters"] for row in rows}
        check(counters)
        tiers.append(counters)
        with open(table, encoding="utf-8") as file:
            cells = {row["name"].split("(")[0]: row for row in csv.DictReader(file) if row["kind"] == "kernel"}
        for kernel in counters:
            if any(float(cells[kernel][name]) != counters[kernel][name] for name in NAMES):
                failures.append("CSV of %s is not JSON's" % kernel)
        for row in rows:
            wanted = row["counters"]["WAVELIFT_FLOPS"] / row["total_ns"]
            if abs(row["gflops"] - wanted) > 1e-3 * max(wanted, 1e-3):
                failures.append("%s: %r GFLOP/s instead of %r" % (row["name"], row["gflops"], wanted))
    if len(tiers) == 2 and tiers[0] != tiers[1]:
        failures.append("threaded and native code differ: %r, %r" % tuple(tiers))
none = subprocess.run([wavelift, "profile", "--counters", "SQ_WAVES", sys.executable, "-c",
                       "import ctypes; print(ctypes.CDLL('libamdhip64.so.7').hipGetDeviceCount(ctypes.byref(ctypes.c_int())))"],
                      capture_output=True, text=True, timeout=300)
if (none.returncode, none.stdout) != (0, "0\n") or "on NVIDIA GPUs there are no counters" not in none.stderr:
    failures.append("a program without kernels: %r" % none)
for wrong in ("SQ_INSTS_VALU,TCC_HIT", "GRBM_COUNT"):
    refused = run(1, wrong)
    if refused.returncode != 2 or "is no counter here" not in refused.stderr or refused.stdout:
        failures.append("%s: %r" % (wrong, refused))
print("\n".join(failures[:20]) or "all as it should be")
sys.exit(bool(failures))
