"""Options, files, folders and exit codes."""
import os
import shutil
import stat
import subprocess
import tempfile
import unittest

from tool import hipify

OLD = b"#include <cuda.h>\nint main(void) {\n  return cuInit(0);\n}\n"
NEW = b"#include <hip/hip_runtime.h>\nint main(void) {\n  return hipInit(0);\n}\n"
LEFT = b"cuMemcpyPeer(a, b, c, d, e);\n"


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text=OLD):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text)
        return path

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def files(self):
        return sorted(os.path.relpath(os.path.join(at, name), self.folder) for at, _, names in os.walk(self.folder) for name in names)

    def run_tool(self, *arguments, **more):
        return hipify(*arguments, cwd=self.folder, **more)

    def test_exit_codes(self):
        self.write("good.c")
        self.write("left.c", LEFT)
        self.assertEqual(self.run_tool("good.c").code, 0)
        self.assertEqual(self.run_tool("good.c", "left.c").code, 1)
        self.assertEqual(self.run_tool("left.c", "missing.c").code, 2)
        self.assertEqual(self.run_tool("left.c").err, "left.c:1:1: cuMemcpyPeer: HIP names devices, CUDA contexts\n")
        self.assertEqual(self.run_tool("-q", "left.c").err, "")
        for wrong in (["--nonsense"], ["-i"], ["-i", "-"], ["-d", "x"], ["-i", "--diff", "good.c"], ["-o", "x", "good.c", "left.c"], ["-r"], ["."]):
            result = self.run_tool(*wrong)
            self.assertEqual(result.code, 2, wrong)
            self.assertIn("hipify: ", result.err)
        self.assertEqual(self.files(), ["good.c", "left.c"])

    def test_full_disk(self):
        self.write("good.c")
        with open("/dev/full", "wb") as full:
            self.assertEqual(subprocess.run([os.environ["HIPIFY"], "good.c"], cwd=self.folder, stdout=full, stderr=subprocess.DEVNULL).returncode, 2)

    def test_help(self):
        for option, word in (("--help", b"--in-place"), ("--version", b"hipify")):
            result = self.run_tool(option)
            self.assertEqual(result.code, 0)
            self.assertIn(word, result.out)

    def test_output(self):
        self.write("a.c")
        self.assertEqual(self.run_tool("a.c").out, NEW)
        self.assertEqual(self.run_tool("-", source=OLD).out, NEW)
        self.assertEqual(self.run_tool("a.c", "-", source=b"cuInit").out, NEW + b"hipInit")
        self.assertEqual(self.run_tool("-o", "b.c", "a.c").out, b"")
        self.assertEqual(self.read("b.c"), NEW)
        self.write("empty.c", b"")
        self.assertEqual(self.run_tool("empty.c"), (0, b"", ""))

    def test_in_place(self):
        path = self.write("a.c")
        os.chmod(path, 0o751)
        self.assertEqual(self.run_tool("-i", "a.c"), (0, b"", ""))
        self.assertEqual((self.read("a.c"), self.read("a.c.bak")), (NEW, OLD))
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o751)
        self.run_tool("-i", "a.c")  # nothing to do: no backup of what is converted
        self.assertEqual(self.files(), ["a.c", "a.c.bak"])
        self.write("a.c", b"cuInit")
        self.run_tool("-i", "a.c")
        self.assertEqual((self.read("a.c.bak"), self.read("a.c.bak.2")), (OLD, b"cuInit"))
        self.write("b.c")
        self.run_tool("--in-place", "--no-backup", "b.c")
        self.assertEqual(self.read("b.c"), NEW)
        self.assertNotIn("b.c.bak", self.files())

    def test_in_place_link(self):
        self.write("real.c")
        os.symlink("real.c", os.path.join(self.folder, "link.c"))
        self.run_tool("-i", "--no-backup", "link.c")
        self.assertTrue(os.path.islink(os.path.join(self.folder, "link.c")))
        self.assertEqual(self.read("real.c"), NEW)

    def tree(self):
        sources = ["a.c", "b.cc", "c.cpp", "d.cxx", "e.cu", "f.cuh", "x/g.h", "x/h.hpp", "x/y/i.hh", "x/y/j.hxx", "x/y/z/k.inl"]
        for name in sources:
            self.write("src/" + name)
        self.write("src/x/README")
        self.write("src/.c")
        os.symlink("a.c", os.path.join(self.folder, "src", "link.c"))
        os.symlink("..", os.path.join(self.folder, "src", "x", "up"))
        return sources

    def test_tree(self):
        sources = self.tree()
        self.assertEqual(self.run_tool("-r", "src/", "-d", "out"), (0, b"", ""))
        self.assertEqual([name[4:] for name in self.files() if name.startswith("out/")], sorted(sources))
        self.assertTrue(all(self.read("out/" + name) == NEW for name in sources))
        self.assertEqual(self.read("src/a.c"), OLD)
        self.assertEqual(self.run_tool("-r", "src").out, NEW * len(sources))
        self.run_tool("-r", "-i", "src")
        self.assertTrue(all(self.read("src/" + name) == NEW and self.read("src/" + name + ".bak") == OLD for name in sources))
        self.assertEqual((self.read("src/x/README"), self.read("src/.c")), (OLD, OLD))

    def test_directory(self):
        self.write("x/a.c")
        self.run_tool("-d", "out/deep", "x/a.c")
        self.assertEqual(self.read("out/deep/a.c"), NEW)

    def test_diff(self):
        """patch makes the new text of the old one and the difference."""
        numbers = [f"line {n};\n".encode() for n in range(40)]
        for changed in ([0], [39], [5, 11], [5, 12], [5, 13], [0, 1, 2, 20, 39], range(40), []):
            for end in (b"", b"cuInit"):
                old = b"".join(b"cuInit(0);\n" if n in changed else line for n, line in enumerate(numbers)) + end
                for name in ("a.c", "a.cu"):
                    text = old + (b"cudaFree(0);\n" if name == "a.cu" and not end else b"")
                    self.write(name, text)
                    new = self.run_tool(name).out
                    diff = self.run_tool("--diff", name)
                    self.assertEqual(diff.code, 0)
                    self.assertEqual(diff.out == b"", new == text)
                    done = subprocess.run(["patch", "-s", "-p0"], input=diff.out, cwd=self.folder, capture_output=True)
                    self.assertEqual((done.returncode, done.stdout), (0, b""))
                    self.assertEqual(self.read(name), new)
        self.write("b.c", OLD)
        self.assertEqual(self.run_tool("--diff", "b.c").out, b"--- b.c\n+++ b.c\n@@ -1,4 +1,4 @@\n-#include <cuda.h>\n+#include <hip/hip_runtime.h>\n"
                         b" int main(void) {\n-  return cuInit(0);\n+  return hipInit(0);\n }\n")

    def test_statistics(self):
        self.write("a.c", OLD + LEFT)
        self.write("b.c", b"\n" + LEFT + b"cuMemAlloc(&p, 1); cudaMalloc(&p, 1);\n" + LEFT)
        result = self.run_tool("--statistics", "-q", "a.c", "b.c")
        self.assertEqual(result.err.splitlines(), ["driver API, devices: 1 converted, 0 unsupported", "driver API, memory: 1 converted, 3 unsupported",
                                                   "    cuMemcpyPeer: a.c:5 b.c:2 b.c:4", "runtime API, memory: 1 converted, 0 unsupported",
                                                   "headers: 1 converted, 0 unsupported", "total of 2 files: 4 converted, 3 unsupported"])

    def test_runtime_header(self):
        """nvcc includes it by itself."""
        code = b"__global__ void k() {}\n"
        self.write("a.cu", code)
        self.write("b.cu", code.replace(b"\n", b"\r\n"))
        self.write("c.cu", b"#include <cuda_runtime.h>\n" + code)
        self.write("d.cu", b"int x;\n")
        self.write("e.cc", code)
        self.assertEqual(self.run_tool("a.cu").out, b"#include <hip/hip_runtime.h>\n" + code)
        self.assertEqual(self.run_tool("--no-include", "a.cu").out, code)
        self.assertEqual(self.run_tool("b.cu").out, b"#include <hip/hip_runtime.h>\r\n" + code.replace(b"\n", b"\r\n"))
        self.assertEqual(self.run_tool("c.cu").out, b"#include <hip/hip_runtime.h>\n" + code)
        self.assertEqual(self.run_tool("d.cu").out, b"int x;\n")
        self.assertEqual(self.run_tool("e.cc").out, code)
        self.run_tool("-i", "a.cu")
        self.assertEqual(self.run_tool("a.cu").out, self.read("a.cu"))  # once


if __name__ == "__main__":
    unittest.main()
