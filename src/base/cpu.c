#include "base/cpu.h"

#include "base/options.h"

#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)

/* What the levels of the x86-64 ABI promise. */
#define X86_64 "+cx8,+cmov,+mmx,+fxsr,+sse,+sse2,+64bit"
#define V2     X86_64 ",+sse3,+ssse3,+sse4.1,+sse4.2,+popcnt,+cx16,+sahf"
#define V3     V2 ",+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+xsave"
#define V4     V3 ",+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl,+evex512"

#define NAMES "x86-64, x86-64-v2, x86-64-v3, x86-64-v4, haswell, skylake-avx512"
static const struct wl_cpu cpus[] = {
    {"x86-64", X86_64, WL_CPU_BASE},  {"x86-64-v2", V2, WL_CPU_BASE}, {"x86-64-v3", V3, WL_CPU_AVX2},
    {"x86-64-v4", V4, WL_CPU_AVX512}, {"haswell", V3, WL_CPU_AVX2},   {"skylake-avx512", V4, WL_CPU_AVX512},
};

enum wl_cpu_level wl_cpu_host_level(void) {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("f16c"))
        return WL_CPU_BASE;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512cd") ||
        !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
        return WL_CPU_AVX2;
    return WL_CPU_AVX512;
}

bool wl_cpu_has_dot(void) {
    __builtin_cpu_init();
    return wl_cpu_level() == WL_CPU_AVX512 && !wl_options()->cpu && __builtin_cpu_supports("avx512vnni") &&
           __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vbmi");
}

#else

#define NAMES "generic, neoverse-n1"
static const struct wl_cpu cpus[] = {
    {"generic", "+fp-armv8,+neon", WL_CPU_BASE},
    {"neoverse-n1", "+fp-armv8,+neon,+crc,+dotprod,+fullfp16,+lse,+rcpc,+rdm", WL_CPU_BASE},
};

enum wl_cpu_level wl_cpu_host_level(void) { return WL_CPU_BASE; }

bool wl_cpu_has_dot(void) { return false; }

#endif

const struct wl_cpu *wl_cpu_find(const char *name) {
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++)
        if (strcmp(cpus[i].name, name) == 0)
            return &cpus[i];
    return NULL;
}

const char *wl_cpu_names(void) { return NAMES; }

enum wl_cpu_level wl_cpu_level(void) {
    const char *wanted = wl_options()->cpu;
    return wanted ? wl_cpu_find(wanted)->level : wl_cpu_host_level();
}
