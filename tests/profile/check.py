"""check.py WAVELIFT PROGRAM [N | times]: `wavelift profile` of tests/profile/work.hip tells what the program does: tables, JSON, CSV, the trace, exit
statuses. With N: all of so many launches are in the trace, in order. With `times`: kernels take as long as HIP's events say. On the CPU or a GPU."""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

wavelift, program = (os.path.realpath(name) for name in sys.argv[1:3])
failures = []


def expect(got, wanted, what):
    if got != wanted:
        failures.append("%s: %r instead of %r" % (what, got, wanted))


def profile(*arguments):
    return subprocess.run([wavelift, "profile", *arguments], capture_output=True, text=True, timeout=500)


def check_slices(events):
    """The slices of each line of the picture lie beside or in each other."""
    lines = {}
    for event in events:
        if event["ph"] == "X":
            lines.setdefault((event["pid"], event["tid"]), []).append(event)
    for line in lines.values():
        ends = []
        for event in sorted(line, key=lambda e: (e["ts"], -e["dur"])):
            expect(event["ts"] >= 0 and event["dur"] >= 0, True, "time of %r" % event)
            while ends and ends[-1] <= event["ts"] + 0.0005:
                ends.pop()
            expect(not ends or event["ts"] + event["dur"] <= ends[-1] + 0.0015, True, "%r overlaps another slice" % event)
            ends.append(event["ts"] + event["dur"])


def check_arrows(events):
    """An arrow begins at the call that asked for the work at which it ends, and not after it."""
    calls = {e["args"]["correlation"]: e for e in events if e.get("cat") == "function"}
    begins = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = [e for e in events if e["ph"] == "f"]
    work = {(e["pid"], e["tid"], e["ts"]): e for e in events if e.get("cat") in ("kernel", "copy", "fill")}
    expect(len(begins) > 0, True, "there are arrows")
    expect({e["id"] for e in ends}, set(begins), "arrows that begin and those that end")
    for end in ends:
        begin, at = begins[end["id"]], work.get((end["pid"], end["tid"], end["ts"]))
        expect(at is not None and at["args"]["correlation"] == end["id"], True, "work at the end of %r" % end)
        expect(begin["ts"] <= end["ts"], True, "%r begins late" % begin)
        call = calls.get(end["id"])
        expect(call is not None and (call["pid"], call["tid"], call["ts"]) == (begin["pid"], begin["tid"], begin["ts"]), True, "call of %r" % begin)
        if at and at.get("cat") == "kernel" and call:
            expect(call["name"] in ("hipLaunchKernel", "hipGraphLaunch"), True, "%s is launched by %s" % (at["name"], call["name"]))


