#!/usr/bin/env python3
"""Runs a build of AMD's conformance suite (hip-tests) on this build's library and counts its cases area by area.

    check.py BUILD HIP_TESTS [--targets gfx90a ...] [--devices cpu cpu:2 ...] [--only REGEX] [--jobs N] [--timeout SECONDS]

BUILD is the folder in which Wavelift was built. HIP_TESTS is the folder in which the suite was built (with a CMakeLists.txt of its
own that adds one ctest test for each case). ctest runs every case in a process of its own, on this library, for each target and each
setting of WAVELIFT_DEVICES. Cases that AMD's list for the target disables skip themselves, as do those that miss a second device.

What failed, with its output, is in BUILD/conformance/TARGET-DEVICES.xml (JUnit). The last lines are a table with pass / skip / fail for
each area. The exit status is 1 if a case failed.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

# Names of cases that measure time or fill the memory: they have no right or wrong result.
LEFT_OUT = "^(Performance|Perf|Stress)_"


def ctest(folder, environment, *arguments, **options):
    return subprocess.run(["ctest", "--test-dir", str(folder), *arguments], env=environment, check=False, **options)


def environment_for(build, tests, target, devices):
    """The variables of one run: our library, the devices to show, and AMD's list of the cases that it disables for the target."""
    lists = sorted(tests.glob(f"**/hipTestMain/config/config_amd_linux_{target}.json"))
    if not lists:
        sys.exit(f"{tests} has no list of disabled cases for {target}: it was not built for this target")
    return dict(os.environ, LD_LIBRARY_PATH=str(build / "lib"), WAVELIFT_ARCH=target, WAVELIFT_DEVICES=devices,
                WAVELIFT_CACHE_DIR=str(build / "conformance" / "cache"), HIP_CATCH_EXCLUDE_FILE=str(lists[0]))


def areas_of(tests, environment):
    """The area of each case by its name: the folder of the program that holds the case, such as unit/memory."""
    listing = ctest(tests, environment, "--show-only=json-v1", stdout=subprocess.PIPE, text=True)
    areas = {}
    for case in json.loads(listing.stdout)["tests"]:
        if "command" not in case:
            continue # its program was not built
        folder = pathlib.Path(case["command"][0]).parent.relative_to(tests.resolve())
        areas[case["name"]] = "/".join(part for part in folder.parts if part != "catch_tests")
    return areas


def run(build, tests, target, devices, options):
    """Runs the cases once. Returns counts of pass, skip and fail for each area, and prints the name of each case that fails."""
    environment = environment_for(build, tests, target, devices)
    areas = areas_of(tests, environment)
    report = build / "conformance" / f"{target}-{devices.replace(':', 'x')}.xml"
    report.unlink(missing_ok=True)
    chosen = ["-R", options.only] if options.only else []
    ctest(tests, environment, "-j", str(options.jobs), "--timeout", str(options.timeout), "--output-junit", str(report), "-E", LEFT_OUT,
          *chosen, stdout=subprocess.DEVNULL)
    if not report.exists():
        sys.exit(f"ctest left no report of {tests}")
    counts = collections.defaultdict(collections.Counter)
    for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
        if case.get("name") not in areas:
            continue
        outcome = {"run": "pass", "fail": "fail"}.get(case.get("status"), "skip")
        counts[areas[case.get("name")]][outcome] += 1
        if outcome == "fail":
            reason = case.find("failure")
            print(f"{target} {devices}: {case.get('name')}: {reason.get('message') if reason is not None else 'failed'}")
    return counts


def table(columns):
    """A table in Markdown of all runs: a row for each area, a column for each run."""
    heads = list(columns)
    rows = sorted({area for counts in columns.values() for area in counts})
    lines = ["| area | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    sums = {head: sum(columns[head].values(), collections.Counter()) for head in heads}
    cell = lambda count: f"{count['pass']} / {count['skip']} / {count['fail']}"
    for area in rows:
        lines.append(f"| {area} | " + " | ".join(cell(columns[head][area]) for head in heads) + " |")
    lines.append("| all | " + " | ".join(cell(sums[head]) for head in heads) + " |")
    return "\n".join(lines), any(count["fail"] for count in sums.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("tests", type=pathlib.Path)
    parser.add_argument("--targets", nargs="+", default=["gfx90a"])
    parser.add_argument("--devices", nargs="+", default=["cpu"], help="settings of WAVELIFT_DEVICES")
    parser.add_argument("--only", help="cases whose name contains a match of this regular expression")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=int, default=120, help="seconds that a case may take")
    options = parser.parse_args()
    build, tests = options.build.resolve(), options.tests.resolve()
    if not (tests / "CTestTestfile.cmake").exists():
        sys.exit(f"{tests} holds no build of hip-tests: no CTestTestfile.cmake there")
    (build / "conformance").mkdir(exist_ok=True)
    columns = {}
    for target in options.targets:
        for devices in options.devices:
            columns[f"{target}, {devices}"] = run(build, tests, target, devices, options)
    text, failed = table(columns)
    print(text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
