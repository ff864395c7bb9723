/* What vectors.h describes. */
#include "device/cpu/vectors.h"

#include "base/options.h"

#include <stdbool.h>

enum wl_vectors wl_host_vectors(void) {
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("f16c"))
        return WL_VECTORS_BASE;
    const char *cpu = wl_options()->cpu;
    const bool lesser = cpu && cpu[sizeof "x86-64-v" - 1] == '3';
    if (!lesser && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return WL_VECTORS_AVX512;
    return WL_VECTORS_AVX2;
#else
    return WL_VECTORS_BASE;
#endif
}
