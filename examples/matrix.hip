// C = A B through the matrix instructions: MFMA on gfx908, gfx90a and gfx942, WMMA on gfx11 and gfx12; from f16, from 8-bit numbers
// where the target has them, and from 8-bit integers. A wave computes 64 * 64 elements. The inputs are small multiples of powers
// of two: every sum is exact, and equal to the host's bit for bit.
//
// usage: matrix [N [repetitions]]: with repetitions it prints the speed
#include "check.h"

#include <chrono>
#include <string>
#include <vector>

constexpr int side = 64; // of a wave's part of C

typedef float f32x8 __attribute__((ext_vector_type(8)));
typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef int i32x8 __attribute__((ext_vector_type(8)));
typedef int i32x16 __attribute__((ext_vector_type(16)));
typedef int i32x2 __attribute__((ext_vector_type(2)));
typedef int i32x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x8 __attribute__((ext_vector_type(8)));
typedef _Float16 f16x16 __attribute__((ext_vector_type(16)));

struct Half {
    typedef _Float16 element;
    typedef float sum;
};
struct Byte { // fp8 e4m3
    typedef uint8_t element;
    typedef float sum;
};
struct Integer {
    typedef int8_t element;
    typedef int sum;
};

/* For each target: the tile that one instruction computes, the types of a lane's part of A, B and C, and the instruction. */
#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__)
constexpr int tile = 32;
__device__ int row_of(int r, int lane) { return 8 * (r / 4) + 4 * (lane / 32) + r % 4; }
template <class T> struct Instruction;
template <> struct Instruction<Half> {
    typedef f16x4 part;
    typedef f32x16 result;
    static constexpr int k = 8;
    static __device__ result multiply(part a, part b, result c) { return __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, c, 0, 0, 0); }
};
#ifdef __gfx942__
template <> struct Instruction<Byte> {
    typedef long part;
    typedef f32x16 result;
    static constexpr int k = 16;
    static __device__ result multiply(part a, part b, result c) { return __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(a, b, c, 0, 0, 0); }
};
template <> struct Instruction<Integer> {
    typedef long part;
    typedef i32x16 result;
    static constexpr int k = 16;
    static __device__ result multiply(part a, part b, result c) { return __builtin_amdgcn_mfma_i32_32x32x16_i8(a, b, c, 0, 0, 0); }
};
#define HAS_BYTES
#else
template <> struct Instruction<Integer> {
    typedef int part;
    typedef i32x16 result;
    static constexpr int k = 8;
    static __device__ result multiply(part a, part b, result c) { return __builtin_amdgcn_mfma_i32_32x32x8i8(a, b, c, 0, 0, 0); }
};
#endif
#elif defined(__GFX11__)
constexpr int tile = 16;
__device__ int row_of(int r, int lane) { return 2 * r + lane / 16; }
template <class T> struct Instruction;
template <> struct Instruction<Half> {
    typedef f16x16 part;
    typedef f32x8 result;
    static constexpr int k = 16;
    static __device__ result multiply(part a, part b, result c) { return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c); }
};
template <> struct Instruction<Integer> {
    typedef i32x4 part;
    typedef i32x8 result;
    static constexpr int k = 16;
    static __device__ result multiply(part a, part b, result c) {
        return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, a, true, b, c, false);
    }
};
#elif defined(__GFX12__)
constexpr int tile = 16;
__device__ int row_of(int r, int lane) { return r + 8 * (lane / 16); }
template <class T> struct Instruction;
template <> struct Instruction<Half> {
    typedef f16x8 part;
    typedef f32x8 result;
    static constexpr int k = 16;
    static __device__ result multiply(part a, part b, result c) { return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c); }
};
template <> struct Instruction<Byte> {
    typedef i32x2 part;
    typedef f32x8 result;
    static constexpr int k = 16;
    static __device__ result multiply(part a, part b, result c) { return __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(a, b, c); }
};
template <> struct Instruction<Integer> {
    typedef i32x2 part;
    typedef i32x8 result;
    static constexpr int k = 16;
    static __device__ result multiply(part a, part b, result c) {
        return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(true, a, true, b, c, false);
    }
};
#define HAS_BYTES
#endif

