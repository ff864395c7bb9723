// Minima and maxima by AMD's rules: a number wins against a quiet NaN, -0 is less than 0, a signalling NaN makes a NaN. Of all pairs of some
// numbers, of what was computed, and as compilers write fminf and fmaxf.
#include "check.h"

#include <cmath>
#include <cstring>
#include <vector>

template <class To, class From> static To bits_of(From value) {
    To bits;
    static_assert(sizeof bits == sizeof value, "");
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

__global__ void of_floats(const unsigned *numbers, int n, unsigned *results) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * n)
        return;
    float a = __uint_as_float(numbers[i / n]), b = __uint_as_float(numbers[i % n]), computed = a * 0.5f, least, most, mixed;
    asm volatile("v_min_f32 %0, %1, %2" : "=v"(least) : "v"(a), "v"(b));
    asm volatile("v_max_f32 %0, %1, %2" : "=v"(most) : "v"(a), "v"(b));
    asm volatile("v_min_f32 %0, %1, %2" : "=v"(mixed) : "v"(computed), "v"(b));
    results[4 * i] = __float_as_uint(least);
    results[4 * i + 1] = __float_as_uint(most);
    results[4 * i + 2] = __float_as_uint(mixed);
    results[4 * i + 3] = __float_as_uint(fmaxf(fminf(a, b), computed));
}

__global__ void of_doubles(const unsigned long long *numbers, int n, unsigned long long *results) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * n)
        return;
    double a = __longlong_as_double(numbers[i / n]), b = __longlong_as_double(numbers[i % n]), least, most;
    asm volatile("v_min_f64 %0, %1, %2" : "=v"(least) : "v"(a), "v"(b));
    asm volatile("v_max_f64 %0, %1, %2" : "=v"(most) : "v"(a), "v"(b));
    results[2 * i] = __double_as_longlong(least);
    results[2 * i + 1] = __double_as_longlong(most);
}

template <class Bits> struct format {
    Bits infinity, quiet;
    bool is_nan(Bits x) const { return (Bits)(x << 1) > (Bits)(infinity << 1); }
    bool is_signalling(Bits x) const { return is_nan(x) && !(x & quiet); }
    bool same(Bits x, Bits y) const { return x == y || (is_nan(x) && is_nan(y)); }
    template <class Number> Bits extreme(Bits a, Bits b, bool most) const {
        if (is_signalling(a) || is_signalling(b))
            return infinity | quiet;
        if (is_nan(a) || is_nan(b))
            return is_nan(a) ? b : a;
        Number x = bits_of<Number>(a), y = bits_of<Number>(b);
        if (x == y)
            return most ? a & b : a | b;
        return (x < y) == most ? b : a;
    }
};

static const format<unsigned> f32 = {0x7f800000, 0x00400000};
static const format<unsigned long long> f64 = {0x7ff0000000000000, 0x0008000000000000};

static unsigned quieted(unsigned x) { return f32.is_nan(x) ? f32.infinity | f32.quiet : x; }

int main() {
    check_name = "extremes";
    const std::vector<unsigned> numbers = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000,
                                           0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fc12345, 0x7f800001,
                                           0xff800001, 0x7fbfffff, 0xffa00000, 0x40490fdb, 0x12345678, 0x92345678};
    std::vector<unsigned long long> wide;
    for (unsigned x : numbers) {
        const unsigned long long sign = x >> 31, exponent = x >> 23 & 255, rest = x & 0x3fffff, quiet = x >> 22 & 1;
        wide.push_back(sign << 63 | (exponent == 255 ? 2047 : exponent ? exponent + 896 : 0) << 52 | quiet << 51 | rest);
    }
    const int n = (int)numbers.size(), pairs = n * n;
    unsigned *device_numbers, *results;
    unsigned long long *device_wide, *wide_results;
    HIP(hipMalloc(&device_numbers, n * 4));
    HIP(hipMalloc(&device_wide, n * 8));
    HIP(hipMalloc(&results, pairs * 16));
    HIP(hipMalloc(&wide_results, pairs * 16));
    HIP(hipMemcpy(device_numbers, numbers.data(), n * 4, hipMemcpyHostToDevice));
    HIP(hipMemcpy(device_wide, wide.data(), n * 8, hipMemcpyHostToDevice));
    of_floats<<<(pairs + 63) / 64, 64>>>(device_numbers, n, results);
    of_doubles<<<(pairs + 63) / 64, 64>>>(device_wide, n, wide_results);
    HIP_FINISH();
    std::vector<unsigned> got(pairs * 4);
    std::vector<unsigned long long> wide_got(pairs * 2);
    HIP(hipMemcpy(got.data(), results, pairs * 16, hipMemcpyDeviceToHost));
    HIP(hipMemcpy(wide_got.data(), wide_results, pairs * 16, hipMemcpyDeviceToHost));
    for (int i = 0; i < pairs; i++) {
        const unsigned a = numbers[i / n], b = numbers[i % n], computed = quieted(bits_of<unsigned>(bits_of<float>(a) * 0.5f));
        const unsigned least = f32.extreme<float>(quieted(a), quieted(b), false);
        const unsigned want[4] = {f32.extreme<float>(a, b, false), f32.extreme<float>(a, b, true), f32.extreme<float>(computed, b, false),
                                  f32.extreme<float>(least, computed, true)};
        for (int k = 0; k < 4; k++)
            EXPECT(f32.same(got[4 * i + k], want[k]), "%08x and %08x, %d: %08x, not %08x", a, b, k, got[4 * i + k], want[k]);
        for (int k = 0; k < 2; k++) {
            const unsigned long long wanted = f64.extreme<double>(wide[i / n], wide[i % n], k == 1);
            EXPECT(f64.same(wide_got[2 * i + k], wanted), "%llx and %llx, %d: %llx, not %llx", wide[i / n], wide[i % n], k,
                   wide_got[2 * i + k], wanted);
        }
    }
    return finish();
}
