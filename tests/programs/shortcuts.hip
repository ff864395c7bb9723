// What code for GPUs takes a short way for: private memory at known addresses, quotients whose last step comes behind a loop, e^-x, roots, places
// in front of a pointer, registers that a branch writes again and again, upper halves of products. Each against the same computation on the host.
#include "check.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

enum { ITEMS = 3000, GROUP = 128 };

__host__ __device__ static unsigned mix(unsigned x) {
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    return x ^ x >> 12;
}

// Private memory that the compiler has to keep, in all sizes, written by some lanes only.
__host__ __device__ static unsigned keep(unsigned x) {
    volatile unsigned words[6] = {x, x + 1, x + 2, x + 3, x + 4, x + 5};
    volatile signed char bytes[4] = {(signed char)x, (signed char)(x >> 3), 3, -4};
    volatile short halves[4] = {(short)x, (short)(x >> 5), -7, 8};
    for (unsigned i = 0; i < x % 5; i++) {
        words[1] = words[1] * 3 + words[5];
        words[2] = words[2] + (unsigned)bytes[1];
        words[0] = words[0] / 2 + words[4];
        bytes[1] = (signed char)(bytes[1] + bytes[3]);
        halves[1] = (short)(halves[1] ^ bytes[0]);
    }
    return words[0] ^ words[1] * 7 ^ words[2] * 13 ^ words[3] ^ (unsigned)(bytes[1] + halves[1] * 5 + halves[0]);
}

__global__ void kept(unsigned *results, int n) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item < n)
        results[item] = keep(mix(item));
}

// Stores to private memory, a wait for them, and a store to memory: nobody else has to see the former first.
__host__ __device__ static unsigned scatter(unsigned x) {
    enum { PLACES = 96 };
    unsigned places[PLACES], sum = 0;
    for (unsigned i = 0; i < PLACES; i++)
        places[(i * 5 + x) % PLACES] = i * x;
#ifdef __HIP_DEVICE_COMPILE__
    __asm__ volatile("s_waitcnt vmcnt(0)" ::: "memory");
#endif
    for (unsigned i = x % 7; i < PLACES; i += 1 + x % 9)
        sum = sum * 3 + places[i];
    return sum;
}

__global__ void scattered(unsigned *results, int n) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item < n)
        results[item] = scatter(mix(item + 7));
}

// Quotients before a loop that lanes leave one by one, needed behind it. Outer rounds end for each lane by itself.
__host__ __device__ static float direction(const float *radii, int count, int item) {
    float x = (float)(item % 37) - 18, y = (float)(item % 11) * 0.3f, sum = 0, weight = 1;
    for (int round = 0; round < 4; round++) {
        int nearest = -1;
        float best = 1000;
        for (int i = 0; i < count; i++) {
            float far = x - radii[i];
            if (far * far < best) {
                best = far * far;
                nearest = i;
            }
        }
        if (nearest < 0) {
            sum += weight * y;
            break;
        }
        float radius = radii[nearest], dx = (x - best) / radius, dy = (y - best) / radius;
        bool hidden = false;
        for (int i = 0; i < count && !hidden; i++) {
            float far = y - radii[i];
            hidden = far * far + x < radii[i] * 0.125f;
        }
        if (!hidden)
            sum += weight * dx;
        weight *= 0.75f;
        if (sum > 20)
            break;
        x -= dy;
        y += dx;
    }
    return sum;
}

__global__ void directions(const float *radii, float *results, int count, int n) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item < n)
        results[item] = direction(radii, count, item);
}

__global__ void decays(const float *x, float *results, int n) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item < n)
        results[item] = expf(-x[item]);
}

// Roots of anything, of sums of squares, and of what may be negative, where the root is not needed then.
__host__ __device__ static float roots_of(float x) {
    float root = sqrtf(x), distance = sqrtf(x * x + 0.25f), difference = sqrtf(x - 1);
    return x < 1 ? root + distance : root * 3 + distance - difference;
}

