/* Times of CLOCK_MONOTONIC by the run's clock (wl_trace_at): what comes later is shown later, and each time is where it was. */
#include "trace/trace.h"

#include "base/clock.h"

#include <stdio.h>

enum { TIMES = 300000, SLACK = 100000 /* ticks: some ten microseconds */ };

int main(void) {
    unsigned disordered = 0, displaced = 0;
    uint64_t last = 0;
#if defined(__x86_64__) || defined(__aarch64__)
    wl_trace_clock_set(WL_TRACE_TICKS);
#else
    wl_trace_clock_set(WL_TRACE_NANOSECONDS);
#endif
    for (unsigned i = 0; i < TIMES; i++) {
        const uint64_t before = wl_trace_now(), time = wl_now(), after = wl_trace_now();
        const uint64_t at = wl_trace_at(time), same = wl_trace_at(time);
        disordered += at < last || same + SLACK < at || at + SLACK < same;
        displaced += at + SLACK < before || at > after + SLACK;
        last = at;
    }
    /* Some time ago, where the newest moment is not asked again. */
    const uint64_t time = wl_now() - 1000000, first = wl_trace_at(time);
    for (unsigned i = 0; i < 1000; i++) {
        const uint64_t at = wl_trace_at(time + i);
        disordered += at < first;
    }
    printf("%u times are out of order, %u at a wrong place\n", disordered, displaced);
    return disordered || displaced;
}
