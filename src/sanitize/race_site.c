/* Numbers of instructions, for records of 64 bits. */
#include "sanitize/race_state.h"

enum { SITES = 1 << 16, SLOTS = 1 << 18 };

static struct wl_race_site sites[SITES];
static struct {
    _Atomic(const struct wl_sanitize_site *) site;
    atomic_uint number;
} slots[SLOTS];
static struct {
    pthread_mutex_t lock;
    uint32_t count;
} numbers = {.lock = PTHREAD_MUTEX_INITIALIZER, .count = 1};

static bool is_of(uint32_t number, const struct wl_codeobject *object, const struct wl_sanitize_site *site) {
    const struct wl_race_site *known = &sites[number];
    return known->code == site->address && known->object == object && known->bytes == site->bytes && known->kind == site->kind;
}

/* Code may be made again where other code was: a slot's number follows. */
static uint32_t number_site(uint32_t slot, const struct wl_codeobject *object, const struct wl_sanitize_site *site) {
    pthread_mutex_lock(&numbers.lock);
    const uint32_t number = numbers.count < SITES ? numbers.count++ : 0;
    if (number) {
        sites[number] = (struct wl_race_site){object, site->address, site->bytes, site->kind, false};
        atomic_store_explicit(&slots[slot].number, number, memory_order_release);
        atomic_store_explicit(&slots[slot].site, site, memory_order_release);
    }
    pthread_mutex_unlock(&numbers.lock);
    return number;
}

uint32_t wl_race_site(const struct wl_codeobject *object, const struct wl_sanitize_site *site) {
    uint32_t slot = (uint32_t)((uintptr_t)site * UINT64_C(0x9e3779b97f4a7c15) >> 46);
    for (unsigned tries = 0; tries < 64; tries++, slot = (slot + 1) % SLOTS) {
        const struct wl_sanitize_site *known = atomic_load_explicit(&slots[slot].site, memory_order_acquire);
        const uint32_t number = atomic_load_explicit(&slots[slot].number, memory_order_acquire);
        if (known == site && is_of(number, object, site))
            return number;
        if (!known || known == site)
            return number_site(slot, object, site);
    }
    return 0;
}

struct wl_race_site *wl_race_site_of(uint32_t number) { return &sites[number]; }
