"""calls.py COMPILER INCLUDE TABLE [paste]: src/api/calls.inc (TABLE) has each function of HIP's public headers (in the folder INCLUDE) as
they declare it. With "paste": writes the rows anew. Their order stays: that of AMD's dispatch table, then ours; new functions come last."""
import re
import subprocess
import sys

compiler, include, table = sys.argv[1:4]
header = subprocess.run([compiler, "-E", "-P", "-I" + include, include + "/hip/hip_runtime_api.h"], check=True, capture_output=True, text=True).stdout
found = {}
for result, name, parameters in re.findall(r"^([\w ]+?[ *]+)(hip\w+)\(([^;{]*?)\);", header, re.M | re.S):
    found[name] = (" ".join(result.split()), " ".join(parameters.split()))
with open(table, encoding="utf-8") as file:
    text = file.read()
head = text[: text.index("*/\n") + 3]
names = re.findall(r"^(?:CALL|OTHER)\((\w+)", text, re.M)
names += sorted(name for name in found if name not in names)


def row(name):
    # The form of a function for the thread's own default stream has its namesake's parameters (src/api/spt.c).
    declared = found.get(name) or (found.get(name[:-4]) if name.endswith("_spt") else None)
    if not declared:
        return "OTHER(%s)\n" % name
    result, parameters = declared
    arguments = [] if parameters == "void" else [re.search(r"(\w+)(\[\d*\])?$", part.strip()).group(1) for part in parameters.split(",")]
    return "CALL(%s, %s, (%s), (%s))\n" % (name, result, parameters, ", ".join(arguments))


made = head + "".join(row(name) for name in names)
if len(sys.argv) > 4:
    with open(table, "w", encoding="utf-8") as file:
        file.write(made)
elif made != text:
    old, new = set(text.splitlines()), set(made.splitlines())
    print("\n".join(["- " + line for line in sorted(old - new)] + ["+ " + line for line in sorted(new - old)]))
    sys.exit("%s is not what the headers declare: give calls.py the word paste as well" % table)