__global__ void roots(const float *x, float *results, int n) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item < n)
        results[item] = roots_of(x[item]);
}

__global__ void single_roots(const float *x, float *results, int n) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item < n)
        results[item] = sqrtf(x[item]);
}

// Places in LDS that are known to be within: of a step of a sorting network, and of bytes.
__global__ void places_in_lds(const unsigned char *bytes, unsigned *results, int n) {
    __shared__ unsigned values[2 * GROUP], counts[256];
    unsigned t = threadIdx.x, first = blockIdx.x * 2 * GROUP;
    values[t] = bytes[first + t];
    values[t + GROUP] = bytes[first + t + GROUP];
    counts[t] = counts[t + GROUP] = 0;
    for (unsigned step = GROUP; step > 0; step >>= 1) {
        __syncthreads();
        unsigned place = 2 * t - (t & (step - 1)), a = values[place], b = values[place + step];
        if (a > b) {
            values[place] = b;
            values[place + step] = a;
        }
    }
    for (int i = (int)t; i < n; i += GROUP)
        atomicAdd(&counts[bytes[i]], 1u);
    __syncthreads();
    results[first + t] = values[t] * 65536 + counts[t];
    results[first + t + GROUP] = values[t + GROUP] * 65536 + counts[t + GROUP];
}

static std::vector<unsigned> places_on_host(const std::vector<unsigned char> &bytes, int n) {
    std::vector<unsigned> results(bytes.begin(), bytes.end()), counts(256);
    for (int i = 0; i < n; i++)
        counts[bytes[(size_t)i]]++;
    for (size_t first = 0; first < bytes.size(); first += 2 * GROUP) {
        for (unsigned step = GROUP; step > 0; step >>= 1)
            for (unsigned t = 0; t < GROUP; t++) {
                unsigned *place = &results[first + 2 * t - (t & (step - 1))];
                if (place[0] > place[step])
                    std::swap(place[0], place[step]);
            }
        for (unsigned i = 0; i < 2 * GROUP; i++)
            results[first + i] = results[first + i] * 65536 + counts[i];
    }
    return results;
}

// Places in front of the pointer and behind it.
__global__ void around(const int *middle, const int *places, int *results, int n) {
    int item = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (item >= n)
        return;
    for (int i = places[item]; i < places[item] + 9; i += 3)
        sum += middle[i] * (i + 1);
    results[item] = sum;
}

// One of two short ways, each of which computes in place what is needed behind both.
__host__ __device__ static float choose(unsigned x) {
    float a = (float)(x % 1000) * 0.01f, b = 3;
    if (x & 4) {
        a = a * 5 + 1;
        a = a * a - 0.25f;
        a = a * 0.125f + b;
        b = a * 7 - b;
    } else {
        a = a * 3 - 2;
        a = a * a + 0.5f;
        a = a * 0.25f - b;
        b = a - b * 2;
    }
    return a + b * 9;
}

__global__ void chosen(float *results, int n) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item < n)
        results[item] = choose(mix(item + 99));
}

template <class T> static T *upload(const std::vector<T> &values) {
    T *memory;
    HIP(hipMalloc(&memory, values.size() * sizeof(T)));
    HIP(hipMemcpy(memory, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice));
    return memory;
}

template <class T> static std::vector<T> fetch(const T *memory) {
    std::vector<T> values(ITEMS);
    HIP(hipMemcpy(values.data(), memory, ITEMS * sizeof(T), hipMemcpyDeviceToHost));
    return values;
}

static double ulps(float got, double want) {
    if (want != want || std::isinf((float)want))
        return want != want ? (got == got ? 1e9 : 0) : got == (float)want ? 0 : 1e9;
    int exponent;
    frexp(want, &exponent);
    return fabs(got - want) / ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
}

