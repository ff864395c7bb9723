/* HSA: a queue's packets are taken in order, and each is finished before the next one begins. That is allowed with any barrier bits: without the bit
 * packets may overlap, but need not. Whoever has `taken` the queue takes packets: the queue's thread, or a thread of the program that has rung its
 * doorbell and waits for a signal without a limit, which so does not depend on another thread's getting a processor. */
#include "hsa/hsa.h"

#include "base/clock.h"
#include "base/options.h"
#include "device/kernarg.h"

#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SPIN_NS = 20000, NAP_NS = 100000000 };

_Static_assert(sizeof(hsa_barrier_packet_t) == WL_HSA_PACKET && sizeof(hsa_amd_barrier_value_packet_t) == WL_HSA_PACKET, "an AQL packet");

/* ---- failing ------------------------------------------------------------------------------------------ */

/* The queue takes no more packets. A memory fault is first told to the handlers of the system's events. If neither such a handler nor the queue's
 * callback takes the error, the process ends, as with AMD's library: whoever waits for the packet would wait for ever. */
static void tell_failure(struct wl_hsa_queue *queue) {
    const hsa_status_t status = queue->failure;
    wl_log(1, "HSA queue %llu stops: %s", (unsigned long long)wl_hsa_public(queue)->id, queue->why);
    bool told = status == HSA_STATUS_ERROR_MEMORY_FAULT && wl_hsa_memory_fault(queue->agent);
    if (queue->callback) {
        queue->callback(status, wl_hsa_public(queue), queue->data);
        told = true;
    }
    if (!told)
        abort();
}

/* A packet has failed. The queue's thread tells of that, whichever thread took the packet: the program may not expect its callback in a thread that
 * waits. */
static void fail(struct wl_hsa_queue *queue, hsa_status_t status, const char *why) {
    queue->failure = status;
    snprintf(queue->why, sizeof queue->why, "%s", why);
    atomic_store(&queue->failed, true);
    atomic_store(&queue->failing, true);
    wl_hsa_queue_ring(queue);
}

/* ---- the ring ------------------------------------------------------------------------------------------ */

static _Atomic uint16_t *header_at(const hsa_queue_t *queue, uint64_t index) {
    return (_Atomic uint16_t *)(uintptr_t)((char *)queue->base_address + (index & (queue->size - 1)) * WL_HSA_PACKET);
}

static bool has_packet(struct wl_hsa_queue *queue, uint64_t index) {
    if (index >= queue->written)
        queue->written = atomic_load_explicit(wl_hsa_write_index(queue), memory_order_acquire);
    return index < queue->written &&
           (atomic_load_explicit(header_at(wl_hsa_public(queue), index), memory_order_acquire) & 0xff) != HSA_PACKET_TYPE_INVALID;
}

/* ---- kernels -------------------------------------------------------------------------------------------- */

static struct wl_loaded_kernel *kernel_of(struct wl_hsa_queue *queue, uint64_t object) {
    const uint64_t generation = wl_hsa_kernel_generation();
    if (queue->last_object != object || !queue->last || queue->last_generation != generation) {
        queue->last = wl_hsa_kernel(object);
        queue->last_object = object;
        queue->last_generation = generation;
    }
    return queue->last;
}

static bool request_of(const struct wl_dispatch_packet *packet, struct wl_loaded_kernel *kernel, struct wl_launch_request *request) {
    const unsigned dimensions = packet->setup & 3;
    *request = (struct wl_launch_request){.kernel = kernel};
    for (unsigned d = 0; d < 3; d++) {
        const uint32_t items = d < dimensions ? packet->grid_size[d] : 1, size = d < dimensions ? packet->workgroup_size[d] : 1;
        if (!items || !size)
            return false;
        request->grid[d] = items / size + (items % size != 0);
        request->block[d] = size;
        request->remainder[d] = items % size;
    }
    const uint32_t own = kernel->kernel->lds_size;
    request->dynamic_lds = packet->group_segment_size > own ? packet->group_segment_size - own : 0;
    return true;
}

enum { MOST_ARGUMENTS = 4352 }; /* bytes of a kernarg segment that a device with queues takes; it refuses larger ones */

/* Where the host can read the packet's kernarg segment: in `copy`, if it lies in memory that is the device's alone. */
static enum wl_status read_kernarg(struct wl_device *device, const struct wl_dispatch_packet *packet, size_t size,
                                   unsigned char copy[MOST_ARGUMENTS], const unsigned char **kernarg) {
    const void *segment = (const void *)(uintptr_t)packet->kernarg_address;
    struct wl_allocation allocation;
    *kernarg = segment;
    if (!device->ops->queues || !size || size > MOST_ARGUMENTS || !wl_core.memory_find(segment, &allocation) ||
        allocation.kind == WL_MEMORY_HOST || allocation.kind == WL_MEMORY_REGISTERED || allocation.kind == WL_MEMORY_MANAGED)
        return WL_OK;
    *kernarg = copy;
    return device->ops->copy(device, copy, segment, size);
}

