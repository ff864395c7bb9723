/* The one clock: nanoseconds since some moment, the same for all threads, which never go back. */
#ifndef WL_BASE_CLOCK_H
#define WL_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t wl_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

#endif
