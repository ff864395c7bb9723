/* What device code on a GPU asks of the host (device/hostcall.h). A thread of the device asks whether a packet is ready for as long as
 * kernels that may need it are in flight. Nothing that it does may call the driver in a way that waits for the device: memory for
 * device code comes out of one managed range, which costs nothing until it is touched. */
#include "device/cuda/services.h"
#include "base/assert.h"
#include "base/options.h"
#include "base/page.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WAVES_PER_UNIT 64
#define EAGER_LOOKS    2000 /* without a pause, before the thread sleeps between looks */
#define PAUSE_NS       20000

/* ---- memory for device code ------------------------------------------------------------------------------- */

/* A part of the managed range: allocated, or free. */
struct piece {
    struct piece *next; /* by address */
    char *begin;
    size_t size;
    bool free;
};

struct wl_cuda_services {
    struct wl_cuda_device *device;
    struct wl_hostcall *hostcall;
    _Atomic bool asserted;
    char *range; /* managed */
    size_t range_size;
    struct piece *pieces; /* guarded by the lock of `hostcall`, which calls */
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t wake;
    bool thread;                  /* the thread that serves packets was started */
    struct wl_device_mark *marks; /* behind kernels that may ask, through `next` */
};

static void *range_allocate(void *owner, size_t size, size_t alignment) {
    struct wl_cuda_services *s = owner;
    size = wl_page_up(size);
    for (struct piece *piece = s->pieces; piece; piece = piece->next) {
        char *begin = (char *)(((uintptr_t)piece->begin + alignment - 1) / alignment * alignment);
        size_t skipped = (size_t)(begin - piece->begin);
        if (!piece->free || skipped > piece->size || size > piece->size - skipped)
            continue;
        struct piece *rest = calloc(1, sizeof *rest), *mine = skipped ? calloc(1, sizeof *mine) : piece;
        if (!rest || !mine) {
            free(rest);
            if (mine != piece)
                free(mine);
            return NULL;
        }
        *rest = (struct piece){piece->next, begin + size, piece->size - skipped - size, true};
        if (mine != piece) {
            piece->size = skipped;
            piece->next = mine;
        }
        *mine = (struct piece){rest, begin, size, false};
        return begin;
    }
    return NULL;
}

static void range_release(void *owner, void *memory, size_t size) {
    struct wl_cuda_services *s = owner;
    (void)size;
    for (struct piece *piece = s->pieces; piece; piece = piece->next)
        if (piece->begin == memory && !piece->free) {
            piece->free = true;
            break;
        }
    for (struct piece *piece = s->pieces; piece; piece = piece->next) /* neighbours become one */
        while (piece->free && piece->next && piece->next->free) {
            struct piece *next = piece->next;
            piece->size += next->size;
            piece->next = next->next;
            free(next);
        }
}

static enum wl_status make_range(struct wl_cuda_services *s) {
    uint64_t free = 0, total = 0;
    wl_cuda_memory_info(&s->device->base, &free, &total);
    s->range_size = (size_t)(total / 4) & ~(size_t)0x1fffff;
    s->pieces = calloc(1, sizeof *s->pieces);
    if (!s->pieces)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for the list of a GPU's blocks");
    enum wl_status status = wl_cuda_host_ops.managed_allocate(&s->device->base, (void **)&s->range, s->range_size);
    if (status == WL_OK)
        *s->pieces = (struct piece){NULL, s->range, s->range_size, true};
    return status;
}

/* ---- pinned memory ------------------------------------------------------------------------------------------- */

static void *pinned_allocate(void *owner, size_t size, size_t alignment) {
    struct wl_cuda_services *s = owner;
    void *memory = NULL;
    (void)alignment; /* pages */
    if (wl_cuda_host_ops.allocate(&s->device->base, &memory, size, 0) != WL_OK)
        return NULL;
    memset(memory, 0, size);
    return memory;
}

static void pinned_release(void *owner, void *memory, size_t size) {
    struct wl_cuda_services *s = owner;
    (void)size;
    wl_cuda_host_ops.release(&s->device->base, memory, 0);
}

/* ---- the thread ------------------------------------------------------------------------------------------------ */

/* Drops the marks that are reached. Returns whether some are not. */
static bool kernels_in_flight(struct wl_cuda_services *s) {
    struct wl_device_mark *reached = NULL;
    pthread_mutex_lock(&s->lock);
    for (struct wl_device_mark **link = &s->marks; *link;) {
        struct wl_device_mark *mark = *link;
        if (s->device->driver->cuEventQuery(mark->event) == CUDA_ERROR_NOT_READY) {
            link = &mark->next;
            continue;
        }
        *link = mark->next;
        mark->next = reached;
        reached = mark;
    }
    bool more = s->marks != NULL;
    pthread_mutex_unlock(&s->lock);
    while (reached) {
        struct wl_device_mark *mark = reached;
        reached = mark->next;
        wl_cuda_queue_ops.mark_destroy(mark);
    }
    return more;
}

