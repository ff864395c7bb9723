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


def version(text):
    return tuple(map(int, text.removeprefix("<=").split(".")))


# What the headers of Debian 12 say of themselves, and the HIP release that they belong to.
DEBIAN = {
    "hip": ("hip_version.h", r"MAJOR 5\n(?s:.*)MINOR 2\n", (5, 2)),
    "hiprand": ("hiprand_version.h", r"HIPRAND_VERSION 201009\n", (5, 3)),
    "hipsparse": ("hipsparse-version.h", r"Major\s+2\n(?s:.*)Minor\s+3\n", (5, 3)),
}


def names_of_debian(library):
    """The names in the code of the headers of HIP or one of its libraries; none if the machine has not those of Debian 12."""
    file, wanted, _ = DEBIAN[library]
    folder = "/usr/include/" + library
    if not os.path.exists(f"{folder}/{file}") or not re.search(wanted, read(f"{folder}/{file}")):
        return set()
    names = set()
    for header in glob.glob(folder + "/*.h") + glob.glob(folder + "/amd_detail/*"):
        if not header.endswith("hip_prof_str.h"):  # also names that the version does not have
            names.update(re.findall(r"\w+", re.sub(r"/\*.*?\*/|//[^\n]*", " ", read(header), flags=re.S)))
    return names


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
            if row.hip == "":  # it goes, but for the directive
                expected.append("; M(, a()); ::\n#define L(x) %s x\n%s" % (name, keep))
                left += [name]
                continue
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
        without = [row for row in ROWS if row.hip is None and row.kind not in ("HEADER", "NAMESPACE")]
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
                known.update(re.findall(r"\b(?:make_)?hip\w+", read(header)))
        missing = [row.hip for row in ROWS if row.hip and row.kind in ("DRIVER", "RUNTIME", "NVRTC") and row.hip not in known]
        missing += [name for name in re.findall(r'FORM\("\w+", \d+, "(\w+)"', FORMS) if name not in known and not name.startswith("__")]  # the compiler's
        self.assertEqual(missing, [])

    def test_versions(self):
        """A version, or that none older is known; of a function that of its symbol, unless no header declared it by then."""
        symbols = {}
        for line in read(os.path.join(ROOT, "tests", "api", "names.txt")).splitlines():
            fields = line.split()
            if len(fields) == 2:
                symbols[fields[0]] = fields[1].replace("hip_", "")
        declared = names_of_debian("hip")
        for row in ROWS:
            if not row.hip:
                continue
            self.assertRegex(row.since, r"^(<=)?\d+\.\d+$", row.cuda)
            if row.hip not in symbols or row.kind not in ("DRIVER", "RUNTIME"):
                continue
            symbol = symbols[row.hip]
            if symbol == "4.2":
                late = version(row.since) > (4, 2)
            else:
                late = row.since != symbol
            if late:
                self.assertGreater(version(row.since), version(symbol), row.cuda)
                self.assertFalse(row.hip in declared, f"{row.hip} is declared in 5.2, not first in {row.since}")

    def test_debian(self):
        """No name is newer than the Debian header that has it, and none older than a Debian header that lacks it."""
        debian = {library: (names_of_debian(library), release) for library, (_, _, release) in DEBIAN.items()}
        if not debian["hip"][0]:
            self.skipTest("no HIP headers of Debian 12 on this machine")
        wrong = []
        for row in ROWS:
            if not row.hip or row.kind in ("HEADER", "NAMESPACE") or row.hip.startswith("uint"):
                continue
            library = re.match(r"hip(blas|fft|sparse|rand)", row.hip, re.I)
            names, release = debian.get(library[0].lower() if library else "hip", (set(), None))
            old = version(row.since) <= release if names else None
            if old and row.hip not in names:
                wrong.append(f"{row.hip} {row.since} is not in the headers of {release}")
            elif old is False and row.hip in names and row.kind not in ("DRIVER", "RUNTIME"):  # these go by their symbols
                wrong.append(f"{row.hip} {row.since} is in the headers of {release}")
        self.assertEqual(wrong, [])

    def test_own_headers(self):
        """Constants, types and macros of the newest version are in our headers."""
        known = set()
        for header in glob.glob(os.path.join(ROOT, "include", "hip", "*.h")):
            known.update(re.findall(r"\w+", read(header)))
        missing = [row.hip for row in ROWS if row.since == "7.2" and row.kind in ("CONSTANT", "TYPE", "MACRO") and row.hip not in known]
        self.assertEqual(missing, [])

    def test_one_error_space(self):
        """The driver's errors become those of HIP's one enumeration; an old header has others, with other numbers."""
        strange = [row.hip for row in ROWS if row.hip and row.cuda.startswith("CUDA_ERROR_") and not row.hip.startswith("hipError")]
        self.assertEqual(strange, [])

    def test_fills_of_graphs(self):
        """The driver's parameters of a fill are laid out as HIP's of the same name, the runtime's otherwise; nothing asks for the former."""
        source = "CUDA_MEMSET_NODE_PARAMS p; cudaMemsetParams q; cuGraphAddMemsetNode(&n, g, 0, 0, &p, c);\n"
        wanted = "HIP_MEMSET_NODE_PARAMS p; hipMemsetParams q; hipDrvGraphAddMemsetNode(&n, g, 0, 0, &p, c);\n"
        result = hipify(source=source)
        self.assertEqual((result.code, result.out.decode()), (0, wanted))
        self.assertEqual(hipify(source="cuGraphMemsetNodeGetParams(n, &p);\n").code, 1)

    def test_forms_have_rows(self):
        names = {row.cuda for row in ROWS}
        self.assertEqual([name for name in re.findall(r'(?:FORM|REFUSE|TAG|NOT_COMPARABLE)\("(\w+)"', FORMS) if name not in names], [])


if __name__ == "__main__":
    unittest.main()
