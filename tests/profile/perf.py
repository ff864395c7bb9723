"""perf.py PROGRAM SOURCE: with WAVELIFT_PERF=on native code has its kernel's name and its lines: in the map, in the jitdump file, and as
Linux's perf shows them, if perf is installed and may record."""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

program, source = os.path.realpath(sys.argv[1]), os.path.basename(sys.argv[2])
failures = []
with open(sys.argv[2], encoding="utf-8") as file:
    hot_line = 1 + next(number for number, line in enumerate(file) if "the hot line" in line)


def expect(got, wanted, what):
    if got != wanted:
        failures.append("%s: %r instead of %r" % (what, got, wanted))


def read_dump(path):
    """Names of code, and the lines of all code, with the addresses that they stand for."""
    with open(path, "rb") as file:
        data = file.read()
    magic, version, header = struct.unpack_from("<III", data)
    expect((magic, version, header), (0x4A695444, 1, 40), "the header of the dump")
    at, times, names, lines, code = header, [], [], [], []
    while at < len(data):
        kind, size, time = struct.unpack_from("<IIQ", data, at)
        times.append(time)
        if kind == 0:
            _, _, vma, address, length, index = struct.unpack_from("<IIQQQQ", data, at + 16)
            name = data[at + 56 : data.index(b"\0", at + 56)].decode()
            expect((vma, index, size), (address, len(names), 56 + len(name) + 1 + length), "a record of code")
            names.append(name)
            code.append((address, length))
        else:
            expect(kind, 2, "the kind of a record")
            _, count = struct.unpack_from("<QQ", data, at + 16)
            place = at + 32
            for _ in range(count):
                address, line = struct.unpack_from("<QI", data, place)
                end = data.index(b"\0", place + 16)
                lines.append((address, data[place + 16 : end].decode(), line))
                place = end + 1
        at += size
    expect(at, len(data), "the end of the dump")
    expect(times, sorted(times), "times of the dump")
    expect(all(any(begin <= line[0] < begin + size for begin, size in code) for line in lines), True, "lines are those of code")
    at_lines = {line[0] for line in lines}
    expect([size for begin, size in code if not {begin, begin + size - 1} <= at_lines], [], "code whose begin or end has no line")
    return names, lines


def run(folder, *before):
    environment = dict(os.environ, WAVELIFT_PERF="on", TMPDIR=folder)
    child = subprocess.Popen([*before, program, "hot"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, error = child.communicate(timeout=300)
    return child.returncode, out, error


def check_files(folder):
    status, out, error = run(folder)
    expect((status, out, error), (0, "hot\n", ""), "the program")
    dumps = [name for name in os.listdir(folder) if name.startswith("jit-")]
    expect(len(dumps), 1, "dumps")
    names, lines = read_dump(os.path.join(folder, dumps[0]))
    expect(any(name.startswith("hot(float*, int) [") for name in names), True, "the name of the kernel in the dump")
    expect(any(os.path.basename(path) == source and line == hot_line for _, path, line in lines), True, "the hot line in the dump")
    path = "/tmp/perf-%s.map" % dumps[0][4:-5]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    os.remove(path)
    expect(sorted(re.sub(r"^[0-9a-f]+ [0-9a-f]+ ", "", line) for line in text.splitlines()), sorted(names), "names of the map")


def check_perf(folder):
    perf, data, with_lines = shutil.which("perf"), os.path.join(folder, "data"), os.path.join(folder, "lines")
    record = [perf, "record", "-q", "-e", "cpu-clock", "-k", "1", "-o", data]
    if not perf or subprocess.run([*record, "true"], capture_output=True, check=False).returncode != 0:
        print("perf is not installed or may not record: its output was not looked at")
        return
    status, out, error = run(folder, *record)
    expect((status, out), (0, "hot\n"), "the program under perf (%s)" % error)
    for name in os.listdir(folder):
        if name.startswith("jit-") and os.path.exists("/tmp/perf-%s.map" % name[4:-5]):
            plain = subprocess.run([perf, "report", "-i", data, "--stdio", "-s", "symbol"], capture_output=True, text=True, check=False).stdout
            os.remove("/tmp/perf-%s.map" % name[4:-5])
            first = [line for line in plain.splitlines() if line.strip() and not line.startswith("#")][0]
            expect("hot(float*, int) [" in first, True, "the first line of perf's report, %r" % first)
    subprocess.run([perf, "inject", "--jit", "-i", data, "-o", with_lines], capture_output=True, check=True)
    text = subprocess.run([perf, "script", "-i", with_lines, "-F", "ip,sym,srcline"], capture_output=True, text=True, check=False).stdout
    found = re.findall(r"hot\(float\*, int\) \[\w+\]\s+(\S+:\d+)", text)
    expect(len(found), len(re.findall(r"hot\(float\*, int\) \[\w+\]", text)), "samples with a line")
    hot = [place for place in found if place.endswith("%s:%d" % (source, hot_line))]
    expect(len(hot) > len(found) / 2, True, "samples in the hot line: %d of %d" % (len(hot), len(found)))


with tempfile.TemporaryDirectory() as scratch:
    check_files(scratch)
with tempfile.TemporaryDirectory() as scratch:
    check_perf(scratch)
print("\n".join(failures[:20]) or "all as it should be")
sys.exit(bool(failures))
