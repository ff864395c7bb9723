"""Every function, enumerator and type that NVIDIA's headers declare is in the table, where such headers are on the machine: in
the folders of CUDA_PATH, /usr/local/cuda, /usr/include, and Python's packages (nvidia-cuda-runtime-cu12)."""
import glob
import os
import re
import site
import sys
import unittest

from tool import read, rows

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


if __name__ == "__main__":
    print("CUDA headers:", ", ".join(folders()) or "none", file=sys.stderr)
    unittest.main()
