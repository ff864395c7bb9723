// Products through matrix instructions whose factors come from LDS in different ways: rows at multiples of 16 bytes and others, LDS of
// the kernel and of the launch, one factor from memory, factors that are read a step ahead, and a step that LDS is written between. The
// inputs are small multiples of powers of two: every sum is exact, and equal to the host's bit for bit.
#include "check.h"

#include <vector>

constexpr int depth = 64, blocks = 6, most = 32; // of K; most: rows of a tile

typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x8 __attribute__((ext_vector_type(8)));
typedef _Float16 f16x16 __attribute__((ext_vector_type(16)));
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x8 __attribute__((ext_vector_type(8)));
typedef float f32x16 __attribute__((ext_vector_type(16)));

/* A lane's part of a factor is `each` elements of row lane % tile, from k_of on; register r of D is row_of of column lane % tile. */
#if defined(__GFX11__)
struct Instruction {
    typedef f16x16 part;
    static constexpr int tile = 16, k = 16;
    static __device__ int k_of(int) { return 0; }
#if __AMDGCN_WAVEFRONT_SIZE == 64
    typedef f32x4 result;
    static __device__ int row_of(int r, int lane) { return 4 * r + lane / 16; }
    static __device__ result multiply(part a, part b, result c) { return __builtin_amdgcn_wmma_f32_16x16x16_f16_w64(a, b, c); }
#else
    typedef f32x8 result;
    static __device__ int row_of(int r, int lane) { return 2 * r + lane / 16; }
    static __device__ result multiply(part a, part b, result c) { return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c); }
#endif
};
typedef Instruction Other;
#elif defined(__GFX12__)
struct Instruction {
    typedef f16x8 part;
    typedef f32x8 result;
    static constexpr int tile = 16, k = 16;
    static __device__ int k_of(int lane) { return 8 * (lane / 16); }
    static __device__ int row_of(int r, int lane) { return r + 8 * (lane / 16); }
    static __device__ result multiply(part a, part b, result c) { return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c); }
};
typedef Instruction Other;
#elif defined(__HIP_DEVICE_COMPILE__)
struct Instruction {
    typedef f16x4 part;
    typedef f32x16 result;
    static constexpr int tile = 32, k = 8;
    static __device__ int k_of(int lane) { return 4 * (lane / 32); }
    static __device__ int row_of(int r, int lane) { return 8 * (r / 4) + 4 * (lane / 32) + r % 4; }
    static __device__ result multiply(part a, part b, result c) { return __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, c, 0, 0, 0); }
};
struct Other {
    typedef f16x4 part;
    typedef f32x4 result;
    static constexpr int tile = 16, k = 16;
    static __device__ int k_of(int lane) { return 4 * (lane / 16); }
    static __device__ int row_of(int r, int lane) { return 4 * (lane / 16) + r; }
    static __device__ result multiply(part a, part b, result c) { return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0); }
};
#else
struct Instruction {};
typedef Instruction Other;
#endif

enum { STATIC_LDS, MIXED, AHEAD, WRITTEN };

/* A block's `most` rows of A and of B are `depth` long. */
template <class I, int pitch, int way>
__device__ void multiply(_Float16 *rows_a, _Float16 *rows_b, const _Float16 *a, const _Float16 *b, float *c) {
#ifdef __HIP_DEVICE_COMPILE__
    struct __attribute__((packed, aligned(pitch % 8 == 0 && sizeof(typename I::part) >= 16 ? 16 : 8))) Part {
        typename I::part value;
    };
    const int lane = threadIdx.x % warpSize, row = lane % I::tile; // all waves do the same
    a += blockIdx.x * most * depth, b += blockIdx.x * most * depth, c += blockIdx.x * most * most;
    for (int i = threadIdx.x; i < I::tile * depth; i += blockDim.x) {
        rows_a[i / depth * pitch + i % depth] = a[i];
        rows_b[i / depth * pitch + i % depth] = b[i];
    }
    __syncthreads();
    const Part *in_a = (const Part *)(rows_a + row * pitch + I::k_of(lane));
    const Part *in_b = (const Part *)((way == MIXED ? b + row * depth : rows_b + row * pitch) + I::k_of(lane));
    constexpr int step = I::k * sizeof(_Float16);
    auto at = [](const Part *part, int k) { return ((const Part *)((const char *)part + k * step))->value; };
    typename I::result sum = {};
    typename I::part next_a = at(in_a, 0), next_b = at(in_b, 0);
    if (way == AHEAD) {
#pragma clang loop unroll(disable)
        for (int k = 0; k < depth / I::k; k++) {
            typename I::part now_a = next_a, now_b = next_b;
            next_a = at(in_a, (k + 1) % (depth / I::k));
            next_b = at(in_b, (k + 1) % (depth / I::k));
            __syncthreads(); // which they stay in front of
            sum = I::multiply(now_a, now_b, sum);
        }
    } else {
        for (int k = 0; k < depth / I::k; k++) {
            typename I::part now_a = at(in_a, k);
            if (way == WRITTEN) { // what was just read
                __syncthreads();
                if (lane < I::tile)
                    rows_a[row * pitch + k * I::k] = 0;
                __syncthreads();
            }
            sum = I::multiply(now_a, at(in_b, k), sum);
        }
    }
    for (int r = 0; r < (int)(sizeof sum / 4); r++)
        c[I::row_of(r, lane) * most + lane % I::tile] = sum[r];
#endif
}

