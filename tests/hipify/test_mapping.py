"""Every row of the table, and the table itself."""
import glob
import os
import re
import unittest

from tool import ROOT, hipify, read, rows

ROWS = rows()
# Calls that change their arguments stay where they are no calls; macros stay where they are compared. Tested in test_layout.py.
FORMS = read(os.path.join(ROOT, "src", "hipify", "forms.inc"))
REFUSED = set(re.findall(r'REFUSE\("(\w+)", ANY', FORMS))


def version_of_debian():
    """Of the HIP headers installed on the machine; empty if there are none."""
    path = "/usr/include/hip/hip_version.h"
    numbers = dict(re.findall(r"define HIP_VERSION_(MAJOR|MINOR) (\d+)", read(path))) if os.path.exists(path) else {}
    return "{MAJOR}.{MINOR}".format(**numbers) if numbers else ""


class Mapping(unittest.TestCase):
    maxDiff = 2000

    def test_code(self):
        """Each name alone, as a macro's argument and behind ::, in one source; the rest of a line stays."""
        source, expected, left = [], [], []
        for row in ROWS:
            name = row.cuda
            keep = f'x{name} {name}qq _{name} {name}_ "{name}" \'{name}\' s.{name} p->{name} mine::{name} /* {name} */ R"({name})" // {name}'
            if row.kind == "HEADER":
                path = name + "some.h" if name.endswith("/") else name
                target = row.hip or path
                source += [f"#include <{path}>", f'  # include "{path}" // {name}', f'// #include <{path}>\nchar *s = "{path}";']
                expected += [f"#include <{target}>", f'  # include "{target}" // {name}', f'// #include <{path}>\nchar *s = "{path}";']
                if not row.hip:
                    left += [path] * 2
                continue
            suffix = "::f" if row.kind == "NAMESPACE" else ""
            target = name if name in REFUSED else row.hip or name
            code = "{0}%s; M({0}%s, a({0}%s)); ::{0}%s\n#define L(x) {0}%s x\n%s" % ((suffix,) * 5 + ("%s",))
            source.append(code.format(name) % keep)
            expected.append(code.format(target) % keep)
            if target == name:
                left += [name] * 5
        result = hipify(source="\n".join(source))
        got = result.out.decode().split("\n")
        wanted = "\n".join(expected).split("\n")
        for number, (ours, theirs) in enumerate(zip(wanted, got), 1):
            self.assertEqual(ours, theirs, f"line {number}")
        self.assertEqual(len(wanted), len(got))
        self.assertEqual(result.code, 1)
        self.assertEqual([line.split(": ")[1] for line in result.err.splitlines()], left)

    def test_each_alone(self):
        """The reason of each name without a counterpart, with its place, and the exit code."""
        without = [row for row in ROWS if not row.hip and row.kind not in ("HEADER", "NAMESPACE")]
        result = hipify(source="".join(f"  {row.cuda} x;\n" for row in without))
        self.assertEqual(result.err.splitlines(), [f"<stdin>:{n}:3: {row.cuda}: {row.reason}" for n, row in enumerate(without, 1)])
        with_one = [row for row in ROWS if row.hip and row.kind not in ("HEADER", "NAMESPACE") and row.cuda not in REFUSED]
        result = hipify(source="".join(f"{row.cuda} x;\n" for row in with_one))
        self.assertEqual(result.code, 0)
        self.assertEqual(result.err, "")
        self.assertEqual(result.out.decode(), "".join(f"{row.hip} x;\n" for row in with_one))

    def test_again(self):
        """What has been converted stays: no name of HIP's is one of CUDA's."""
        source = "".join(f"{row.hip};\n" for row in ROWS if row.hip and row.kind != "HEADER")
        result = hipify(source=source)
        self.assertEqual((result.code, result.out.decode()), (0, source))

    def test_sorted(self):
        names = [row.cuda for row in ROWS]
        self.assertEqual(names, sorted(set(names)))

    def test_list(self):
        kinds = {}
        lines = hipify("--list").out.decode().splitlines()
        self.assertEqual(len(lines), len(ROWS))
        for line, row in zip(lines, ROWS):
            cuda, hip, kind, group, last = line.split("\t")
            self.assertEqual((cuda, hip, group, last), (row.cuda, row.hip or "-", row.group or "-", row.since or row.reason))
            self.assertEqual(kinds.setdefault(row.kind, kind), kind)

    def test_functions_exist(self):
        """Each function of the driver and runtime API becomes one that HIP has."""
        known = set(read(os.path.join(ROOT, "tests", "api", "names.txt")).split())
        for folder in (os.path.join(ROOT, "include", "hip"), "/usr/include/hip"):
            for header in glob.glob(folder + "/*.h"):
                known.update(re.findall(r"\bhip\w+", read(header)))
        missing = [row.hip for row in ROWS if row.hip and row.kind in ("DRIVER", "RUNTIME", "NVRTC") and row.hip not in known]
        missing += [name for name in re.findall(r'FORM\("\w+", \d+, "(\w+)"', FORMS) if name not in known]
        self.assertEqual(missing, [])

    def test_versions(self):
        """The version of a function is that of its symbol."""
        versions = {}
        for line in read(os.path.join(ROOT, "tests", "api", "names.txt")).splitlines():
            fields = line.split()
            if len(fields) == 2:
                versions[fields[0]] = fields[1].replace("hip_", "")
        for row in ROWS:
            if row.hip in versions and row.kind in ("DRIVER", "RUNTIME"):
                self.assertEqual(row.since, versions[row.hip], row.cuda)
            elif row.hip:
                self.assertRegex(row.since, r"^\d+\.\d+$")

    def test_values_exist(self):
        """Constants, types and macros are in the headers of the version that the table gives, where those are on this machine."""
        folders = {"5.2": ["/usr/include/hip", "/usr/include/hip/amd_detail"], "7.2": [os.path.join(ROOT, "include", "hip")]}
        libraries = re.compile(r"hip(blas|fft|sparse|rand)", re.I)
        for version, places in folders.items():
            known = set()
            for header in [path for place in places for path in glob.glob(place + "/*.h")]:
                known.update(re.findall(r"\w+", read(header)))
            if version == "5.2" and version_of_debian() != version:
                continue
            missing = [row.hip for row in ROWS if row.since == version and row.kind in ("CONSTANT", "TYPE", "MACRO") and not libraries.match(row.hip)
                       and not row.hip.startswith(("__HIP", "uint")) and row.hip not in known]
            self.assertEqual(missing, [])

    def test_forms_have_rows(self):
        names = {row.cuda for row in ROWS}
        self.assertEqual([name for name in re.findall(r'(?:FORM|REFUSE|TAG|NOT_COMPARABLE)\("(\w+)"', FORMS) if name not in names], [])


if __name__ == "__main__":
    unittest.main()
