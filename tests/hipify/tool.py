"""What the tests of hipify share: running it, and the table of names read as text, without the tool's own reader."""
import os
import re
import subprocess
from collections import namedtuple

HIPIFY = os.environ["HIPIFY"]
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
Row = namedtuple("Row", "cuda hip kind group since reason")
Result = namedtuple("Result", "code out err")


def hipify(*arguments, source=None, cwd=None):
    """Runs the tool; text is bytes."""
    if isinstance(source, str):
        source = source.encode()
    done = subprocess.run([HIPIFY, *arguments], input=source if source is not None else b"", capture_output=True, cwd=cwd, timeout=300)
    return Result(done.returncode, done.stdout, done.stderr.decode())


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def rows():
    """All rows of table.inc, in order."""
    found = []
    with open(os.path.join(ROOT, "src", "hipify", "table.inc"), encoding="ascii") as table:
        for line in table:
            row = re.fullmatch(r'ROW\("([^"]+)", "([^"]*)", (\w+), "([^"]*)", "([^"]+)"\)', line.rstrip("\n"))
            none = re.fullmatch(r'NONE\("([^"]+)", (\w+), "([^"]*)", "([^"]+)"\)', line.rstrip("\n"))
            if row:
                found.append(Row(*row.groups(), None))
            elif none:
                found.append(Row(none[1], None, none[2], none[3], None, none[4]))
            elif line.startswith(("ROW", "NONE")):
                raise ValueError("not a row: " + line)
    return found
