/* Pools: a buffer that is written to, and full ones that wait for their callback. */
#include "roctracer/tracer.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Records from its beginning on, names of kernels from its end down. */
struct buffer {
    struct buffer *next;
    char *memory, *records, *names;
};

struct wl_roctracer_pool {
    roctracer_properties_t properties;
    pthread_mutex_t lock;     /* guards the buffers */
    pthread_mutex_t delivery; /* who holds it calls the callback; taken before `lock`. A callback may come back to it in its own thread */
    struct buffer *open;      /* NULL: none yet */
    struct buffer *full, **last;
    bool delivering;
};

static struct {
    pthread_mutex_t lock;
    struct wl_roctracer_pool *pool;
} by_default = {.lock = PTHREAD_MUTEX_INITIALIZER};

WL_ROCTRACER_API roctracer_status_t roctracer_get_timestamp(roctracer_timestamp_t *timestamp) {
    if (!timestamp)
        return wl_roctracer_fail(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no place for a time");
    *timestamp = wl_now();
    return ROCTRACER_STATUS_SUCCESS;
}

/* ---- buffers ------------------------------------------------------------------------------------- */

static void allocate(const struct wl_roctracer_pool *pool, char **memory, size_t size) {
    if (pool->properties.alloc_fun) {
        pool->properties.alloc_fun(memory, size, pool->properties.alloc_arg);
    } else if (size) {
        *memory = malloc(size);
    } else {
        free(*memory);
    }
}

static struct buffer *make_buffer(const struct wl_roctracer_pool *pool) {
    struct buffer *buffer = calloc(1, sizeof *buffer);
    if (buffer)
        allocate(pool, &buffer->memory, pool->properties.buffer_size);
    if (buffer && !buffer->memory) {
        free(buffer);
        return NULL;
    }
    if (buffer) {
        buffer->records = buffer->memory;
        buffer->names = buffer->memory + pool->properties.buffer_size;
    }
    return buffer;
}

static void free_buffer(const struct wl_roctracer_pool *pool, struct buffer *buffer) {
    if (buffer)
        allocate(pool, &buffer->memory, 0);
    free(buffer);
}

/* Puts the open buffer behind the full ones. The lock is held. */
static void close_buffer(struct wl_roctracer_pool *pool) {
    if (!pool->open)
        return;
    *pool->last = pool->open;
    pool->last = &pool->open->next;
    pool->open = NULL;
}

static struct buffer *take_full(struct wl_roctracer_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    struct buffer *buffer = pool->full;
    if (buffer && !(pool->full = buffer->next))
        pool->last = &pool->full;
    pthread_mutex_unlock(&pool->lock);
    return buffer;
}

/* Calls the pool's callback for the full buffers, in order. If the callback itself comes here (it flushed the pool, or its records filled a
 * buffer), nothing is done: the loop that called it takes the new buffers too. */
static void deliver(struct wl_roctracer_pool *pool) {
    struct buffer *buffer;
    pthread_mutex_lock(&pool->delivery);
    if (!pool->delivering) {
        pool->delivering = true;
        while ((buffer = take_full(pool))) {
            if (buffer->records > buffer->memory && pool->properties.buffer_callback_fun)
                pool->properties.buffer_callback_fun(buffer->memory, buffer->records, pool->properties.buffer_callback_arg);
            free_buffer(pool, buffer);
        }
        pool->delivering = false;
    }
    pthread_mutex_unlock(&pool->delivery);
}

void wl_roctracer_write(struct wl_roctracer_pool *pool, const activity_record_t *records, unsigned count, const char *name) {
    const size_t size = count * sizeof *records;
    size_t length = name ? strlen(name) + 1 : 0;
    bool full = false;
    if (size + length > pool->properties.buffer_size)
        length = 0; /* no buffer has room for it */
    pthread_mutex_lock(&pool->lock);
    if (pool->open && (size_t)(pool->open->names - pool->open->records) < size + length) {
        close_buffer(pool);
        full = true;
    }
    if (!pool->open)
        pool->open = make_buffer(pool);
    struct buffer *buffer = pool->open;
    if (buffer && (size_t)(buffer->names - buffer->records) >= size) {
        memcpy(buffer->records, records, size);
        activity_record_t *last = (activity_record_t *)(void *)(buffer->records + size) - 1;
        if (name)
            last->kernel_name = NULL;
        if (length) {
            buffer->names -= length;
            memcpy(buffer->names, name, length);
            last->kernel_name = buffer->names;
        }
        buffer->records += size;
    }
    pthread_mutex_unlock(&pool->lock);
    if (full)
        deliver(pool);
}

/* ---- pools --------------------------------------------------------------------------------------- */

WL_ROCTRACER_API roctracer_status_t roctracer_open_pool_expl(const roctracer_properties_t *properties, roctracer_pool_t **pool) {
    if (!pool)
        return roctracer_open_pool(properties);
    if (!properties || properties->buffer_size < 2 * sizeof(activity_record_t))
        return wl_roctracer_fail(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no properties, or buffers that hold no record");
    struct wl_roctracer_pool *made = calloc(1, sizeof *made);
    if (!made)
        return wl_roctracer_fail(ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION, "no memory for a pool");
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&made->delivery, &recursive);
    pthread_mutex_init(&made->lock, NULL);
    pthread_mutexattr_destroy(&recursive);
    made->properties = *properties;
    made->last = &made->full;
    *pool = made;
    return ROCTRACER_STATUS_SUCCESS;
}

WL_ROCTRACER_API roctracer_status_t roctracer_open_pool(const roctracer_properties_t *properties) {
    roctracer_status_t status = ROCTRACER_STATUS_SUCCESS;
    roctracer_pool_t *pool = NULL;
    pthread_mutex_lock(&by_default.lock);
    if (by_default.pool)
        status = wl_roctracer_fail(ROCTRACER_STATUS_ERROR_DEFAULT_POOL_ALREADY_DEFINED, "there is a default pool");
    else if ((status = roctracer_open_pool_expl(properties, &pool)) == ROCTRACER_STATUS_SUCCESS)
        by_default.pool = pool;
    pthread_mutex_unlock(&by_default.lock);
    return status;
}

struct wl_roctracer_pool *wl_roctracer_default(void) { return roctracer_default_pool_expl(NULL); }

WL_ROCTRACER_API roctracer_pool_t *roctracer_default_pool_expl(roctracer_pool_t *pool) {
    pthread_mutex_lock(&by_default.lock);
    struct wl_roctracer_pool *before = by_default.pool;
    if (pool)
        by_default.pool = pool;
    pthread_mutex_unlock(&by_default.lock);
    return before;
}

WL_ROCTRACER_API roctracer_pool_t *roctracer_default_pool(void) { return wl_roctracer_default(); }

WL_ROCTRACER_API roctracer_status_t roctracer_flush_activity_expl(roctracer_pool_t *pool) {
    struct wl_roctracer_pool *flushed = pool ? pool : wl_roctracer_default();
    if (!flushed)
        return ROCTRACER_STATUS_SUCCESS;
    pthread_mutex_lock(&flushed->lock);
    close_buffer(flushed);
    pthread_mutex_unlock(&flushed->lock);
    deliver(flushed);
    return ROCTRACER_STATUS_SUCCESS;
}

WL_ROCTRACER_API roctracer_status_t roctracer_flush_activity(void) { return roctracer_flush_activity_expl(NULL); }

WL_ROCTRACER_API roctracer_status_t roctracer_close_pool_expl(roctracer_pool_t *pool) {
    struct wl_roctracer_pool *closed = pool ? pool : wl_roctracer_default();
    if (!closed)
        return ROCTRACER_STATUS_SUCCESS;
    wl_roctracer_forget(closed);
    (void)roctracer_flush_activity_expl(closed);
    pthread_mutex_lock(&by_default.lock);
    if (by_default.pool == closed)
        by_default.pool = NULL;
    pthread_mutex_unlock(&by_default.lock);
    pthread_mutex_destroy(&closed->lock);
    pthread_mutex_destroy(&closed->delivery);
    free(closed);
    return ROCTRACER_STATUS_SUCCESS;
}

WL_ROCTRACER_API roctracer_status_t roctracer_close_pool(void) { return roctracer_close_pool_expl(NULL); }

WL_ROCTRACER_API roctracer_status_t roctracer_next_record(const activity_record_t *record, const activity_record_t **next) {
    if (!record || !next)
        return wl_roctracer_fail(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no record, or no place for the next one");
    *next = record + 1;
    return ROCTRACER_STATUS_SUCCESS;
}
