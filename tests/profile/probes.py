"""probes.py LIBRARY PROGRAM: the library's probes are there; gdb, if it is installed, stops at them and reads their arguments; bpftrace, if it can be
used, counts them."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

library, program = sys.argv[1:3]
failures = []
NAMES = ("launch", "kernel_begin", "kernel_end")
# A breakpoint's commands wait where another thread has stopped: so it is Python that looks.
GDB = """
set breakpoint pending on
set debuginfod enabled off
break main
run
python
class Probe(gdb.Breakpoint):
    def __init__(self, name, last):
        super().__init__("-probe-stap wavelift:" + name)
        self.name, self.last = name, last
    def stop(self):
        numbers = [int(gdb.parse_and_eval(text)) for text in ("$_probe_arg1 > 0", "$_probe_arg2", self.last)]
        print(self.name, gdb.parse_and_eval("(char *)$_probe_arg0").string(), *numbers)
        return False
Probe("launch", "*(unsigned *)$_probe_arg3")
Probe("kernel_begin", "*(unsigned *)$_probe_arg3")
Probe("kernel_end", "(int)$_probe_arg3")
end
continue
"""


def expect(got, wanted, what):
    if got != wanted:
        failures.append("%s: %r instead of %r" % (what, got, wanted))


notes = subprocess.run(["readelf", "-n", library], capture_output=True, text=True, check=True).stdout
expect(sorted(set(re.findall(r"Provider: wavelift\s+Name: (\w+)", notes))), sorted(NAMES), "probes")
semaphores = set(re.findall(r"Semaphore: (0x[0-9a-f]+)", notes))
place = int(semaphores.pop(), 16) if len(semaphores) == 1 else 0
sections = subprocess.run(["readelf", "-SW", library], capture_output=True, text=True, check=True).stdout
start, size = (int(number, 16) for number in re.search(r" \.probes +PROGBITS +(\w+) +\w+ +(\w+)", sections).groups())
expect(start <= place < start + size, True, "the place where tools count themselves, which is in the file")


def count_with(bpftrace, copy):
    """What bpftrace counts of a run of the program; it may do so for administrators, where Linux has probes for programs. It counts all processes that use
    the file, which is a copy."""
    folder = os.path.dirname(os.path.realpath(library))
    for name in os.listdir(folder):
        if not name.startswith("libamdhip64"):
            os.symlink(os.path.join(folder, name), os.path.join(os.path.dirname(copy), name))
    shutil.copy(library, copy)
    environment = dict(os.environ, LD_LIBRARY_PATH=os.path.dirname(copy) + ":" + os.environ.get("LD_LIBRARY_PATH", ""))
    script = "BEGIN { printf(\"ready\\n\"); }"
    for name in NAMES:
        script += " usdt:%s:wavelift:%s { @%s[str(arg0), arg2] = count(); }" % (copy, name, name)
    with subprocess.Popen([bpftrace, "-e", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as counting:
        late = threading.Timer(100, counting.kill)
        late.start()
        ready = any(line == "ready\n" for line in iter(counting.stdout.readline, ""))
        status = subprocess.run([program], stdout=subprocess.DEVNULL, check=False, timeout=60, env=environment).returncode if ready else 0
        counting.send_signal(signal.SIGINT)
        out, error = counting.communicate()
        late.cancel()
    expect(status, 0, "the program's status")
    if not ready:
        print("bpftrace cannot be used here: " + error.strip())
        return
    seen = {(name, kernel): int(number) for name, kernel, number in re.findall(r"@(\w+)\[_Z\d+([a-z_]+?)Pi\w*, 0\]: (\d+)", out)}
    runs = {"fill": 10, "add": 5, "branch": 6, "in_child": 3, "in_thread": 4, "unseen": 7}
    wanted = {(name, kernel): number for name in NAMES[1:] for kernel, number in runs.items()}
    wanted.update({("launch", kernel): number for kernel, number in runs.items() if kernel != "branch"}) # of a graph
    expect(seen, wanted, "what bpftrace counts")


if shutil.which("bpftrace") and os.geteuid() == 0:
    with tempfile.TemporaryDirectory() as scratch:
        count_with(shutil.which("bpftrace"), os.path.join(scratch, "libamdhip64.so.7"))

gdb = shutil.which("gdb")
if gdb:
    with tempfile.NamedTemporaryFile("w", suffix=".gdb") as script:
        script.write(GDB)
        script.flush()
        out = subprocess.run([gdb, "-nx", "-batch", "-x", script.name, "--args", program, "crash"], capture_output=True, text=True, timeout=300, check=False).stdout
    seen = re.findall(r"^(launch|kernel_begin|kernel_end) (\S+) (\d+) (\d+) (\d+)$", out, re.M)
    wanted = [("launch", "_Z5countPi", "1", "0", "1"), ("kernel_begin", "_Z5countPi", "1", "0", "1"), ("kernel_end", "_Z5countPi", "1", "0", "0")]
    expect(sorted(seen), sorted(wanted * 3), "what gdb sees of three launches")
    if failures:
        print(out)
else:
    print("gdb is not installed: nobody has attached to the probes")
print("\n".join(failures) or "all as it should be")
sys.exit(bool(failures))
