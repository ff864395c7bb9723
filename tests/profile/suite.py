"""suite.py WAVELIFT FOLDER ARCH: the counters of the benchmark suite's kernels (bench/kernels), whose code objects lie in FOLDER, are those that
follow from their sources: of each kernel what a formula gives that does not depend on the compiler.

What a division, an exp or a log takes is how LLVM 19 and its device libraries write it out (below); the rest follows from the sources alone. Scalar loads (of addresses that
are the same in all lanes) do not count. How often cipher loads its input and keys is the compiler's choice. Inputs are such that threads of join_build and bfs_level do not try
again."""
import ctypes
import json
import os
import subprocess
import sys
import tempfile

COUNTERS = ["SQ_WAVES", "WAVELIFT_ITEMS", "FETCH_SIZE", "WRITE_SIZE", "WAVELIFT_FLOPS", "SQ_INSTS_MFMA", "SQ_INSTS_VALU_TRANS_F32",
            "SQ_INSTS_VALU_FMA_F32", "SQ_INSTS_VALU_FMA_F64"]
# Floating-point operations of what is no single instruction
DIVISION, DIVISION64 = 14, 14  # a reciprocal, six FMAs (the last is v_div_fmas), a product
ROOT = 7  # v_sqrt between two scalings, and two FMAs that look whether a neighbour is nearer
INVERSE_ROOT = 3  # v_rsq between two scalings
EXP = 8  # x * log2(e) in two parts (a product, two FMAs), a difference and a sum, v_exp
LOG = 11  # two scalings, v_log, times ln(2) in two parts, two corrections for the scalings
COORDINATE = 3  # of a texture with normalized ones: the size's reciprocal, times the size, times that
P = ctypes.c_void_p
U = ctypes.c_uint
I = ctypes.c_int
D = ctypes.c_double
F = ctypes.c_float