// Remainders by a number that the loop does not change: code multiplies the upper half of a product with one number that was made before the
// loop by another one.
__host__ __device__ static unsigned go_round(const unsigned *places, unsigned window, unsigned item) {
    unsigned sum = 0;
    for (unsigned i = 0; i < 24; i++) {
        const unsigned place = places[(item + i) % window];
        sum = sum * 3 + place;
        if (place % 23 == 22)
            break;
    }
    return sum;
}

__global__ void rounds(const unsigned *places, unsigned *results, unsigned window, int n) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item < n)
        results[item] = go_round(places + item / 64, window, (unsigned)item);
}

// The same with factors of 64 bits and signed ones.
__host__ __device__ static unsigned multiply_high(unsigned long long wide, int narrow, unsigned by, unsigned item) {
    unsigned sum = 0;
    for (unsigned i = 0; i < 9; i++) {
        const unsigned whole = (unsigned)((wide * (item + i)) >> 32) * by,
                       with_sign = (unsigned)(((long long)narrow * (int)(item - 5 * i)) >> 32) * by;
        sum = (sum ^ whole) * 5 + with_sign;
        if (whole % 29 == 3)
            break;
    }
    return sum;
}

__global__ void halves(unsigned *results, unsigned long long wide, int narrow, unsigned by, int n) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item < n)
        results[item] = multiply_high(wide, narrow, by, mix(item + 31));
}

