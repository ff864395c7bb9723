#!/usr/bin/env python3
"""Runs a catalogue of faults under `wavelift sanitize`: each fault is found, with its tool, kind and line, and nothing else; the sound twins
have no finding.

    check.py WAVELIFT SOURCE PROGRAM [--archs gfx90a,gfx1030] [--jobs N] [-v]
"""

import argparse
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

FAULT = re.compile(r"// (MISSING )?FAULT: (\w+) (\S+)(?: #(\w+))?(?: @(\S+))?")
OTHER = re.compile(r"// OTHER: #(\w+)")

# Tools that do not find anything yet: their faults are not asked for, and their number is printed. The same holds for single faults that are
# marked as MISSING, with the reason beside them.
MISSING_TOOLS = ()


class Marker:
    def __init__(self, line, missing, tool, kinds, tag, archs):
        self.line, self.tool, self.kinds, self.tag = line, tool, kinds.split("|"), tag
        self.missing = bool(missing) or tool in MISSING_TOOLS
        self.archs = archs.split(",") if archs else None
        self.others = set()

    def is_on(self, arch, level):
        return not self.archs or arch in self.archs or (arch + "+" in self.archs and level != "0")

    def fits(self, finding):
        if finding["tool"] != self.tool or finding["kind"] not in self.kinds:
            return False
        lines = finding["lines"]
        if self.line not in lines:
            return False
        return len(lines) < 2 or all(line == self.line or line in self.others for line in lines)

    def __str__(self):
        return f"line {self.line}: {self.tool} {'|'.join(self.kinds)}"


def read_markers(source):
    markers, others = [], {}
    with open(source) as file:
        for number, line in enumerate(file, 1):
            for match in FAULT.finditer(line):
                markers.append(Marker(number, *match.groups()))
            for match in OTHER.finditer(line):
                others.setdefault(match.group(1), set()).add(number)
    for marker in markers:
        marker.others = others.get(marker.tag, set())
    return markers


def has_deep_calls(source):
    with open(source) as file:
        return "// DEEP CALLS AT -O0" in file.read()


def lines_of(place, allocation, source):
    """The line of the source that an access, or a call, is on: the innermost one, if functions of headers are inlined there."""
    frames = place.get("stack") or allocation.get("made_stack", [])
    places = [frame["place"] for frame in frames]
    if "file" in place or "outer" in place:
        places = [f"{place['file']}:{place['line']}"] if "file" in place else []
        places += [outer.split(" at ", 1)[1] for outer in place.get("outer", [])]
    for spot in places:
        file, _, line = spot.rpartition(":")
        if os.path.basename(file) == source and line.isdigit():
            return [int(line)]
    if "kernel" not in place and not frames:
        return []  # a copy or fill, of which nobody has kept the stack
    return [f"{place.get('function', '')}{place.get('call', '')} {places[:3]}"]


def is_in_header(line):
    """Of the earlier access of a race, the calls around it are not kept: in code at -O0 it may be in a function of HIP's headers."""
    return isinstance(line, str) and "/hip/amd_detail/" in line


def read_findings(path, source):
    with open(path) as file:
        report = json.load(file)
    for finding in report["findings"]:
        finding["lines"] = lines_of(finding["at"], finding.get("allocation", {}), source)
        if "second" in finding:
            finding["lines"] += [line for line in lines_of(finding["second"], {}, source) if not is_in_header(line)]
    return report["findings"]


