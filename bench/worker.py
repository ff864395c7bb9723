"""The benchmark suite's kernels (bench/kernels), each run by a worker process (`ninja suite`): for drivers that compare two ways to run one."""
import os
import re
import subprocess


class Worker:
    """Runs one benchmark whenever it is asked to. `command`: what the worker is started by; `environment`: variables beside those that all workers have."""

    def __init__(self, build, name, arch, cache, command=(), errors=subprocess.DEVNULL, environment=None):
        environment = dict(os.environ, LD_LIBRARY_PATH=f"{build}/lib", WAVELIFT_ARCH=arch, WAVELIFT_TIER="2", WAVELIFT_CACHE_DIR=f"{build}/bench/{cache}",
                           **(environment or {}))
        self.process = subprocess.Popen([*command, f"{build}/bench/suite/worker-hip", name, f"{build}/bench/suite/{name}.co"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=environment)

    def run(self, seconds):
        """Seconds that a launch takes, of launches for about so long: of one at least."""
        return self.ask(f"run {seconds}")

    def run_cpu(self, seconds):
        """The same, but the seconds of processors that it takes, over all threads."""
        return self.ask(f"cpu {seconds}")

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def benchmarks(names):
    """Yields (name, first target) of the benchmarks that are named, by their own names or their groups'; of all without names."""
    table = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels", "table.inc")
    with open(table, encoding="ascii") as file:
        for group, name, archs in re.findall(r'^BENCHMARK\((.+), (.+), "(.+)"\)$', file.read(), re.M):
            if not names or name in names or group in names:
                yield name, archs.split()[0]
