/* HSA: queues: making and ending them, their indices. */
#include "hsa/hsa.h"

#include "device/kernarg.h"
#include "machine/wave.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { QUEUE = 0x75657551 };

_Static_assert(sizeof(hsa_queue_t) == 40 && offsetof(struct wl_queue, write_dispatch_id) == 0x38 &&
                   offsetof(struct wl_queue, read_dispatch_id) == 0x80 && sizeof(struct wl_queue) <= sizeof((struct wl_hsa_queue *)0)->abi,
               "AMD's layout");

static struct wl_hsa_queue *queue_of(const hsa_queue_t *queue) {
    struct wl_hsa_queue *q = (struct wl_hsa_queue *)(uintptr_t)queue;
    return q && q->magic == QUEUE ? q : NULL;
}

/* ---- all queues with threads, for threads that help ---------------------------------------------------- */

static struct {
    pthread_mutex_t lock; /* over the list; a queue is taken by a helper under it, so that none is that has left the list */
    struct wl_hsa_queue *first;
} queues = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct {
    struct wl_hsa_queue *queue;
    uint64_t id; /* another queue may lie at the address of one that was destroyed */
} rung_last;

static void enlist(struct wl_hsa_queue *queue) {
    pthread_mutex_lock(&queues.lock);
    queue->next = queues.first;
    queues.first = queue;
    pthread_mutex_unlock(&queues.lock);
}

static void delist(const struct wl_hsa_queue *queue) {
    pthread_mutex_lock(&queues.lock);
    for (struct wl_hsa_queue **at = &queues.first; *at; at = &(*at)->next)
        if (*at == queue) {
            *at = queue->next;
            break;
        }
    pthread_mutex_unlock(&queues.lock);
}

void wl_hsa_queue_note(struct wl_hsa_queue *queue) {
    rung_last.queue = queue;
    rung_last.id = wl_hsa_public(queue)->id;
}

bool wl_hsa_queue_help(void) {
    struct wl_hsa_queue *queue = rung_last.queue;
    if (!queue)
        return false;
    pthread_mutex_lock(&queues.lock);
    const struct wl_hsa_queue *listed = queues.first;
    while (listed && listed != queue)
        listed = listed->next;
    const bool taken = listed && wl_hsa_public(queue)->id == rung_last.id && wl_hsa_queue_take_kernel(queue);
    pthread_mutex_unlock(&queues.lock);
    if (taken)
        wl_hsa_queue_run_taken(queue);
    return taken;
}

/* ---- making and ending them ----------------------------------------------------------------------------- */