static void serve_while_needed(struct wl_cuda_services *s) {
    unsigned idle = 0;
    do {
        if (wl_hostcall_pending(s->hostcall)) {
            wl_hostcall_serve(s->hostcall, &s->asserted);
            idle = 0;
            continue;
        }
        if (++idle % 64 == 0 && !kernels_in_flight(s))
            break;
        if (idle > EAGER_LOOKS)
            nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
    } while (true);
    wl_hostcall_serve(s->hostcall, &s->asserted);
    wl_hostcall_flush(s->hostcall);
}

static void *serve(void *argument) {
    struct wl_cuda_services *s = argument;
    if (wl_cuda_enter(s->device) != WL_OK)
        return NULL;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        while (!s->marks)
            pthread_cond_wait(&s->wake, &s->lock);
        pthread_mutex_unlock(&s->lock);
        serve_while_needed(s);
    }
    return NULL;
}

/* Under the lock. */
static enum wl_status start_thread(struct wl_cuda_services *s) {
    wl_assert_held(&s->lock);
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    s->thread = pthread_create(&thread, NULL, serve, s) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!s->thread)
        return wl_fail(WL_OUT_OF_MEMORY, "no thread that serves the GPU's kernels");
    pthread_setname_np(thread, "wavelift-calls");
    pthread_detach(thread);
    return WL_OK;
}

/* ---- for launches ----------------------------------------------------------------------------------------------- */

static struct wl_cuda_services *create(struct wl_cuda_device *device) {
    struct wl_cuda_services *s = calloc(1, sizeof *s);
    struct wl_device_info info;
    if (!s) {
        wl_fail(WL_OUT_OF_MEMORY, "no memory for services");
        return NULL;
    }
    s->device = device;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->wake, NULL);
    device->base.ops->info(&device->base, &info);
    uint32_t packets = 1024;
    while (packets < info.compute_units * WAVES_PER_UNIT)
        packets *= 2;
    const struct wl_hostcall_memory pinned = {pinned_allocate, pinned_release, s}, range = {range_allocate, range_release, s};
    if (make_range(s) == WL_OK && !(s->hostcall = wl_hostcall_create(packets, false, &pinned, &range)))
        wl_fail(WL_OUT_OF_MEMORY, "no memory for the hostcall buffer");
    if (s->hostcall)
        return s;
    free(s->pieces);
    free(s);
    return NULL;
}

enum wl_status wl_cuda_services_buffer(struct wl_cuda_device *device, uint64_t *buffer) {
    struct wl_cuda_services *s = atomic_load_explicit(&device->services, memory_order_acquire);
    if (!s) {
        pthread_mutex_lock(&device->services_lock);
        s = atomic_load(&device->services);
        if (!s && (s = create(device)))
            atomic_store_explicit(&device->services, s, memory_order_release);
        pthread_mutex_unlock(&device->services_lock);
    }
    if (!s)
        return WL_OUT_OF_MEMORY;
    *buffer = (uint64_t)(uintptr_t)wl_hostcall_buffer(s->hostcall);
    return WL_OK;
}

enum wl_status wl_cuda_services_heap(struct wl_cuda_device *device, uint64_t *heap) {
    enum wl_status status = WL_OK;
    pthread_mutex_lock(&device->services_lock);
    if (!device->heap) {
        void *memory = NULL;
        status = wl_cuda_allocate(&device->base, &memory, WL_HOSTCALL_HEAP, WL_HOSTCALL_HEAP);
        if (status == WL_OK)
            status = wl_cuda_fill(&device->base, memory, 0, 4, WL_HOSTCALL_HEAP / 4);
        if (status == WL_OK)
            device->heap = memory;
    }
    *heap = (uint64_t)(uintptr_t)device->heap;
    pthread_mutex_unlock(&device->services_lock);
    return status;
}

enum wl_status wl_cuda_services_follow(struct wl_cuda_device *device, CUstream stream) {
    struct wl_cuda_services *s = atomic_load(&device->services);
    struct wl_device_queue queue = {.device = device, .stream = stream, .generation = atomic_load(&device->generation)};
    struct wl_device_mark *mark = NULL;
    enum wl_status status = wl_cuda_queue_ops.mark_create(&device->base, false, &mark);
    if (status == WL_OK)
        status = wl_cuda_queue_ops.mark_place(mark, &queue);
    if (status != WL_OK) {
        if (mark)
            wl_cuda_queue_ops.mark_destroy(mark);
        return status;
    }
    pthread_mutex_lock(&s->lock);
    if (!s->thread)
        status = start_thread(s);
    mark->next = s->marks;
    s->marks = mark;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* The thread may be looking at them still, so they stay; it finds nothing to do any more. */
void wl_cuda_services_forget(struct wl_cuda_device *device) {
    pthread_mutex_lock(&device->services_lock);
    atomic_store(&device->services, NULL);
    device->heap = NULL;
    pthread_mutex_unlock(&device->services_lock);
}

void wl_cuda_services_flush(struct wl_cuda_device *device) {
    struct wl_cuda_services *s = atomic_load_explicit(&device->services, memory_order_acquire);
    if (s)
        wl_hostcall_flush(s->hostcall);
}

bool wl_cuda_services_asserted(struct wl_cuda_device *device) {
    struct wl_cuda_services *s = atomic_load_explicit(&device->services, memory_order_acquire);
    return s && atomic_load(&s->asserted);
}
