"""tools.py WAVELIFT WORK TRACER COUNTED TOOL1 TOOL2: tools for AMD's newer interface (tool.c) are found, and several see the same: two of them, the
profiler of tracer.hip, which uses AMD's older interface, and `wavelift profile`, whose counters are theirs."""
import json
import os
import subprocess
import sys
import tempfile

wavelift, work, tracer, counted, one, two = (os.path.realpath(path) for path in sys.argv[1:])
failures = []
EXPECTED = {"kernel fill": 10, "kernel add": 5, "kernel branch": 6, "kernel in_thread": 4, "kernel unseen": 7, "call hipMalloc": 3,
            "call hipLaunchKernel": 10 + 5 + 4 + 7 + 2, "call hipGraphLaunch": 3, "call hipFree": 2, "call hipStreamCreate": 3, "range graphs": 1,
            'range inner "one"': 1, "range graphs are done": 1, "range from thread to thread": 1, "runtime RUNTIME_INITIALIZATION_HIP": 1,
            "table HIP (runtime)": 1}


def run(command, scratch, **more):
    output = os.path.join(scratch, "told")
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, env=dict(os.environ, TOOL_OUTPUT=output, **more))
    told = {}
    for name in ("one", "two"):
        if os.path.exists(output + "." + name):
            with open(output + "." + name, encoding="utf-8") as file:
                lines = [line.rstrip("\n").split(" ", 1) for line in file]
            told[name] = {plain(text): float(number) for number, text in lines}
            os.unlink(output + "." + name)
    return result, told


def plain(text):
    """The kernels' symbols by their names in the source: _Z4fillPii is fill."""
    kind, _, name = text.rpartition(" ") if text.startswith("counter ") else text.partition(" ")
    if name.startswith("_Z"):
        length = int("".join(c for c in name[2:4] if c.isdigit()))
        name = name[2 + len(str(length)):][:length]
    return kind + " " + name


def check(what, result, told, names, expected):
    if result.returncode != 0:
        failures.append("%s: %r" % (what, result))
    if sorted(told) != sorted(names):
        failures.append("%s: %r were told" % (what, sorted(told)))
    for name, lines in told.items():
        wrong = {text: lines.get(text) for text, number in expected.items() if lines.get(text) != number}
        wrong.update({text: number for text, number in lines.items() if text.startswith("failed")})
        if wrong:
            failures.append("%s: tool %s: %r" % (what, name, wrong))


with tempfile.TemporaryDirectory() as scratch:
    check("listed", *run([work], scratch, ROCP_TOOL_LIBRARIES=one + ":" + two), ["one", "two"], EXPECTED)
    check("preloaded", *run([work], scratch, LD_PRELOAD=os.environ.get("LD_PRELOAD", "") + ":" + one), ["one"], EXPECTED)
    check("none", *run([work], scratch), [], {})
    result, told = run([tracer], scratch, ROCP_TOOL_LIBRARIES=two)
    check("beside roctracer", result, told, ["two"], {})
    if not any(text.startswith("kernel twice") for text in told.get("two", {})):
        failures.append("beside roctracer: %r" % told)
    path = os.path.join(scratch, "json")
    check("recorded", *run([wavelift, "profile", "--json", path, work], scratch, ROCP_TOOL_LIBRARIES=one), ["one"], EXPECTED)
    with open(path, encoding="utf-8") as file:
        rows = {row["name"].split("(")[0]: row["calls"] for row in json.load(file)["kernels"]}
    if (rows.get("fill"), rows.get("branch"), rows.get("unseen")) != (10, 6, None):
        failures.append("recorded: %r" % rows)
    # Counters that are sums, against those of `wavelift profile`.
    names = ["SQ_WAVES", "WAVELIFT_ITEMS", "SQ_INSTS", "SQ_INSTS_VALU", "SQ_INSTS_SALU", "SQ_INSTS_SMEM", "SQ_INSTS_VMEM_RD", "SQ_INSTS_VMEM_WR",
             "SQ_INSTS_LDS", "SQ_INSTS_BRANCH", "SQ_INSTS_VALU_FMA_F32", "SQ_THREAD_CYCLES_VALU", "SQ_LDS_IDX_ACTIVE", "SQ_LDS_BANK_CONFLICT",
             "TCP_TOTAL_READ_sum", "FETCH_SIZE", "WRITE_SIZE", "WAVELIFT_FLOPS", "WAVELIFT_SCATTERED", "WAVELIFT_DIVERGED"]
    result = subprocess.run([wavelift, "profile", "--counters", ",".join(names), "--json", path, counted], capture_output=True, text=True, timeout=300)
    with open(path, encoding="utf-8") as file:
        rows = {row["name"].split("(")[0]: row["counters"] for row in json.load(file)["kernels"]}
    for more in ({}, {"WAVELIFT_TIER": "2"}):
        result, told = run([counted], scratch, TOOL_COUNTS="1", ROCP_TOOL_LIBRARIES=one + ":" + two, **more)
        waves = sum(row["SQ_WAVES"] for row in rows.values())
        expected = {"counter %s %s" % (name, kernel): value for kernel, row in rows.items() for name, value in row.items()}
        check("counters %r" % more, result, told, ["one", "two"], expected)
        if not waves or told["one"].get("device waves") != waves or len(expected) < 5 * len(names):
            failures.append("counters of `wavelift profile`: %r" % rows)
    missing, _ = run([work], scratch, ROCP_TOOL_LIBRARIES="/nowhere/tool.so")
    if missing.returncode != 0 or "/nowhere/tool.so" not in missing.stderr:
        failures.append("a tool that is not there: %r" % missing)
print("\n".join(failures[:20]) or "all as it should be")
sys.exit(bool(failures))