void wl_hsa_queue_ring(struct wl_hsa_queue *queue) {
    atomic_fetch_add(&queue->rung, 1);
    if (atomic_load(&queue->sleeping))
        (void)syscall(SYS_futex, &queue->rung, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static hsa_status_t make(uint32_t size, uint32_t type, uint32_t features, hsa_signal_t doorbell, struct wl_hsa_queue **queue) {
    static _Atomic uint64_t ids;
    struct wl_hsa_queue *q = NULL;
    void *ring = NULL;
    if (wl_core.memory_allocate(wl_core.context_at(0), WL_MEMORY_HOST, sizeof *q, 0, (void **)&q) != WL_OK)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    if (wl_core.memory_allocate(wl_core.context_at(0), WL_MEMORY_HOST, (size_t)size * WL_HSA_PACKET, 0, &ring) != WL_OK) {
        (void)wl_core.memory_free(q, 1u << WL_MEMORY_HOST);
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    for (uint32_t i = 0; i < size; i++)
        *(uint16_t *)((char *)ring + (size_t)i * WL_HSA_PACKET) = HSA_PACKET_TYPE_INVALID;
    q->magic = QUEUE;
    struct wl_queue *amd = (struct wl_queue *)q->abi;
    *wl_hsa_public(q) = (hsa_queue_t){.type = type,
                                      .features = features,
                                      .base_address = ring,
                                      .doorbell_signal = doorbell,
                                      .size = size,
                                      .id = atomic_fetch_add(&ids, 1)};
    amd->group_segment_aperture_base_hi = WL_SHARED_APERTURE_HI;
    amd->private_segment_aperture_base_hi = WL_PRIVATE_APERTURE_HI;
    amd->read_dispatch_id_field = offsetof(struct wl_queue, read_dispatch_id);
    *queue = q;
    return HSA_STATUS_SUCCESS;
}

static void release(struct wl_hsa_queue *queue) {
    queue->magic = 0;
    if (queue->device_queue)
        queue->agent->context->device->ops->queues->destroy(queue->device_queue);
    (void)wl_core.memory_free(wl_hsa_public(queue)->base_address, 1u << WL_MEMORY_HOST);
    (void)wl_core.memory_free(queue, 1u << WL_MEMORY_HOST);
}

static bool is_size(uint32_t size) { return size > 0 && size <= WL_HSA_QUEUE_MOST && (size & (size - 1)) == 0; }

__attribute__((visibility("default"))) hsa_status_t hsa_signal_create(int64_t, uint32_t, const hsa_agent_t *, hsa_signal_t *);
__attribute__((visibility("default"))) hsa_status_t hsa_signal_destroy(hsa_signal_t);

/* The thread of a queue; for a device with queues of its own, one of those behind it. */
static hsa_status_t start(struct wl_hsa_queue *queue) {
    struct wl_device *device = queue->agent->context->device;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    if (device->ops->queues)
        status = wl_hsa_status(device->ops->queues->create(device, false, true, 0, &queue->device_queue), "hsa_queue_create");
    if (status == HSA_STATUS_SUCCESS)
        status = wl_hsa_thread(wl_hsa_queue_run, queue, "hsa-queue");
    if (status == HSA_STATUS_SUCCESS)
        enlist(queue);
    return status;
}

HSA hsa_queue_create(hsa_agent_t agent, uint32_t size, uint32_t type, void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
                     uint32_t private_segment_size, uint32_t group_segment_size, hsa_queue_t **queue) {
    HSA_STARTED();
    (void)private_segment_size, (void)group_segment_size; /* hints */
    struct wl_hsa_agent *a = wl_hsa_agent(agent);
    struct wl_hsa_queue *q = NULL;
    hsa_signal_t doorbell;
    HSA_REQUIRE(a, HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(queue && is_size(size) && type <= HSA_QUEUE_TYPE_COOPERATIVE, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(a->context, HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
    hsa_status_t status = hsa_signal_create(0, 0, NULL, &doorbell);
    HSA_REQUIRE(status == HSA_STATUS_SUCCESS, status);
    status = make(size, type, HSA_QUEUE_FEATURE_KERNEL_DISPATCH, doorbell, &q);
    if (status == HSA_STATUS_SUCCESS) {
        q->agent = a;
        q->callback = callback;
        q->data = data;
        q->doorbell = wl_hsa_signal(doorbell);
        q->doorbell->doorbell = q;
        status = start(q);
        if (status != HSA_STATUS_SUCCESS)
            release(q);
    }
    if (status == HSA_STATUS_SUCCESS)
        *queue = wl_hsa_public(q);
    else
        (void)hsa_signal_destroy(doorbell);
    return status;
}

HSA hsa_soft_queue_create(hsa_region_t region, uint32_t size, uint32_t type, uint32_t features, hsa_signal_t doorbell_signal,
                          hsa_queue_t **queue) {
    HSA_STARTED();
    struct wl_hsa_queue *q = NULL;
    HSA_REQUIRE(wl_hsa_pool(region.handle), HSA_STATUS_ERROR_INVALID_REGION);
    HSA_REQUIRE(queue && is_size(size) && type <= HSA_QUEUE_TYPE_SINGLE &&
                    (features == HSA_QUEUE_FEATURE_KERNEL_DISPATCH || features == HSA_QUEUE_FEATURE_AGENT_DISPATCH),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(wl_hsa_signal(doorbell_signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
    const hsa_status_t status = make(size, type, features, doorbell_signal, &q);
    if (status == HSA_STATUS_SUCCESS) {
        q->soft = true;
        *queue = wl_hsa_public(q);
    }
    return status;
}

/* Tells the queue's thread to end, and waits until it has: what runs is run to its end. */
static void end(struct wl_hsa_queue *queue) {
    delist(queue);
    atomic_store(&queue->stop, true);
    wl_hsa_wake_all();
    while (!atomic_load(&queue->done) || atomic_load(&queue->taken)) {
        wl_hsa_queue_ring(queue);
        nanosleep(&(struct timespec){0, 20000}, NULL);
    }
}

HSA hsa_queue_destroy(hsa_queue_t *queue) {
    HSA_STARTED();
    HSA_REQUIRE(queue, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    struct wl_hsa_queue *q = queue_of(queue);
    HSA_REQUIRE(q, HSA_STATUS_ERROR_INVALID_QUEUE);
    if (!q->soft) {
        end(q);
        q->doorbell->doorbell = NULL;
        (void)hsa_signal_destroy(queue->doorbell_signal);
    }
    release(q);
    return HSA_STATUS_SUCCESS;
}

HSA hsa_queue_inactivate(hsa_queue_t *queue) {
    HSA_STARTED();
    struct wl_hsa_queue *q = queue_of(queue);
    HSA_REQUIRE(q, HSA_STATUS_ERROR_INVALID_QUEUE);
    atomic_store(&q->failed, true);
    wl_hsa_queue_ring(q);
    return HSA_STATUS_SUCCESS;
}

/* ---- what AMD's extension can set ------------------------------------------------------------------------- */

HSA hsa_amd_queue_set_priority(hsa_queue_t *queue, int priority) {
    HSA_STARTED();
    HSA_REQUIRE(queue_of(queue), HSA_STATUS_ERROR_INVALID_QUEUE);
    HSA_REQUIRE(priority >= HSA_AMD_QUEUE_PRIORITY_LOW && priority <= HSA_AMD_QUEUE_PRIORITY_HIGH, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return HSA_STATUS_SUCCESS;
}

HSA hsa_amd_queue_cu_set_mask(const hsa_queue_t *queue, uint32_t num_cu_mask_count, const uint32_t *cu_mask) {
    HSA_STARTED();
    struct wl_hsa_queue *q = queue_of(queue);
    HSA_REQUIRE(q && !q->soft, HSA_STATUS_ERROR_INVALID_QUEUE);
    HSA_REQUIRE(num_cu_mask_count % 32 == 0 && (num_cu_mask_count == 0) == !cu_mask, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    for (unsigned i = 0; i < 2; i++)
        q->mask[i] = i < num_cu_mask_count / 32 ? cu_mask[i] : 0;
    return HSA_STATUS_SUCCESS;
}

HSA hsa_amd_queue_cu_get_mask(const hsa_queue_t *queue, uint32_t num_cu_mask_count, uint32_t *cu_mask) {
    HSA_STARTED();
    const struct wl_hsa_queue *q = queue_of(queue);
    HSA_REQUIRE(q && !q->soft, HSA_STATUS_ERROR_INVALID_QUEUE);
    HSA_REQUIRE(num_cu_mask_count && num_cu_mask_count % 32 == 0 && cu_mask, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    const uint32_t units = q->agent->context->info.compute_units;
    for (uint32_t i = 0; i < num_cu_mask_count / 32; i++) { /* no mask set: all there are */
        const uint32_t of_all = units >= 32 * (i + 1) ? UINT32_MAX : units > 32 * i ? (UINT32_C(1) << (units - 32 * i)) - 1 : 0;
        cu_mask[i] = q->mask[0] | q->mask[1] ? i < 2 ? q->mask[i] : 0 : of_all;
    }
    return HSA_STATUS_SUCCESS;
}

HSA hsa_amd_queue_get_info(hsa_queue_t *queue, int attribute, void *value) {
    HSA_STARTED();
    const struct wl_hsa_queue *q = queue_of(queue);
    HSA_REQUIRE(q && !q->soft, HSA_STATUS_ERROR_INVALID_QUEUE);
    HSA_REQUIRE(value, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    if (attribute == HSA_AMD_QUEUE_INFO_AGENT)
        *(hsa_agent_t *)value = (hsa_agent_t){(uint64_t)(uintptr_t)q->agent};
    else if (attribute == HSA_AMD_QUEUE_INFO_DOORBELL_ID)
        *(uint64_t *)value = queue->id;
    else
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return HSA_STATUS_SUCCESS;
}

/* Times are always kept. */
HSA hsa_amd_profiling_set_profiler_enabled(hsa_queue_t *queue, int enable) {
    HSA_STARTED();
    (void)enable;
    HSA_REQUIRE(queue_of(queue), HSA_STATUS_ERROR_INVALID_QUEUE);
    return HSA_STATUS_SUCCESS;
}

/* ---- indices -------------------------------------------------------------------------------------------------- */

#define QUEUE_OF(queue) ((struct wl_hsa_queue *)(uintptr_t)(queue))

#define LOAD_INDEX(name, order)                                                                                                            \
    HSA_OF(uint64_t) hsa_queue_load_read_index_##name(const hsa_queue_t *queue) {                                                          \
        return atomic_load_explicit(wl_hsa_read_index(QUEUE_OF(queue)), order);                                                            \
    }                                                                                                                                      \
    HSA_OF(uint64_t) hsa_queue_load_write_index_##name(const hsa_queue_t *queue) {                                                         \
        return atomic_load_explicit(wl_hsa_write_index(QUEUE_OF(queue)), order);                                                           \
    }
LOAD_INDEX(relaxed, memory_order_relaxed)
LOAD_INDEX(scacquire, memory_order_acquire)
LOAD_INDEX(acquire, memory_order_acquire)

#define STORE_INDEX(name, order)                                                                                                           \
    HSA_OF(void) hsa_queue_store_read_index_##name(const hsa_queue_t *queue, uint64_t value) {                                             \
        atomic_store_explicit(wl_hsa_read_index(QUEUE_OF(queue)), value, order);                                                           \
    }                                                                                                                                      \
    HSA_OF(void) hsa_queue_store_write_index_##name(const hsa_queue_t *queue, uint64_t value) {                                            \
        atomic_store_explicit(wl_hsa_write_index(QUEUE_OF(queue)), value, order);                                                          \
    }
STORE_INDEX(relaxed, memory_order_relaxed)
STORE_INDEX(screlease, memory_order_release)
STORE_INDEX(release, memory_order_release)

#define CHANGE_INDEX(name, order)                                                                                                          \
    HSA_OF(uint64_t) hsa_queue_add_write_index_##name(const hsa_queue_t *queue, uint64_t value) {                                          \
        return atomic_fetch_add_explicit(wl_hsa_write_index(QUEUE_OF(queue)), value, order);                                               \
    }                                                                                                                                      \
    HSA_OF(uint64_t) hsa_queue_cas_write_index_##name(const hsa_queue_t *queue, uint64_t expected, uint64_t value) {                       \
        (void)atomic_compare_exchange_strong_explicit(wl_hsa_write_index(QUEUE_OF(queue)), &expected, value, order, memory_order_relaxed); \
        return expected;                                                                                                                   \
    }
CHANGE_INDEX(relaxed, memory_order_relaxed)
CHANGE_INDEX(scacquire, memory_order_acquire)
CHANGE_INDEX(acquire, memory_order_acquire)
CHANGE_INDEX(screlease, memory_order_release)
CHANGE_INDEX(release, memory_order_release)
CHANGE_INDEX(scacq_screl, memory_order_acq_rel)
CHANGE_INDEX(acq_rel, memory_order_acq_rel)