#define KERNEL(name, instruction, pitch, way)                                                                                              \
    __global__ void __launch_bounds__(128) name(const _Float16 *a, const _Float16 *b, float *c) {                                          \
        __shared__ __attribute__((aligned(16))) _Float16 rows_a[most * (pitch)], rows_b[most * (pitch)];                                   \
        multiply<instruction, pitch, way>(rows_a, rows_b, a, b, c);                                                                        \
    }
KERNEL(aligned_rows, Instruction, depth + 8, STATIC_LDS)
KERNEL(odd_rows, Instruction, depth + 4, STATIC_LDS)
KERNEL(one_from_memory, Instruction, depth + 8, MIXED)
KERNEL(read_ahead, Instruction, depth + 8, AHEAD)
KERNEL(written_between, Instruction, depth + 8, WRITTEN)
KERNEL(other_aligned, Other, depth + 8, STATIC_LDS)
KERNEL(other_odd, Other, depth + 4, STATIC_LDS)
__global__ void __launch_bounds__(128) of_launch(const _Float16 *a, const _Float16 *b, float *c) {
    extern __shared__ __attribute__((aligned(16))) _Float16 rows[];
    multiply<Instruction, depth + 8, STATIC_LDS>(rows, rows + most * (depth + 8), a, b, c);
}

/* Of A: there are denormals among its elements; they count as zero. */
enum Inputs { NORMAL, DENORMAL, FLUSHED };
static void run(const char *name, void (*kernel)(const _Float16 *, const _Float16 *, float *), int tile, size_t lds,
                Inputs inputs = NORMAL) {
    const size_t count = (size_t)blocks * most * depth, results = (size_t)blocks * most * most;
    std::vector<_Float16> a(count), b(count);
    std::vector<float> got(results, -1.0f), want(results, -1.0f);
    Random random;
    for (auto *matrix : {&a, &b})
        for (_Float16 &x : *matrix)
            x = (_Float16)((int)(random.next() >> 8 & 31) - 16) / (_Float16)8;
    for (size_t i = 0; i < count && inputs != NORMAL; i++) // two of three are below 2^-14
        a[i] = (_Float16)std::ldexp(i & 1 ? -1.0f : 1.0f, (i / depth + i) % 3 ? -15 - (int)(i % 2) : -13);
    _Float16 *da, *db;
    float *dc;
    HIP(hipMalloc((void **)&da, count * sizeof *da));
    HIP(hipMalloc((void **)&db, count * sizeof *db));
    HIP(hipMalloc((void **)&dc, results * sizeof *dc));
    HIP(hipMemcpy(da, a.data(), count * sizeof *da, hipMemcpyHostToDevice));
    HIP(hipMemcpy(db, b.data(), count * sizeof *db, hipMemcpyHostToDevice));
    HIP(hipMemcpy(dc, got.data(), results * sizeof *dc, hipMemcpyHostToDevice));
    kernel<<<dim3(blocks), dim3(128), lds>>>(da, db, dc);
    HIP_FINISH();
    HIP(hipMemcpy(got.data(), dc, results * sizeof *dc, hipMemcpyDeviceToHost));
    HIP(hipFree(da));
    HIP(hipFree(db));
    HIP(hipFree(dc));
    for (int block = 0; block < blocks; block++)
        for (int i = 0; i < tile; i++)
            for (int j = 0; j < tile; j++) {
                float sum = 0;
                for (int k = 0; k < depth; k++) {
                    float x = (float)a[(block * most + i) * depth + k];
                    if (inputs == FLUSHED && std::fabs(x) < std::ldexp(1.0f, -14))
                        x = 0;
                    sum += x * (float)b[(block * most + j) * depth + k];
                }
                want[(block * most + i) * most + j] = sum;
            }
    compare(name, got.data(), want.data(), results);
}

int main() {
    check_name = "matrix_lds";
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    const bool mfma = std::strncmp(properties.gcnArchName, "gfx9", 4) == 0;
    const int tile = mfma ? 32 : 16;
    run("aligned rows", aligned_rows, tile, 0);
    run("odd rows", odd_rows, tile, 0);
    run("one from memory", one_from_memory, tile, 0);
    run("read ahead", read_ahead, tile, 0);
    run("written between", written_between, tile, 0);
    run("other, aligned rows", other_aligned, 16, 0);
    run("other, odd rows", other_odd, 16, 0);
    const Inputs denormals = std::strncmp(properties.gcnArchName, "gfx90a", 6) == 0 ? FLUSHED : DENORMAL;
    run("denormals", aligned_rows, tile, 0, denormals);
    run("other, denormals", other_odd, 16, 0, denormals);
    run("of the launch", of_launch, tile, 2 * most * (depth + 8) * sizeof(_Float16));
    return finish();
}
