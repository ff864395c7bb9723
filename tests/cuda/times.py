"""times.py WAVELIFT PROGRAM: `wavelift profile` of test_times.c: its tables and its trace have the device's times."""
import json
import os
import subprocess
import sys
import tempfile

wavelift, program = sys.argv[1:]
failures = []
with tempfile.TemporaryDirectory() as scratch:
    table, trace = os.path.join(scratch, "json"), os.path.join(scratch, "trace")
    result = subprocess.run([wavelift, "profile", "--json", table, "--trace", trace, "--counters", "SQ_WAVES", program, "run"], capture_output=True,
                            text=True, timeout=300)
    if result.returncode != 0 or "on NVIDIA GPUs there are no counters" not in result.stderr:
        failures.append(repr(result))
    with open(table, encoding="utf-8") as file:
        run = json.load(file)
    with open(trace, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
rows = {row["name"]: row for row in run["kernels"] + run["copies"]}
rest = rows.get("rest", {})
if rest.get("calls") != 5 or rest["least_ns"] < 9.9e6 or "counters" in rest:
    failures.append("the kernels: %r" % rest)
moved = sorted((row["calls"], row["bytes"]) for row in run["copies"])
if moved != [(1, 1000), (1, 2000)]:
    failures.append("the copies: %r" % run["copies"])
slices = [event for event in events if event["ph"] == "X" and event["name"] == "rest"]
calls = [event for event in events if event["ph"] == "X" and event["name"] == "hipModuleLaunchKernel"]
starts = sorted(event["ts"] for event in slices)
if len(slices) != 5 or len(calls) != 5 or any(event["dur"] < 9900 for event in slices):
    failures.append("the trace: %r" % slices)
# No kernel begins before its call, nor before the one ahead of it has ended.
if any(kernel < call for kernel, call in zip(starts, sorted(event["ts"] for event in calls))) or any(
        second < first + 9900 for first, second in zip(starts, starts[1:])):
    failures.append("the order: %r %r" % (slices, calls))

# Thousands of short ones: each is there, behind its call, and in its stream's order.
with tempfile.TemporaryDirectory() as scratch:
    trace = os.path.join(scratch, "trace")
    result = subprocess.run([wavelift, "profile", "--trace", trace, program, "many"], capture_output=True, text=True, timeout=300)
    with open(trace, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
calls = {event["args"]["correlation"]: event for event in events if event["ph"] == "X" and event["name"] == "hipModuleLaunchKernel"}
slices = sorted((event for event in events if event["ph"] == "X" and event["name"] == "quick"), key=lambda event: event["args"]["correlation"])
if result.returncode != 0 or len(calls) != 3500 or [event["args"]["correlation"] for event in slices] != sorted(calls):
    failures.append("many: %d kernels of %d calls: %r" % (len(slices), len(calls), result.stderr))
early = [event for event in slices if event["ts"] + 0.5 < calls[event["args"]["correlation"]]["ts"]]
lines = {}
for event in slices:
    lines.setdefault(event["tid"], []).append(event)
wrong = [pair for line in lines.values() for pair in zip(line, line[1:]) if pair[0]["dur"] < 0 or pair[0]["ts"] + pair[0]["dur"] > pair[1]["ts"] + 0.05]
if early or wrong or len(lines) != 2:
    failures.append("many: %d begin before their calls, %d are out of order, on %d lines: %r" % (len(early), len(wrong), len(lines), (early + wrong)[:3]))
print("\n".join(failures) or "all as it should be")
sys.exit(bool(failures))
