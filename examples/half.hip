// Conversions between float, half and bfloat16 (all 65536 patterns one way, random and awkward floats the other way), and
// half arithmetic, scalar and packed. All of it is IEEE: bit for bit.
#include "check.h"

#include <hip/hip_bfloat16.h>
#include <hip/hip_fp16.h>

#include <vector>

__global__ void widen(const unsigned short *bits, float *from_half, float *from_bfloat, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    from_half[i] = __half2float(__ushort_as_half(bits[i]));
    hip_bfloat16 b;
    b.data = bits[i];
    from_bfloat[i] = (float)b;
}

__global__ void narrow(const float *x, unsigned short *to_half, unsigned short *to_bfloat, int *to_int, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    to_half[i] = __half_as_ushort(__float2half(x[i]));
    to_bfloat[i] = hip_bfloat16(x[i]).data;
    to_int[i] = __half2int_rz(__float2half(x[i]));
}

__global__ void arithmetic(const __half *a, const __half *b, const __half *c, __half *results, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    results[0 * n + i] = __hadd(a[i], b[i]);
    results[1 * n + i] = __hmul(a[i], b[i]);
    results[2 * n + i] = __hfma(a[i], b[i], c[i]);
    results[3 * n + i] = __hgt(a[i], b[i]) ? a[i] : b[i];
    if (i % 2 == 0) { // packed: two at a time
        __half2 sum = __hadd2(__halves2half2(a[i], a[i + 1]), __halves2half2(b[i], b[i + 1]));
        __half2 product = __hfma2(__halves2half2(a[i], a[i + 1]), __halves2half2(b[i], b[i + 1]), __halves2half2(c[i], c[i + 1]));
        results[4 * n + i] = __low2half(sum);
        results[4 * n + i + 1] = __high2half(sum);
        results[5 * n + i] = __low2half(product);
        results[5 * n + i + 1] = __high2half(product);
    }
}

// Of pairs, added to a float: nothing is clamped, whatever is asked for.
__global__ void dot(const __half *a, const __half *b, float *sums, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
    if (i < n)
        sums[i / 2] = amd_mixed_dot(__halves2half2(a[i], a[i + 1]), __halves2half2(b[i], b[i + 1]), (float)i, i % 4 == 0);
}

static float half_to_float(unsigned short h) {
    int exponent = h >> 10 & 31, mantissa = h & 1023;
    double value = exponent == 0    ? std::ldexp(mantissa, -24)
                   : exponent == 31 ? (mantissa ? NAN : INFINITY)
                                    : std::ldexp(mantissa + 1024, exponent - 25);
    return (float)(h & 0x8000 ? -value : value);
}

// Rounds to nearest, ties to even.
static unsigned short to_half(double x) {
    unsigned short sign = std::signbit(x) ? 0x8000 : 0;
    if (std::isnan(x))
        return 0x7e00;
    double magnitude = std::fabs(x);
    if (magnitude >= 65520.0)
        return (unsigned short)(sign | 0x7c00);
    int exponent = magnitude < std::ldexp(1, -14) ? -14 : std::ilogb(magnitude);
    double units = std::nearbyint(std::ldexp(magnitude, 10 - exponent)); // at most 2048: carries into the exponent by itself
    return (unsigned short)(sign + ((exponent + 14) << 10) + (int)units);
}

