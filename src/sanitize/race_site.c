/* Numbers of instructions, for records of 64 bits. */
#include "sanitize/race_state.h"

enum { SITES = 1 << 16, SLOTS = 1 << 18 };

static struct wl_race_site sites[SITES];
static atomic_uint slots[SLOTS]; /* numbers */
static struct {
    pthread_mutex_t lock;
    uint32_t count;
} numbers = {.lock = PTHREAD_MUTEX_INITIALIZER, .count = 1};

/* An instruction has one number, however many copies of its code there are: what is learnt of it holds in all of them. */
static bool is_of(uint32_t number, const struct wl_codeobject *object, const struct wl_sanitize_site *site) {
    const struct wl_race_site *known = &sites[number];
    return known->code == site->address && known->object == object && known->bytes == site->bytes && known->kind == site->kind &&
           known->second == site->second && known->is_volatile == site->is_volatile;
}

static uint32_t number_site(uint32_t slot, const struct wl_codeobject *object, const struct wl_sanitize_site *site) {
    pthread_mutex_lock(&numbers.lock);
    uint32_t number = atomic_load_explicit(&slots[slot], memory_order_relaxed); /* another thread may have been here */
    if (number) {
        number = is_of(number, object, site) ? number : 0;
    } else if (numbers.count < SITES) {
        number = numbers.count++;
        sites[number] = (struct wl_race_site){.object = object,
                                              .code = site->address,
                                              .bytes = site->bytes,
                                              .kind = site->kind,
                                              .second = site->second,
                                              .scope = site->scope,
                                              .is_volatile = site->is_volatile,
                                              .updates = site->updates};
        atomic_store_explicit(&slots[slot], number, memory_order_release);
    }
    pthread_mutex_unlock(&numbers.lock);
    return number;
}

uint32_t wl_race_site(const struct wl_codeobject *object, const struct wl_sanitize_site *site) {
    const uint64_t key = (uint64_t)(uintptr_t)object ^ site->address << 16 ^ (uint64_t)site->kind << 8 ^ site->second;
    uint32_t slot = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 46);
    for (unsigned tries = 0; tries < 64; tries++, slot = (slot + 1) % SLOTS) {
        const uint32_t number = atomic_load_explicit(&slots[slot], memory_order_acquire);
        if (number && is_of(number, object, site))
            return number;
        const uint32_t made = number ? 0 : number_site(slot, object, site);
        if (made)
            return made;
    }
    return 0;
}

uint32_t wl_race_site_scale(uint32_t number, uint32_t scale) {
    uint32_t known = 0;
    return atomic_compare_exchange_strong(&sites[number].scale, &known, scale) ? scale : known;
}

struct wl_race_site *wl_race_site_of(uint32_t number) { return &sites[number]; }