static enum wl_status launch(struct wl_hsa_queue *queue, const struct wl_dispatch_packet *packet, bool batched,
                             const struct wl_launch_request *request) {
    struct wl_context *context = queue->agent->context;
    const struct wl_device_ops *ops = context->device->ops;
    enum wl_status status = wl_core.launch_check(context, request);
    if (status != WL_OK)
        return status;
    struct wl_launch launch;
    _Alignas(16) unsigned char copy[MOST_ARGUMENTS];
    const unsigned char *kernarg;
    const size_t size = packet->kernarg_address ? request->kernel->kernel->kernarg_size : 0;
    status = read_kernarg(context->device, packet, size, copy, &kernarg);
    if (status != WL_OK)
        return status;
    wl_core.launch_describe(request, kernarg, size, &launch);
    launch.packet = packet;
    launch.batched = batched;
    launch.queue = wl_hsa_public(queue);
    launch.worker_mask = queue->mask[0] | (uint64_t)queue->mask[1] << 32;
    if (!ops->queues)
        return ops->launch(context->device, &launch);
    status = ops->queues->launch(queue->device_queue, &launch);
    return status == WL_OK ? ops->queues->synchronize(queue->device_queue) : status;
}

/* Whether the packet was there when the last launch began that looked at the fault handlers, so that this one need not. Else this one looks. */
static bool is_batched(struct wl_hsa_queue *queue, uint64_t index) {
    enum { MOST = 64 };
    if (index < queue->seen_end)
        return true;
    for (queue->seen_end = index + 1; queue->seen_end < index + MOST && has_packet(queue, queue->seen_end);)
        queue->seen_end++;
    return false;
}

static uint64_t now_if(bool wanted) { return wanted ? wl_now() : 0; }

static void dispatch(struct wl_hsa_queue *queue, uint64_t index, const struct wl_dispatch_packet *packet) {
    struct wl_loaded_kernel *kernel = kernel_of(queue, packet->kernel_object);
    struct wl_launch_request request;
    if (!kernel) {
        fail(queue, HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "a packet names a kernel object that no executable has");
        return;
    }
    if (!request_of(packet, kernel, &request)) {
        fail(queue, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "a kernel dispatch packet has a dimension of 0");
        return;
    }
    const bool tells = packet->completion_signal != 0;
    const uint64_t start = now_if(tells);
    const enum wl_status status = launch(queue, packet, is_batched(queue, index), &request);
    if (status == WL_OK) {
        wl_hsa_signal_complete((hsa_signal_t){packet->completion_signal}, start, now_if(tells));
        return;
    }
    char why[1024];
    snprintf(why, sizeof why, "%s", wl_core.failure());
    fail(queue, wl_hsa_status(status, "a kernel dispatch packet"), why);
}

/* ---- barriers -------------------------------------------------------------------------------------------- */

/* Waits until all signals, or with `any` one of them, are 0. Signals without a handle do not count. */
static void wait_for_signals(struct wl_hsa_queue *queue, const hsa_barrier_packet_t *packet, bool any) {
    static const int zero[5] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ,
                                HSA_SIGNAL_CONDITION_EQ};
    static const int64_t compares[5] = {0, 0, 0, 0, 0};
    hsa_signal_t signals[5];
    int64_t value = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < 5; i++)
        if (packet->dep_signal[i].handle)
            signals[count++] = packet->dep_signal[i];
    if (any && count)
        (void)wl_hsa_wait_any(count, signals, zero, compares, UINT64_MAX, false, &queue->stop, &value);
    for (unsigned i = 0; i < count && !any; i++)
        (void)wl_hsa_wait_any(1, &signals[i], zero, compares, UINT64_MAX, false, &queue->stop, &value);
}

/* Waits until the condition holds for the masked value of a signal. wl_hsa_wait_any compares whole values, so this waits for any change and
 * applies the mask itself. */
static void wait_for_value(struct wl_hsa_queue *queue, const hsa_amd_barrier_value_packet_t *packet) {
    struct wl_hsa_signal *signal = (struct wl_hsa_signal *)(uintptr_t)packet->signal.handle;
    int64_t value, seen;
    while (signal && !atomic_load(&queue->stop)) {
        value = atomic_load(&signal->value);
        if (wl_hsa_condition((int)packet->cond, value & packet->mask, packet->value))
            break;
        (void)wl_hsa_wait_any(1, &packet->signal, &(int){HSA_SIGNAL_CONDITION_NE}, &value, UINT64_MAX, false, &queue->stop, &seen);
    }
}

