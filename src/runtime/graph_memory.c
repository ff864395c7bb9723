/* Graph memory: what allocation nodes allocate. The address is fixed when the node is made; pages that a launch has touched
 * stay until a trim. Figures are kept for each device in the order of the program's calls. */
#include "runtime/context.h"
#include "runtime/graph.h"
#include "runtime/stream.h"
#include "runtime/stream_run.h"
#include "runtime/work.h"
#include "sanitize/allocations.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct wl_graph_memory {
    atomic_uint references;
    struct wl_context *context;
    void *address;
    size_t size;
    bool live;   /* allocated by a launch and not freed since */
    bool backed; /* may have pages */
    bool claimed;
    struct wl_graph_memory *next;
};

#define MAX_DEVICES 64 /* as WAVELIFT_DEVICES allows */

static struct {
    pthread_mutex_t lock;
    struct wl_graph_memory *first;
    atomic_uint count;
    struct {
        uint64_t used, used_high, reserved, reserved_high;
    } figures[MAX_DEVICES];
} memories = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- sanitizers ---- */

static void tell_live(const struct wl_graph_memory *memory) {
    wl_san_allocated((uint64_t)(uintptr_t)memory->address, memory->size, WL_SAN_GRAPH, NULL, "an allocation node");
}

static void tell_freed(const struct wl_graph_memory *memory) {
    wl_san_freed((uint64_t)(uintptr_t)memory->address, *wl_san_call ? wl_san_call : "a node that frees");
}

static void come_to_allocation(void *memory, enum wl_status fault) {
    (void)fault;
    tell_live(memory);
    wl_graph_memory_release(memory);
}

static void come_to_free(void *memory, enum wl_status fault) {
    (void)fault;
    tell_freed(memory);
    wl_graph_memory_release(memory);
}

enum wl_status wl_graph_memory_tell(struct wl_graph_memory *memory, bool live, struct wl_stream *stream) {
    if (!wl_san_tools())
        return WL_OK;
    wl_graph_memory_retain(memory);
    if (!stream)
        (live ? come_to_allocation : come_to_free)(memory, WL_OK);
    else if (wl_command_host(stream, live ? come_to_allocation : come_to_free, memory, true) != WL_OK) {
        wl_graph_memory_release(memory);
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for what sanitizers are told of a graph's memory");
    }
    return WL_OK;
}

/* ---- memory ---- */

enum wl_status wl_graph_memory_create(struct wl_context *context, size_t size, struct wl_graph_memory **memory) {
    struct wl_graph_memory *made = calloc(1, sizeof *made);
    enum wl_status status = made ? wl_memory_allocate(context, WL_MEMORY_DEVICE, size, 0, &made->address)
                                 : wl_fail(WL_OUT_OF_MEMORY, "out of host memory for an allocation node");
    if (status != WL_OK) {
        free(made);
        return status;
    }
    atomic_init(&made->references, 1);
    made->context = context;
    made->size = size;
    pthread_mutex_lock(&memories.lock);
    made->next = memories.first;
    memories.first = made;
    atomic_fetch_add(&memories.count, 1);
    pthread_mutex_unlock(&memories.lock);
    *memory = made;
    tell_live(made);
    wl_san_freed((uint64_t)(uintptr_t)made->address, "its graph, which allocates it when it runs");
    return WL_OK;
}

void wl_graph_memory_retain(struct wl_graph_memory *memory) { atomic_fetch_add(&memory->references, 1); }

void wl_graph_memory_release(struct wl_graph_memory *memory) {
    if (!memory || atomic_fetch_sub(&memory->references, 1) != 1)
        return;
    pthread_mutex_lock(&memories.lock);
    struct wl_graph_memory **link = &memories.first;
    while (*link != memory)
        link = &(*link)->next;
    *link = memory->next;
    atomic_fetch_sub(&memories.count, 1);
    memories.figures[memory->context->index].used -= memory->live ? memory->size : 0;
    memories.figures[memory->context->index].reserved -= memory->backed ? memory->size : 0;
    pthread_mutex_unlock(&memories.lock);
    if (!wl_stream_inside_command())
        wl_runtime_drain(); /* what was launched may still use it */
    (void)wl_memory_free(memory->address, 1u << WL_MEMORY_DEVICE);
    free(memory);
}

