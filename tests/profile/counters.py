"""counters.py WAVELIFT PROGRAM WAVE SOURCE: the counters of tests/profile/counted.hip, on a processor with waves of so many lanes, are those that
follow from its sources, for the kernels and for its lines."""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

wavelift, program, wave, source = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2]), int(sys.argv[3]), os.path.realpath(sys.argv[4])
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


def expect_line(lines, kernel, text, wanted):
    """`text` stands in one line of the source, of which these figures are known."""
    with open(source, encoding="utf-8") as file:
        numbers = [number for number, line in enumerate(file, 1) if text in line]
    found = [line for line in lines[kernel] if line["line"] in numbers and os.path.realpath(line["file"]) == source]
    if len(numbers) != 1 or len(found) != 1:
        failures.append("%s: %d lines with %r, %d of them counted" % (kernel, len(numbers), text, len(found)))
        return
    for name, value in wanted.items():
        if abs(found[0][name] - value) > 1e-4 * max(1, abs(value)):
            failures.append("%s, %r: %s is %r instead of %r" % (kernel, text, name, found[0][name], value))


def check_lines(lines, rows):
    items = 3 * 7 * 256
    expect_line(lines, "copy", "to[i] = from[i];", {"accesses": 2 * items // wave, "memory": 2 * items // wave, "scattered": 0, "lds": 0,
                                                    "pieces": 2 * items * 4 // 64, "loaded_bytes": items * 4, "stored_bytes": items * 4})
    items = 2 * 128
    expect_line(lines, "strided", "to[i] = from[i * 16];", {"accesses": 2 * items // wave, "scattered": items // wave,
                                                            "pieces": items + items * 4 // 64})
    expect_line(lines, "arithmetic", "asm volatile(\n", {"flops": 2 * 192 * 100 * 10, "memory": 0, "branches": 0, "active_lanes": wave})
    arithmetic = next(row for row in rows if row["name"].startswith("arithmetic"))
    expect_line(lines, "arithmetic", "i < rounds", {"flops": 0, "branches": arithmetic["counters"]["SQ_INSTS_BRANCH"]})
    expect_line(lines, "some", "v_add_f32 %0, %0, %0\\n v_add_f32 %0, %0, %0\\n\" :",
                {"active_lanes": 5, "flops": 2 * 5 * 256 // wave, "diverged": 0})
    expect_line(lines, "some", "__lane_id() < lanes", {"diverged": 256 // wave})
    halves = 2 * 64 // 32
    for text in ("lds[threadIdx.x * stride] = ", "= lds[(63 - threadIdx.x) * stride]"):
        expect_line(lines, "banks", text, {"lds": 2 * 64 // wave, "lds_conflicts": 3 * halves // 2, "lds_cycles": 5 * halves // 2})
    for row in rows:  # the lines' counters are the kernel's in sum
        for name in ("SQ_INSTS", "SQ_INSTS_VALU", "SQ_INSTS_SMEM", "SQ_THREAD_CYCLES_VALU", "WRITE_SIZE", "SQ_LDS_IDX_ACTIVE", "WAVELIFT_FLOPS"):
            total = sum(line["counters"][name] for line in row["lines"])
            if abs(total - row["counters"][name]) > 1e-4 * max(1, total):
                failures.append("%s: %s of its lines is %r in all, its own %r" % (row["name"], name, total, row["counters"][name]))
        if any(not line["file"] or line["line"] <= 0 for line in row["lines"]):
            failures.append("%s: instructions without a line" % row["name"])


with tempfile.TemporaryDirectory() as scratch:
    tiers = []
    for tier in (1, 2):
        path, table = os.path.join(scratch, "json"), os.path.join(scratch, "csv")
        result = run(tier, ",".join(NAMES), ["--source", "--json", path, "--csv", table])
        if (result.returncode, result.stdout) != (0, "done\n") or "counters of copy(float*, float const*)" not in result.stderr or not re.search(
                r"counted\.hip:\d+  to\[i\] = from\[i\];\n", result.stderr):
            failures.append("tier %d: %r" % (tier, result))
            break
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)["kernels"]
        counters = {row["name"].split("(")[0]: row["counters"] for row in rows}
        check(counters)
        check_lines({row["name"].split("(")[0]: row["lines"] for row in rows}, rows)
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
