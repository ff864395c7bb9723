"""Every function, enumerator and type that NVIDIA's headers declare is in the table, where such headers are on the machine: in
the folders of CUDA_PATH, /usr/local/cuda, /usr/include, and Python's packages (nvidia-cuda-runtime-cu12)."""
import glob
import os
import re
import site
import sys
import unittest

from tool import ROOT, read, rows

# Declared, but not meant for programs.
INTERNAL = re.compile(r"^__|_ptsz$|_ptds$|^cudaRegister|^cudaTypedefs|Reserved\d+$")


def folders():
    places = [os.environ.get("CUDA_PATH", "") + "/include", "/usr/local/cuda/include", "/usr/include"]
    for packages in site.getsitepackages() + [site.getusersitepackages()]:
        places += glob.glob(packages + "/nvidia/cuda_runtime*/include")
    return [place for place in places if os.path.exists(place + "/cuda.h") and os.path.exists(place + "/cuda_runtime_api.h")]


def code(path):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", read(path), flags=re.S)
    return re.sub(r"\\\n", " ", text)


def functions(folder):
    """Names that are declared with a parameter list after the API's calling convention, and the versions that macros give them."""
    names = set()
    for header in ("cuda.h", "cudaGL.h", "cudaProfiler.h", "cuda_runtime_api.h", "cuda_profiler_api.h", "cuda_gl_interop.h"):
        if os.path.exists(os.path.join(folder, header)):
            text = code(os.path.join(folder, header))
            names.update(re.findall(r"\b(?:CUDAAPI|CUDARTAPI)\s+(cu(?:da)?[A-Z]\w*)\s*\(", text))
            names.update(re.findall(r"#\s*define\s+cu\w+\s+(?:__CUDA_API_PT\w+\()?(cu[A-Z]\w*_v\d)\b", text))
    return {name for name in names if not INTERNAL.search(name)}


def enumerators(folder):
    names = set()
    for header in ("cuda.h", "driver_types.h"):
        for body in re.findall(r"\benum\b[^{;]*\{(.*?)\}", code(os.path.join(folder, header)), flags=re.S):
            body = re.sub(r"^\s*#.*$", "", body, flags=re.M)
            names.update(re.findall(r"(?:^|,)\s*((?:CU_|CUDA_|cuda)\w+)", body))
    # the ends of lists, and what NVIDIA keeps for itself
    return {name for name in names if not INTERNAL.search(name) and not re.search(r"_MAX$|Max$|_NUM_|Reserved|ApiFailureBase|StartupFailure", name)}


LIBRARIES = ("cublas_api.h", "cufft.h", "cufftXt.h", "curand.h", "cusparse.h", "nvrtc.h")


def library_names(path):
    """The functions, enumerators and named enumerations of one of the libraries that are converted too."""
    text, prefix = code(path), r"(?:cublas|cufft|curand|cusparse|nvrtc)"
    names = set(re.findall(rf"\b({prefix}[A-Z]\w*)\s*\(", text))
    for body, name in re.findall(r"\benum\b[^{;]*\{([^}]*)\}\s*(\w*)\s*;", text):
        names.update(re.findall(rf"\b({prefix.upper()}_\w+)", re.sub(r"\w+\([^()]*\)", " ", body)))
        names.add(name)
    return {name for name in names if name and not re.search(r"DEPRECATED|Impl$|_TEST$|^MAX_|cusparseColorAlg|XtCallback\w*$|JITCallback", name)}


def parameter_counts(text, pattern):
    """For each function whose name the pattern captures before its parenthesis: how many parameters its declarations have."""
    counts = {}
    for match in re.finditer(pattern, text):
        depth, commas, end = 1, 0, match.end()
        while end < len(text) and depth:
            depth += (text[end] in "([{<") - (text[end] in ")]}>")
            commas += depth == 1 and text[end] == ","
            end += 1
        inside = text[match.end() : end - 1].strip()
        counts.setdefault(match[1], set()).add(commas + 1 if inside not in ("", "void") else 0)
    return counts


def without_directives(path):
    return re.sub(r"^\s*#.*$", "", code(path), flags=re.M)


def hip_counts():
    counts = {}
    for path in glob.glob(os.path.join(ROOT, "include", "hip", "*.h")) + ["/usr/include/hip/hip_runtime_api.h"]:
        if os.path.exists(path):
            for name, numbers in parameter_counts(without_directives(path), r"\b(hip[A-Z]\w*)\s*\(").items():
                counts.setdefault(name, set()).update(numbers)
    return counts


def forms():
    """For each name, number of arguments (or ANY) -> the HIP function and its number of arguments; None where it is refused."""
    found = {}
    text = read(os.path.join(ROOT, "src", "hipify", "forms.inc"))
    for line in re.findall(r"^(?:FORM|REFUSE)\(.*\)$", text, flags=re.M):
        refused = re.match(r'REFUSE\("(\w+)", (\w+), ', line)
        if refused:
            found.setdefault(refused[1], {})[refused[2]] = None
            continue
        form = re.match(r'FORM\("(cu\w+)", (\w+), "(\w+)", ?(.*)\)$', line)
        if not form:  # of device code, whose functions are templates or overloads in the headers
            continue
        name, count, hip, changes = form.groups()
        more = sum(part.count(",") for part in re.findall(r'ADD\(\d, "([^"]*)"\)', changes))
        found.setdefault(name, {})[count] = (hip, int(count) + more - changes.count("DROP("))
    return found


class Headers(unittest.TestCase):
    def test_listed(self):
        found = folders()
        if not found:
            self.skipTest("no CUDA headers on this machine (nvidia-cuda-runtime-cu12 of PyPI has them)")
        listed = {row.cuda for row in rows()}
        for folder in found:
            with self.subTest(folder):
                declared = functions(folder)
                self.assertGreater(len(declared), 500)
                self.assertEqual(sorted(declared - listed), [])
                self.assertEqual(sorted(enumerators(folder) - listed), [])
                for header in LIBRARIES:
                    if os.path.exists(os.path.join(folder, header)):
                        declared = library_names(os.path.join(folder, header))
                        self.assertGreater(len(declared), 30)
                        self.assertEqual(sorted(declared - listed), [], header)


    def test_parameters(self):
        """Each declared function becomes one with as many parameters, by a form or as it is."""
        found = folders()
        if not found:
            self.skipTest("no CUDA headers on this machine (nvidia-cuda-runtime-cu12 of PyPI has them)")
        ours, table, changed = hip_counts(), {row.cuda: row for row in rows()}, forms()
        for folder in found:
            compared = 0
            for header in ("cuda.h", "cuda_runtime_api.h"):
                declared = parameter_counts(without_directives(os.path.join(folder, header)), r"\b(?:CUDAAPI|CUDARTAPI)\s+(cu\w+)\s*\(")
                for name, counts in declared.items():
                    for count in counts:
                        forms_of = changed.get(name, {})
                        row = table.get(name)
                        form = forms_of.get(str(count), forms_of.get("ANY", (row.hip, count) if row and row.hip else None))
                        if form and form[0] in ours:
                            compared += 1
                            self.assertIn(form[1], ours[form[0]], f"{name} with {count} arguments becomes {form[0]} with {form[1]}")
            self.assertGreater(compared, 400)


if __name__ == "__main__":
    print("CUDA headers:", ", ".join(folders()) or "none", file=sys.stderr)
    unittest.main()
