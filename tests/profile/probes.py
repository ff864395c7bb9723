"""probes.py LIBRARY PROGRAM: the library's probes are there, and gdb, if it is installed, stops at them and reads their arguments."""
import re
import shutil
import subprocess
import sys
import tempfile

library, program = sys.argv[1:3]
failures = []
NAMES = ("launch", "kernel_begin", "kernel_end")
GDB = """
set breakpoint pending on
set debuginfod enabled off
break main
run
break -probe-stap wavelift:launch
break -probe-stap wavelift:kernel_begin
break -probe-stap wavelift:kernel_end
commands 2
silent
printf "launch %s %d %d %u\\n", (char*)$_probe_arg0, $_probe_arg1 > 0, $_probe_arg2, *(unsigned*)$_probe_arg3
continue
end
commands 3
silent
printf "kernel_begin %s %d %d %u\\n", (char*)$_probe_arg0, $_probe_arg1 > 0, $_probe_arg2, *(unsigned*)$_probe_arg3
continue
end
commands 4
silent
printf "kernel_end %s %d %d %d\\n", (char*)$_probe_arg0, $_probe_arg1 > 0, $_probe_arg2, (int)$_probe_arg3
continue
end
continue
"""


def expect(got, wanted, what):
    if got != wanted:
        failures.append("%s: %r instead of %r" % (what, got, wanted))


notes = subprocess.run(["readelf", "-n", library], capture_output=True, text=True, check=True).stdout
expect(sorted(set(re.findall(r"Provider: wavelift\s+Name: (\w+)", notes))), sorted(NAMES), "probes")
semaphores = set(re.findall(r"Semaphore: (0x[0-9a-f]+)", notes))
expect(len(semaphores) == 1 and int(semaphores.pop(), 16) != 0, True, "the place where tools count themselves")

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
