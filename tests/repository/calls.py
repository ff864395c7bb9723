"""calls.py COMPILER INCLUDE FOLDER [paste]: calls.inc and arguments.inc of src/api (FOLDER) have each function of HIP's public headers (in the
folder INCLUDE) as they declare it. With "paste": writes the rows anew. The order of calls.inc stays: that of AMD's dispatch table, then ours;
new functions come last."""
import re
import subprocess
import sys

compiler, include, folder = sys.argv[1:4]
header = subprocess.run([compiler, "-E", "-P", "-I" + include, include + "/hip/hip_runtime_api.h"], check=True, capture_output=True, text=True).stdout
found = {}
for result, name, parameters in re.findall(r"^([\w ]+?[ *]+)(hip\w+)\(([^;{]*?)\);", header, re.M | re.S):
    found[name] = (" ".join(result.split()), " ".join(parameters.split()))


def read(name):
    with open("%s/%s" % (folder, name), encoding="utf-8") as file:
        return file.read()


def head(text):
    return text[: text.index("*/\n") + 3]


calls, arguments = read("calls.inc"), read("arguments.inc")
numbers = {name: number for number, name in re.findall(r"^API\((\d+), (\w+)\)", read("api_names.inc"), re.M)}
names = re.findall(r"^(?:CALL|OTHER)\((\w+)", calls, re.M)
names += sorted(name for name in found if name not in names)


def declaration(name):
    # The form of a function for the thread's own default stream has its namesake's parameters (src/api/spt.c).
    return found.get(name) or (found.get(name[:-4]) if name.endswith("_spt") else None)


def split(parameters):
    """Types and names."""
    if parameters == "void":
        return []
    return [re.match(r"(.*?)(\w+)$", part.strip()).groups() for part in parameters.split(",")]


def call_row(name):
    if not declaration(name):
        return "OTHER(%s)\n" % name
    result, parameters = declaration(name)
    return "CALL(%s, %s, (%s), (%s))\n" % (name, result, parameters, ", ".join(argument for _, argument in split(parameters)))


def fields(parameters):
    """Each argument, and behind a pointer, but one to void, room for what it points to."""
    text = ""
    for kind, name in split(parameters):
        text += " %s%s;" % (kind, name)
        behind = kind.rstrip()[:-1].rstrip() if kind.rstrip().endswith("*") else ""
        if behind and not behind.endswith("*"):
            behind = behind.replace("const ", "")
        if behind not in ("", "void"):
            text += " %s%s%s__val;" % (behind, "" if behind.endswith("*") else " ", name)
    return text.strip() or "char none;"


# A tracer finds a copy of a structure here that the headers do not have whole.
HIDDEN = {"hipTexRefSetMipmappedArray"}


def arguments_row(name):
    result, parameters = declaration(name)
    fill = " ".join("arguments_->%s = %s;" % (argument, argument) for _, argument in split(parameters))
    names = ", ".join(argument for _, argument in split(parameters))
    return "ARGUMENTS(%s, %s, %s, (%s), (%s), %s, %s)\n" % (numbers[name], name, result, parameters, names, fields(parameters), fill)


made = {"calls.inc": head(calls) + "".join(call_row(name) for name in names),
        "arguments.inc": head(arguments) + "".join(arguments_row(name) for name in names if name in numbers and declaration(name) and name not in HIDDEN)}
for name, text in made.items():
    if len(sys.argv) > 4:
        with open("%s/%s" % (folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    elif text != read(name):
        old, new = set(read(name).splitlines()), set(text.splitlines())
        print("\n".join(["- " + line for line in sorted(old - new)] + ["+ " + line for line in sorted(new - old)]))
        sys.exit("%s is not what the headers declare: give calls.py the word paste as well" % name)
