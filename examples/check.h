/* What every example needs: HIP errors end the program, results are compared with the host's, and the program
 * ends with one line, "PASS name" or "FAIL name: what differed". */
#ifndef EXAMPLES_CHECK_H
#define EXAMPLES_CHECK_H

#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static const char *check_name = "?";
static unsigned check_failures;

#define HIP(call)                                                                                                                          \
    do {                                                                                                                                   \
        hipError_t error_ = (call);                                                                                                        \
        if (error_ != hipSuccess) {                                                                                                        \
            std::printf("FAIL %s: line %d: %s: %s\n", check_name, __LINE__, #call, hipGetErrorString(error_));                             \
            std::exit(1);                                                                                                                  \
        }                                                                                                                                  \
    } while (0)

/* A launch's own error, then the kernel's. */
#define HIP_FINISH()                                                                                                                       \
    do {                                                                                                                                   \
        HIP(hipGetLastError());                                                                                                            \
        HIP(hipDeviceSynchronize());                                                                                                       \
    } while (0)

#define EXPECT(condition, ...)                                                                                                             \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            if (check_failures++ == 0) {                                                                                                   \
                std::printf("FAIL %s: line %d: ", check_name, __LINE__);                                                                   \
                std::printf(__VA_ARGS__);                                                                                                  \
                std::printf("\n");                                                                                                         \
            }                                                                                                                              \
        }                                                                                                                                  \
    } while (0)

/* The distance of two floating-point numbers in units of the last place; 0 for two NaNs. */
static inline uint64_t ulps(float a, float b) {
    if (std::isnan(a) && std::isnan(b))
        return 0;
    int32_t i, j;
    std::memcpy(&i, &a, 4);
    std::memcpy(&j, &b, 4);
    int64_t x = i < 0 ? INT64_C(-0x80000000) - i : i, y = j < 0 ? INT64_C(-0x80000000) - j : j;
    return (uint64_t)(x < y ? y - x : x - y);
}
static inline uint64_t ulps(double a, double b) {
    if (std::isnan(a) && std::isnan(b))
        return 0;
    int64_t i, j;
    std::memcpy(&i, &a, 8);
    std::memcpy(&j, &b, 8);
    uint64_t x = i < 0 ? UINT64_C(0x8000000000000000) - ((uint64_t)i & INT64_MAX) : (uint64_t)i + UINT64_C(0x8000000000000000);
    uint64_t y = j < 0 ? UINT64_C(0x8000000000000000) - ((uint64_t)j & INT64_MAX) : (uint64_t)j + UINT64_C(0x8000000000000000);
    return x < y ? y - x : x - y;
}
template <class T> static inline uint64_t ulps(T a, T b) { return a == b ? 0 : UINT64_MAX; } /* integers */

/* Compares n results; `tolerance` in ulp, 0: bit for bit. */
template <class T> static void compare(const char *what, const T *got, const T *want, size_t n, uint64_t tolerance = 0) {
    size_t wrong = 0, first = 0;
    uint64_t worst = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t distance = ulps(got[i], want[i]);
        if (tolerance == 0 && distance == 0 && std::memcmp(&got[i], &want[i], sizeof(T)) != 0 && got[i] == got[i])
            distance = 1; /* +0 and -0 */
        if (distance > tolerance && wrong++ == 0)
            first = i;
        worst = distance > worst ? distance : worst;
    }
    EXPECT(wrong == 0, "%s[%zu] = %.17g instead of %.17g; %zu of %zu differ, at most by %llu ulp", what, first, (double)got[first],
           (double)want[first], wrong, n, (unsigned long long)worst);
}

static inline int finish() {
    if (check_failures == 0)
        std::printf("PASS %s\n", check_name);
    return check_failures != 0;
}

/* The n-th argument as a number, else the default. */
static inline size_t argument(int argc, char **argv, int n, size_t otherwise) {
    return argc > n ? std::strtoull(argv[n], nullptr, 0) : otherwise;
}

/* A small generator, the same everywhere. */
struct Random {
    uint32_t state = 12345;
    uint32_t next() {
        state = state * 1664525u + 1013904223u;
        return state ^ state >> 16;
    }
    float uniform() { return (float)(next() >> 8) * (1.0f / 16777216.0f); } /* [0, 1) */
};

#endif
