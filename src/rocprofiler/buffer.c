/* Buffers of records, and the threads that call back for them. */
#include "rocprofiler/profiler.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Records that are given to a callback together. */
struct batch {
    struct batch *next;
    struct wl_rp_buffer *buffer;
    size_t used, count, capacity; /* bytes of records; headers */
    uint64_t dropped;
    struct wl_rp_header *headers; /* payloads are places in `memory` */
    unsigned char memory[];
};

/* A thread that calls back. */
struct caller {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct batch *first, **last;
    pthread_t thread;
};

struct wl_rp_buffer {
    uint64_t id;
    struct wl_rp_id context;
    size_t size, watermark;
    bool lossless;
    wl_rp_buffer_callback function;
    void *data;
    struct caller *caller;
    pthread_mutex_t lock;
    pthread_cond_t done;
    struct batch *open; /* NULL: none yet */
    unsigned given;     /* batches that the caller has and has not finished */
    uint64_t dropped;
};

enum { BUFFERS = 64, CALLERS = 64, MOST_GIVEN = 8 };

static struct {
    pthread_mutex_t lock;
    _Atomic unsigned buffer_count, caller_count;
    struct wl_rp_buffer *buffers[BUFFERS];
    struct caller *callers[CALLERS]; /* the first one is for buffers that were assigned none */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct wl_rp_buffer *wl_rp_buffer(struct wl_rp_id id) {
    return id.handle - 1 < atomic_load(&all.buffer_count) ? all.buffers[id.handle - 1] : NULL;
}

/* ---- threads ------------------------------------------------------------------------------------- */

static _Thread_local struct caller *self;

static void deliver(struct batch *batch) {
    struct wl_rp_buffer *buffer = batch->buffer;
    struct wl_rp_header **headers = calloc(batch->count ? batch->count : 1, sizeof *headers);
    for (size_t i = 0; headers && i < batch->count; i++)
        headers[i] = &batch->headers[i];
    if (headers)
        buffer->function(buffer->context, (struct wl_rp_id){buffer->id}, headers, batch->count, buffer->data, batch->dropped);
    free((void *)headers);
    free(batch->headers);
    free(batch);
    pthread_mutex_lock(&buffer->lock);
    buffer->given--;
    pthread_cond_broadcast(&buffer->done);
    pthread_mutex_unlock(&buffer->lock);
}

static void *call(void *argument) {
    self = argument;
    for (;;) {
        pthread_mutex_lock(&self->lock);
        while (!self->first)
            pthread_cond_wait(&self->wake, &self->lock);
        struct batch *batch = self->first;
        if (!(self->first = batch->next))
            self->last = &self->first;
        pthread_mutex_unlock(&self->lock);
        deliver(batch);
    }
    return NULL;
}

static bool start_caller(struct caller *caller) {
    pthread_mutex_init(&caller->lock, NULL);
    pthread_cond_init(&caller->wake, NULL);
    caller->first = NULL;
    caller->last = &caller->first;
    if (pthread_create(&caller->thread, NULL, call, caller) != 0)
        return false;
    pthread_detach(caller->thread);
    return true;
}

void wl_rp_buffers_forked(void) {
    self = NULL;
    pthread_mutex_init(&all.lock, NULL);
    for (unsigned i = 0; i < atomic_load(&all.buffer_count); i++) {
        struct wl_rp_buffer *buffer = all.buffers[i];
        pthread_mutex_init(&buffer->lock, NULL);
        pthread_cond_init(&buffer->done, NULL);
        buffer->open = NULL;
        buffer->given = 0;
        buffer->dropped = 0;
    }
    for (unsigned i = 0; i < atomic_load(&all.caller_count); i++)
        (void)start_caller(all.callers[i]);
}

/* The lock of `all` is held. Returns the caller's number + 1; 0: there is none. */
static unsigned make_caller(void) {
    const unsigned count = atomic_load(&all.caller_count);
    struct caller *made = count < CALLERS ? calloc(1, sizeof *made) : NULL;
    if (!made)
        return 0;
    if (!start_caller(made)) {
        free(made);
        return 0;
    }
    all.callers[count] = made;
    atomic_store(&all.caller_count, count + 1);
    return count + 1;
}

WL_ROCPROFILER_API int rocprofiler_create_callback_thread(struct wl_rp_id *thread) {
    if (!thread)
        return WL_RP_INVALID_ARGUMENT;
    if (wl_rp_configurable() != WL_RP_SUCCESS)
        return WL_RP_CONFIGURATION_LOCKED;
    pthread_mutex_lock(&all.lock);
    const unsigned number = (atomic_load(&all.caller_count) || make_caller()) ? make_caller() : 0;
    pthread_mutex_unlock(&all.lock);
    thread->handle = number;
    return number ? WL_RP_SUCCESS : WL_RP_OUT_OF_RESOURCES;
}

WL_ROCPROFILER_API int rocprofiler_assign_callback_thread(struct wl_rp_id id, struct wl_rp_id thread) {
    struct wl_rp_buffer *buffer = wl_rp_buffer(id);
    if (!buffer)
        return WL_RP_BUFFER_NOT_FOUND;
    if (thread.handle - 1 >= atomic_load(&all.caller_count))
        return WL_RP_THREAD_NOT_FOUND;
    if (wl_rp_configurable() != WL_RP_SUCCESS)
        return WL_RP_CONFIGURATION_LOCKED;
    buffer->caller = all.callers[thread.handle - 1];
    return WL_RP_SUCCESS;
}

/* ---- buffers ----------------------------------------------------------------------------------------- */

WL_ROCPROFILER_API int rocprofiler_create_buffer(struct wl_rp_id context, size_t size, size_t watermark, int policy,
                                                 wl_rp_buffer_callback function, void *data, struct wl_rp_id *id) {
    if (!function || !id || !size || watermark > size || (policy != WL_RP_POLICY_DISCARD && policy != WL_RP_POLICY_LOSSLESS))
        return WL_RP_INVALID_ARGUMENT;
    if (wl_rp_configurable() != WL_RP_SUCCESS)
        return WL_RP_CONFIGURATION_LOCKED;
    if (!wl_rp_context_at((unsigned)context.handle - 1))
        return WL_RP_CONTEXT_NOT_FOUND;
    int status = WL_RP_OUT_OF_RESOURCES;
    pthread_mutex_lock(&all.lock);
    const unsigned count = atomic_load(&all.buffer_count);
    struct wl_rp_buffer *made = count < BUFFERS && (atomic_load(&all.caller_count) || make_caller()) ? calloc(1, sizeof *made) : NULL;
    if (made) {
        *made = (struct wl_rp_buffer){.id = count + 1,
                                      .context = context,
                                      .size = size,
                                      .watermark = watermark ? watermark : size,
                                      .lossless = policy == WL_RP_POLICY_LOSSLESS,
                                      .function = function,
                                      .data = data,
                                      .caller = all.callers[0]};
        pthread_mutex_init(&made->lock, NULL);
        pthread_cond_init(&made->done, NULL);
        all.buffers[count] = made;
        atomic_store(&all.buffer_count, count + 1);
        id->handle = count + 1;
        status = WL_RP_SUCCESS;
    }
    pthread_mutex_unlock(&all.lock);
    return status;
}

/* Gives the open batch to the caller. The buffer's lock is held. */
static void give(struct wl_rp_buffer *buffer) {
    struct batch *batch = buffer->open;
    if (!batch)
        return;
    buffer->open = NULL;
    buffer->given++;
    batch->dropped = buffer->dropped;
    buffer->dropped = 0;
    struct caller *caller = buffer->caller;
    pthread_mutex_lock(&caller->lock);
    *caller->last = batch;
    caller->last = &batch->next;
    pthread_cond_signal(&caller->wake);
    pthread_mutex_unlock(&caller->lock);
}

/* Room for a record and its header in the open batch. The buffer's lock is held. */
static struct batch *room(struct wl_rp_buffer *buffer, size_t size) {
    struct batch *batch = buffer->open;
    if (!batch) {
        batch = calloc(1, sizeof *batch + buffer->size);
        if (!batch)
            return NULL;
        batch->buffer = buffer;
        buffer->open = batch;
    }
    if (batch->used + size > buffer->size)
        return NULL;
    if (batch->count == batch->capacity) {
        const size_t capacity = batch->capacity ? 2 * batch->capacity : 64;
        struct wl_rp_header *headers = realloc(batch->headers, capacity * sizeof *headers);
        if (!headers)
            return NULL;
        batch->headers = headers;
        batch->capacity = capacity;
    }
    return batch;
}

void wl_rp_write(struct wl_rp_buffer *buffer, uint32_t kind, const void *record, size_t size) {
    wl_rp_write_of(buffer, WL_RP_CATEGORY_TRACING, kind, record, size);
}

void wl_rp_write_of(struct wl_rp_buffer *buffer, uint32_t category, uint32_t kind, const void *record, size_t size) {
    const size_t taken = (size + 15) / 16 * 16;
    pthread_mutex_lock(&buffer->lock);
    struct batch *batch = room(buffer, taken);
    if (!batch && buffer->lossless) {
        give(buffer);
        while (buffer->given > MOST_GIVEN && self != buffer->caller)
            pthread_cond_wait(&buffer->done, &buffer->lock);
        batch = room(buffer, taken);
    }
    if (batch) {
        void *place = batch->memory + batch->used;
        memcpy(place, record, size);
        batch->headers[batch->count++] = (struct wl_rp_header){category, kind, place};
        batch->used += taken;
        if (batch->used >= buffer->watermark)
            give(buffer);
    } else {
        buffer->dropped++;
    }
    pthread_mutex_unlock(&buffer->lock);
}

static int flush(struct wl_rp_buffer *buffer) {
    if (self == buffer->caller)
        return WL_RP_BUFFER_BUSY; /* its own callback asks */
    pthread_mutex_lock(&buffer->lock);
    give(buffer);
    while (buffer->given)
        pthread_cond_wait(&buffer->done, &buffer->lock);
    pthread_mutex_unlock(&buffer->lock);
    return WL_RP_SUCCESS;
}

WL_ROCPROFILER_API int rocprofiler_flush_buffer(struct wl_rp_id id) {
    struct wl_rp_buffer *buffer = wl_rp_buffer(id);
    return buffer ? flush(buffer) : WL_RP_BUFFER_NOT_FOUND;
}

void wl_rp_flush_all(void) {
    for (unsigned i = 0; i < atomic_load(&all.buffer_count); i++)
        (void)flush(all.buffers[i]);
}