def run(options, arch, tools, native, arguments):
    """The findings of one run, or a text that says what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "findings.json")
        command = [options.wavelift, "sanitize", "--arch", arch, "--json", path, "--leak-check", "--max-findings", "10000",
                   "--error-exitcode", "7"]
        command += ["--tool", tools] if tools else []
        environment = dict(os.environ, WAVELIFT_TIER="2" if native else "1")
        process = subprocess.Popen(command + ["--", options.program] + arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   errors="replace", start_new_session=True, env=environment)
        try:
            _, messages = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # the program too
            process.communicate()
            return "it does not end"
        if process.returncode == 0 and "has not used HIP" in messages:
            return []  # all cases are for processes of their own
        if process.returncode not in (0, 7) or not os.path.exists(path):
            return f"exit status {process.returncode}: {messages[-2000:]}"
        findings = read_findings(path, os.path.basename(options.source))
        if (process.returncode == 7) != bool(findings):
            return f"exit status {process.returncode} with {len(findings)} findings"
        paragraphs = len(re.findall(r"^wavelift: \w+check: ", messages, re.M))
        if paragraphs != len(findings):
            return f"{paragraphs} paragraphs on stderr, {len(findings)} findings in JSON"
        return findings


def describe(finding):
    return f"lines {', '.join(map(str, finding['lines']))}: {finding['tool']} {finding['kind']}"


def check_arch(options, arch, tools, native, markers, alone):
    """The failures of all runs for one processor and set of tools, as lines of text."""
    failures, found = [], []
    for arguments in [["sound"]] + [["sound", case] for case in alone]:
        findings = run(options, arch, tools, native, arguments)
        if isinstance(findings, str):
            failures.append(f"{' '.join(arguments)}: {findings}")
        else:
            failures += [f"{' '.join(arguments)}: {describe(finding)} is no fault" for finding in findings]
    for arguments in [["faulty"]] + [["faulty", case] for case in alone]:
        findings = run(options, arch, tools, native, arguments)
        if isinstance(findings, str):
            failures.append(f"{' '.join(arguments)}: {findings}")
        else:
            found += findings
    for marker in markers:
        if not marker.is_on(arch, options.program[-1]) or (tools and marker.tool not in tools.split(",")):
            continue
        if not marker.missing and not any(marker.fits(finding) for finding in found):
            failures.append(f"{marker} is not found")
    for finding in found:
        if not any(marker.fits(finding) for marker in markers):
            failures.append(f"{describe(finding)} is not expected")
    code = "native" if native else "threaded"
    return [f"{arch}, {tools or 'all tools'}, {code} code: {failure}" for failure in failures]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wavelift")
    parser.add_argument("source")
    parser.add_argument("program")
    parser.add_argument("--archs", default="gfx90a,gfx1030")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    markers = read_markers(options.source)
    if not markers:
        sys.exit(f"{options.source} has no faults")
    alone = subprocess.run([options.program, "alone"], capture_output=True, text=True, check=True).stdout.split()
    archs = options.archs.split(",")
    # Native code has one way of looking at accesses for memcheck alone, and others for tools that follow waves, with initcheck and without.
    alone_too = all(marker.tool == "memcheck" for marker in markers)
    if options.program.endswith("O0") and has_deep_calls(options.source):
        alone_too = False  # which tells the innermost call alone
    kinds = [("", False), ("", True)]
    if alone_too:
        kinds.append(("memcheck", True))
    if any(marker.tool != "initcheck" for marker in markers):
        kinds.append(("memcheck,racecheck,synccheck", True))
    if any(marker.tool == "initcheck" for marker in markers):
        kinds.append(("memcheck,initcheck", True))
    if options.program.endswith("O0"):  # LLVM takes minutes for code at -O0
        kinds = [(tools, False) for tools in dict.fromkeys(tools for tools, _ in kinds)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [(arch, *kind) for arch in archs for kind in kinds]
        failures = sum(pool.map(lambda run: check_arch(options, *run, markers, alone), runs), [])
    for failure in failures:
        print(f"FAIL {os.path.basename(options.program)}: {failure}")
    missing = sum(marker.missing for marker in markers)
    print(f"{os.path.basename(options.program)}: {len(markers)} faults on {len(archs)} processors, {len(failures)} failures"
          + (f", {missing} faults that are not found yet" if missing else ""))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
