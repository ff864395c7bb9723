"""tools.py WAVELIFT WORK TRACER COUNTED TOOL1 TOOL2 REGISTER: tools for AMD's newer interface (tool.c) are found, and several see the same: two of them, the
profiler of tracer.hip, which uses AMD's older interface, and `wavelift profile`, whose counters are theirs. REGISTER (register.c) stands for two libraries
of AMD's, to which the tables of functions are handed."""
import json
import os
import re
import subprocess
import sys
import tempfile

wavelift, work, tracer, counted, one, two, register = (os.path.realpath(path) for path in sys.argv[1:])
failures = []
EXPECTED = {"kernel fill": 10, "kernel add": 5, "kernel branch": 6, "kernel in_thread": 4, "kernel unseen": 7, "call hipMalloc": 3,
            "call hipLaunchKernel": 10 + 5 + 4 + 7 + 2, "call hipGraphLaunch": 3, "call hipFree": 2, "call hipStreamCreate": 3, "range graphs": 1,
            'range inner "one"': 1, "range graphs are done": 1, "range from thread to thread": 1, "runtime RUNTIME_INITIALIZATION_HIP": 1,
            "table HIP (runtime)": 1, "table HIP (compiler)": 1}
EXPECTED.update({kind + name: EXPECTED["kernel " + name] for kind in ("queued ", "dispatch ") for name in ("fill", "add", "branch", "in_thread", "unseen")})
EXPECTED.update({"copied MEMORY_COPY_HOST_TO_DEVICE": 4096, "copied MEMORY_COPY_DEVICE_TO_HOST": 512, "copied MEMORY_COPY_DEVICE_TO_DEVICE": 1000})
# What the compiler made the program call, and arguments as texts.
EXPECTED.update({"compiler __hipPushCallConfiguration": 28, "compiler __hipPopCallConfiguration": 28, "compiler __hipRegisterFatBinary": 1,
                 "compiler __hipRegisterFunction": 8, "argument __hipRegisterFunction deviceName const char * _Z4fillPii": 1,
                 "argument __hipPushCallConfiguration gridDim dim3 {x=4, y=2, z=1}": 10, "argument __hipPushCallConfiguration stream hipStream_t 0x0": 11,
                 "argument __hipPopCallConfiguration gridDim dim3 * {x=2, y=1, z=1}": 4, "argument hipMalloc size size_t 65536": 1,
                 "argument hipMalloc size size_t 1048576": 1, "argument hipMalloc ptr void ** followed": 2, "launched {x=4, y=2, z=1}": 10})


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
    # Tables go through librocprofiler-register, if there is one, and to the librocprofiler-sdk that the user has chosen.
    folder = os.path.join(scratch, "lib")
    os.mkdir(folder)
    os.symlink(register, os.path.join(folder, "librocprofiler-register.so.0"))
    paths = folder + ":" + os.environ.get("LD_LIBRARY_PATH", "")
    result, told = run([work], scratch, ROCP_TOOL_LIBRARIES=one, LD_LIBRARY_PATH=paths)
    check("registered", result, told, ["one"], EXPECTED)
    lines = [line for line in result.stderr.splitlines() if line.startswith("registered")]
    if sorted(set(lines)) != ["registered hip 70100 70100 by libamdhip64", "registered hip_compiler 70100 70100 by libamdhip64"]:
        failures.append("registered: %r" % lines)
    result, told = run([work], scratch, ROCPROFILER_REGISTER_LIBRARY=register)
    lines = [line for line in result.stderr.splitlines() if re.match("set|hipMalloc", line)]
    if result.returncode != 0 or lines != ["set hip 70100 0 1", "set hip_compiler 70100 0 1"] + ["hipMalloc 1, __hipPushCallConfiguration 3",
                                                                                               "hipMalloc 3, __hipPushCallConfiguration 28"]:
        failures.append("the user's librocprofiler-sdk: %r" % result)
    bare, _ = run([work], scratch, LD_LIBRARY_PATH=paths)
    if "registered" in bare.stderr:
        failures.append("registered without a tool: %r" % bare)
    missing, _ = run([work], scratch, ROCP_TOOL_LIBRARIES="/nowhere/tool.so")
    if missing.returncode != 0 or "/nowhere/tool.so" not in missing.stderr:
        failures.append("a tool that is not there: %r" % missing)
print("\n".join(failures[:20]) or "all as it should be")
sys.exit(bool(failures))