void *wl_graph_memory_address(const struct wl_graph_memory *memory) { return memory->address; }

size_t wl_graph_memory_size(const struct wl_graph_memory *memory) { return memory->size; }

struct wl_graph_memory *wl_graph_memory_at(const void *address) {
    if (!atomic_load_explicit(&memories.count, memory_order_relaxed))
        return NULL;
    pthread_mutex_lock(&memories.lock);
    struct wl_graph_memory *memory = memories.first;
    while (memory && memory->address != address)
        memory = memory->next;
    pthread_mutex_unlock(&memories.lock);
    return memory;
}

bool wl_graph_memory_claim(struct wl_graph_memory *memory) {
    pthread_mutex_lock(&memories.lock);
    bool claims = memory && !memory->claimed;
    if (claims)
        memory->claimed = true;
    pthread_mutex_unlock(&memories.lock);
    return claims;
}

void wl_graph_memory_unclaim(struct wl_graph_memory *memory) {
    pthread_mutex_lock(&memories.lock);
    if (memory)
        memory->claimed = false;
    pthread_mutex_unlock(&memories.lock);
}

bool wl_graph_memory_is_live(const struct wl_graph_memory *memory) { return memory->live; }

static void raise_mark(uint64_t *mark, uint64_t value) { *mark = value > *mark ? value : *mark; }

void wl_graph_memory_begin(struct wl_graph_memory *memory) {
    pthread_mutex_lock(&memories.lock);
    uint64_t *used = &memories.figures[memory->context->index].used, *reserved = &memories.figures[memory->context->index].reserved;
    *used += memory->live ? 0 : memory->size;
    *reserved += memory->backed ? 0 : memory->size;
    memory->live = memory->backed = true;
    raise_mark(&memories.figures[memory->context->index].used_high, *used);
    raise_mark(&memories.figures[memory->context->index].reserved_high, *reserved);
    pthread_mutex_unlock(&memories.lock);
}

enum wl_status wl_graph_memory_end(struct wl_graph_memory *memory) {
    pthread_mutex_lock(&memories.lock);
    bool live = memory->live;
    if (live)
        memories.figures[memory->context->index].used -= memory->size;
    memory->live = false;
    pthread_mutex_unlock(&memories.lock);
    return live ? WL_OK : wl_fail(WL_INVALID_VALUE, "the graph's memory at %p is not allocated", memory->address);
}

uint64_t wl_graph_memory_figure(struct wl_context *context, enum wl_graph_memory_figure figure) {
    pthread_mutex_lock(&memories.lock);
    const uint64_t figures[] = {memories.figures[context->index].used, memories.figures[context->index].used_high,
                                memories.figures[context->index].reserved, memories.figures[context->index].reserved_high};
    pthread_mutex_unlock(&memories.lock);
    return figures[figure];
}

void wl_graph_memory_reset(struct wl_context *context, enum wl_graph_memory_figure figure) {
    pthread_mutex_lock(&memories.lock);
    if (figure == WL_GRAPH_USED_HIGH)
        memories.figures[context->index].used_high = memories.figures[context->index].used;
    else if (figure == WL_GRAPH_RESERVED_HIGH)
        memories.figures[context->index].reserved_high = memories.figures[context->index].reserved;
    pthread_mutex_unlock(&memories.lock);
}

void wl_graph_memory_trim(struct wl_context *context) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    pthread_mutex_lock(&memories.lock);
    for (struct wl_graph_memory *memory = memories.first; memory; memory = memory->next) {
        if (memory->context != context || memory->live || !memory->backed)
            continue;
        uintptr_t from = ((uintptr_t)memory->address + page - 1) / page * page;
        uintptr_t to = ((uintptr_t)memory->address + memory->size) / page * page;
        if (from < to)
            (void)madvise((void *)from, to - from, MADV_DONTNEED);
        memories.figures[context->index].reserved -= memory->size;
        memory->backed = false;
    }
    pthread_mutex_unlock(&memories.lock);
}
