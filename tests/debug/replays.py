"""replays.py WAVELIFT PROGRAM [GDB]: what `wavelift record` writes runs again with the same result: alone, under gdb and a sanitizer; and
random schedules give other orders, each seed its own."""
import os
import re
import subprocess
import sys
import tempfile

wavelift, program = sys.argv[1:3]
gdb = sys.argv[3:]
failures = []


def run(*arguments, **variables):
    result = subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False, env={**os.environ, **variables})
    return result.returncode, result.stdout + result.stderr


def check(what, good, text):
    if not good:
        failures.append(what)
        print(f"FAILED: {what}\n{text}\n---")


def record(folder, name):
    path = os.path.join(folder, name)
    status, text = run(wavelift, "record", "-o", path, "--", program, name)
    check(f"recording {name}", status == 0 and os.path.exists(path), text)
    return path, text


def replays(folder):
    path, _ = record(folder, "all")
    first = None
    for again in range(20):
        status, text = run(wavelift, "replay", path)
        plain = re.sub(r"[\d.]+ ms", "", text)
        first = first or plain
        if status or plain != first:
            break
    check(f"replay {again}", status == 0 and plain == first and len(re.findall("memory is as recorded", text)) == 5, text)
    status, text = run(wavelift, "replay", "--launch", "4", path)
    check("one launch", status == 0 and text.startswith("4: tickets") and text.count("\n") == 1, text)
    status, text = run(wavelift, "replay", "--schedule", "random:3", "--launch", "4", path)
    check("tickets in another order", status == 1 and "other memory than recorded" in text, text)
    status, text = run(wavelift, "replay", "--schedule", "random:3", "--launch", "5", path)
    check("what does not depend on the order", status == 0, text)
    status, text = run(wavelift, "record", "-o", path, "--only-kernel", "tickets", program)
    status, text = run(wavelift, "replay", path)
    check("one kernel", status == 0 and text.startswith("1: tickets") and text.count("\n") == 1, text)
    if gdb:
        status, text = run(wavelift, "gdb", "-nx", "-batch", "-ex", "break tickets", "-ex", "run", "-ex", "bt", "--", wavelift, "replay", path)
        check("replay in gdb", re.search(r"Breakpoint 1(\.\d)?, tickets \(", text) and re.search(r"^#\d+ .*wl_command_replay", text, re.M), text)


def faults(folder):
    path, text = record(folder, "wild")
    check("the recorded fault", "illegal memory access was encountered" in text, text)
    status, text = run(wavelift, "replay", path)
    check("a fault again", status == 2 and "workgroup (37, 0, 0)" in text and "SCHEDULE" not in text, text)
    status, text = run(wavelift, "replay", "--schedule", "random:11", path)
    check("a fault names the seed", status == 2 and "workgroup (37, 0, 0)" in text and "WAVELIFT_SCHEDULE=random:11" in text, text)
    status, text = run(wavelift, "replay", "--reduce", path)
    check("a fault with fewer workgroups", status == 0 and "1 of 64 workgroups" in text and re.search("runs: 37$", text, re.M), text)
    path, text = record(folder, "behind")
    status, text = run(wavelift, "replay", path)
    check("no fault is seen", status == 0, text)
    status, text = run(wavelift, "sanitize", "--tool", "memcheck", "--", wavelift, "replay", path)
    check("memcheck sees it", status == 1 and "out-of-bounds read" in text, text)


def schedules():
    orders = {}
    for schedule in ("in-order", "random:1", "random:1", "random:2"):
        status, text = run(wavelift, "run", program, "all", WAVELIFT_SCHEDULE=schedule)
        found = re.search(r"order ([0-9a-f]+), 64 right", text)
        check(f"schedule {schedule}", status == 0 and found, text)
        orders.setdefault(schedule, []).append(found and found[1])
    check("the same seed, the same order", orders["random:1"][0] == orders["random:1"][1], orders)
    check("another seed, another order", len({orders["in-order"][0], orders["random:1"][0], orders["random:2"][0]}) == 3, orders)


def damaged(folder):
    path, _ = record(folder, "all")
    with open(path, "rb") as file:
        whole = file.read()
    for length in (0, 10, 63, 64, 90, 1000, len(whole) // 2, len(whole) - 9):
        with open(path, "wb") as file:
            file.write(whole[:length])
        status, text = run(wavelift, "replay", path)
        check(f"{length} bytes of a recording", status in (0, 1, 3), text)
    with open(path, "wb") as file:
        file.write(whole[:64] + bytes(len(whole) - 64))
    status, text = run(wavelift, "replay", path)
    check("a recording of zeros", status == 3, text)


with tempfile.TemporaryDirectory() as made:
    replays(made)
    faults(made)
    schedules()
    damaged(made)
print(f"{len(failures)} checks failed")
sys.exit(1 if failures else 0)
