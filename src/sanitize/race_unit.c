/* Units of segments. */
#include "sanitize/lazy.h"
#include "sanitize/race_state.h"

#include <sys/mman.h>

#define UNITS      ((size_t)1 << (31 - 6))
#define REMEMBERED (UINT32_C(1) << 21) /* units; what older ones did is forgotten */
#define STEP       (UINT32_C(1) << 16)
#define LOCKS      64

static struct wl_race_unit *units;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_uint next = 1;
static pthread_mutex_t locks[LOCKS]; /* over clocks, by the unit's number */

static void start(void) {
    units = wl_san_map(UNITS * sizeof *units);
    for (unsigned i = 0; i < LOCKS; i++)
        pthread_mutex_init(&locks[i], NULL);
}

uint32_t wl_race_unit_make(void) {
    pthread_once(&once, start);
    const uint32_t unit = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    if (!units || unit >= UNITS) {
        atomic_store_explicit(&next, (uint32_t)UNITS, memory_order_relaxed);
        return 0;
    }
    if (unit % STEP == 0 && unit > REMEMBERED + STEP) /* clocks that were published there are lost, with their memory */
        madvise(&units[unit - REMEMBERED - STEP], STEP * sizeof *units, MADV_DONTNEED);
    return unit;
}

struct wl_race_unit *wl_race_unit_at(uint32_t unit) { return &units[unit]; }
uint32_t wl_race_units_made(void) { return atomic_load_explicit(&next, memory_order_relaxed); }
bool wl_race_units_low(void) { return atomic_load_explicit(&next, memory_order_relaxed) > UNITS / 2; }

void wl_race_units_restart(void) {
    if (units)
        madvise(units, UNITS * sizeof *units, MADV_DONTNEED);
    atomic_store(&next, 1);
}

void wl_race_unit_publish(uint32_t unit, struct wl_clock *clock) {
    pthread_mutex_t *lock = &locks[unit % LOCKS];
    pthread_mutex_lock(lock);
    wl_clock_join(&units[unit].clock, clock);
    pthread_mutex_unlock(lock);
}

void wl_race_unit_learn(uint32_t unit, struct wl_clock **clock) {
    pthread_mutex_t *lock = &locks[unit % LOCKS];
    pthread_mutex_lock(lock);
    wl_clock_join(clock, units[unit].clock);
    pthread_mutex_unlock(lock);
}
