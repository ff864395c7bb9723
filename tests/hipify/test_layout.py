"""What changes in a source and what stays, character by character."""
import unittest

from tool import hipify

# (what, source, expected, number of warnings)
CASES = [
    ("empty", "", "", 0),
    ("no end of line", "cudaFree(p)", "hipFree(p)", 0),
    ("layout", "\tcudaMalloc (\t&p ,\n\n   4 ) ;  \n", "\thipMalloc (\t&p ,\n\n   4 ) ;  \n", 0),
    ("CRLF", "cudaFree(p);\r\n// cuInit\r\ncuInit(0);\r\n", "hipFree(p);\r\n// cuInit\r\nhipInit(0);\r\n", 0),
    ("CR", "// cuInit\rcuInit(0);\r", "// cuInit\rhipInit(0);\r", 0),
    ("byte order mark", "\ufeffcuInit(0);", "\ufeffhipInit(0);", 0),
    ("comments", "/* cuInit /* */ cuInit /* \n cuInit */ cuInit // cuInit \\\n cuInit\ncuInit", "/* cuInit /* */ hipInit /* \n cuInit */ hipInit // cuInit \\\n cuInit\nhipInit", 0),
    ("comment without end", "cuInit /* cuInit\n* / cuInit", "hipInit /* cuInit\n* / cuInit", 0),
    ("spliced comment", "/\\\n/ cuInit\n/\\\r\n* cuInit *\\\n/ cuInit", "/\\\n/ cuInit\n/\\\r\n* cuInit *\\\n/ hipInit", 0),
    ("not a comment", "a / cuInit", "a / hipInit", 0),
    ("strings", r'"cuInit" L"cuInit" u8"\"cuInit" "\\" cuInit "a\\\" cuInit" cuInit', r'"cuInit" L"cuInit" u8"\"cuInit" "\\" hipInit "a\\\" cuInit" hipInit', 0),
    ("string over a splice", '"cuInit \\\n cuInit" cuInit', '"cuInit \\\n cuInit" hipInit', 0),
    ("string without end", '"cuInit\ncuInit', '"cuInit\nhipInit', 0),
    ("characters", r"'\'' cuInit 'cuInit' L'\\' cuInit '" + "\ncuInit", r"'\'' hipInit 'cuInit' L'\\' hipInit '" + "\nhipInit", 0),
    ("raw strings", 'R"(cuInit)" cuInit LR"x(")" cuInit )x" cuInit u8R"a b(cuInit', 'R"(cuInit)" hipInit LR"x(")" cuInit )x" hipInit u8R"a b(cuInit', 0),
    ("raw string over lines", 'R"--(\n" cuInit\n)-- )--"\ncuInit', 'R"--(\n" cuInit\n)-- )--"\nhipInit', 0),
    ("raw string without end", 'R"x(cuInit)" \n cuInit', 'R"x(cuInit)" \n cuInit', 0),
    ("not a raw string", 'FR"(" cuInit ")" cuInit', 'FR"(" hipInit ")" hipInit', 0),
    ("numbers", "1'000'000 cuInit 0x1.8p+3 .5e-3f 1'cuInit 0b1'1 cuInit", "1'000'000 hipInit 0x1.8p+3 .5e-3f 1'cuInit 0b1'1 hipInit", 0),
    ("longer names", "cuInit1 acuInit cuInit_ äcuInit cuInitä $cuInit \\u00e9cuInit", "cuInit1 acuInit cuInit_ äcuInit cuInitä $cuInit \\u00e9cuInit", 0),
    ("splice in a name", "cu\\\nInit(0); cuda\\ \r\nMal\\\nloc;", "hipInit\\\n(0); hipMalloc\\ \r\n\\\n;", 0),
    ("splice around", "cuInit\\\n(0) \\\ncuInit", "hipInit\\\n(0) \\\nhipInit", 0),
    ("directives", "#ifdef __CUDACC__\n# define A(x) cuInit(x) \\\n  cuInit\n#pragma unroll\n#if cuInit\n#endif\n", "#ifdef __HIPCC__\n# define A(x) hipInit(x) \\\n  hipInit\n#pragma unroll\n#if hipInit\n#endif\n", 0),
    ("text of errors", "#error don't call cuInit\n#warning cuInit \\\ncuInit\ncuInit /* */\n# /**/ error cuInit /*\n*/ cuInit\ncuInit", "#error don't call cuInit\n#warning cuInit \\\ncuInit\nhipInit /* */\n# /**/ error cuInit /*\n*/ cuInit\nhipInit", 0),
    ("headers", '#include <cuda.h>\n#include"cuda.h"\n#  include /* cuda.h */ <cuda.h> // <cuda.h>\n#include <my/cuda.h>\n#include CUDA_H\n#import <cuda.h>\n',
     '#include <hip/hip_runtime.h>\n#include"hip/hip_runtime.h"\n#  include /* cuda.h */ <hip/hip_runtime.h> // <cuda.h>\n#include <my/cuda.h>\n#include CUDA_H\n#import <hip/hip_runtime.h>\n', 0),
    ("header tests", "#if __has_include(<cuda.h>) && __has_include ( \"cuda.h\" )\n#endif\na < cuda.h > b", "#if __has_include(<hip/hip_runtime.h>) && __has_include ( \"hip/hip_runtime.h\" )\n#endif\na < cuda.h > b", 0),
    ("header of a folder", "#include <cub/block/block_scan.cuh>\n#include <cuda/atomic>\n#include <cooperative_groups/reduce.h>\n", "#include <hipcub/hipcub.hpp>\n#include <cuda/atomic>\n#include <cooperative_groups/reduce.h>\n", 2),
    ("header without end", "#include <cuda.h\ncuInit\n#include \"\n#include <>\n#include", "#include <cuda.h\nhipInit\n#include \"\n#include <>\n#include", 0),
    ("members", "x.cuInit y->cuInit z . cuInit a ->\ncuInit f().cuInit ...cuInit", "x.cuInit y->cuInit z . cuInit a ->\ncuInit f().cuInit ...hipInit", 0),
    ("scopes", "::cuInit ns::cuInit ns::deep :: cuInit return ::cuInit; t<int>::cuInit a > ::cuInit (::cuInit)", "::hipInit ns::cuInit ns::deep :: cuInit return ::hipInit; t<int>::cuInit a > ::hipInit (::hipInit)", 0),
    ("scope of an enumeration", "cudaError_t::cudaSuccess enum cudaMemcpyKind::cudaMemcpyDefault", "hipError_t::hipSuccess enum hipMemcpyKind::hipMemcpyDefault", 0),
    ("declarations", "struct s { int cuInit(int); void *p; }; CUresult cuInit(unsigned); CUresult CUDAAPI cuInit(unsigned); else cuInit(0); extern \"C\" const char *cudaGetErrorString(cudaError_t);",
     "struct s { int cuInit(int); void *p; }; hipError_t hipInit(unsigned); hipError_t  hipInit(unsigned); else hipInit(0); extern \"C\" const char *hipGetErrorString(hipError_t);", 0),
    ("calling conventions", "void CUDART_CB f(void *); typedef void(CUDA_CB *g)(void *);\n#ifndef CUDART_CB\n#define CUDART_CB\n#endif\n", "void  f(void *); typedef void( *g)(void *);\n#ifndef CUDART_CB\n#define CUDART_CB\n#endif\n", 2),
    ("after directives", "#else\ncuInit(0);\n#endif\n\n  cudaDeviceSynchronize();\n# pragma omp \\\n a\ncudaFree(p); own cuInit(int); #endif cuInit(1);\n%: endif\nns::\n#else\ncuInit(2);",
     "#else\nhipInit(0);\n#endif\n\n  hipDeviceSynchronize();\n# pragma omp \\\n a\nhipFree(p); own cuInit(int); #endif cuInit(1);\n%: endif\nns::\n#else\nhipInit(2);", 0),
    ("functions with two meanings", "cudaEventCreate(&e); cudaEventCreate(&e, cudaEventInterprocess); cudaMalloc3DArray(&a, &d, make_cudaExtent(1, 2, 3));",
     "hipEventCreate(&e); hipEventCreateWithFlags(&e, hipEventInterprocess); hipMalloc3DArray(&a, &d, make_hipExtent(1, 2, 3), 0);", 0),
    ("namespaces", "using namespace cub; cub::Sum cub; a.cub::x nvcuda::wmma::f", "using namespace hipcub; hipcub::Sum cub; a.cub::x nvcuda::wmma::f", 1),
    ("launches", "k<<<g, b, 0, cudaStreamPerThread>>>(a);", "k<<<g, b, 0, hipStreamPerThread>>>(a);", 0),
    ("pasting", "#define C(n) cuda##n(#n, cuInit)", "#define C(n) cuda##n(#n, hipInit)", 0),
    ("bytes", "\x00cuInit\x01 @ ` cuInit", "\x00hipInit\x01 @ ` hipInit", 0),
    ("architecture", "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700 || 600 < __CUDA_ARCH__\n#if __CUDA_ARCH__", "#if defined(__HIP_DEVICE_COMPILE__) && __CUDA_ARCH__ >= 700 || 600 < __CUDA_ARCH__\n#if __HIP_DEVICE_COMPILE__", 2),
    ("version", "CUDART_VERSION / 1000; f(CUDA_VERSION)", "CUDART_VERSION / 1000; f(HIP_VERSION)", 1),
    # calls that change their arguments
    ("copy", "cuMemcpy(d, s, n);", "hipMemcpy(d, s, n, hipMemcpyDefault);", 0),
    ("copy, layout", "cuMemcpy ( d , // cuInit\n  s,\n  (size_t)sizeof(int[2]) * f(a, b) /* n */ ) ;", "hipMemcpy ( d , // cuInit\n  s,\n  (size_t)sizeof(int[2]) * f(a, b), hipMemcpyDefault /* n */ ) ;", 0),
    ("copy, nested", "cuMemcpy(a, b, cuMemcpyAsync(c, d, n, cuMemcpy(e, f, g)))", "hipMemcpy(a, b, hipMemcpyAsync(c, d, n, hipMemcpyDefault, hipMemcpy(e, f, g, hipMemcpyDefault)), hipMemcpyDefault)", 0),
    ("copy, macro", "CHECK(cuMemcpy(d, s, n));", "CHECK(hipMemcpy(d, s, n, hipMemcpyDefault));", 0),
    ("copy, not a call", "f = cuMemcpy; cuMemcpy(a, b); cuMemcpy(a, b, c", "f = cuMemcpy; cuMemcpy(a, b); cuMemcpy(a, b, c", 3),
    ("copy, lambda", "cuMemcpy([=](int a, int b) { return a, b; }(1, 2), s, n)", "hipMemcpy([=](int a, int b) { return a, b; }(1, 2), s, n, hipMemcpyDefault)", 0),
    ("copy, templates", "cuMemcpy(f<int, 4>(), s, a < b ? c : d)", "hipMemcpy(f<int, 4>(), s, a < b ? c : d, hipMemcpyDefault)", 0),
    ("copy, directive inside", "cuMemcpy(a,\n#if A\nb,\n#else\nc,\n#endif\nn)", "cuMemcpy(a,\n#if A\nb,\n#else\nc,\n#endif\nn)", 1),
    ("copy, wrong brackets", "cuMemcpy(a, (b], c)", "cuMemcpy(a, (b], c)", 1),
    ("graphs", "cudaGraphInstantiate(&e, g); cudaGraphInstantiate(&e, g, 0); cudaGraphInstantiate(&e, g, &n, log, sizeof log); cuGraphInstantiate(&e, g, 0); cudaGraphInstantiate()",
     "hipGraphInstantiateWithFlags(&e, g, 0); hipGraphInstantiateWithFlags(&e, g, 0); hipGraphInstantiate(&e, g, &n, log, sizeof log); hipGraphInstantiateWithFlags(&e, g, 0); cudaGraphInstantiate()", 1),
    ("graph update", "cudaGraphExecUpdate(e, g, &n, &r); cudaGraphExecUpdate(e, g, &i); cudaGraphExecUpdate", "hipGraphExecUpdate(e, g, &n, &r); cudaGraphExecUpdate(e, g, &i); hipGraphExecUpdate", 1),
    ("casts", "cudaFuncSetCacheConfig(k<float, 4>, x); cudaFuncSetAttribute((void *)k, a, b); cudaLaunchKernel(k, g, b, p); cudaMallocPitch(&p, &q, w, h)",
     "hipFuncSetCacheConfig((const void *)(k<float, 4>), x); hipFuncSetAttribute((void *)k, a, b); hipLaunchKernel((const void *)(k), g, b, p, 0, 0); hipMallocPitch((void **)(&p), &q, w, h)", 0),
    ("defaults", "cudaMallocHost(&p, n); cudaMallocHost(&p, n, 1); cudaStreamWaitEvent(s, e); cudaStreamWaitEvent(s, e, 0)", "hipHostMalloc(&p, n, hipHostMallocDefault); hipHostMalloc(&p, n, 1); hipStreamWaitEvent(s, e, 0); hipStreamWaitEvent(s, e, 0)", 0),
    ("dropped argument", "cuOccupancyMaxPotentialBlockSize(&a, &b, f, NULL, 0, 0); cuOccupancyMaxPotentialBlockSize(&a, &b, f, 0\n,c, 0); cuOccupancyMaxPotentialBlockSize(&a, &b, f, size, 0, 0)",
     "hipModuleOccupancyMaxPotentialBlockSize(&a, &b, f, 0, 0); hipModuleOccupancyMaxPotentialBlockSize(&a, &b, f, \nc, 0); cuOccupancyMaxPotentialBlockSize(&a, &b, f, size, 0, 0)", 1),
    ("tags", "struct cudaLaunchParams a; cudaLaunchParams b; struct cudaExtent c; enum cudaMemcpyKind d;", "struct hipLaunchParams_t a; hipLaunchParams b; struct hipExtent c; enum hipMemcpyKind d;", 0),
    ("enumerations", "cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536)", "hipFuncSetAttribute(f, (hipFuncAttribute)(HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), 65536)", 0),
    ("one more argument", "cuStreamWaitValue32(s, p, 1, CU_STREAM_WAIT_VALUE_EQ); cudaGetDriverEntryPoint(\"cuInit\", &p, 0); cudaMemcpyBatchAsync(a, b, c, d, e, f, g, h)",
     "hipStreamWaitValue32(s, p, 1, hipStreamWaitValueEq, 0xffffffff); hipGetDriverEntryPoint(\"cuInit\", &p, 0, NULL); cudaMemcpyBatchAsync(a, b, c, d, e, f, g, h)", 1),
    ("atomics of a scope", "old = atomicExch_block(&a[0], 1); atomicCAS_block(p, 0, 1u); atomicInc_system(p, 9); atomicAdd_system(p, 1); f = atomicAdd_block;",
     "old = __hip_atomic_exchange(&a[0], 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP); "
     "[](auto *at, __typeof__(*at) expected, __typeof__(*at) desired) { __hip_atomic_compare_exchange_strong(at, &expected, desired, "
     "__ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP); return expected; }(p, 0, 1u); "
     "__builtin_amdgcn_atomic_inc32(p, 9, __ATOMIC_RELAXED, \"\"); atomicAdd_system(p, 1); f = atomicAdd_block;", 1),
    ("atomics of the program's own", "__device__ int atomicAdd_block(int *p, int v) { return v; }", "__device__ int atomicAdd_block(int *p, int v) { return v; }", 0),
    ("capture", "cudaStreamGetCaptureInfo(s, &a, &b); cudaStreamGetCaptureInfo(s, &a, &b, &c, &d, &e); cudaStreamGetCaptureInfo(s, &a, &b, &c, &d, &e, &f)",
     "hipStreamGetCaptureInfo(s, &a, &b); hipStreamGetCaptureInfo_v2(s, &a, &b, &c, &d, &e); cudaStreamGetCaptureInfo(s, &a, &b, &c, &d, &e, &f)", 1),
]


