#!/usr/bin/env python3
"""Runs test suites of libraries that are installed in a folder with a Debian system, each case watched on its own.

run.py packages RELEASE [SUITE ...]      prints each suite's name and its package there
run.py run [options] ROOT RELEASE TARGET [SUITE ...]      runs samples and prints pass, skip and fail of each

A suite's cases are those of all its programs. A sample is every n-th of them, so that it is spread over all. Programs are given several
cases each; a case that crashes or takes too long ends its program, is named, and the cases behind it are run by another process.
A case that a suite skips is counted apart. Called by check.sh, which has mounted what the programs need."""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

from suites import SUITES

TICKS = os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass
class Result:
    program: str
    case: str
    outcome: str  # pass, skip, fail, crash, time-out, missing
    cpu: float
    output: str = ""


@dataclasses.dataclass
class Job:
    """Cases that one process after the other is given."""
    program: str
    cases: list


class Root:
    """The folder with the Debian system, and how a program is started there."""

    def __init__(self, folder, target, tier, leave_out):
        self.leave_out = leave_out or r"(?!)"
        self.folder = pathlib.Path(folder).resolve()
        self.target = target
        self.environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/root", "LC_ALL": "C.UTF-8",
            "WAVELIFT_CACHE_DIR": f"/wavelift/cache-{target}", "WAVELIFT_DEVICES": "cpu", "WAVELIFT_ARCH": target, "WAVELIFT_TIER": tier,
            "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

    def start(self, program, arguments, environment, **streams):
        # Some programs have libraries beside them that they do not find by themselves.
        here = os.path.dirname(program)
        command = ["chroot", str(self.folder), "env", "-C", here, f"LD_LIBRARY_PATH=/wavelift/lib:{here}", program, *arguments]
        return subprocess.Popen(command, env=self.environment | environment, start_new_session=True, stdin=subprocess.DEVNULL, **streams)


def cpu_seconds(pid):
    """What a process and the children that it has waited for have used so far."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(int(value) for value in fields[11:15]) / TICKS


def delay_seconds(pid):
    """How long the threads of a process, as many as there are now, were ready to run and had no core: machines may be busy."""
    total = 0
    for file in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat"):
        try:
            total += int(file.read_text().split()[1])
        except (OSError, IndexError):
            pass
    return total / 1e9


class ListError(Exception):
    """A program could not list its cases."""


def gtest_list(root, suite, program):
    """All cases of a program, as gtest's filters name them, and the CPU time that listing them took. The list is kept in the root as
    long as the program is the same: rocBLAS needs a minute for its million."""
    kept = root.folder / "wavelift" / "lists" / f"{root.target}-{os.path.basename(program)}.txt"
    key = f"{(root.folder / program[1:]).stat().st_mtime_ns} {' '.join(suite.arguments)}"
    if not kept.exists() or kept.read_text().split("\n", 1)[0] != key:
        kept.parent.mkdir(parents=True, exist_ok=True)
        before = os.times()
        with open(kept.with_suffix(".new"), "w+b") as output:
            status = root.start(program, ["--gtest_list_tests", *suite.arguments], suite.environment, stdout=output, stderr=subprocess.STDOUT).wait()
            output.seek(0)
            text = output.read().decode(errors="replace")
        after = os.times()
        cases = gtest_names(text)
        if status != 0:
            raise ListError(f"the list of cases ends with status {status}\n{text[-20000:]}")
        cpu = after.children_user - before.children_user
        kept.write_text("\n".join([key, f"{cpu:.1f}", *cases]))
        kept.with_suffix(".new").unlink()
    _, cpu, *cases = kept.read_text().split("\n")
    aside = suite.leave_out, root.leave_out
    return [case for case in cases if not any(re.search(pattern, f"{program} {case}") for pattern in aside)], float(cpu)


def gtest_names(text):
    cases, group = [], None
    for line in text.splitlines():
        name = line.split("  # ")[0].rstrip()
        if re.fullmatch(r"\S+\.", name):
            group = name
        elif group and re.fullmatch(r"  \S+", name):
            if "DISABLED_" not in group + name:
                cases.append(group + name.strip())
        else:
            group = None
    return cases


class Watch:
    """Reads a program's output while it runs, and ends the program when a case has used its time."""

    def __init__(self, process, limit, deadline=0):
        self.process, self.limit, self.deadline = process, limit, deadline
        self.results, self.current, self.lines = [], None, []
        self.cpu, self.idle = 0.0, 0.0  # CPU time when the current case began; for how long it has only waited
        self.late = self.over = False  # ended because a case took too long; because no more cases are to start
        self.total = 0.0  # CPU seconds of the whole program
        self.lock = threading.Lock()
        self.ended = threading.Event()

    def guard(self):
        """Runs beside read(). A case may use its limit of CPU time, or wait for twice that time; so may what a program does before its
        first case. A process waits where its threads are neither running nor ready to run."""
        then, busy = time.monotonic(), 0.0
        while not self.ended.wait(0.25):
            with self.lock:
                now, cpu = time.monotonic(), cpu_seconds(self.process.pid)
                used = cpu + delay_seconds(self.process.pid)
                if used - busy < 0.1 * (now - then):
                    self.idle += now - then
                then, busy = now, used
                self.late = cpu - self.cpu > self.limit or self.idle > 2 * self.limit
                if self.late:
                    os.killpg(self.process.pid, signal.SIGKILL)
                    return

    def read(self, program):
        guard = threading.Thread(target=self.guard)
        guard.start()
        for raw in self.process.stdout:
            line = raw.decode(errors="replace").rstrip()
            self.lines.append(line)
            del self.lines[:-400]
            mark = re.match(r".*?\[ +(RUN|OK|FAILED|SKIPPED) +\] (\S+?)(?:,.*| \(.*)?$", line)
            if mark and mark[1] == "RUN":
                self.begin(mark[2])
            elif mark and self.current == mark[2]:
                self.finish(program, {"OK": "pass", "FAILED": "fail", "SKIPPED": "skip"}[mark[1]])
                self.over = self.over or bool(self.deadline) and time.monotonic() > self.deadline
                if self.over:
                    os.killpg(self.process.pid, signal.SIGKILL)
                    break
        os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        with self.lock:
            self.ended.set()
            _, status, usage = os.wait4(self.process.pid, 0)
        guard.join()
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.total = usage.ru_utime + usage.ru_stime

    def begin(self, case):
        with self.lock:
            self.current, self.cpu, self.idle = case, cpu_seconds(self.process.pid), 0.0
        self.lines = []

    def finish(self, program, outcome):
        with self.lock:
            now = cpu_seconds(self.process.pid)
            used, self.cpu, self.idle = max(0.0, now - self.cpu), now, 0.0
        self.results.append(Result(program, self.current, outcome, used, "" if outcome in ("pass", "skip") else "\n".join(self.lines)))
        self.current = None


