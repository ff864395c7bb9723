#!/usr/bin/env python3
"""run.py [options] BUILD GROUP [COLLECTION ...]: measures HIP code of others on this project's CPU device beside what its users would run without it.

manifest.toml names the collections of each GROUP (wild or libraries). Their packages are installed into a Debian sid in BUILD/wild/sid, which
takes 10 GB, and their programs (wild.h) are built and run there, once for each number of threads. A table goes to stdout. The
folder bench of BUILD gets it too, with all figures as JSON, a picture, and a history with a line for each run. On one thread figures are
processor time, which a busy machine changes least; on several, elapsed time.
Exit status: 1 if a program failed or, with --check, if a bar is missed."""
import argparse
import datetime
import json
import math
import pathlib
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
ALWAYS = ["hipcc", "libamdhip64-dev", "libomp-dev", "g++", "xz-utils"]
BARS = {"wild": {"mean": {1: 0.4, 2: 0.33}, "worst": 2.0}, "libraries": {"mean": {}, "worst": 2.0}}
WORST = 12  # rows in the table of the worst


class Root:
    """A Debian system in a folder: tests/rocm/root.sh has the functions."""

    def __init__(self, build):
        self.folder = build / "wild" / "sid"
        self.build = build

    def shell(self, words, **options):
        script = f'. {PROJECT}/tests/rocm/root.sh; "$@"'
        return subprocess.run(["sh", "-euc", script, "sh", *map(str, words)], check=True, **options)

    def inside(self, words, variables=(), **options):
        settings = [f"{name}={value}" for name, value in dict(variables).items()]
        base = ["PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/root", "LC_ALL=C.UTF-8"]
        return self.shell(["root_inside", self.folder, "env", "-i", "-C", "/wild", *base, *settings, *words], **options)

    def make(self, packages):
        self.shell(["root_tools"])
        self.shell(["root_make", self.folder, "sid"])
        self.shell(["root_install", self.folder, "sid", *packages])
        self.shell(["root_wavelift", self.folder, self.build])
        (self.folder / "wild").mkdir(exist_ok=True)

    def clang(self):
        """The newest clang there, which hipcc depends on."""
        found = [path.name for path in (self.folder / "usr/bin").glob("clang-[0-9]*") if path.name.removeprefix("clang-").isdigit()]
        return max(found, key=lambda name: int(name.removeprefix("clang-")))

    def source(self, package, folder):
        """Unpacks what a source package's authors released; a release that is being made may lack what Debian adds."""
        target = self.folder / "wild" / folder
        if target.exists():
            return
        sources = self.folder / "etc/apt/sources.list.d/wild.list"
        mirror = self.shell(["root_mirror"], capture_output=True, text=True).stdout.strip()
        sources.write_text(f"deb-src {mirror} sid main\n")
        fetch = f"apt-get -qq update; apt-get -qq source --download-only {package} 2>fetch.log || true; mkdir new; tar xf {package}_*.orig.tar.* -C new"
        self.inside(["sh", "-euc", f"rm -rf new; {fetch}; mv new/* {folder}; rmdir new"])


def build(root, name, row, targets):
    if "source" in row:
        root.source(row["source"], f"{name}-source")
    clang = root.clang()
    variables = {"CLANG": clang, "CLANGXX": clang.replace("clang", "clang++"), "SOURCE": f"/wild/{name}-source", "TARGETS": " ".join(f"--offload-arch={t}" for t in targets)}
    for file in HERE.iterdir():
        if file.suffix in (".c", ".h", ".cpp", ".hip"):
            (root.folder / "wild" / file.name).write_bytes(file.read_bytes())
    for command in row["build"]:
        root.inside(["sh", "-euc", command], variables, stdout=subprocess.DEVNULL)


def measure(root, name, row, target, threads, rounds, kernels):
    """A list of {collection, kernel, ours, theirs, difference}."""
    variables = {"LD_LIBRARY_PATH": "/wavelift/lib", "WAVELIFT_CACHE_DIR": f"/wavelift/cache-{target}", "WAVELIFT_DEVICES": "cpu", "WAVELIFT_ARCH": target,
                 "WAVELIFT_TIER": "2", "WAVELIFT_THREADS": threads, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads,
                 "OMP_WAIT_POLICY": "passive"}
    log = root.build / "bench" / f"{name}-{target}-{threads}.log"
    with open(log, "w", encoding="utf-8") as errors:
        done = root.inside([f"/wild/{row['program']}", "--rounds", str(rounds), *kernels], variables, stdout=subprocess.PIPE, stderr=errors, text=True)
    rows = []
    for line in done.stdout.splitlines():
        fields = line.split("\t")
        if len(fields) == 6:
            times = fields[1:3] if threads == 1 else fields[3:5]
            rows.append({"collection": name, "kernel": fields[0], "ours": float(times[0]), "theirs": float(times[1]), "difference": float(fields[5])})
    return rows


def ratio(row):
    return row["ours"] / row["theirs"]


def mean(rows):
    return math.exp(sum(math.log(ratio(row)) for row in rows) / len(rows))


