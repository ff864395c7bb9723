#include "device/cpu/run/schedule.h"

#include "base/options.h"

#include <stdlib.h>

/* splitmix64 */
uint64_t wl_schedule_next(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    *state += *state == 0;
    return z ^ z >> 31;
}

uint64_t wl_schedule_begin(void) {
    static _Atomic uint64_t launches;
    uint64_t state = wl_options()->schedule * 2654435761u + atomic_fetch_add_explicit(&launches, 1, memory_order_relaxed) + 1;
    state = wl_schedule_next(&state);
    return state ? state : 1;
}

enum wl_status wl_schedule_order(struct wl_job *job, uint64_t **order) {
    uint64_t *made = malloc(job->total * sizeof *made);
    if (!made)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for an order of %llu workgroups", (unsigned long long)job->total);
    for (uint64_t i = 0; i < job->total; i++) {
        const uint64_t at = wl_schedule_next(&job->random) % (i + 1);
        made[i] = made[at];
        made[at] = job->order ? job->order[i] : i;
    }
    job->order = *order = made;
    return WL_OK;
}
