/* HSA: signals, waiting for them, groups of them.
 *
 * The host's changes of a value wake those who sleep. Device code changes values without telling anybody, so that sleepers look again by
 * themselves, first after 50 µs and at last every millisecond. */
#include "hsa/hsa.h"

#include "base/clock.h"
#include "base/cpu.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(offsetof(struct wl_hsa_signal, value) == 8 && offsetof(struct wl_hsa_signal, start) == 32 &&
                   offsetof(struct wl_hsa_signal, sleepers) == 64,
               "AMD's layout");

enum {
    SIGNAL = 0x6e676953,
    PLACE = 128,
    PLACES = 512,
    SPIN_NS = 5000,
    ACTIVE_NS = 200000,
    FIRST_NAP_NS = 50000,
    LAST_NAP_NS = 1000000,
    IDLE_NAP_NS = 1000000000
};

/* ---- memory ---------------------------------------------------------------------------------------- */

/* Signals lie in pages that all devices reach, and that are never given back, so that a handle that was destroyed can be told. */
static struct {
    pthread_mutex_t lock;
    struct free_place {
        struct free_place *next;
    } *free;
} places = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct wl_hsa_signal *take_place(void) {
    pthread_mutex_lock(&places.lock);
    if (!places.free) {
        void *memory = NULL;
        if (wl_core.memory_allocate(wl_core.context_at(0), WL_MEMORY_HOST, (size_t)PLACE * PLACES, 0, &memory) == WL_OK)
            for (size_t i = PLACES; i-- > 0;) {
                struct free_place *place = (struct free_place *)((char *)memory + i * PLACE);
                place->next = places.free;
                places.free = place;
            }
    }
    struct free_place *place = places.free;
    if (place)
        places.free = place->next;
    pthread_mutex_unlock(&places.lock);
    return (struct wl_hsa_signal *)place;
}

struct wl_hsa_signal *wl_hsa_signal(hsa_signal_t signal) {
    struct wl_hsa_signal *s = (struct wl_hsa_signal *)(uintptr_t)signal.handle;
    return s && s->magic == SIGNAL ? s : NULL;
}

static hsa_status_t create(int64_t value, bool shared, hsa_signal_t *signal) {
    _Static_assert(sizeof(struct wl_hsa_signal) <= PLACE, "a signal fits into its place");
    struct wl_hsa_signal *s = shared ? wl_hsa_shared_signal_make() : take_place();
    if (!s)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    if (!shared)
        memset(s, 0, sizeof *s);
    s->kind = 1;
    atomic_store(&s->value, value);
    s->magic = SIGNAL;
    *signal = (hsa_signal_t){(uint64_t)(uintptr_t)s};
    return HSA_STATUS_SUCCESS;
}

static bool are_agents(uint32_t count, const hsa_agent_t *agents) {
    for (uint32_t i = 0; i < count; i++)
        if (!wl_hsa_agent(agents[i]))
            return false;
    return true;
}