def table(runs, bars):
    """Markdown, and whether all bars are met."""
    lines, met = ["| code, threads | kernels | geometric mean | half are below | faster than the other side | worst |", "|---|---|---|---|---|---|"], True
    for (target, threads), rows in runs.items():
        ordered = sorted(rows, key=ratio)
        worst = ordered[-1]
        lines.append(f"| {target}, {threads} | {len(rows)} | {mean(rows):.2f} | {ratio(ordered[len(rows) // 2]):.2f} | "
                     f"{sum(ratio(row) < 1 for row in rows)} | {ratio(worst):.1f} (`{worst['kernel']}`) |")
        met = met and mean(rows) <= bars["mean"].get(threads, math.inf) and ratio(worst) <= bars["worst"]
    for (target, threads), rows in runs.items():
        lines += ["", f"{target}, threads: {threads}; the worst:", "", "| collection | kernel | ours µs | theirs µs | ratio |", "|---|---|---|---|---|"]
        for row in sorted(rows, key=ratio, reverse=True)[:WORST]:
            lines.append(f"| {row['collection']} | `{row['kernel']}` | {row['ours'] / 1e3:.1f} | {row['theirs'] / 1e3:.1f} | {ratio(row):.2f} |")
    return "\n".join(lines) + "\n", met


def picture(rows, title):
    """A bar for each kernel, from the fastest to the slowest; the axis is logarithmic, and the line is where both sides take as long."""
    low, high, left, width, step = -6, 6, 190, 480, 14  # powers of two

    def place(value):
        return left + width * (min(max(math.log2(value), low), high) - low) / (high - low)

    height = 60 + step * len(rows)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 60}" height="{height}" font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>', f'<text x="12" y="20" font-size="14" font-weight="bold">{title}</text>']
    for power in range(low, high + 1, 2):
        x = place(2.0**power)
        out.append(f'<line x1="{x:.1f}" y1="40" x2="{x:.1f}" y2="{height - 8}" stroke="{"#222222" if power == 0 else "#dddddd"}"/>')
        out.append(f'<text x="{x:.1f}" y="36" text-anchor="middle" fill="#666666">{2.0**power:g}</text>')
    for i, row in enumerate(sorted(rows, key=ratio)):
        y, x = 44 + step * i, place(ratio(row))
        out.append(f'<text x="{left - 6}" y="{y + 9}" text-anchor="end">{row["kernel"]}</text>')
        out.append(f'<rect x="{min(x, place(1)):.1f}" y="{y + 1}" width="{max(abs(x - place(1)), 1):.1f}" height="10" fill="{"#0072b2" if x < place(1) else "#d55e00"}"/>')
    return "\n".join(out + ["</svg>", ""])


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unknown"


def record(root, group, runs, text):
    folder = root.build / "bench"
    commit = subprocess.run(["git", "-C", PROJECT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    about = {"date": datetime.date.today().isoformat(), "commit": commit, "processor": processor()}
    (folder / f"{group}.md").write_text(text, encoding="utf-8")
    figures = [{"target": target, "threads": threads, "rows": rows} for (target, threads), rows in runs.items()]
    (folder / f"{group}.json").write_text(json.dumps({**about, "runs": figures}, indent=1), encoding="utf-8")
    with open(folder / f"{group}-history.jsonl", "a", encoding="utf-8") as history:
        for (target, threads), rows in runs.items():
            history.write(json.dumps({**about, "target": target, "threads": threads, "kernels": len(rows), "mean": round(mean(rows), 3),
                                      "worst": round(max(map(ratio, rows)), 2)}) + "\n")
    target, threads = next(iter(runs))
    title = f"Wavelift's time / the other side's: {target}, threads: {threads}, {about['processor']}"
    (folder / f"{group}.svg").write_text(picture(runs[target, threads], title), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("group", choices=sorted(BARS))
    parser.add_argument("collections", nargs="*")
    parser.add_argument("--targets", default="gfx90a")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kernels", default="", help="names, apart by commas; they may have *")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    manifest = tomllib.loads((HERE / "manifest.toml").read_text(encoding="utf-8"))
    rows = {name: row for name, row in manifest.items() if row["group"] == options.group and (not options.collections or name in options.collections)}
    if not rows:
        parser.error(f"no such collection: {' '.join(options.collections)}")
    targets, kernels = options.targets.split(","), [name for name in options.kernels.split(",") if name]
    root = Root(options.build.resolve())
    (root.build / "bench").mkdir(exist_ok=True)
    root.make(ALWAYS + [package for row in rows.values() for package in row["packages"]])
    runs, failed = {}, False
    for name, row in rows.items():
        build(root, name, row, targets)
        for target in targets:
            for threads in map(int, options.threads.split(",")):
                try:
                    runs.setdefault((target, threads), []).extend(measure(root, name, row, target, threads, options.rounds, kernels))
                except subprocess.CalledProcessError as error:
                    print(f"{name}, {target}, {threads} threads: status {error.returncode}", file=sys.stderr)
                    failed = True
    runs = {key: measured for key, measured in runs.items() if measured}
    if not runs:
        return 1
    text, met = table(runs, BARS[options.group])
    record(root, options.group, runs, text)
    print(text, end="")
    return 1 if failed or (options.check and not met) else 0


if __name__ == "__main__":
    sys.exit(main())