class Layout(unittest.TestCase):
    maxDiff = None

    def test_cases(self):
        for what, source, expected, warnings in CASES:
            with self.subTest(what):
                result = hipify(source=source)
                self.assertEqual(result.out.decode(), expected)
                self.assertEqual(len(result.err.splitlines()), warnings)
                self.assertEqual(result.code, 1 if warnings else 0)

    def test_place(self):
        result = hipify(source="a\r\n/*\n*/ \"\\\n\" R\"(\n)\"\n\tä; cuMemcpyPeer(a);\n")
        self.assertEqual(result.err, "<stdin>:6:6: cuMemcpyPeer: HIP names devices, CUDA contexts\n")

    def test_large(self):
        """A source that no buffer holds at first, through a pipe and as a file."""
        source = "  if (cudaMalloc(&p, n) != cudaSuccess) return; // cudaMalloc\n" * 100000
        expected = source.replace("cudaMalloc(", "hipMalloc(").replace("cudaSuccess", "hipSuccess")
        self.assertEqual(hipify(source=source).out.decode(), expected)

    def test_deep(self):
        """Nesting and lengths that look-ahead gives up on end in time, and in a warning."""
        for source in ("cuMemcpy(" * 20000, "(" * 100000 + "cuMemcpy(a,b,c" + ")" * 100000, "cuMemcpy(a, b, " + "x " * 20000 + ")"):
            result = hipify("-q", source=source)
            self.assertIn(result.code, (0, 1))
            self.assertEqual(result.out.decode().count("\n"), 0)


if __name__ == "__main__":
    unittest.main()
