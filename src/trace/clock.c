#include "trace/trace.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

static bool ticks;
static uint64_t first_ticks, first_nanoseconds; /* both clocks when this one was set */

void wl_trace_clock_set(enum wl_trace_clock clock) {
    ticks = clock == WL_TRACE_TICKS;
    first_ticks = wl_trace_now();
    first_nanoseconds = wl_now();
}

uint64_t wl_trace_at(uint64_t nanoseconds) {
    const uint64_t now_ticks = wl_trace_now(), now = wl_now();
    if (!ticks || now == first_nanoseconds)
        return nanoseconds;
    const double rate = (double)(now_ticks - first_ticks) / (double)(now - first_nanoseconds);
    return now_ticks - (uint64_t)((double)(now - nanoseconds) * rate);
}

/* The kernel's own choice says whether the counter is the same for all CPUs and never stops. */
enum wl_trace_clock wl_trace_clock_best(void) {
    char source[32] = "";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    if (file && !fgets(source, sizeof source, file))
        *source = 0;
    if (file)
        fclose(file);
#ifdef __x86_64__
    return strcmp(source, "tsc\n") == 0 ? WL_TRACE_TICKS : WL_TRACE_NANOSECONDS;
#elif defined __aarch64__
    return strcmp(source, "arch_sys_counter\n") == 0 ? WL_TRACE_TICKS : WL_TRACE_NANOSECONDS;
#else
    return WL_TRACE_NANOSECONDS;
#endif
}

uint64_t wl_trace_now(void) {
#ifdef __x86_64__
    if (ticks)
        return __builtin_ia32_rdtsc();
#elif defined __aarch64__
    if (ticks) {
        uint64_t value;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
        return value;
    }
#endif
    return wl_now();
}
