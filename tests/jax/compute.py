"""Computations of JAX on the ROCm backend against its CPU backend, and a profile of some. Prints what differs, and how many are right."""
import collections
import glob
import gzip
import json
import sys
import tempfile
import traceback

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_default_matmul_precision", "highest")
gpu, cpu = jax.devices("rocm")[0], jax.devices("cpu")[0]
random = np.random.default_rng(1)
f32 = lambda *shape: random.standard_normal(shape, dtype=np.float32)
square, tall, row, image, weights = f32(48, 48), f32(64, 24), f32(1000), f32(2, 12, 14, 4), f32(3, 3, 4, 8)
positive = square @ square.T + 48 * np.eye(48, dtype=np.float32)
numbers = random.integers(-100, 100, 1000, dtype=np.int32)
half = row.astype(np.float16)

cases = {
    "add": (lambda a: a + 2 * a, row), "exp": (jnp.exp, row), "sin": (jnp.sin, row), "tanh": (jnp.tanh, row),
    "log1p": (lambda a: jnp.log1p(jnp.abs(a)), row), "erf": (jax.scipy.special.erf, row), "gammaln": (lambda a: jax.scipy.special.gammaln(jnp.abs(a) + 1), row),
    "power": (lambda a: jnp.abs(a) ** 1.5, row), "where": (lambda a: jnp.where(a > 0, a, -a), row), "clip": (lambda a: jnp.clip(a, -1, 1), row),
    "half": (lambda a: a * a + 1, half), "bfloat16": (lambda a: (a.astype(jnp.bfloat16) * 2).astype(jnp.float32), numbers),
    "to int8": (lambda a: a.astype(jnp.int8), numbers), "integer division": (lambda a: a // 7, numbers), "remainder": (lambda a: a % 7, numbers),
    "shifts": (lambda a: (a << 3) ^ (a >> 1), numbers), "popcount": (jax.lax.population_count, numbers), "complex": (lambda a: jnp.abs(a + 1j * a), row),
    "sum": (jnp.sum, row), "mean by rows": (lambda a: a.mean(1), tall), "max": (jnp.max, row), "argmax": (jnp.argmax, row), "any": (lambda a: jnp.any(a > 3), row),
    "prod": (lambda a: jnp.prod(1 + a[:20] / 10), row), "variance": (jnp.var, row), "norm": (jnp.linalg.norm, tall), "cumsum": (jnp.cumsum, row),
    "cumprod": (lambda a: jnp.cumprod(1 + a / 1000), row), "cummax": (jax.lax.cummax, row), "sort": (jnp.sort, row), "argsort": (jnp.argsort, row),
    "top k": (lambda a: jax.lax.top_k(a, 10), row), "median": (jnp.median, row), "unique": (lambda a: jnp.unique(a, size=200), numbers),
    "searchsorted": (lambda a: jnp.searchsorted(jnp.sort(a), a), row), "histogram": (lambda a: jnp.histogram(a, bins=20)[0], row),
    "bincount": (lambda a: jnp.bincount(a + 100, length=200), numbers), "product": (jnp.matmul, square, square), "product of halves": (lambda a: a.astype(jnp.float16) @ a.astype(jnp.float16), square),
    "product of integers": (lambda a: jnp.matmul(a.reshape(40, 25), a.reshape(25, 40)), numbers), "batched product": (lambda a: jnp.einsum("bij,bjk->bik", a.reshape(4, 12, 48), a.reshape(4, 48, 12)), square),
    "matrix times vector": (lambda a, b: a @ b[:48], square, row), "einsum": (lambda a: jnp.einsum("ij,kj,lj->ikl", a, a, a), tall[:16]), "outer": (lambda a: jnp.outer(a[:50], a[:60]), row),
    "kron": (lambda a: jnp.kron(a[:8, :8], a[:4, :4]), square), "cholesky": (jnp.linalg.cholesky, positive), "solve": (jnp.linalg.solve, positive, square), "inverse": (jnp.linalg.inv, positive),
    "determinant": (lambda a: jnp.linalg.slogdet(a)[1], positive), "triangular solve": (lambda a, b: jax.scipy.linalg.solve_triangular(jnp.tril(a), b, lower=True), positive, square),
    "qr": (lambda a: jnp.abs(jnp.linalg.qr(a)[1]), tall), "singular values": (lambda a: jnp.linalg.svd(a, compute_uv=False), tall), "eigenvalues": (jnp.linalg.eigvalsh, positive),
    "lu": (lambda a: jax.scipy.linalg.lu(a)[2], positive), "fft": (lambda a: jnp.fft.fft(a[:512]), row), "rfft": (lambda a: jnp.fft.rfft(a[:500]), row), "fft in two dimensions": (jnp.fft.fft2, square),
    "inverse fft": (lambda a: jnp.fft.irfft(jnp.fft.rfft(a[:512])), row), "gather": (lambda a, i: a[jnp.abs(i)], row, numbers), "scatter": (lambda a, i: a.at[jnp.abs(i)].add(1.5), row, numbers),
    "transpose": (lambda a: jnp.transpose(a.reshape(4, 16, 24), (2, 0, 1)), tall), "concatenate": (lambda a: jnp.concatenate([a, a[::-1]]), row), "roll": (lambda a: jnp.roll(a, 17), row), "pad": (lambda a: jnp.pad(a, 3), square),
    "dynamic slice": (lambda a: jax.lax.dynamic_slice(a, (17,), (100,)), row), "uniform numbers": (lambda: jax.random.uniform(jax.random.key(7), (1000,)),), "normal numbers": (lambda: jax.random.normal(jax.random.key(7), (1000,)),),
    "permutation": (lambda: jax.random.permutation(jax.random.key(7), 500),), "categorical": (lambda: jax.random.categorical(jax.random.key(7), jnp.zeros(50), shape=(200,)),),
    "scan": (lambda a: jax.lax.scan(lambda c, x: (c * 0.9 + x, c), 0.0, a)[1], row), "while": (lambda a: jax.lax.while_loop(lambda s: s[0] < 30, lambda s: (s[0] + 1, s[1] * 1.01), (0, a))[1], row),
    "cond": (lambda a: jax.lax.cond(a.sum() > 1e9, jnp.sin, jnp.cos, a), row), "associative scan": (lambda a: jax.lax.associative_scan(jnp.add, a), row), "vmap": (jax.vmap(lambda a: jnp.sort(a) * a.sum()), tall),
    "gradient": (jax.grad(lambda a: jnp.tanh(a @ a).sum()), square / 7), "hessian": (jax.hessian(lambda a: (a**3).sum() * a[0]), row[:20]), "jacobian": (jax.jacfwd(lambda a: jnp.sin(a) * a.sum()), row[:30]),
    "softmax": (jax.nn.softmax, tall), "logsumexp": (jax.nn.logsumexp, tall), "gelu": (jax.nn.gelu, row), "layer norm": (lambda a: (a - a.mean(-1, keepdims=True)) / jnp.sqrt(a.var(-1, keepdims=True) + 1e-5), tall),
    "one hot": (lambda a: jax.nn.one_hot(jnp.abs(a[:50]), 100), numbers), "attention": (lambda a: jax.nn.dot_product_attention(*[a.reshape(1, 16, 4, 24)] * 3), tall),
    "convolution": (lambda a, w: jax.lax.conv_general_dilated(a, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")), image, weights),
    "strided convolution": (lambda a, w: jax.lax.conv_general_dilated(a, w, (2, 2), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")), image, weights),
    "gradient of a convolution": (jax.grad(lambda w, a: jax.lax.conv_general_dilated(a, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")).sum()), weights, image),
    "pooling": (lambda a: jax.lax.reduce_window(a, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), image), "resize": (lambda a: jax.image.resize(a, (2, 24, 28, 4), "bilinear"), image),
}


def compare(name, function, *arguments):
    on = []
    for device in (gpu, cpu):
        with jax.default_device(device):
            on.append(jax.tree.map(np.asarray, jax.jit(function)(*[jax.device_put(a, device) for a in arguments])))
    for ours, theirs in zip(jax.tree.leaves(on[0]), jax.tree.leaves(on[1])):
        exact = not np.issubdtype(ours.dtype, np.inexact)
        scale = 0 if exact else max(1.0, float(np.max(np.abs(theirs.astype(np.complex128)), initial=0)))
        allowed = 0 if exact else scale * (2e-2 if ours.dtype == np.float16 else 2e-4)
        np.testing.assert_allclose(ours.astype(np.complex128), theirs.astype(np.complex128), rtol=0, atol=allowed, err_msg=name)


def profile():
    """Every launch is a row of the device, with its kernel's name."""
    function = jax.jit(lambda a: (jnp.sin(a) * 2 + 1).sum())
    with jax.default_device(gpu):
        data = jnp.arange(100000.0)
        function(data).block_until_ready()
        with tempfile.TemporaryDirectory() as folder:
            with jax.profiler.trace(folder):
                for _ in range(5):
                    result = function(data)
                result.block_until_ready()
            with gzip.open(glob.glob(folder + "/plugins/profile/*/*.trace.json.gz")[0]) as file:
                events = json.load(file)["traceEvents"]
    devices = {e["pid"] for e in events if e.get("name") == "process_name" and "GPU" in e["args"]["name"]}
    rows = collections.Counter(e["name"] for e in events if e.get("ph") == "X" and e["pid"] in devices and "fusion" in e["name"])
    assert rows and set(rows.values()) == {5}, rows


wrong = 0
for name, case in cases.items():
    try:
        compare(name, *case)
    except Exception:
        wrong += 1
        print(f"wrong: {name}: " + traceback.format_exc().strip().splitlines()[-1][:200], flush=True)
print(f"{len(cases) - wrong} of {len(cases)} computations are as on the CPU backend", flush=True)
profile()
print("the profile has a row for each launch", flush=True)
sys.exit(wrong != 0)