static unsigned short to_bfloat(float x) {
    uint32_t u;
    std::memcpy(&u, &x, 4);
    if (std::isnan(x))
        return 0;
    return (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

template <class T> static T *upload(const std::vector<T> &host) {
    T *device;
    HIP(hipMalloc((void **)&device, host.size() * sizeof(T)));
    HIP(hipMemcpy(device, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice));
    return device;
}
template <class T> static void download(std::vector<T> &host, const T *device) {
    HIP(hipMemcpy(host.data(), device, host.size() * sizeof(T), hipMemcpyDeviceToHost));
}

int main(int argc, char **argv) {
    check_name = "half";
    int n = (int)argument(argc, argv, 1, 65536) / 2 * 2;
    Random random;

    std::vector<unsigned short> bits(65536);
    std::vector<float> from_half(65536), from_bfloat(65536), want(65536);
    for (int i = 0; i < 65536; i++)
        bits[i] = (unsigned short)i;
    auto *device_bits = upload(bits);
    auto *device_half = upload(from_half), *device_bfloat = upload(from_bfloat);
    widen<<<256, 256>>>(device_bits, device_half, device_bfloat, 65536);
    HIP_FINISH();
    download(from_half, device_half);
    download(from_bfloat, device_bfloat);
    for (int i = 0; i < 65536; i++)
        want[i] = half_to_float(bits[i]);
    compare("float of half", from_half.data(), want.data(), 65536);
    for (int i = 0; i < 65536; i++) {
        uint32_t u = (uint32_t)i << 16;
        std::memcpy(&want[i], &u, 4);
    }
    compare("float of bfloat16", from_bfloat.data(), want.data(), 65536);

    std::vector<float> x(n);
    for (int i = 0; i < n; i++) { // halfway cases, subnormals, overflow, then anything in between
        switch (i % 4) {
        case 0:
            x[i] = half_to_float((unsigned short)(random.next() & 0xfbff)) * (1.0f + 1.0f / 2048.0f);
            break;
        case 1:
            x[i] = std::ldexp(random.uniform() - 0.5f, (int)(random.next() % 60) - 40);
            break;
        case 2:
            x[i] = (random.uniform() - 0.5f) * 200000.0f;
            break;
        default:
            x[i] = (random.uniform() - 0.5f) * 20.0f;
            break;
        }
        if (std::isnan(x[i]))
            x[i] = 1;
    }
    std::vector<unsigned short> got_half(n), got_bfloat(n), want_half(n), want_bfloat(n);
    std::vector<int> got_int(n), want_int(n);
    auto *device_x = upload(x);
    auto *narrow_half = upload(got_half), *narrow_bfloat = upload(got_bfloat);
    auto *narrow_int = upload(got_int);
    narrow<<<(n + 255) / 256, 256>>>(device_x, narrow_half, narrow_bfloat, narrow_int, n);
    HIP_FINISH();
    download(got_half, narrow_half);
    download(got_bfloat, narrow_bfloat);
    download(got_int, narrow_int);
    for (int i = 0; i < n; i++) {
        want_half[i] = to_half(x[i]);
        want_bfloat[i] = to_bfloat(x[i]);
        float rounded = half_to_float(want_half[i]);
        want_int[i] = std::isinf(rounded) ? got_int[i] : (int)rounded;
    }
    compare("half of float", got_half.data(), want_half.data(), n);
    compare("bfloat16 of float", got_bfloat.data(), want_bfloat.data(), n);
    compare("int of half", got_int.data(), want_int.data(), n);

    // Arithmetic on moderate values: the exact result fits into a double, so that one rounding gives the IEEE result.
    std::vector<__half> a(n), b(n), c(n), results((size_t)n * 6);
    std::vector<unsigned short> got(n), expected(n);
    auto moderate = [&] {
        unsigned short h = (unsigned short)((random.next() & 0x83ff) | (9 + random.next() % 12) << 10);
        __half value;
        std::memcpy(&value, &h, 2);
        return value;
    };
    auto number = [](const __half &h) {
        unsigned short u;
        std::memcpy(&u, &h, 2);
        return (double)half_to_float(u);
    };
    for (int i = 0; i < n; i++) {
        a[i] = moderate();
        b[i] = moderate();
        c[i] = moderate();
    }
    auto *da = upload(a), *db = upload(b), *dc = upload(c), *dr = upload(results);
    arithmetic<<<(n + 255) / 256, 256>>>(da, db, dc, dr, n);
    HIP_FINISH();
    download(results, dr);
    static const char *const names[] = {"a + b", "a * b", "fma", "max", "packed a + b", "packed fma"};
    for (int f = 0; f < 6; f++) {
        for (int i = 0; i < n; i++) {
            double p = number(a[i]), q = number(b[i]), r = number(c[i]);
            double exact = f == 0 || f == 4 ? p + q : f == 1 ? p * q : f == 3 ? (p > q ? p : q) : p * q + r;
            expected[i] = to_half(exact);
            std::memcpy(&got[i], &results[(size_t)f * n + i], 2);
        }
        compare(names[f], got.data(), expected.data(), n);
    }

    std::vector<float> sums(n / 2), want_sums(n / 2);
    for (int i = 0; i < n; i++) { // whose products and sums are exact
        a[i] = __float2half((float)(int)(random.next() % 256) - 128);
        b[i] = __float2half((float)(int)(random.next() % 256) - 128);
    }
    for (int i = 0; i < n; i += 2)
        want_sums[i / 2] = (float)(i + number(a[i]) * number(b[i]) + number(a[i + 1]) * number(b[i + 1]));
    auto *device_sums = upload(sums);
    da = upload(a);
    db = upload(b);
    dot<<<(n / 2 + 255) / 256, 256>>>(da, db, device_sums, n);
    HIP_FINISH();
    download(sums, device_sums);
    compare("dot products of pairs", sums.data(), want_sums.data(), n / 2);
    return finish();
}