/* ---- the thread -------------------------------------------------------------------------------------------- */

/* Takes the queue if it has a packet that nobody runs yet. */
static bool take(struct wl_hsa_queue *queue) {
    if (atomic_load(&queue->failed) || atomic_load(&queue->taken) || atomic_exchange(&queue->taken, true))
        return false;
    if (has_packet(queue, atomic_load(&queue->index)))
        return true;
    atomic_store(&queue->taken, false);
    return false;
}

/* Takes the queue as soon as it has a packet. False: the queue is to end. */
static bool wait_for_packet(struct wl_hsa_queue *queue) {
    for (uint64_t spin_end = 0;;) {
        if (atomic_exchange(&queue->failing, false))
            tell_failure(queue);
        if (atomic_load(&queue->stop))
            return false;
        if (take(queue))
            return true;
        const uint64_t now = wl_now();
        if (!spin_end)
            spin_end = now + SPIN_NS;
        if (now < spin_end && !atomic_load(&queue->failed))
            continue;
        const uint32_t rung = atomic_load(&queue->rung);
        atomic_store(&queue->sleeping, true);
        const bool taken = !atomic_load(&queue->failing) && take(queue); /* written before it was known that this thread sleeps */
        if (!taken && !atomic_load(&queue->failing))
            (void)syscall(SYS_futex, &queue->rung, FUTEX_WAIT_PRIVATE, rung, &(struct timespec){0, NAP_NS}, NULL, 0);
        atomic_store(&queue->sleeping, false);
        if (taken)
            return true;
    }
}

static void run_packet(struct wl_hsa_queue *queue, uint64_t index, const void *packet) {
    const hsa_barrier_packet_t *barrier = packet;
    const hsa_amd_barrier_value_packet_t *of_value = packet;
    if ((barrier->header & 0xff) == HSA_PACKET_TYPE_KERNEL_DISPATCH) {
        dispatch(queue, index, packet);
        return;
    }
    const uint64_t start = wl_now();
    switch (barrier->header & 0xff) {
    case HSA_PACKET_TYPE_BARRIER_AND:
    case HSA_PACKET_TYPE_BARRIER_OR:
        wait_for_signals(queue, barrier, (barrier->header & 0xff) == HSA_PACKET_TYPE_BARRIER_OR);
        break;
    case HSA_PACKET_TYPE_VENDOR_SPECIFIC:
        if (of_value->amd_format == HSA_AMD_PACKET_TYPE_BARRIER_VALUE) {
            wait_for_value(queue, of_value);
            break;
        }
        fail(queue, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "a vendor packet of a kind that Wavelift does not know");
        return;
    default:
        fail(queue, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "a packet of a kind that a device does not take");
        return;
    }
    if (!atomic_load(&queue->stop))
        wl_hsa_signal_complete(barrier->completion_signal, start, wl_now());
}

/* Runs the first packet of a queue that is taken, and leaves the queue to others. */
static void run_first(struct wl_hsa_queue *queue) {
    _Alignas(64) unsigned char packet[WL_HSA_PACKET];
    const uint64_t index = atomic_load(&queue->index);
    _Atomic uint16_t *header = header_at(wl_hsa_public(queue), index);
    memcpy(packet, (const void *)(uintptr_t)header, sizeof packet);
    atomic_store_explicit(header, HSA_PACKET_TYPE_INVALID, memory_order_relaxed);
    atomic_store_explicit(wl_hsa_read_index(queue), index + 1, memory_order_release);
    run_packet(queue, index, packet);
    atomic_store(&queue->index, index + 1);
    atomic_store(&queue->taken, false);
}

static uint8_t type_of_first(struct wl_hsa_queue *queue) {
    return (uint8_t)atomic_load(header_at(wl_hsa_public(queue), atomic_load(&queue->index)));
}

bool wl_hsa_queue_take_kernel(struct wl_hsa_queue *queue) {
    if (type_of_first(queue) != HSA_PACKET_TYPE_KERNEL_DISPATCH || !take(queue))
        return false;
    if (type_of_first(queue) == HSA_PACKET_TYPE_KERNEL_DISPATCH)
        return true;
    atomic_store(&queue->taken, false);
    wl_hsa_queue_ring(queue);
    return false;
}

void wl_hsa_queue_run_taken(struct wl_hsa_queue *queue) {
    run_first(queue);
    if (type_of_first(queue) != HSA_PACKET_TYPE_INVALID) /* its thread may have found the queue taken */
        wl_hsa_queue_ring(queue);
}

void *wl_hsa_queue_run(void *argument) {
    struct wl_hsa_queue *queue = argument;
    while (wait_for_packet(queue))
        run_first(queue);
    atomic_store(&queue->done, true);
    return NULL;
}
