/* CPUs that code can be made for: the names that WAVELIFT_CPU takes, and how far our own vector code may go. And a pause. */
#ifndef WL_BASE_CPU_H
#define WL_BASE_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of hosts that our own C code is compiled for more than once. Each includes those before it. */
enum wl_cpu_level {
    WL_CPU_BASE,   /* what every CPU of the architecture has */
    WL_CPU_AVX2,   /* x86-64-v3: AVX2, FMA, F16C */
    WL_CPU_AVX512, /* x86-64-v4: AVX-512 F, BW, CD, DQ, VL */
};

struct wl_cpu {
    const char *name, *features; /* LLVM's; the features in full, as LLVM writes them for a host: "+avx,+avx2,..." */
    enum wl_cpu_level level;
};

/* The CPU of that name, of this machine's architecture; NULL: not known. The row lives for ever. Thread-safe. */
const struct wl_cpu *wl_cpu_find(const char *name);
/* The names, separated by ", ". Lives for ever. */
const char *wl_cpu_names(void);
/* What this machine has. Thread-safe. */
enum wl_cpu_level wl_cpu_host_level(void);
/* What code may use: this machine's level, or that of the CPU that WAVELIFT_CPU names. Thread-safe. */
enum wl_cpu_level wl_cpu_level(void);
/* Whether code may use AVX-512's dot products of bytes and of bf16, and permutations of bytes. Thread-safe. */
bool wl_cpu_has_dot(void);

/* The processor's name as the system's kernel tells it, cut off where it does not fit; "CPU" where the kernel tells none. Thread-safe. */
void wl_cpu_name(char *text, size_t size);

/* A moment's rest in a loop that waits for another thread. */
static inline void wl_relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    __asm__ volatile("isb" ::: "memory"); /* `yield` does nothing on most cores; this takes about as long as x86's pause */
#endif
}

/* Ticks are the CPU's own counter without its lowest bits: about one a nanosecond on x86, less than one elsewhere. They are for a quick
 * look whether something took long, and they are the clock of kernels. Programs compute with the clock's rate in Hz as an int, which AMD's
 * rates fit and those of x86's counters do not. */
#if defined(__x86_64__)
#define WL_TICKS_SHIFT 2
#else
#define WL_TICKS_SHIFT 0
#endif
static inline uint64_t wl_ticks(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc() >> WL_TICKS_SHIFT;
#else
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#endif
}
#if defined(__x86_64__)
#define WL_TICKS_LONG 7500 /* 10 us or so */
#else
#define WL_TICKS_LONG 1000 /* 1 to 40 us */
#endif
/* How many of them there are in a millisecond: as the CPU or a hypervisor says, else as measured, which takes some 100 us the first time.
 * Thread-safe. */
uint32_t wl_ticks_khz(void);

#endif