/* C (n * n) = A B; A and B transposed are stored by rows, so that a lane's part is consecutive. */
template <class T> __device__ void multiply(int n, const typename T::element *a, const typename T::element *b, typename T::sum *c) {
#ifdef __HIP_DEVICE_COMPILE__
    typedef Instruction<T> I;
    constexpr int tiles = side / tile, each = sizeof(typename I::part) / sizeof(typename T::element);
    const int lane = threadIdx.x, row = blockIdx.y * side + lane % tile, column = blockIdx.x * side + lane % tile;
    const int k_offset = each * (lane / tile) % I::k; // gfx11: both halves of the wave hold the same
    typename I::result sums[tiles][tiles] = {};
    for (int k = 0; k < n; k += I::k) {
        typename I::part in_a[tiles], in_b[tiles];
        for (int i = 0; i < tiles; i++) {
            in_a[i] = *(const typename I::part *)(a + (size_t)(row + i * tile) * n + k + k_offset);
            in_b[i] = *(const typename I::part *)(b + (size_t)(column + i * tile) * n + k + k_offset);
        }
        for (int i = 0; i < tiles; i++)
            for (int j = 0; j < tiles; j++)
                sums[i][j] = I::multiply(in_a[i], in_b[j], sums[i][j]);
    }
    for (int i = 0; i < tiles; i++)
        for (int j = 0; j < tiles; j++)
            for (int r = 0; r < (int)(sizeof sums[0][0] / 4); r++)
                c[(size_t)(blockIdx.y * side + i * tile + row_of(r, lane)) * n + column + j * tile] = sums[i][j][r];
#endif
}

__global__ void __launch_bounds__(64) from_halves(int n, const _Float16 *a, const _Float16 *b, float *c) { multiply<Half>(n, a, b, c); }
__global__ void __launch_bounds__(64) from_integers(int n, const int8_t *a, const int8_t *b, int *c) { multiply<Integer>(n, a, b, c); }
__global__ void __launch_bounds__(64) from_bytes(int n, const uint8_t *a, const uint8_t *b, float *c) {
#if !defined(__HIP_DEVICE_COMPILE__) || defined(HAS_BYTES)
    multiply<Byte>(n, a, b, c);
#endif
}

static hipDeviceProp_t properties;

static float value(_Float16 x) { return (float)x; }
static int value(int8_t x) { return x; }
/* e4m3: gfx942 has a bias of 8, gfx12 (OCP) of 7. The inputs are normal numbers. */
static float value(uint8_t x) {
    int bias = std::strncmp(properties.gcnArchName, "gfx9", 4) == 0 ? 8 : 7;
    float size = std::ldexp((float)(8 + (x & 7)), (x >> 3 & 15) - bias - 3);
    return x & 0x80 ? -size : size;
}
static void make(Random &random, _Float16 &x) { x = (_Float16)((int)(random.next() >> 8 & 31) - 16) / (_Float16)8; }
static void make(Random &random, int8_t &x) { x = (int8_t)(random.next() >> 8); }
static void make(Random &random, uint8_t &x) { x = (uint8_t)((random.next() >> 8 & 0x8f) | (5 + (random.next() >> 8) % 4) << 3); }

template <class T, class Kernel> static void run(const char *name, Kernel kernel, int n, size_t repetitions) {
    typedef typename T::element element;
    typedef typename T::sum sum;
    const size_t count = (size_t)n * n;
    std::vector<element> a(count), b(count);
    std::vector<sum> got(count), want(count);
    Random random;
    for (auto *matrix : {&a, &b})
        for (element &x : *matrix)
            make(random, x);
    element *da, *db;
    sum *dc;
    HIP(hipMalloc((void **)&da, count * sizeof(element)));
    HIP(hipMalloc((void **)&db, count * sizeof(element)));
    HIP(hipMalloc((void **)&dc, count * sizeof(sum)));
    HIP(hipMemcpy(da, a.data(), count * sizeof(element), hipMemcpyHostToDevice));
    HIP(hipMemcpy(db, b.data(), count * sizeof(element), hipMemcpyHostToDevice));
    for (size_t i = 0; i <= repetitions; i++) {
        auto start = std::chrono::steady_clock::now();
        kernel<<<dim3(n / side, n / side), dim3(properties.warpSize)>>>(n, da, db, dc);
        HIP_FINISH();
        std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        if (i) // the first includes translation
            std::printf("%s: %.2f GFLOP/s\n", name, 2e-9 * n * n * n / seconds.count());
    }
    HIP(hipMemcpy(got.data(), dc, count * sizeof(sum), hipMemcpyDeviceToHost));
    HIP(hipFree(da));
    HIP(hipFree(db));
    HIP(hipFree(dc));
    if (repetitions)
        return;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            sum s = 0;
            for (int k = 0; k < n; k++)
                s += value(a[(size_t)i * n + k]) * value(b[(size_t)j * n + k]);
            want[(size_t)i * n + j] = s;
        }
    compare(name, got.data(), want.data(), count);
}

int main(int argc, char **argv) {
    check_name = "matrix";
    int n = (int)argument(argc, argv, 1, 256);
    size_t repetitions = argument(argc, argv, 2, 0);
    EXPECT(n % side == 0, "the size must be a multiple of %d", side);
    HIP(hipGetDeviceProperties(&properties, 0));
    const std::string name = properties.gcnArchName;
    run<Half>("f16", from_halves, n, repetitions);
    run<Integer>("i8", from_integers, n, repetitions);
    if (name.compare(0, 5, "gfx94") == 0 || name.compare(0, 5, "gfx12") == 0)
        run<Byte>("fp8", from_bytes, n, repetitions);
    return finish();
}
