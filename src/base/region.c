#include "base/region.h"

#include "base/options.h"

#include <stdatomic.h>
#include <stdint.h>

/* Far from where systems put programs, their heaps, stacks and other mappings. */
#define REGION_BEGIN UINT64_C(0x100000000000)
#define SMALL        (UINT64_C(64) << 10)
#define LARGE        (UINT64_C(2) << 20)

static _Thread_local void *next;

void wl_region_next(void *address) { next = address; }

void *wl_region_hint(size_t size) {
    static _Atomic uint64_t end = REGION_BEGIN;
    void *wanted = next;
    if (wanted) {
        next = NULL;
        return wanted;
    }
    if (!wl_options()->record)
        return NULL;
    const uint64_t unit = size < LARGE ? SMALL : LARGE;
    const uint64_t step = (size + unit - 1) / unit * unit;
    const uint64_t place = atomic_fetch_add_explicit(&end, step + (unit == LARGE ? LARGE : 0), memory_order_relaxed);
    return (void *)(uintptr_t)((place + unit - 1) / unit * unit);
}
