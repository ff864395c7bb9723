#include "base/cpu.h"

#include "base/clock.h"
#include "base/options.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

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

/* The rate that the CPU or a hypervisor tells, in kHz; 0: none does. */
static uint32_t told_khz(void) {
    enum { RATIO = 0x15, HYPERVISOR = 0x40000000, HYPERVISOR_RATE = 0x40000010 };
    unsigned a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d) && c >> 31) {
        __cpuid(HYPERVISOR, a, b, c, d);
        if (a >= HYPERVISOR_RATE) {
            __cpuid(HYPERVISOR_RATE, a, b, c, d);
            if (a)
                return a;
        }
    }
    if (__get_cpuid(RATIO, &a, &b, &c, &d) && a && b && c)
        return (uint32_t)((uint64_t)c * b / a / 1000);
    return 0;
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

static uint32_t told_khz(void) {
    uint64_t frequency;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
    return (uint32_t)(frequency / 1000);
}

bool wl_cpu_has_dot(void) { return false; }

#endif

/* Both clocks at one moment, as nearly as they can be read: the quickest of some attempts. */
static void read_clocks(uint64_t *ns, uint64_t *ticks) {
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        uint64_t before = wl_ticks(), now = wl_now(), after = wl_ticks();
        if (after - before < least) {
            least = after - before;
            *ns = now;
            *ticks = before + least / 2;
        }
    }
}

static uint32_t measured_khz(void) {
    enum { WHILE_NS = 100000 };
    uint64_t start_ns = 0, start = 0, end_ns = 0, end = 0;
    read_clocks(&start_ns, &start);
    while (wl_now() - start_ns < WHILE_NS)
        wl_relax();
    read_clocks(&end_ns, &end);
    return (uint32_t)((end - start) * 1000000 / (end_ns - start_ns));
}

static uint32_t ticks_khz;
static void find_ticks_khz(void) {
    ticks_khz = told_khz() >> WL_TICKS_SHIFT;
    if (!ticks_khz)
        ticks_khz = measured_khz();
}

uint32_t wl_ticks_khz(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_ticks_khz);
    return ticks_khz;
}

void wl_cpu_name(char *text, size_t size) {
    static const char key[] = "model name";
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "re");
    bool found = false;
    snprintf(text, size, "CPU");
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *colon = strncmp(line, key, sizeof key - 1) == 0 ? strchr(line, ':') : NULL;
        const char *value = colon ? colon + 1 + strspn(colon + 1, " \t") : "\n";
        const size_t length = strcspn(value, "\n");
        found = length > 0;
        if (found)
            snprintf(text, size, "%.*s", (int)length, value);
    }
    if (file)
        (void)fclose(file);
}

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
