/* This machine's CPU as a number, from the CPU itself: LLVM stays unopened on a warm start. */
#include "base/options.h"
#include "device/cpu/code/cache.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <xxhash.h>

#if defined(__x86_64__)
#include <cpuid.h>

struct leaf {
    uint32_t leaf, subleaf;
    uint32_t keep[4]; /* which bits of eax, ebx, ecx, edx say what the CPU is; the others vary from core to core or run to run */
};

/* Family and features; never APIC ids (leaf 1 ebx), topology, frequencies or OSXSAVE. */
static const struct leaf leaves[] = {
    {0x0, 0, {~0u, ~0u, ~0u, ~0u}},  {0x1, 0, {~0u, 0, ~(1u << 27), ~0u}},
    {0x7, 0, {~0u, ~0u, ~0u, ~0u}},  {0x7, 1, {~0u, ~0u, ~0u, ~0u}},
    {0x14, 0, {0, ~0u, 0, 0}},       {0x19, 0, {0, ~0u, 0, 0}},
    {0x24, 0, {~0u, ~0u, 0, 0}},     {0x80000001, 0, {~0u, 0, ~0u, ~0u}},
    {0x80000008, 0, {0, ~0u, 0, 0}},
};

static uint64_t identify(void) {
    uint32_t words[sizeof leaves / sizeof *leaves][4];
    memset(words, 0, sizeof words);
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        uint32_t *w = words[i];
        if (!__get_cpuid_count(leaves[i].leaf, leaves[i].subleaf, &w[0], &w[1], &w[2], &w[3]))
            memset(w, 0, sizeof words[i]);
        for (int k = 0; k < 4; k++)
            w[k] &= leaves[i].keep[k];
    }
    /* Vector registers may be used as far as the operating system saves them. */
    uint32_t a = 0, b = 0, c = 0, d = 0, low = 0, high = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) && c & (1u << 27))
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return XXH3_64bits_withSeed(words, sizeof words, low);
}
#else
#include <stdio.h>
#include <sys/auxv.h>

static uint64_t identify(void) {
    uint64_t words[4] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2), 0, 0};
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "re");
    if (file) {
        unsigned long long midr;
        if (fscanf(file, "%llx", &midr) == 1)
            words[2] = midr;
        fclose(file);
    }
    return XXH3_64bits(words, sizeof words);
}
#endif

static uint64_t host_id;

static void find_host(void) {
    const char *wanted = wl_options()->cpu;
    host_id = wanted ? XXH3_64bits(wanted, strlen(wanted)) : identify();
}

uint64_t wl_host_cpu_id(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_host);
    return host_id;
}