HSA hsa_amd_signal_create(int64_t initial_value, uint32_t num_consumers, const hsa_agent_t *consumers, uint64_t attributes,
                          hsa_signal_t *signal) {
    HSA_STARTED();
    HSA_REQUIRE(signal && (num_consumers == 0 || consumers), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(!(attributes & ~(uint64_t)(HSA_AMD_SIGNAL_AMD_GPU_ONLY | HSA_AMD_SIGNAL_IPC)), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(are_agents(num_consumers, consumers), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return create(initial_value, attributes & HSA_AMD_SIGNAL_IPC, signal);
}

HSA hsa_signal_create(int64_t initial_value, uint32_t num_consumers, const hsa_agent_t *consumers, hsa_signal_t *signal) {
    return hsa_amd_signal_create(initial_value, num_consumers, consumers, 0, signal);
}

HSA hsa_signal_destroy(hsa_signal_t signal) {
    HSA_STARTED();
    struct wl_hsa_signal *s = wl_hsa_signal(signal);
    HSA_REQUIRE(signal.handle, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(s, HSA_STATUS_ERROR_INVALID_SIGNAL);
    if (s->shared) { /* other processes may go on with it */
        wl_hsa_shared_signal_close(s);
        return HSA_STATUS_SUCCESS;
    }
    s->magic = 0;
    struct free_place *place = (struct free_place *)s;
    pthread_mutex_lock(&places.lock);
    place->next = places.free;
    places.free = place;
    pthread_mutex_unlock(&places.lock);
    return HSA_STATUS_SUCCESS;
}

HSA hsa_amd_signal_value_pointer(hsa_signal_t signal, volatile int64_t **value_ptr) {
    HSA_STARTED();
    struct wl_hsa_signal *s = wl_hsa_signal(signal);
    HSA_REQUIRE(s, HSA_STATUS_ERROR_INVALID_SIGNAL);
    HSA_REQUIRE(value_ptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(!s->doorbell, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *value_ptr = (volatile int64_t *)(uintptr_t)&s->value;
    return HSA_STATUS_SUCCESS;
}

/* ---- waking ---------------------------------------------------------------------------------------------- */

static _Atomic uint32_t changes, waiting_for_any; /* threads that wait for several signals sleep on `changes` */

static void futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t nanoseconds) {
    const struct timespec time = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    (void)syscall(SYS_futex, word, FUTEX_WAIT, expected, &time, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word) { (void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0); }

static _Atomic uint32_t *low_half(struct wl_hsa_signal *signal) { return (_Atomic uint32_t *)(uintptr_t)&signal->value; }

void wl_hsa_wake_all(void) {
    atomic_fetch_add(&changes, 1);
    futex_wake(&changes);
}

void wl_hsa_signal_changed(struct wl_hsa_signal *signal) {
    atomic_thread_fence(memory_order_seq_cst); /* the value is there before anybody counts as awake */
    if (atomic_load_explicit(&signal->sleepers, memory_order_relaxed))
        futex_wake(low_half(signal));
    if (atomic_load_explicit(&waiting_for_any, memory_order_relaxed))
        wl_hsa_wake_all();
    if (signal->doorbell) {
        wl_hsa_queue_note(signal->doorbell);
        wl_hsa_queue_ring(signal->doorbell);
    }
}

void wl_hsa_signal_complete(hsa_signal_t signal, uint64_t start, uint64_t end) {
    struct wl_hsa_signal *s = (struct wl_hsa_signal *)(uintptr_t)signal.handle;
    if (!s)
        return;
    s->start = start;
    s->end = end;
    atomic_fetch_sub(&s->value, 1);
    wl_hsa_signal_changed(s);
}

/* ---- waiting ----------------------------------------------------------------------------------------------- */

bool wl_hsa_condition(int condition, int64_t value, int64_t compare) {
    switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ:
        return value == compare;
    case HSA_SIGNAL_CONDITION_NE:
        return value != compare;
    case HSA_SIGNAL_CONDITION_LT:
        return value < compare;
    default:
        return value >= compare;
    }
}

/* The time at which `nanoseconds` from `now` will have passed. */
static uint64_t until(uint64_t now, uint64_t nanoseconds) { return nanoseconds > UINT64_MAX - now ? UINT64_MAX : now + nanoseconds; }

int64_t wl_hsa_wait(struct wl_hsa_signal *signal, int condition, int64_t compare, uint64_t nanoseconds, bool active) {
    int64_t value = atomic_load(&signal->value);
    if (wl_hsa_condition(condition, value, compare))
        return value;
    while (nanoseconds == UINT64_MAX && wl_hsa_queue_help()) {
        value = atomic_load(&signal->value);
        if (wl_hsa_condition(condition, value, compare))
            return value;
    }
    uint64_t now = wl_now(), nap = FIRST_NAP_NS;
    const uint64_t end = until(now, nanoseconds), spin_end = now + (active ? ACTIVE_NS : SPIN_NS);
    while (now < end && now < spin_end) {
        for (unsigned i = 0; i < 32; i++) {
            value = atomic_load(&signal->value);
            if (wl_hsa_condition(condition, value, compare))
                return value;
            wl_relax();
        }
        now = wl_now();
    }
    atomic_fetch_add(&signal->sleepers, 1);
    while (value = atomic_load(&signal->value), !wl_hsa_condition(condition, value, compare) && now < end) {
        futex_wait(low_half(signal), (uint32_t)value, nap < end - now ? nap : end - now);
        nap = 2 * nap < LAST_NAP_NS ? 2 * nap : LAST_NAP_NS;
        now = wl_now();
    }
    atomic_fetch_sub(&signal->sleepers, 1);
    return value;
}

static unsigned first_that_holds(unsigned count, const hsa_signal_t *signals, const int *conditions, const int64_t *compares,
                                 int64_t *value) {
    for (unsigned i = 0; i < count; i++) {
        struct wl_hsa_signal *signal = (struct wl_hsa_signal *)(uintptr_t)signals[i].handle;
        *value = signal ? atomic_load(&signal->value) : 0;
        if (signal && wl_hsa_condition(conditions[i], *value, compares[i]))
            return i;
    }
    return count;
}

unsigned wl_hsa_wait_any(unsigned count, const hsa_signal_t *signals, const int *conditions, const int64_t *compares, uint64_t nanoseconds,
                         bool active, const _Atomic bool *stop, int64_t *value) {
    unsigned found = first_that_holds(count, signals, conditions, compares, value);
    uint64_t now = wl_now(), nap = count ? FIRST_NAP_NS : IDLE_NAP_NS; /* nobody changes what is not there */
    const uint64_t longest = count ? LAST_NAP_NS : IDLE_NAP_NS;
    const uint64_t end = until(now, nanoseconds), spin_end = now + (active ? ACTIVE_NS : 0);
    while (found == count && now < end && now < spin_end) {
        wl_relax();
        found = first_that_holds(count, signals, conditions, compares, value);
        now = wl_now();
    }
    if (found < count)
        return found;
    atomic_fetch_add(&waiting_for_any, 1);
    for (;;) {
        const uint32_t seen = atomic_load(&changes);
        found = first_that_holds(count, signals, conditions, compares, value);
        if (found < count || now >= end || (stop && atomic_load(stop)))
            break;
        futex_wait(&changes, seen, nap < end - now ? nap : end - now);
        nap = 2 * nap < longest ? 2 * nap : longest;
        now = wl_now();
    }
    atomic_fetch_sub(&waiting_for_any, 1);
    return found;
}

#define WAIT(order)                                                                                                                        \
    HSA_OF(int64_t)                                                                                                                        \
    hsa_signal_wait_##order(hsa_signal_t signal, int condition, int64_t compare_value, uint64_t timeout_hint, int wait_state_hint) {       \
        return wl_hsa_wait((struct wl_hsa_signal *)(uintptr_t)signal.handle, condition, compare_value, timeout_hint,                       \
                           wait_state_hint == HSA_WAIT_STATE_ACTIVE);                                                                      \
    }
WAIT(relaxed)
WAIT(scacquire)
WAIT(acquire)

HSA_OF(uint32_t)
hsa_amd_signal_wait_any(uint32_t signal_count, hsa_signal_t *signals, int *conds, int64_t *values, uint64_t timeout_hint, int wait_hint,
                        int64_t *satisfying_value) {
    int64_t value = 0;
    const unsigned found =
        wl_hsa_wait_any(signal_count, signals, conds, values, timeout_hint, wait_hint == HSA_WAIT_STATE_ACTIVE, NULL, &value);
    if (found == signal_count)
        return UINT32_MAX;
    if (satisfying_value)
        *satisfying_value = value;
    return found;
}

HSA_OF(uint32_t)
hsa_amd_signal_wait_all(uint32_t signal_count, hsa_signal_t *signals, int *conds, int64_t *values, uint64_t timeout_hint, int wait_hint,
                        int64_t *satisfying_values) {
    const uint64_t end = until(wl_now(), timeout_hint);
    for (uint32_t i = 0; i < signal_count; i++) {
        struct wl_hsa_signal *signal = (struct wl_hsa_signal *)(uintptr_t)signals[i].handle;
        if (!signal)
            continue;
        const uint64_t now = wl_now();
        const int64_t value = wl_hsa_wait(signal, conds[i], values[i],
                                          end == UINT64_MAX ? UINT64_MAX
                                          : now < end       ? end - now
                                                            : 0,
                                          wait_hint == HSA_WAIT_STATE_ACTIVE);
        if (!wl_hsa_condition(conds[i], value, values[i]))
            return UINT32_MAX;
        if (satisfying_values)
            satisfying_values[i] = value;
    }
    return 0;
}

/* ---- groups -------------------------------------------------------------------------------------------------- */

struct group {
    uint32_t magic, count;
    hsa_signal_t signals[];
};
enum { GROUP = 0x756f7247 };

static struct group *group_of(hsa_signal_group_t handle) {
    struct group *group = (struct group *)(uintptr_t)handle.handle;
    return group && group->magic == GROUP ? group : NULL;
}

HSA hsa_signal_group_create(uint32_t num_signals, const hsa_signal_t *signals, uint32_t num_consumers, const hsa_agent_t *consumers,
                            hsa_signal_group_t *signal_group) {
    HSA_STARTED();
    HSA_REQUIRE(num_signals > 0 && signals && signal_group && (num_consumers == 0 || consumers), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    for (uint32_t i = 0; i < num_signals; i++)
        HSA_REQUIRE(wl_hsa_signal(signals[i]), HSA_STATUS_ERROR_INVALID_SIGNAL);
    struct group *group = malloc(sizeof *group + num_signals * sizeof *signals);
    HSA_REQUIRE(group, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    group->magic = GROUP;
    group->count = num_signals;
    memcpy(group->signals, signals, num_signals * sizeof *signals);
    *signal_group = (hsa_signal_group_t){(uint64_t)(uintptr_t)group};
    return HSA_STATUS_SUCCESS;
}

HSA hsa_signal_group_destroy(hsa_signal_group_t signal_group) {
    HSA_STARTED();
    struct group *group = group_of(signal_group);
    HSA_REQUIRE(group, HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP);
    group->magic = 0;
    free(group);
    return HSA_STATUS_SUCCESS;
}

#define WAIT_GROUP(order)                                                                                                                  \
    HSA hsa_signal_group_wait_any_##order(hsa_signal_group_t signal_group, const int *conditions, const int64_t *compare_values,           \
                                          int wait_state_hint, hsa_signal_t *signal, int64_t *value) {                                     \
        HSA_STARTED();                                                                                                                     \
        struct group *group = group_of(signal_group);                                                                                      \
        HSA_REQUIRE(group, HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP);                                                                         \
        HSA_REQUIRE(conditions &&compare_values &&signal &&value, HSA_STATUS_ERROR_INVALID_ARGUMENT);                                      \
        const unsigned found = wl_hsa_wait_any(group->count, group->signals, conditions, compare_values, UINT64_MAX,                       \
                                               wait_state_hint == HSA_WAIT_STATE_ACTIVE, NULL, value);                                     \
        *signal = group->signals[found];                                                                                                   \
        return HSA_STATUS_SUCCESS;                                                                                                         \
    }
WAIT_GROUP(relaxed)
WAIT_GROUP(scacquire)

/* ---- changing values ------------------------------------------------------------------------------------------- */

#define VALUE(signal)   (((struct wl_hsa_signal *)(uintptr_t)(signal).handle)->value)
#define CHANGED(signal) wl_hsa_signal_changed((struct wl_hsa_signal *)(uintptr_t)(signal).handle)

#define LOAD(name, order)                                                                                                                  \
    HSA_OF(int64_t) hsa_signal_load_##name(hsa_signal_t signal) { return atomic_load_explicit(&VALUE(signal), order); }
LOAD(relaxed, memory_order_relaxed)
LOAD(scacquire, memory_order_acquire)
LOAD(acquire, memory_order_acquire)

#define STORE(name, order)                                                                                                                 \
    HSA_OF(void) hsa_signal_store_##name(hsa_signal_t signal, int64_t value) {                                                             \
        atomic_store_explicit(&VALUE(signal), value, order);                                                                               \
        CHANGED(signal);                                                                                                                   \
    }
STORE(relaxed, memory_order_relaxed)
STORE(screlease, memory_order_release)
STORE(release, memory_order_release)

/* Silent stores promise no waking. */
HSA_OF(void) hsa_signal_silent_store_relaxed(hsa_signal_t signal, int64_t value) {
    atomic_store_explicit(&VALUE(signal), value, memory_order_relaxed);
}
HSA_OF(void) hsa_signal_silent_store_screlease(hsa_signal_t signal, int64_t value) {
    atomic_store_explicit(&VALUE(signal), value, memory_order_release);
}

#define CHANGE(operation, function, name, order)                                                                                           \
    HSA_OF(void) hsa_signal_##operation##_##name(hsa_signal_t signal, int64_t value) {                                                     \
        (void)function(&VALUE(signal), value, order);                                                                                      \
        CHANGED(signal);                                                                                                                   \
    }
#define CHANGES(operation, function)                                                                                                       \
    CHANGE(operation, function, relaxed, memory_order_relaxed)                                                                             \
    CHANGE(operation, function, scacquire, memory_order_acquire)                                                                           \
    CHANGE(operation, function, acquire, memory_order_acquire)                                                                             \
    CHANGE(operation, function, screlease, memory_order_release)                                                                           \
    CHANGE(operation, function, release, memory_order_release)                                                                             \
    CHANGE(operation, function, scacq_screl, memory_order_acq_rel)                                                                         \
    CHANGE(operation, function, acq_rel, memory_order_acq_rel)
CHANGES(add, atomic_fetch_add_explicit)
CHANGES(subtract, atomic_fetch_sub_explicit)
CHANGES(and, atomic_fetch_and_explicit)
CHANGES(or, atomic_fetch_or_explicit)
CHANGES(xor, atomic_fetch_xor_explicit)

#define EXCHANGE(name, order)                                                                                                              \
    HSA_OF(int64_t) hsa_signal_exchange_##name(hsa_signal_t signal, int64_t value) {                                                       \
        const int64_t old = atomic_exchange_explicit(&VALUE(signal), value, order);                                                        \
        CHANGED(signal);                                                                                                                   \
        return old;                                                                                                                        \
    }                                                                                                                                      \
    HSA_OF(int64_t) hsa_signal_cas_##name(hsa_signal_t signal, int64_t expected, int64_t value) {                                          \
        if (atomic_compare_exchange_strong_explicit(&VALUE(signal), &expected, value, order, memory_order_relaxed))                        \
            CHANGED(signal);                                                                                                               \
        return expected;                                                                                                                   \
    }
EXCHANGE(relaxed, memory_order_relaxed)
EXCHANGE(scacquire, memory_order_acquire)
EXCHANGE(acquire, memory_order_acquire)
EXCHANGE(screlease, memory_order_release)
EXCHANGE(release, memory_order_release)
EXCHANGE(scacq_screl, memory_order_acq_rel)
EXCHANGE(acq_rel, memory_order_acq_rel)
