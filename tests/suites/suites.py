"""The library suites that Debian packages: which package holds each, and where its programs are."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Suite:
    name: str
    packages: dict  # release of Debian -> package; a release that is missing has none
    programs: str  # pattern of the programs' paths
    kind: str = "gtest"  # or "magma": programs that take a size and print a line of results
    leave_out: str = r"(?!)"  # pattern of cases that the suite itself does not count on
    arguments: tuple = ()
    environment: dict = field(default_factory=dict)


def both(package):
    return {"sid": package, "experimental": package}


TESTS = "usr/libexec/rocm/{package}/"
# AMD's clients of BLAS libraries hide what passed unless told so.
LINES = {"GTEST_LISTENER": "PASS_LINE_IN_LOG"}
# Tests that need gigabytes or hours (stress), that fail on AMD's GPUs too (known_bug), that need memory of the system's kernel shared
# with a GPU (HMM) or several GPUs: AMD's own runs leave them out as well.
ASIDE = r"stress|known_bug|HMM|multi_gpu"
# The FFT suites draw their cases at random.
SEED = ("--seed", "1")

SUITES = [
    Suite("rocrand", both("librocrand1-tests"), TESTS + "test_*"),
    Suite("hiprand", both("libhiprand1-tests"), TESTS + "test_*"),
    # Cases of up to 2^37 elements, which are computed, not stored: as much work as hours of a CPU do.
    Suite("rocprim", both("librocprim-tests"), TESTS + "test_*", leave_out=r"Large(Indices|Input)"),
    Suite("rocblas", {"sid": "librocblas4-tests", "experimental": "librocblas5-tests"}, TESTS + "rocblas-test", environment=LINES, leave_out=ASIDE),
    Suite("hipblas", {"experimental": "libhipblas3-tests"}, TESTS + "hipblas-test", environment=LINES, leave_out=ASIDE),
    Suite("rocfft", both("librocfft0-tests"), TESTS + "rocfft-test", arguments=SEED),
    Suite("hipfft", both("libhipfft0-tests"), TESTS + "hipfft-test", arguments=SEED),
    Suite("rocsolver", both("librocsolver0-tests"), TESTS + "rocsolver-test", leave_out=ASIDE),
    Suite("hipsolver", {"sid": "libhipsolver0-tests", "experimental": "libhipsolver1-tests"}, TESTS + "hipsolver-test", leave_out=ASIDE),
    # Debian builds rocALUTION without its part for GPUs: its cases pass or fail on the host alone.
    Suite("rocalution", {"sid": "librocalution0-tests", "experimental": "librocalution1-tests"}, TESTS + "rocalution-test"),
    Suite("miopen", both("libmiopen1-tests"), TESTS + "miopen_gtest"),
    Suite("hipblaslt", both("libhipblaslt1-tests"), TESTS + "hipblaslt-test", environment=LINES, leave_out=ASIDE),
    # Code for gfx942 and gfx950 alone.
    Suite("hipsparselt", {"experimental": "hipsparselt-tests"}, "usr/bin/hipsparselt-test", environment=LINES, leave_out=ASIDE),
    Suite("magma", both("libmagma-rocm-test"), "usr/lib/x86_64-linux-gnu/libmagma-rocm-test/testing/testing_*", kind="magma",
          # Of threads of the host; it fails where OMP_NUM_THREADS is set. Of BLAS on the host, or against itself: MAGMA's own runs leave
          # the latter out, and say of the former that it may crash.
          leave_out="testing_auxiliary|testing_c?blas_"),
]