class Extent(ctypes.Structure):
    """hipExtent"""
    _fields_ = [("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("depth", ctypes.c_size_t)]


class Device:
    """What the child needs of HIP."""

    def __init__(self, folder):
        self.hip = ctypes.CDLL("libamdhip64.so.7")
        self.folder = folder
        self.modules = {}

    def call(self, name, *arguments):
        status = getattr(self.hip, name)(*arguments)
        if status != 0:
            sys.exit("%s: %d" % (name, status))

    def memory(self, size, content=None):
        """`size` bytes of zeros, or the numbers of an array."""
        place = P()
        self.call("hipMalloc", ctypes.byref(place), ctypes.c_size_t(max(size, 4)))
        self.call("hipMemset", place, 0, ctypes.c_size_t(max(size, 4)))
        if content is not None:
            self.call("hipMemcpy", place, content, ctypes.c_size_t(size), 1)
        return place

    def numbers(self, values):
        return self.memory(4 * len(values), (U * len(values))(*values))

    def texture(self, channels, size, width, height, depth):
        """Of zeros, with normalized coordinates and linear filtering: `channels` numbers of `size` bytes each, which are fractions where they are bytes."""
        bits = [8 * size if channel < channels else 0 for channel in range(4)]
        channel = (I * 5)(*bits, 2 if size == 4 else 1)  # hipChannelFormatDesc
        array, result = P(), P()
        self.call("hipMalloc3DArray", ctypes.byref(array), channel, Extent(width, height, depth), 0)
        resource = (ctypes.c_uint64 * 8)(0, array.value)  # hipResourceDesc
        texture = (U * 16)(1, 1, 1, 1, 0 if size == 4 else 1, 0, 0, 0, 0, 0, 1)  # hipTextureDesc: clamped, linear, fractions, normalized
        self.call("hipCreateTextureObject", ctypes.byref(result), resource, texture, None)
        return result

    def read(self, place, count):
        values = (U * count)()
        self.call("hipMemcpy", values, place, ctypes.c_size_t(4 * count), 2)
        return list(values)

    def launch(self, file, name, grid, block, *arguments):
        if file not in self.modules:
            module = P()
            self.call("hipModuleLoad", ctypes.byref(module), os.path.join(self.folder, file + ".co").encode())
            self.modules[file] = module
        function = P()
        self.call("hipModuleGetFunction", ctypes.byref(function), self.modules[file], name.encode())
        places = (P * len(arguments))(*[ctypes.cast(ctypes.pointer(each), P) for each in arguments])
        self.call("hipModuleLaunchKernel", function, *grid, *block, 0, None, places, None)
        self.call("hipDeviceSynchronize")


def run(folder, arch, limit):
    """The child: launches each kernel once, and prints what the test has to know of the results."""
    d = Device(folder)
    m = d.memory
    one = (10, 1, 1), (256, 1, 1)  # ten workgroups: 2,560 items
    items = 2560
    if arch in ("gfx942", "gfx1100"):
        n = 128
        for name in ("gemm_f16", "gemm_i8") + (("gemm_fp8",) if arch == "gfx942" else ()):
            d.launch(name, name, (n // 64, n // 64, 1), (256, 1, 1), m(n * n * 2), m(n * n * 2), m(n * n * 4), I(n))
        return
    a, b, c = m(8 * items), m(8 * items), m(8 * items)
    d.launch("copy", "copy", *one, a, b)
    d.launch("scale", "scale", *one, a, b, D(2))
    d.launch("add", "add", *one, a, b, c)
    d.launch("triad", "triad", *one, a, b, c, D(2))
    d.launch("triad_l2", "triad_passes", (4, 1, 1), (256, 1, 1), a, b, c, F(2), I(items), I(3))
    index = d.numbers([(i * 37) % items for i in range(items)])
    d.launch("gather", "gather", *one, a, index, b)
    d.launch("scatter", "scatter", *one, a, index, b)
    d.launch("transpose", "transpose", (3, 3, 1), (32, 8, 1), m(4 * 96 * 96), m(4 * 96 * 96), I(96))
    d.launch("stencil2d", "step2d", (4, 4, 1), (64, 4, 1), m(4 * 2048 * 18), m(4 * 2048 * 18))
    d.launch("stencil3d", "step3d", (1, 4, 3), (64, 4, 1), m(4 * 192 * 192 * 5), m(4 * 192 * 192 * 5))
    n = 128
    d.launch("sgemm16", "sgemm16", (n // 16, n // 16, 1), (16, 16, 1), m(4 * n * n), m(4 * n * n), m(4 * n * n), I(n))
    d.launch("sgemm64", "sgemm64", (n // 64, n // 64, 1), (16, 16, 1), m(4 * n * n), m(4 * n * n), m(4 * n * n), I(n))
    d.launch("dgemm", "dgemm", (n // 64, n // 64, 1), (16, 16, 1), m(8 * n * n), m(8 * n * n), m(8 * n * n), I(n))
    d.launch("reduction", "reduction", (4, 1, 1), (256, 1, 1), m(4 * 10000), m(16), I(10000))
    d.launch("histogram", "histogram", (4, 1, 1), (256, 1, 1), m(4 * 10000), m(1024), I(10000))
    numbers, tiles, sums = m(4 << 20), m(4 << 10), m(4 << 20)
    d.launch("scan", "tile_sums", (16, 1, 1), (256, 1, 1), numbers, tiles)
    d.launch("scan", "scan_tile_sums", (1, 1, 1), (256, 1, 1), tiles)
    d.launch("scan", "scan_tiles", (16, 1, 1), (256, 1, 1), numbers, tiles, sums)
    keys, counts, to = m(4 << 18), m(4 << 11), m(4 << 18)
    d.launch("sort", "sort_count", (128, 1, 1), (256, 1, 1), keys, counts, I(0))
    d.launch("sort", "sort_sum", (1, 1, 1), (256, 1, 1), counts)
    d.launch("sort", "sort_move", (128, 1, 1), (256, 1, 1), keys, counts, to, I(0))
    right, x, r, p, q = (m(8 << 18) for _ in range(5))
    partial, words = m(8 * 128), m(24)
    d.launch("cg", "cg_start", (128, 1, 1), (256, 1, 1), right, x, r, p, partial)
    d.launch("cg", "cg_first", (1, 1, 1), (256, 1, 1), partial, words)
    d.launch("cg", "cg_apply", (128, 1, 1), (256, 1, 1), p, q, partial)
    d.launch("cg", "cg_alpha", (1, 1, 1), (256, 1, 1), partial, words)
    d.launch("cg", "cg_update", (128, 1, 1), (256, 1, 1), x, r, p, q, partial, words)
    d.launch("cg", "cg_beta", (1, 1, 1), (256, 1, 1), partial, words)
    d.launch("cg", "cg_direction", (1024, 1, 1), (256, 1, 1), p, r, words)
    d.launch("fft", "fft", (5, 1, 1), (256, 1, 1), m(8 * 1024 * 5), m(8 * 1024 * 5), m(8 * 1024))
    d.launch("nbody", "nbody", (2, 1, 1), (256, 1, 1), m(16 * 512), m(16 * 512), I(512))
    d.launch("black_scholes", "black_scholes", *one, m(4 * items), m(4 * items), m(4 * items), m(4 * items), m(4 * items))
    d.launch("sha256", "sha256", *one, m(64 << 17), m(32 << 17))
    pixels = m(4 * 64 * 64)
    d.launch("mandelbrot", "mandelbrot", (4, 16, 1), (16, 4, 1), pixels, I(64), I(64), I(limit))
    found = d.read(pixels, 64 * 64)
    print(sum(found), sum(count < limit for count in found))
    row = 20  # of the matrix, each with so many elements
    begins = d.numbers([row * i for i in range(65)])
    d.launch("spmv", "spmv", (2, 1, 1), (256, 1, 1), begins, d.numbers([i % 64 for i in range(64 * row)]), m(4 * 64 * row), m(256), m(256))
    levels, queue = m(4 << 17), m(4 << 17)
    d.launch("bfs", "bfs_start", *one, levels, queue)
    inverse = pow(0x9e3779b1, -1, 1 << 32)
    keys = d.numbers([((i + 1) << 14) * inverse % (1 << 32) for i in range(items)])  # in slots that are all different
    table_keys, table_values = m(4 << 18), m(4 << 18)
    d.launch("hash_join", "join_probe", *one, keys, table_keys, table_values, b)  # in an empty table
    d.launch("hash_join", "join_build", *one, keys, a, table_keys, table_values)
    d.launch("bits", "bits", *one, m(8 * items), m(256), m(4 * items))
    d.launch("cipher", "cipher", *one, m(4 * items), m(44), m(4 * items))
    lengths = [i * 7 % 65 for i in range(items)]
    starts = [0]
    for length in lengths:
        starts.append(starts[-1] + length)
    d.launch("strings", "strings", *one, d.numbers(starts), m(starts[-1] + 8), m(8 * items))
    d.launch("queens", "queens", *one, d.numbers([(1 << 13) - 1] * 3 * items), U(items), m(4 * items))  # boards without a free column
    degree = 5  # of each vertex, whose neighbours nobody else has
    d.launch("bfs", "bfs_level", *one, d.numbers([degree * i for i in range(items + 1)]), d.numbers(range(items * degree)),
             d.numbers([0xffffffff] * (items * degree)), d.numbers(range(items)), U(items), m(4 * items * degree), m(4), U(1))
    d.launch("boxes", "boxes", *one, m(8 << 16), (d.memory(12 * items, (F * (3 * items))(*[1, 1, 1] * items))), m(4 * items))  # all points lie before the boxes
    d.launch("image_resize", "image_resize", (50, 10, 1), (32, 8, 1), d.texture(4, 1, 1024, 768, 0), m(4 * 1600 * 1200))
    d.launch("image_volume", "image_volume", *one, d.texture(1, 4, 128, 128, 128), m(4 * 3 << 20), m(4 << 20))


def formulas(arch, wave):
    """Kernel: workgroups, items of each, bytes loaded, bytes stored, floating-point operations, others. None: no formula."""
    if arch in ("gfx942", "gfx1100"):
        n = 128
        rows = {}
        # Of fp8 the result is multiplied once more on gfx942.
        floats = {"gemm_f16": 2 * n**3, "gemm_i8": 0, "gemm_fp8": 2 * n**3 + n * n}
        for name, size in (("gemm_f16", 2), ("gemm_i8", 1), ("gemm_fp8", 1)):
            if arch == "gfx1100" and name == "gemm_fp8":
                continue
            steps = n * size // 64  # of a workgroup, each of 64 bytes of a row
            products = {"gfx942": 4, "gfx1100": 4 if size == 2 else 8}[arch]  # of a wave in a step
            rows[name] = (4, 256, 4 * 256 * steps * 32, 4 * n * n, floats[name],
                          {"SQ_INSTS_MFMA": 4 * (256 // wave) * steps * products})
        return rows
    items, n, count = 2560, 128, 1 << 18
    interior = count + 4 * (count - 512)  # cg_apply: each point, and its neighbours where there are any
    lengths = sum(i * 7 % 65 for i in range(items))
    return {
        "copy": (10, 256, 8 * items, 8 * items, 0, {}),
        "scale": (10, 256, 8 * items, 8 * items, items, {}),
        "add": (10, 256, 16 * items, 8 * items, items, {}),
        "triad": (10, 256, 16 * items, 8 * items, 2 * items, {"SQ_INSTS_VALU_FMA_F64": items // wave}),
        "triad_passes": (4, 256, 3 * 8 * items, 3 * 4 * items, 3 * 2 * items, {}),
        "gather": (10, 256, 8 * items, 4 * items, 0, {}),
        "scatter": (10, 256, 8 * items, 4 * items, 0, {}),
        "transpose": (9, 256, 4 * 96 * 96, 4 * 96 * 96, 0, {}),
        "step2d": (16, 256, 20 * 255 * 15, 4 * 255 * 15, 6 * 255 * 15, {}),
        "step3d": (12, 256, 28 * 63 * 15 * 2, 4 * 63 * 15 * 2, 8 * 63 * 15 * 2, {}),
        "sgemm16": (64, 256, n // 16 * 8 * n * n, 4 * n * n, 2 * n**3, {"SQ_INSTS_VALU_FMA_F32": n**3 // wave}),
        "sgemm64": (4, 256, 4 * n // 16 * 2048 * 4, 4 * n * n, 2 * n**3, {}),  # some processors do two at once
        "dgemm": (4, 256, 4 * n // 16 * 2048 * 8, 8 * n * n, 2 * n**3, {"SQ_INSTS_VALU_FMA_F64": n**3 // wave}),
        "reduction": (4, 256, 4 * 10000, 4 * 4, 10000 + 4 * 255, {}),
        "histogram": (4, 256, 4 * 10000, 4 * 4 * 256, 0, {}),
        "tile_sums": (16, 256, 16 * 4096, 16 * 4, 0, {}),
        "scan_tile_sums": (1, 256, 4096, 4096, 0, {}),
        "scan_tiles": (16, 256, 16 * 4096, 16 * 4096, 0, {}),
        "sort_count": (128, 256, 4 * count, 128 * 16 * 4, 0, {}),
        "sort_sum": (1, 256, 4 * 2048, 4 * 2048, 0, {}),
        "sort_move": (128, 256, 4 * count + 128 * 16 * 4, 4 * count, 0, {}),
        "cg_start": (128, 256, 16 * count,  # the right side again behind the stores, which may have changed it
                     24 * count + 8 * 128, 2 * count + 128 * 255, {}),
        "cg_first": (1, 256, 8 * 128, 8, 255, {}),
        "cg_apply": (128, 256, 8 * interior, 8 * count + 8 * 128, 7 * count + 128 * 255, {}),
        "cg_alpha": (1, 256, 8 * 128, 8, 255 + DIVISION64, {}),
        "cg_update": (128, 256, 32 * count, 16 * count + 8 * 128, 6 * count + 128 * 255, {}),
        "cg_beta": (1, 256, 8 * 128, 16, 255 + DIVISION64, {}),
        "cg_direction": (1024, 256, 16 * count, 8 * count, 2 * count, {}),
        "fft": (5, 256, (32 + 4 * 3 * 8) * 5 * 256, 32 * 5 * 256, 34 * 5 * 5 * 256, {}),
        "nbody": (2, 256, (12 + 2 * 16) * 512, 16 * 512, (3 + 3 * 2 + INVERSE_ROOT + 3 + 3 * 2) * 512 * 512, {"SQ_INSTS_VALU_TRANS_F32": 512 * 512 // wave}),
        "black_scholes": (10, 256, 16 * items,  # s again behind the first store
                          8 * items, (1 + ROOT + LOG + 2 * DIVISION + 2 + 1 + 2 * (2 + DIVISION + 9 + 2 + EXP + 2 + 1) + 2 + EXP + 3 + 5) * items, {}),
        "sha256": (10, 256, 64 * items, 32 * items, 0, {}),
        "mandelbrot": (64, 64, 0, 4 * 4096, None, {}),
        "spmv": (2, 256, 8 * 512 + 12 * 64 * 20, 4 * 64, 2 * 64 * 20 + 7 * 64, {}),
        "bfs_start": (10, 256, 0, 4 * items + 4, 0, {}),
        "join_probe": (10, 256, 8 * items, 4 * items, 0, {}),
        "join_build": (10, 256, 8 * items, 8 * items, 0, {}),
        "bits": (10, 256, 16 * items, 4 * items, 0, {}),
        "cipher": (10, 256, None, 4 * items, 0, {}),
        "strings": (10, 256, 8 * items + lengths, 8 * items, 0, {}),
        # A stack's entry is four numbers; of a board without a free column one of them is read.
        "queens": (10, 256, (12 + 4) * items, (4 * 4 + 4) * items, 0, {}),
        # A wave adds up how many places its lanes want, and one of them asks for all, for each neighbour.
        "bfs_level": (10, 256, (12 + 5 * 8) * items, 5 * (4 + 4) * items + 5 * 4 * (items // wave), 0, {}),
        # The way to the last of 2^16 points is 16 nodes: a point and three numbers of the stack each.
        "boxes": (10, 256, (12 + 16 * (8 + 12)) * items, (16 * 12 + 4) * items, (2 + 16) * items, {}),
        "image_resize": (500, 256, 4 * 500 * 256, 4 * 500 * 256, (2 * (1 + DIVISION + COORDINATE) + 4 * 2) * 500 * 256, {}),
        "image_volume": (10, 256, (12 + 4) * items, 4 * items, 3 * COORDINATE * items, {}),
    }


def profile(wavelift, folder, arch, limit):
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "json")
        result = subprocess.run([wavelift, "profile", "--counters", ",".join(COUNTERS), "--json", path, sys.executable, os.path.realpath(__file__), "run",
                                 folder, arch, str(limit)], capture_output=True, text=True, timeout=600, env=dict(os.environ, WAVELIFT_ARCH=arch))
        if result.returncode != 0:
            sys.exit("the program: %r" % result)
        with open(path, encoding="utf-8") as file:
            return {row["name"]: row["counters"] for row in json.load(file)["kernels"]}, result.stdout.split()


def main(wavelift, folder, arch):
    wave = 64 if arch.startswith("gfx9") else 32
    counted, first = profile(wavelift, folder, arch, 10)
    failures = []
    rows = formulas(arch, wave)
    for kernel, (groups, size, loaded, stored, operations, others) in rows.items():
        wanted = {"SQ_WAVES": groups * (size // wave), "WAVELIFT_ITEMS": groups * size, "FETCH_SIZE": loaded, "WRITE_SIZE": stored,
                  "WAVELIFT_FLOPS": operations, **others}
        if kernel not in counted:
            failures.append("%s: it did not run" % kernel)
            continue
        for name, value in wanted.items():
            value = value / 1024 if value is not None and name in ("FETCH_SIZE", "WRITE_SIZE") else value
            if value is not None and abs(counted[kernel][name] - value) > 1e-5 * max(1, value):
                failures.append("%s: %s is %r instead of %r" % (kernel, name, counted[kernel][name], value))
    if first:  # mandelbrot: a round is eight operations, and three decide that there is no other one. Before them each item divides twice
        more, second = profile(wavelift, folder, arch, 30)
        for run, told in ((counted, first), (more, second)):
            operations = (2 * DIVISION + 4) * 64 * 64 + 8 * int(told[0]) + 3 * int(told[1])
            if run["mandelbrot"]["WAVELIFT_FLOPS"] != operations:
                failures.append("mandelbrot: %r operations instead of %r" % (run["mandelbrot"]["WAVELIFT_FLOPS"], operations))
        if int(second[0]) <= int(first[0]):
            failures.append("mandelbrot: no more rounds with a higher limit")
    print("\n".join(failures) or "all as it should be: %d kernels" % len(rows))
    return bool(failures)


if __name__ == "__main__":
    if sys.argv[1] == "run":
        run(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        sys.exit(main(*sys.argv[1:]))