int main() {
    check_name = "shortcuts";
    const dim3 groups((ITEMS + GROUP - 1) / GROUP);
    unsigned *results = upload(std::vector<unsigned>(ITEMS));
    kept<<<groups, GROUP>>>(results, ITEMS);
    HIP_FINISH();
    std::vector<unsigned> got = fetch(results);
    for (unsigned i = 0; i < ITEMS; i++)
        EXPECT(got[i] == keep(mix(i)), "kept %u: %u, not %u", i, got[i], keep(mix(i)));
    scattered<<<groups, GROUP>>>(results, ITEMS);
    HIP_FINISH();
    got = fetch(results);
    for (unsigned i = 0; i < ITEMS; i++)
        EXPECT(got[i] == scatter(mix(i + 7)), "scattered %u: %u, not %u", i, got[i], scatter(mix(i + 7)));

    enum { WINDOW = 57 };
    std::vector<unsigned> window(WINDOW + ITEMS / 64);
    for (size_t i = 0; i < window.size(); i++)
        window[i] = mix((unsigned)i + 17) % 997;
    rounds<<<groups, GROUP>>>(upload(window), results, WINDOW, ITEMS);
    HIP_FINISH();
    got = fetch(results);
    for (unsigned i = 0; i < ITEMS; i++) {
        const unsigned want = go_round(window.data() + i / 64, WINDOW, i);
        EXPECT(got[i] == want, "round %u: %u, not %u", i, got[i], want);
    }
    const unsigned long long wide = 0x123456789abcdefull;
    halves<<<groups, GROUP>>>(results, wide, -1000003, 77, ITEMS);
    HIP_FINISH();
    got = fetch(results);
    for (unsigned i = 0; i < ITEMS; i++) {
        const unsigned want = multiply_high(wide, -1000003, 77, mix(i + 31));
        EXPECT(got[i] == want, "half %u: %u, not %u", i, got[i], want);
    }

    std::vector<float> radii(19);
    for (size_t i = 0; i < radii.size(); i++)
        radii[i] = (float)(mix((unsigned)i) % 97 + 1) * 0.37f;
    float *device_radii = upload(radii), *numbers = upload(std::vector<float>(ITEMS));
    directions<<<groups, GROUP>>>(device_radii, numbers, (int)radii.size(), ITEMS);
    HIP_FINISH();
    std::vector<float> floats = fetch(numbers);
    for (int i = 0; i < ITEMS; i++) {
        float want = direction(radii.data(), (int)radii.size(), i);
        EXPECT(floats[i] == want, "direction %d: %.9g, not %.9g", i, (double)floats[i], (double)want);
    }

    chosen<<<groups, GROUP>>>(numbers, ITEMS);
    HIP_FINISH();
    floats = fetch(numbers);
    for (unsigned i = 0; i < ITEMS; i++)
        EXPECT(floats[i] == choose(mix(i + 99)), "chosen %u: %.9g, not %.9g", i, (double)floats[i], (double)choose(mix(i + 99)));

    std::vector<float> x(ITEMS);
    for (int i = 0; i < ITEMS; i++)
        x[i] = (float)(i - ITEMS / 2) * 0.0713f;
    const float inf = std::numeric_limits<float>::infinity(),
                special[] = {0.0f, -0.0f, inf, -inf, NAN, 88.7f, -88.72f, -88.73f, 87.4f, 103.5f, 104, 1e30f, -1e30f, 1e-40f};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        x[i] = special[i];
    decays<<<groups, GROUP>>>(upload(x), numbers, ITEMS);
    HIP_FINISH();
    floats = fetch(numbers);
    for (int i = 0; i < ITEMS; i++)
        EXPECT(ulps(floats[i], exp(-(double)x[i])) <= 1, "e^-(%.9g): %.9g, not %.9g", (double)x[i], (double)floats[i], exp(-(double)x[i]));

    for (unsigned i = 0; i < ITEMS / 2; i++) { // all exponents
        unsigned bits = mix(i * 77) ^ i << 23;
        memcpy(&x[ITEMS / 2 + i], &bits, sizeof bits);
    }
    float *device_x = upload(x);
    roots<<<groups, GROUP>>>(device_x, numbers, ITEMS);
    HIP_FINISH();
    floats = fetch(numbers);
    for (int i = 0; i < ITEMS; i++) {
        float want = roots_of(x[i]);
        EXPECT(floats[i] == want || (want != want && floats[i] != floats[i]), "roots of %.9g: %.9g, not %.9g", (double)x[i],
               (double)floats[i], (double)want);
    }
    single_roots<<<groups, GROUP>>>(device_x, numbers, ITEMS);
    HIP_FINISH();
    floats = fetch(numbers);
    for (int i = 0; i < ITEMS; i++) {
        float want = sqrtf(x[i]);
        bool same = floats[i] == want && std::signbit(floats[i]) == std::signbit(want);
        EXPECT(same || (want != want && floats[i] != floats[i]), "root of %.9g: %.9g, not %.9g", (double)x[i], (double)floats[i],
               (double)want);
    }

    enum { BYTES = 8 * 2 * GROUP };
    std::vector<unsigned char> bytes(BYTES);
    for (unsigned i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)mix(i + 31);
    places_in_lds<<<8, GROUP>>>(upload(bytes), results, BYTES);
    HIP_FINISH();
    got = fetch(results);
    const std::vector<unsigned> places_wanted = places_on_host(bytes, BYTES);
    for (unsigned i = 0; i < BYTES; i++)
        EXPECT(got[i] == places_wanted[i], "place in LDS %u: %x, not %x", i, got[i], places_wanted[i]);

    std::vector<int> table(2000), places(ITEMS), sums(ITEMS);
    for (size_t i = 0; i < table.size(); i++)
        table[i] = (int)(mix((unsigned)i) % 1000);
    for (int i = 0; i < ITEMS; i++)
        places[i] = (int)(mix((unsigned)i + 5) % 1980) - 1000;
    int *device_table = upload(table), *device_sums = upload(sums);
    around<<<groups, GROUP>>>(device_table + 1000, upload(places), device_sums, ITEMS);
    HIP_FINISH();
    sums = fetch(device_sums);
    for (int i = 0; i < ITEMS; i++) {
        int want = 0;
        for (int j = places[i]; j < places[i] + 9; j += 3)
            want += table[(size_t)(1000 + j)] * (j + 1);
        EXPECT(sums[i] == want, "around %d: %d, not %d", i, sums[i], want);
    }
    return finish();
}
