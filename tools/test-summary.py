#!/usr/bin/env python3
"""What a run of the tests has shown: test-summary.py REPORT LEFT_OUT. REPORT is ctest's (JUnit), LEFT_OUT the list of tests that were not
built for want of a tool (cmake/LeftOut.cmake).

Prints the slowest tests, those that were skipped, by reason, and those that are left out, which count as failed unless ALLOW_SKIPS=1 is
set. The last line is "N passed, N failed[, N skipped]"; the exit status is 1 if some failed, or none ran.
"""
import collections
import os
import pathlib
import sys
import xml.etree.ElementTree

SLOWEST = 20


def reason_of(case):
    """Why a test was skipped: its own last line, which begins with "skipped: "."""
    output = case.find("system-out")
    lines = (output.text or "").strip().split("\n") if output is not None else []
    return lines[-1].removeprefix("skipped: ") if lines and lines[-1] else "it does not say why"


def main():
    report, left_out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    if not report.exists() or not report.stat().st_size:
        print("0 passed, 1 failed")
        return 1
    cases = list(xml.etree.ElementTree.parse(report).getroot().iter("testcase"))
    passed = [case for case in cases if case.get("status") == "run"]
    failed = [case for case in cases if case.get("status") == "fail"]
    skipped = [case for case in cases if case.get("status") in ("notrun", "disabled")]
    print("\nslowest:")
    for case in sorted(cases, key=lambda case: -float(case.get("time")))[:SLOWEST]:
        print(f"{float(case.get('time')):8.1f} s  {case.get('name')}")
    reasons = collections.Counter(map(reason_of, skipped))
    if reasons:
        print("\nskipped:")
    for reason, count in reasons.most_common():
        print(f"{count:6d}  {reason}")
    missing = left_out.read_text().splitlines() if left_out.exists() else []
    if missing:
        print("\nleft out:")
    for line in missing:
        print(f"        {line}")
    if os.environ.get("ALLOW_SKIPS") == "1":
        missing = []
    elif missing:
        print("Tests that are left out count as failed: install what is missing, or set ALLOW_SKIPS=1.")
    bad = len(failed) + len(missing)
    print(f"\n{len(passed)} passed, {bad} failed" + (f", {len(skipped)} skipped" if skipped else ""))
    return 1 if bad or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
