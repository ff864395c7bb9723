# For Spack: spack repo add tools/recipes/spack && spack install wavelift
import os

from spack.package import *


class Wavelift(CMakePackage):
    """A HIP runtime that runs unmodified AMD GPU programs on CPUs and on NVIDIA GPUs."""

    license("MIT")
    # The checkout that this recipe lies in.
    git = "file://" + os.path.realpath(os.path.join(os.path.dirname(__file__), "../../../../.."))

    version("1.0.0", branch="main")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3:", type="build")
    # clang makes the bitcode of the semantics, lld the code of the self-test. LLVM's archives become a part of the translator.
    depends_on("llvm@19 +clang +lld targets=amdgpu,nvptx,x86,aarch64", type=("build", "link"))
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("xxhash")
    depends_on("elfutils", type="build")
    conflicts("platform=darwin")
    conflicts("platform=windows")

    generator("ninja")
    build_targets = ["installable"]

    def cmake_args(self):
        return [
            self.define("WAVELIFT_TESTS", False),
            self.define("LLVM_DIR", join_path(self.spec["llvm"].prefix.lib, "cmake", "llvm")),
            self.define("WL_CLANG", join_path(self.spec["llvm"].prefix.bin, "clang")),
            self.define("WL_LLD", join_path(self.spec["llvm"].prefix.bin, "ld.lld")),
        ]

    def setup_run_environment(self, env):
        env.prepend_path("LD_LIBRARY_PATH", self.prefix.lib)
