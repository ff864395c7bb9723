// Products of numbers of 8, 6 and 4 bits with scales, as clang compiles its builtin functions for gfx950, against sums in f64.
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

typedef int v8i __attribute__((ext_vector_type(8)));
typedef float v4f __attribute__((ext_vector_type(4)));
typedef float v16f __attribute__((ext_vector_type(16)));

// The numbers by which the instructions name formats.
enum { FP8, BF8, FP6, BF6, FP4 };
static const struct format {
    const char *name;
    int bits, fraction, bias, most;
} formats[] = {{"fp8", 8, 3, 7, 0x7e}, {"bf8", 8, 2, 15, 0x7b}, {"fp6", 6, 3, 1, 31}, {"bf6", 6, 2, 3, 31}, {"fp4", 4, 1, 1, 7}};

// One wave: a lane holds 32 numbers of its row of A and of its column of B, and their scales.
template <int A, int B> __global__ void small(const v8i *a, const int *a_scale, const v8i *b, const int *b_scale, float *d) {
    int lane = threadIdx.x;
    v4f sum = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a[lane], b[lane], v4f{}, A, B, 0, a_scale[lane], 0, b_scale[lane]);
    for (int i = 0; i < 4; i++)
        d[(lane / 16 * 4 + i) * 16 + lane % 16] = sum[i];
}

template <int A, int B> __global__ void large(const v8i *a, const int *a_scale, const v8i *b, const int *b_scale, float *d) {
    int lane = threadIdx.x;
    v16f sum = __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(a[lane], b[lane], v16f{}, A, B, 0, a_scale[lane], 0, b_scale[lane]);
    for (int i = 0; i < 16; i++)
        d[(i / 4 * 8 + lane / 32 * 4 + i % 4) * 32 + lane % 32] = sum[i];
}

static double value_of(const format &f, int code) {
    int size = code & ((1 << (f.bits - 1)) - 1), exponent = size >> f.fraction;
    double fraction = ldexp(size & ((1 << f.fraction) - 1), -f.fraction);
    double value = exponent ? ldexp(1 + fraction, exponent - f.bias) : ldexp(fraction, 1 - f.bias);
    return code >> (f.bits - 1) ? -value : value;
}

static uint32_t state = 1;
static int random_below(int n) {
    state = state * 1664525 + 1013904223;
    return (int)((uint64_t)(state >> 4) * (unsigned)n >> 28);
}

// Rows of numbers as they are in memory and as they are worth.
struct operand {
    uint32_t words[64][8];
    int scales[64];
    double values[32][128];
};

// In numbers of 8 bits a lane has two pieces of 16 that lie K / 2 apart; of fewer bits 32 in a row. Scales follow each 32 along K.
static void fill(operand &o, const format &f, int rows, int pieces) {
    memset(&o, 0, sizeof o);
    for (int row = 0; row < rows; row++)
        for (int piece = 0; piece < pieces; piece++)
            o.scales[piece * rows + row] = 125 + random_below(5);
    for (int lane = 0; lane < 64; lane++) {
        int row = lane % rows, piece = lane / rows;
        for (int i = 0; i < 32; i++) {
            int code = random_below(f.most + 1) | random_below(2) << (f.bits - 1), bit = i * f.bits;
            int k = f.bits == 8 ? i / 16 * (pieces * 16) + piece * 16 + i % 16 : piece * 32 + i;
            for (int j = 0; j < f.bits; j++, bit++)
                o.words[lane][bit / 32] |= (uint32_t)(code >> j & 1) << bit % 32;
            o.values[row][k] = value_of(f, code) * ldexp(1, o.scales[k / 32 * rows + row] - 127);
        }
    }
}

static void *device, *place;
static void *put(const void *from, size_t size) {
    void *to = place;
    if (hipMemcpy(to, from, size, hipMemcpyHostToDevice) != hipSuccess)
        exit(1);
    place = (char *)place + (size + 255) / 256 * 256;
    return to;
}

static int failures;

template <int A, int B> static void check(int rows) {
    static operand a, b;
    static float d[32 * 32];
    int pieces = 64 / rows, k = pieces * 32;
    double bound = A >= FP6 && B >= FP6 ? 3e-7 : 1e-6;
    int wrong = 0;
    fill(a, formats[A], rows, pieces);
    fill(b, formats[B], rows, pieces);
    memset(d, 0xff, sizeof d);
    place = device;
    auto *av = (v8i *)put(a.words, sizeof a.words), *bv = (v8i *)put(b.words, sizeof b.words);
    auto *as = (int *)put(a.scales, sizeof a.scales), *bs = (int *)put(b.scales, sizeof b.scales);
    auto *result = (float *)put(d, sizeof d);
    if (rows == 16)
        small<A, B><<<1, 64>>>(av, as, bv, bs, result);
    else
        large<A, B><<<1, 64>>>(av, as, bv, bs, result);
    if (hipMemcpy(d, result, sizeof d, hipMemcpyDeviceToHost) != hipSuccess)
        exit(1);
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < rows; column++) {
            double sum = 0, size = 0;
            for (int i = 0; i < k; i++) {
                sum += a.values[row][i] * b.values[column][i];
                size += fabs(a.values[row][i] * b.values[column][i]);
            }
            wrong += !(fabs(d[row * rows + column] - sum) <= bound * size); // a NaN is wrong
        }
    failures += wrong != 0;
    if (wrong)
        printf("%s x %s, %d x %d x %d: %d of %d sums are wrong\n", formats[A].name, formats[B].name, rows, rows, k, wrong, rows * rows);
}

template <int A> static void check_row() {
    for (int rows = 16; rows <= 32; rows += 16) {
        check<A, FP8>(rows);
        check<A, BF8>(rows);
        check<A, FP6>(rows);
        check<A, BF6>(rows);
        check<A, FP4>(rows);
    }
}

int main() {
    if (hipMalloc(&device, 1 << 16) != hipSuccess)
        return 1;
    check_row<FP8>();
    check_row<BF8>();
    check_row<FP6>();
    check_row<BF6>();
    check_row<FP4>();
    printf("50 products with scales, %d wrong\n", failures);
    return failures != 0;
}
