"""Kernels that Triton compiles for an AMD target, launched through HIP and compared with numpy.

    kernels.py gfx942

Triton's own launcher wants PyTorch for ROCm; here ctypes calls the HIP functions that it would call."""
import ctypes
import re
import sys

import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

ARCH = sys.argv[1]
WAVE = 64 if ARCH.startswith("gfx9") else 32


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * columns + i, e / tl.sum(e, axis=0), mask=i < columns)


@triton.jit
def matmul(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a + rm[:, None] * K + (k + rk)[None, :])
        right = tl.load(b + (k + rk)[:, None] * N + rn[None, :])
        total += tl.dot(left, right, input_precision="ieee")
    tl.store(c + rm[:, None] * N + rn[None, :], total)


# Products of small numbers with scales: a byte of A's scales for each 32 along K, and of B's.
@triton.jit
def scaled(a, a_scale, b, b_scale, c, N, K, FORMAT: tl.constexpr, PACK: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk, rs = tl.arange(0, BK // PACK), tl.arange(0, BK // 32)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a + rm[:, None] * (K // PACK) + (k // PACK + rk)[None, :])
        right = tl.load(b + rn[None, :] * (K // PACK) + (k // PACK + rk)[:, None])
        left_scale = tl.load(a_scale + rm[:, None] * (K // 32) + (k // 32 + rs)[None, :])
        right_scale = tl.load(b_scale + rn[:, None] * (K // 32) + (k // 32 + rs)[None, :])
        total = tl.dot_scaled(left, left_scale, FORMAT, right, right_scale, FORMAT, acc=total)
    tl.store(c + rm[:, None] * N + rn[None, :], total)


@triton.jit
def attention(q, k, v, out, n, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rm, rd = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    query = tl.load(q + rm[:, None] * D + rd[None, :])
    top = tl.full((BM,), -float("inf"), tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    total = tl.zeros((BM, D), tl.float32)
    for start in range(0, n, BN):
        rn = start + tl.arange(0, BN)
        score = tl.dot(query, tl.load(k + rn[None, :] * D + rd[:, None]))
        new_top = tl.maximum(top, tl.max(score, 1))
        p = tl.exp(score - new_top[:, None])
        scale = tl.exp(top - new_top)
        weight = weight * scale + tl.sum(p, 1)
        total = total * scale[:, None] + tl.dot(p.to(tl.float16), tl.load(v + rn[:, None] * D + rd[None, :]))
        top = new_top
    tl.store(out + rm[:, None] * D + rd[None, :], total / weight[:, None])


hip = ctypes.CDLL("libamdhip64.so")


def call(name, *arguments):
    error = getattr(hip, name)(*arguments)
    if error:
        sys.exit(f"{name}: HIP error {error}")


class Array:
    """A numpy array's copy on the device."""

    def __init__(self, host):
        self.host, self.pointer = np.ascontiguousarray(host), ctypes.c_void_p()
        call("hipMalloc", ctypes.byref(self.pointer), ctypes.c_size_t(self.host.nbytes))
        call("hipMemcpy", self.pointer, self.host.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(self.host.nbytes), 1)

    def read(self):
        call("hipMemcpy", self.host.ctypes.data_as(ctypes.c_void_p), self.pointer, ctypes.c_size_t(self.host.nbytes), 2)
        return self.host


def run(kernel, grid, arguments, **constants):
    types = {"float32": "*fp32", "float16": "*fp16", "uint8": "*u8"}
    names = kernel.arg_names
    signature = {n: types[a.host.dtype.name] if isinstance(a, Array) else "i32" for n, a in zip(names, arguments)}
    signature.update({n: "constexpr" for n in constants})
    source = ASTSource(fn=kernel, signature=signature, constexprs={(names.index(n),): v for n, v in constants.items()})
    code = triton.compile(source, target=GPUTarget("hip", ARCH, WAVE))
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    call("hipModuleLoadData", ctypes.byref(module), code.asm["hsaco"])
    call("hipModuleGetFunction", ctypes.byref(function), module, code.metadata.name.encode())
    # Behind its own arguments a kernel of Triton has pointers to scratch memory, which these do not use.
    values = [a.pointer if isinstance(a, Array) else ctypes.c_int32(a) for a in arguments] + [ctypes.c_void_p(0)] * 2
    pointers = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.pointer(v), ctypes.c_void_p) for v in values])
    x, y = (*grid, 1)[:2]
    call("hipModuleLaunchKernel", function, x, y, 1, code.metadata.num_warps * WAVE, 1, 1, code.metadata.shared, None, pointers, None)
    call("hipDeviceSynchronize")
    call("hipModuleUnload", module)
    return code.asm["amdgcn"]


failures = 0


def compare(what, got, wanted, tolerance):
    global failures
    error = float(np.abs(got.astype(np.float64) - wanted).max())
    failures += not error <= tolerance
    print(f"{'ok' if error <= tolerance else 'WRONG'}: {ARCH} {what}: largest error {error:.2g} (tolerance {tolerance:.2g})")


random = np.random.default_rng(1)
n = 10007
x, y = random.random((2, n), dtype=np.float32)
out = Array(np.zeros_like(x))
run(add, ((n + 1023) // 1024,), [Array(x), Array(y), out, n], BLOCK=1024)
compare("add", out.read(), (x + y).astype(np.float64), 0)

x = random.standard_normal((64, 781), dtype=np.float32)
out = Array(np.zeros_like(x))
run(softmax, (64,), [Array(x), out, 781], BLOCK=1024)
e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
compare("softmax", out.read(), e / e.sum(1, keepdims=True), 1e-7)

for dtype, size, block in (np.float16, 256, 64), (np.float32, 128, 32):
    a, b = random.standard_normal((2, size, size)).astype(dtype)
    out = Array(np.zeros((size, size), np.float32))
    run(matmul, (size // block, size // block), [Array(a), Array(b), out, size, size], BM=block, BN=block, BK=32)
    compare(f"matmul {dtype.__name__}", out.read(), a.astype(np.float64) @ b.astype(np.float64), 3e-4)

n, d = 256, 64
q, k, v = (random.standard_normal((3, n, d)) * 0.5).astype(np.float16)
out = Array(np.zeros((n, d), np.float32))
run(attention, (n // 64,), [Array(q), Array(k), Array(v), out, n], D=d, BM=64, BN=64)
score = q.astype(np.float64) @ k.astype(np.float64).T
p = np.exp(score - score.max(1, keepdims=True))
compare("attention", out.read(), p / p.sum(1, keepdims=True) @ v.astype(np.float64), 1e-3)  # p is rounded to f16

# FP4 (e2m1), FP8 (e4m3) and BF8 (e5m2): any finite numbers, against sums in f64, which are exact. So are sums of FP4 in f32; other sums are
# rounded, and compared relative to the sum of absolute values. Triton has no products of FP6: neither
# its language nor its compiler for AMD takes e2m3 or e3m2 (tests/programs/scaled_products.hip has them).
def decode(codes, exponent_bits, mantissa_bits):
    sign = np.where(codes >> (exponent_bits + mantissa_bits) & 1, -1.0, 1.0)
    exponent = (codes >> mantissa_bits & (1 << exponent_bits) - 1).astype(np.int64)
    mantissa = (codes & (1 << mantissa_bits) - 1).astype(np.float64) / (1 << mantissa_bits)
    return sign * np.ldexp(np.where(exponent > 0, 1 + mantissa, mantissa), np.maximum(exponent, 1) - ((1 << exponent_bits - 1) - 1))


if ARCH in ("gfx950", "gfx1250"):
    m, n, k = 64, 64, 256
    for name, exponent_bits, mantissa_bits, most in ("e2m1", 2, 1, 7), ("e4m3", 4, 3, 0x7e), ("e5m2", 5, 2, 0x7b):
        codes = [(random.integers(0, most + 1, (rows, k)) | random.integers(0, 2, (rows, k)) << (exponent_bits + mantissa_bits)).astype(np.uint8)
                 for rows in (m, n)]
        scales = [random.integers(124, 131, (rows, k // 32)).astype(np.uint8) for rows in (m, n)]
        a, b = [decode(c, exponent_bits, mantissa_bits) * np.repeat(np.ldexp(1.0, s.astype(np.int64) - 127), 32, axis=1)
                for c, s in zip(codes, scales)]
        pack = 2 if name == "e2m1" else 1
        packed = [c[:, ::2] | c[:, 1::2] << 4 if pack == 2 else c for c in codes]
        out = Array(np.zeros((m, n), np.float32))
        text = run(scaled, (m // 32, n // 32), [Array(packed[0]), Array(scales[0]), Array(packed[1]), Array(scales[1]), out, n, k],
                   FORMAT=name, PACK=pack, BM=32, BN=32, BK=128)
        if not re.search("v_(mfma|wmma)_scale_", text):
            sys.exit(f"{ARCH} dot_scaled {name}: Triton has made no instruction with scales of it")
        size = np.abs(a) @ np.abs(b).T
        compare(f"dot_scaled {name}", out.read() / size, a @ b.T / size, 0 if name == "e2m1" else 1e-6)
sys.exit(failures != 0)