def run_gtest(root, suite, job, limit, deadline):
    """The results of a job's cases, with as many processes as it takes; those that were not started in time have none."""
    left, results = list(job.cases), []
    while left and not (deadline and time.monotonic() > deadline):
        # ':' and '-' mean something in a filter; '?' is any character.
        names = ":".join(re.sub(r"[:\-]", "?", case) for case in left)
        environment = suite.environment | {"GTEST_FILTER": names, "GTEST_COLOR": "no"}
        process = root.start(job.program, suite.arguments, environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        watch = Watch(process, limit, deadline)
        watch.read(job.program)
        output, code = "\n".join(watch.lines), watch.process.returncode
        if watch.over or (deadline and watch.late and time.monotonic() > deadline and not watch.current):
            return results + [result for result in watch.results if result.case in left]
        if watch.current or watch.late or code < 0:
            case = watch.current or next((c for c in left if c not in {r.case for r in watch.results}), left[-1])
            how = "time-out" if watch.late else "crash"
            watch.results = [r for r in watch.results if r.case != case]
            watch.results.append(Result(job.program, case, how, limit if watch.late else 0.0, f"{output}\nstatus {code}"))
        done = {result.case for result in watch.results}
        results += [result for result in watch.results if result.case in left]
        remaining = [case for case in left if case not in done]
        if len(remaining) == len(left) or (remaining and not watch.late and code >= 0 and not watch.current):
            return results + [Result(job.program, case, "missing", 0.0, f"{output}\nstatus {code}") for case in remaining]
        left = remaining
    return results


def magma_list(suite, programs):
    """MAGMA's programs take a size and check what they compute: a case is a program with one. Square, since not all take another."""
    return [Job(program, [f"-n {size}"]) for program in programs for size in (100, 129)]


def run_magma(root, suite, job, limit, _deadline):
    arguments = ["-c", *job.cases[0].split()]
    watch = Watch(root.start(job.program, arguments, suite.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT), limit)
    watch.read(job.program)
    output, code = "\n".join(watch.lines), watch.process.returncode
    if watch.late or code < 0:
        outcome = "time-out" if watch.late else "crash"
    elif code or re.search(r"\bfailed\b", output):
        outcome = "fail"
    else:
        outcome = "pass" if re.search(r"\bok\b", output) else "skip"
    return [Result(job.program, job.cases[0], outcome, watch.total, "" if outcome in ("pass", "skip") else f"{output}\nstatus {code}")]


def spread(items):
    """The same items in an order in which those that come first are spread over all: by the reversed bits of their numbers."""
    bits = max(1, (len(items) - 1).bit_length())
    return [items[i] for i in sorted(range(len(items)), key=lambda i: int(f"{i:0{bits}b}"[::-1], 2))]


def jobs_of(root, suite, release, count):
    """The jobs of a sample of a suite, spread; the number of all its cases; and results of programs that cannot tell theirs."""
    pattern = suite.programs.format(package=suite.packages[release])
    programs = sorted(p for p in root.folder.glob(pattern) if p.is_file() and os.access(p, os.X_OK))
    aside = suite.leave_out, root.leave_out
    programs = ["/" + str(p.relative_to(root.folder)) for p in programs if not any(re.search(pattern, p.name) for pattern in aside)]
    if suite.kind == "magma":
        jobs = magma_list(suite, programs)
        return spread(jobs[::max(1, len(jobs) // count if count else 1)]), len(jobs), []
    everything, start, broken = [], {}, []
    for program in programs:
        try:
            cases, start[program] = gtest_list(root, suite, program)
            everything += [(program, case) for case in cases]
        except ListError as error:
            broken.append(Result(program, "(list of cases)", "crash", 0.0, str(error)))
    stride = max(1, len(everything) // count) if count else 1
    chosen = {}
    for program, case in everything[::stride]:
        chosen.setdefault(program, []).append(case)
    jobs = []
    for program, cases in chosen.items():
        size = min(50, max(5, int(4 * start[program])))  # a program that starts slowly gets more cases at once
        jobs += [Job(program, cases[i:i + size]) for i in range(0, len(cases), size)]
    return spread(jobs), len(everything), broken


def run_suite(root, suite, release, options, deadline):
    jobs, total, results = jobs_of(root, suite, release, options.cases)
    report(root, suite, results)
    run = run_magma if suite.kind == "magma" else run_gtest
    unstarted = 0
    before, began = os.times(), time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        def one(job):
            return run(root, suite, job, options.limit, deadline) if not deadline or time.monotonic() < deadline else []
        for job, part in zip(jobs, pool.map(one, jobs)):
            results += part
            unstarted += len(job.cases) - len(part)
            report(root, suite, part)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return summary(suite, results, total, unstarted, cpu, time.monotonic() - began)


def report(root, suite, results):
    """Names what failed at once, and keeps what it printed."""
    for result in results:
        if result.outcome in ("pass", "skip"):
            continue
        folder = root.folder / "wavelift" / "failed" / f"{suite.name}-{root.target}"
        folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^\w.+-]", "_", f"{os.path.basename(result.program)}-{result.case}")[:200]
        (folder / name).write_text(f"{result.program} {result.case}\n{result.output}\n")
        print(f"{result.outcome}: {suite.name} {os.path.basename(result.program)} {result.case}", flush=True)


def summary(suite, results, total, unstarted, cpu, wall):
    count = {how: sum(r.outcome == how for r in results) for how in ("pass", "skip", "fail", "crash", "time-out", "missing")}
    slow = sorted(results, key=lambda r: -r.cpu)[:5]
    for result in slow:
        if result.cpu >= 5:
            print(f"  {result.cpu:.0f} CPU seconds: {os.path.basename(result.program)} {result.case}")
    bad = count["crash"] + count["missing"]
    row = [suite.name, str(total), str(len(results)), str(count["pass"]), str(count["skip"]), str(count["fail"]), str(bad), str(count["time-out"]),
           str(unstarted), f"{slow[0].cpu:.0f}" if slow else "-", f"{cpu:.0f}", f"{wall:.0f}"]
    print(f"{suite.name}: {count['pass']} pass, {count['skip']} skip, {count['fail']} fail, {bad} crash, {count['time-out']} time-out, of {total} cases; "
          f"{unstarted} of the sample not started; {cpu:.0f} CPU seconds", flush=True)
    return row


HEAD = ["suite", "cases", "run", "pass", "skip", "fail", "crash", "time-out", "not started", "slowest, CPU s", "CPU s", "s"]


def table(rows):
    lines = ["| " + " | ".join(HEAD) + " |", "|---" * len(HEAD) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def chosen_suites(names, release):
    known = {suite.name: suite for suite in SUITES}
    for name in names:
        if name not in known:
            sys.exit(f"no suite is called {name}; there are {' '.join(known)}")
    return [s for s in SUITES if release in s.packages and (not names or s.name in names)]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    packages = commands.add_parser("packages")
    packages.add_argument("release")
    run = commands.add_parser("run")
    run.add_argument("root")
    run.add_argument("release")
    run.add_argument("target")
    run.add_argument("--cases", type=int, default=200, help="cases of each suite, spread over all; 0: all")
    run.add_argument("--minutes", type=float, default=0, help="start no more cases then, each suite having had its share; 0: no limit")
    run.add_argument("--limit", type=float, default=120, help="CPU seconds that a case may use")
    run.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs at a time")
    run.add_argument("--leave-out", help="pattern of cases (PROGRAM CASE) that are not run")
    run.add_argument("--tier", default="0", help="WAVELIFT_TIER")
    for command in (packages, run):
        command.add_argument("suites", nargs="*")
    return parser.parse_args()


def main():
    options = arguments()
    suites = chosen_suites(options.suites, options.release)
    if options.command == "packages":
        print("\n".join(f"{suite.name} {suite.packages[options.release]}" for suite in suites))
        return 0
    root = Root(options.root, options.target, options.tier, options.leave_out)
    end = time.monotonic() + 60 * options.minutes
    rows, broken = [], 0
    for i, suite in enumerate(suites):
        deadline = time.monotonic() + (end - time.monotonic()) / (len(suites) - i) if options.minutes else 0
        rows.append(run_suite(root, suite, options.release, options, deadline))
        broken += any(int(number) for number in rows[-1][5:8])
    print(table(rows))
    (root.folder / "wavelift" / f"results-{options.target}.md").write_text(table(rows) + "\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