def check_all(folder):
    names = [os.path.join(folder, name) for name in ("trace", "json", "csv")]
    plain = subprocess.run([wavelift, "run", program], capture_output=True, text=True, timeout=300)
    run = profile("--trace", names[0], "--json", names[1], "--csv", names[2], "--", program, "all")
    expect((run.returncode, run.stdout), (plain.returncode, plain.stdout), "the program is not disturbed")
    for text in ("kernels", "copies and fills", "functions of HIP", "fill(int*, int)", "hipGraphLaunch"):
        expect(text in run.stderr, True, "%s in the tables" % text)
    with open(names[1], encoding="utf-8") as file:
        tables = json.load(file)
    kernels = {row["name"].split("(")[0]: row["calls"] for row in tables["kernels"]}
    expect(kernels, {"fill": 10, "add": 5, "branch": 6, "in_child": 3, "in_thread": 4}, "kernels")
    expect(tables["launches"], 28, "launches")
    expect((tables["lost"], tables["processes"]), (0, 2), "lost records, processes")
    copies = {row["name"]: (row["calls"], row["bytes"]) for row in tables["copies"]}
    expect(copies, {"host to device": (1, 4096), "device to host": (1, 512), "device to device": (1, 1000), "fill": (4, 65536 + 3 * 256)}, "copies")
    calls = {row["name"]: (row["calls"], row["failed_calls"]) for row in tables["functions"]}
    wanted = {"hipMalloc": (4, 1), "hipFree": (2, 0), "hipLaunchKernel": (24, 0), "hipGraphLaunch": (3, 0), "hipMemcpy": (2, 0), "hipProfilerStop": (1, 0)}
    expect({name: calls.get(name) for name in wanted}, wanted, "calls")
    expect("hipProfilerStart" in calls, False, "a call while nothing is recorded")
    for rows in (tables["kernels"], tables["copies"], tables["functions"]):
        expect(abs(sum(row["share_percent"] for row in rows) - 100) < 0.1, True, "shares add up")
        expect([row["total_ns"] for row in rows], sorted((row["total_ns"] for row in rows), reverse=True), "order of a table")
        for row in rows:
            expect(row["least_ns"] <= row["mean_ns"] + 1 and row["mean_ns"] <= row["most_ns"] + 1, True, "times of %s" % row["name"])
    with open(names[2], encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    expect(sorted((r["name"].split("(")[0], int(r["calls"])) for r in rows if r["kind"] == "kernel"), sorted(kernels.items()), "kernels in CSV")
    expect(len(rows), sum(len(tables[t]) for t in ("kernels", "copies", "functions")), "rows of CSV")
    with open(names[0], encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    check_slices(events)
    check_arrows(events)
    shown = [e for e in events if e.get("cat") == "kernel"]
    expect(len(shown), 28, "kernels in the trace")
    fills = [e for e in shown if e["name"] == "fill(int*, int)"]
    expect({(e["args"]["grid"], e["args"]["block"]) for e in fills}, {("4 x 2 x 1", "32 x 2 x 1")}, "shape of a launch")
    expect(len({(e["pid"], e["tid"]) for e in shown if e["name"].startswith(("fill", "add"))}), 2, "lines for two streams")
    expect(len({e["pid"] for e in events if e.get("cat") == "function"}), 2, "processes with calls")
    expect(len([e for e in events if e.get("cat") == "code" and e["name"].startswith("fill")]) > 0, True, "a compilation")
    ranges = {e["name"]: e for e in events if e.get("cat") == "range" and e["ph"] == "X"}
    expect(sorted(ranges), ['graphs', 'inner "one"'], "ranges")
    launches = [e for e in events if e["name"] == "hipGraphLaunch"]
    inner, outer = ranges['inner "one"'], ranges["graphs"]
    expect(outer["ts"] <= inner["ts"] <= launches[0]["ts"] and launches[-1]["ts"] <= inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"], True, "a range around calls")
    ends = [e for e in events if e.get("cat") == "range" and e["ph"] in "be"]
    expect([(e["ph"], e["name"]) for e in ends], [("b", "from thread to thread"), ("e", "from thread to thread")], "a range of two threads")
    expect([e["name"] for e in events if e.get("cat") == "mark"], ["graphs are done"], "marks")
    memory = [e["args"]["bytes"] for e in events if e["ph"] == "C" and e["name"] == "memory in use"]
    expect(max(memory) >= (1 << 20) + (1 << 16), True, "memory in use")
    labels = [e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"]
    expect(len([name for name in labels if name.startswith("device 0 of ")]), 2, "names of devices")


def check_ends(folder):
    trace = os.path.join(folder, "crash")
    run = profile("--json", trace, program, "crash")
    expect(run.returncode, 137, "status of a program that a signal ends")
    with open(trace, encoding="utf-8") as file:
        expect(json.load(file)["launches"], 3, "launches before the signal")
    expect(profile(program, "many").returncode, 5, "the program's status")
    terminal, end = os.openpty()
    with subprocess.Popen([wavelift, "profile", program, "hot"], stdout=subprocess.DEVNULL, stderr=end) as run:
        os.close(end)
        seen = b""
        try:
            while piece := os.read(terminal, 65536):
                seen += piece
        except OSError:  # the end of a terminal
            pass
    os.close(terminal)
    expect((run.returncode, re.search(rb"\rwavelift: profile: \d+ launches ", seen) is not None, b"hot(float*, int)" in seen), (0, True, True), "a line on a terminal")
    run = profile("true")
    expect((run.returncode, "has not used HIP" in run.stderr), (0, True), "a program without HIP")
    expect(profile().returncode, 2, "no program")
    expect(profile(os.path.join(folder, "none")).returncode, 127, "a program that is not there")
    expect(profile("--trace", "/nowhere/trace", program).returncode, 1, "a file that cannot be made")
    bad = subprocess.run([program, "many"], capture_output=True, text=True, timeout=300, env=dict(os.environ, WAVELIFT_PROFILE_RUN=__file__))
    expect((bad.returncode, bad.stdout, "is not a file of" in bad.stderr), (5, "3\n", True), "a wrong file")
    full = subprocess.run([wavelift, "profile", program, "many", "100000"], capture_output=True, text=True, timeout=300, restore_signals=False,
                          preexec_fn=lambda: __import__("resource").setrlimit(__import__("resource").RLIMIT_FSIZE, (1 << 20, 1 << 20)))
    expect((full.returncode, full.stdout, "records are lost" in full.stderr), (5, "100000\n", True), "no room")


SDK = """
import ctypes
hip, sdk = ctypes.CDLL("libamdhip64.so.7"), ctypes.CDLL("librocprofiler-sdk-roctx.so.1")
count, tid = ctypes.c_int(), ctypes.c_uint64()
results = [sdk.roctxNameOsThread(b"the main thread"), sdk.roctxRangePushA(b"seen"), hip.hipGetDeviceCount(ctypes.byref(count)), sdk.roctxRangePop()]
results += [sdk.roctxProfilerPause(ctypes.c_uint64(0)), sdk.roctxRangePushA(b"unseen"), hip.hipDeviceSynchronize(), sdk.roctxRangePop()]
results += [sdk.roctxProfilerResume(ctypes.c_uint64(0)), sdk.roctxProfilerPause(ctypes.c_uint64(1)), sdk.roctxNameHipDevice(b"x", 0)]
streams = [ctypes.c_void_p(), ctypes.c_void_p()]
for stream in streams:
    results += [hip.hipStreamCreate(ctypes.byref(stream))]
results += [sdk.roctxNameHipStream(b"wrong", streams[1]), sdk.roctxNameHipStream(b"the second", streams[1]), sdk.roctxNameHipStream(b"null", None)]
memory = ctypes.c_void_p()
results += [hip.hipMalloc(ctypes.byref(memory), 64)] + [hip.hipMemsetAsync(memory, 0, 64, stream) for stream in streams] + [hip.hipDeviceSynchronize()]
hsa = ctypes.CDLL("libhsa-runtime64.so.1")
agents, each = [], ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p)
hsa.hsa_init()
hsa.hsa_iterate_agents(each(lambda agent, data: agents.append(agent) or 0), None)
results += [sdk.roctxNameHsaAgent(b"an agent", ctypes.byref(ctypes.c_uint64(agent))) for agent in agents[:2]]
results += [sdk.roctxGetThreadId(ctypes.byref(tid)), int(tid.value == __import__("os").getpid()), sdk.roctxGetThreadId(None)]
sdk.roctxMarkA(b"the end")
print(results)
"""


def check_sdk(folder):
    trace = os.path.join(folder, "sdk")
    run = profile("--trace", trace, sys.executable, "-c", SDK)
    expect((run.returncode, run.stdout), (0, "[0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0, 0, 1, -1]\n"), "librocprofiler-sdk-roctx.so.1")
    with open(trace, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    named = [(e["ph"], e["name"]) for e in events if e.get("cat") in ("range", "mark", "function")]
    calls = ["hipDeviceSynchronize", "hipGetDeviceCount", "hipMalloc", "hipMemsetAsync", "hipMemsetAsync", "hipProfilerStop", "hipStreamCreate", "hipStreamCreate"]
    expect(sorted(named), [("X", name) for name in calls + ["seen"]] + [("i", "the end")], "what is recorded between pauses")
    labels = [(e["name"], e["args"]["name"]) for e in events if e["ph"] == "M"]
    expect(("thread_name", "the main thread") in labels, True, "a thread's name")
    expect(("process_name", "device 0: an agent") in labels, True, "a device's name")
    streams = sorted(re.sub(r"\d+", "N", text) for kind, text in labels if kind == "thread_name" and text.startswith("stream"))
    expect(streams, ["stream N", "stream N: the second"], "names of streams")
    bare = subprocess.run([wavelift, "run", sys.executable, "-c", SDK], capture_output=True, text=True, timeout=300)
    expect(bare.stdout, "[0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, -1]\n", "the library without a profiler")


def check_many(folder, count):
    trace = os.path.join(folder, "many")
    run = profile("--trace", trace, program, "many", str(count))
    expect((run.returncode, run.stdout), (5, "%d\n" % count), "the program's result")
    pattern = re.compile(r'"ph":"X".*"ts":([\d.]+),"dur":([\d.]+),"cat":"(\w+)","name":"(?:count\(int\*\)|hipLaunchKernel)","args":\{"correlation":(\d+)')
    seen = {"kernel": [], "function": []}
    with open(trace, encoding="utf-8") as file:
        for line in file:
            found = pattern.search(line)
            if found and found.group(3) in seen:
                seen[found.group(3)].append((float(found.group(1)), float(found.group(2)), int(found.group(4))))
    slack = 0.1 if os.environ.get("WAVELIFT_DEVICES") == "cuda" else 0.0015  # a GPU's times are by another clock
    for kind, events in seen.items():
        expect(len(events), count, "events of kind " + kind)
        expect(all(a[0] + a[1] <= b[0] + slack for a, b in zip(events, events[1:])), True, "times of kind " + kind)
        expect(all(a[2] < b[2] for a, b in zip(events, events[1:])), True, "order of kind " + kind)
    expect([e[2] for e in seen["kernel"]], [e[2] for e in seen["function"]], "each launch has its kernel")
    expect(all(call[0] <= kernel[0] + slack for call, kernel in zip(seen["function"], seen["kernel"])), True, "a kernel begins before its call")


def check_times(folder):
    """Between the two events of a launch there is its kernel, and little else. Kernels lie between the begin of their call and the end of the
    call that waits for them."""
    table, trace = os.path.join(folder, "json"), os.path.join(folder, "trace")
    run = profile("--trace", trace, "--json", table, "--counters", "SQ_WAVES", program, "times")
    told = [float(line) * 1000 for line in run.stdout.split()]
    expect((run.returncode, len(told)), (0, 9), "the program")
    gpu = os.environ.get("WAVELIFT_DEVICES") == "cuda"
    expect("on NVIDIA GPUs there are no counters" in run.stderr, gpu, "what is said of counters")
    with open(table, encoding="utf-8") as file:
        rows = json.load(file)["kernels"]
    expect([(row["calls"], row["compiling_ns"] > 0, "counters" in row) for row in rows], [(10, True, not gpu)], "the kernel's row")
    with open(trace, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    check_slices(events)
    check_arrows(events)
    kernels = [e for e in events if e.get("cat") == "kernel"][1:]
    launches = [e for e in events if e["name"] == "hipLaunchKernel" and e["ph"] == "X"][1:]
    waits = [e for e in events if e["name"] == "hipEventSynchronize" and e["ph"] == "X"]
    expect((len(kernels), len(launches), len(waits)), (9, 9, 9), "kernels, calls")
    for kernel, call, wait, between in zip(kernels, launches, waits, told):
        expect(call["ts"] <= kernel["ts"] + 0.0015 and kernel["ts"] + kernel["dur"] <= wait["ts"] + wait["dur"] + 0.0015, True, "place of %r" % kernel)
        expect(kernel["dur"] <= between * 1.001 + 5, True, "%r is longer than %.3f" % (kernel, between))
    # What else happens between the events does not grow with the kernel; the least of three is without the machine's other work.
    beside = [min(between - kernel["dur"] for between, kernel in list(zip(told, kernels))[i::3]) for i in range(3)]
    expect(max(beside) < min(k["dur"] for k in kernels) / 4, True, "time beside the kernels, %r of %r" % (beside, [k["dur"] for k in kernels]))


with tempfile.TemporaryDirectory() as scratch:
    if sys.argv[3:] == ["times"]:
        check_times(scratch)
    elif len(sys.argv) > 3:
        check_many(scratch, int(sys.argv[3]))
    else:
        check_all(scratch)
        check_ends(scratch)
        check_sdk(scratch)
print("\n".join(failures[:20]) or "all as it should be")
sys.exit(bool(failures))
