#include "trace/trace.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* A moment by both clocks. */
struct moment {
    uint64_t ticks, nanoseconds;
};

enum { MOMENTS = 4096, TRIES = 5 };
#define APART UINT64_C(10000000) /* nanoseconds between two moments that are kept */

static bool ticks;

/* Moments from when the clock was set, in order. Between two of them times are on a straight line, so that what comes later is shown later. */
static struct {
    pthread_mutex_t lock;
    unsigned count;
    struct moment at[MOMENTS];
} moments = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Now by both clocks: of several readings the one that took the least time. */
static struct moment look(void) {
    struct moment best = {0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t before = wl_trace_now(), nanoseconds = wl_now(), took = wl_trace_now() - before;
        if (took < least) {
            best = (struct moment){before + took / 2, nanoseconds};
            least = took;
        }
    }
    return best;
}

/* Keeps a moment. The newest one is replaced until it is some time behind the one before it. */
static void keep(struct moment now) {
    const unsigned count = moments.count;
    if (count && (now.ticks <= moments.at[count - 1].ticks || now.nanoseconds <= moments.at[count - 1].nanoseconds))
        return;
    if (count >= 2 && moments.at[count - 1].nanoseconds - moments.at[count - 2].nanoseconds < APART) {
        moments.at[count - 1] = now;
        return;
    }
    if (count == MOMENTS) { /* every second one stays */
        for (size_t i = 0; i < MOMENTS / 2; i++)
            moments.at[i] = moments.at[2 * i];
        moments.count = MOMENTS / 2;
    }
    moments.at[moments.count++] = now;
}

void wl_trace_clock_set(enum wl_trace_clock clock) {
    ticks = clock == WL_TRACE_TICKS;
    pthread_mutex_lock(&moments.lock);
    moments.count = 0;
    keep(look());
    pthread_mutex_unlock(&moments.lock);
}

uint64_t wl_trace_at(uint64_t nanoseconds) {
    uint64_t result = nanoseconds;
    if (!ticks)
        return result;
    pthread_mutex_lock(&moments.lock);
    if (moments.count < 2 || nanoseconds > moments.at[moments.count - 1].nanoseconds)
        keep(look());
    unsigned next = moments.count - 1;
    while (next > 1 && moments.at[next - 1].nanoseconds >= nanoseconds)
        next--;
    if (next) {
        const struct moment *from = &moments.at[next - 1], *to = &moments.at[next];
        const double rate = (double)(to->ticks - from->ticks) / (double)(to->nanoseconds - from->nanoseconds);
        result = from->ticks + (uint64_t)(int64_t)((double)(int64_t)(nanoseconds - from->nanoseconds) * rate);
    } else {
        result = moments.at[0].ticks;
    }
    pthread_mutex_unlock(&moments.lock);
    return result;
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
