/* Streams and events. One thread does all work but kernels, which have threads of their own, in any order that the driver's rules allow:
 * within a stream in order; in the legacy stream behind all earlier work of streams that are not CU_STREAM_NON_BLOCKING, and their work
 * behind its earlier work. */
#include "fake_cuda.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct CUstream_st {
    struct CUstream_st *next;
    bool non_blocking, legacy, dead, running;
    CUcontext context;
    struct fake_work *first, *last;
    uint64_t given, done; /* numbers of the last work */
};

struct CUevent_st {
    unsigned flags;
    CUstream stream;   /* of the last record */
    uint64_t recorded; /* its number; 0: none */
    double time;       /* milliseconds */
};

static struct CUstream_st legacy_stream = {.legacy = true};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_once_t once;
    struct CUstream_st *streams;
    uint64_t number;
    bool held;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .once = PTHREAD_ONCE_INIT, .streams = &legacy_stream};

static CUstream real(CUstream stream) { return stream == CU_STREAM_LEGACY || !stream ? &legacy_stream : stream; }

static bool may_run(const struct CUstream_st *stream) {
    const struct fake_work *work = stream->first;
    if (stream->running || !work || (work->ready && !work->ready(work)))
        return false;
    if (stream->non_blocking)
        return true;
    for (const struct CUstream_st *other = all.streams; other; other = other->next)
        if (other != stream && !other->non_blocking && (other->legacy || stream->legacy) && other->first &&
            other->first->number < work->number)
            return false;
    return true;
}

/* Does a stream's first work and takes it out. The lock is not held. */
static void do_first(struct CUstream_st *stream) {
    struct fake_work *work = stream->first;
    CUresult result = fake_fault() == CUDA_SUCCESS ? work->run(work) : fake_fault();
    if (result != CUDA_SUCCESS)
        fake_set_fault(result);
    pthread_mutex_lock(&all.lock);
    stream->first = work->next;
    if (!stream->first)
        stream->last = NULL;
    stream->done = work->number;
    stream->running = false;
    free(work->launch);
    free(work);
    pthread_cond_broadcast(&all.changed);
    pthread_mutex_unlock(&all.lock);
}

static void *do_kernel(void *stream) {
    do_first(stream);
    return NULL;
}

static void *worker(void *argument) {
    (void)argument;
    pthread_mutex_lock(&all.lock);
    for (;;) {
        struct CUstream_st *stream = all.held ? NULL : all.streams;
        while (stream && !may_run(stream))
            stream = stream->next;
        if (!stream) { /* words in memory change without a signal */
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_nsec += 1000000;
            until.tv_sec += until.tv_nsec / 1000000000;
            until.tv_nsec %= 1000000000;
            pthread_cond_timedwait(&all.changed, &all.lock, &until);
            continue;
        }
        pthread_t thread;
        bool kernel = stream->first->launch != NULL;
        stream->running = true;
        pthread_mutex_unlock(&all.lock);
        if (kernel && pthread_create(&thread, NULL, do_kernel, stream) == 0)
            pthread_detach(thread);
        else
            do_first(stream);
        pthread_mutex_lock(&all.lock);
    }
    return NULL;
}

static void start(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, worker, NULL) != 0)
        abort();
    pthread_detach(thread);
}

struct fake_work *fake_work(CUresult (*run)(struct fake_work *)) {
    struct fake_work *work = calloc(1, sizeof *work);
    work->run = run;
    return work;
}

static void give_locked(CUstream stream, struct fake_work *work) {
    work->number = stream->given = ++all.number;
    *(stream->last ? &stream->last->next : &stream->first) = work;
    stream->last = work;
    pthread_cond_broadcast(&all.changed);
}

CUresult fake_give(CUstream stream, struct fake_work *work) {
    pthread_once(&all.once, start);
    if (fake_fault() != CUDA_SUCCESS) {
        free(work->launch);
        free(work);
        return fake_fault();
    }
    pthread_mutex_lock(&all.lock);
    give_locked(real(stream), work);
    pthread_mutex_unlock(&all.lock);
    return CUDA_SUCCESS;
}

static bool is_done(CUstream stream, uint64_t number) { return !stream->first || stream->first->number > number; }

void fake_wait(CUstream only) {
    pthread_mutex_lock(&all.lock);
    uint64_t number = all.number;
    for (struct CUstream_st *stream = all.streams; stream; stream = stream->next)
        while ((!only || stream == real(only)) && !is_done(stream, number))
            pthread_cond_wait(&all.changed, &all.lock);
    pthread_mutex_unlock(&all.lock);
}

void fake_hold(bool on) {
    pthread_mutex_lock(&all.lock);
    all.held = on;
    pthread_cond_broadcast(&all.changed);
    pthread_mutex_unlock(&all.lock);
}

/* ---- streams ------------------------------------------------------------------------------------------- */

CUresult cuStreamCreateWithPriority(CUstream *result, unsigned flags, int priority) {
    FAKE_ENTER();
    (void)priority;
    FAKE_REQUIRE(flags <= CU_STREAM_NON_BLOCKING, CUDA_ERROR_INVALID_VALUE);
    CUstream stream = calloc(1, sizeof *stream);
    stream->non_blocking = flags == CU_STREAM_NON_BLOCKING;
    stream->context = fake_context();
    pthread_mutex_lock(&all.lock);
    stream->next = all.streams->next; /* behind the legacy one; streams stay */
    all.streams->next = stream;
    pthread_mutex_unlock(&all.lock);
    *result = stream;
    return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
    FAKE_ENTER();
    FAKE_REQUIRE(stream && stream != CU_STREAM_LEGACY && !stream->dead, CUDA_ERROR_INVALID_HANDLE);
    stream->dead = true;
    return CUDA_SUCCESS;
}

/* Streams are of the context that was current when they were made. */
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
    FAKE_ENTER();
    FAKE_REQUIRE(stream && stream != CU_STREAM_LEGACY && !stream->dead, CUDA_ERROR_INVALID_HANDLE);
    *context = stream->context;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
    FAKE_ENTER();
    *flags = real(stream)->non_blocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT;
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) {
    FAKE_ENTER();
    fake_wait(real(stream));
    return fake_fault();
}

CUresult cuStreamQuery(CUstream stream) {
    FAKE_ENTER();
    pthread_mutex_lock(&all.lock);
    bool done = !real(stream)->first;
    pthread_mutex_unlock(&all.lock);
    return fake_fault() != CUDA_SUCCESS ? fake_fault() : done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

/* ---- copies and fills -------------------------------------------------------------------------------------- */

static CUresult run_copy(struct fake_work *work) {
    enum fake_kind kind;
    if (!fake_find(work->a, work->size, &kind) || !fake_find(work->b, work->size, &kind))
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    memmove(fake_at(work->a), fake_at(work->b), work->size);
    return CUDA_SUCCESS;
}

static CUresult run_copy_aside(struct fake_work *work) {
    CUresult result = run_copy(work);
    free(fake_at(work->b));
    return result;
}

/* What the driver does with a small block of pageable memory: it copies it aside. */
static CUresult give_copy_aside(CUdeviceptr target, CUdeviceptr source, size_t size, CUstream stream) {
    struct fake_work *work = fake_work(run_copy_aside);
    work->a = target;
    work->b = (uint64_t)(uintptr_t)memcpy(malloc(size), fake_at(source), size);
    work->size = size;
    return fake_give(stream, work);
}

/* Other pageable memory is read or written before the call returns. */
static CUresult give_copy(CUdeviceptr target, CUdeviceptr source, size_t size, CUstream stream, bool wait) {
    enum fake_kind to, from;
    FAKE_REQUIRE(fake_find(target, size, &to) && fake_find(source, size, &from), CUDA_ERROR_INVALID_VALUE);
    struct fake_work *work = fake_work(run_copy);
    work->a = target;
    work->b = source;
    work->size = size;
    CUresult result = fake_give(stream, work);
    if (result == CUDA_SUCCESS && (wait || to == FAKE_UNKNOWN || from == FAKE_UNKNOWN))
        fake_wait(real(stream));
    return result == CUDA_SUCCESS && wait ? fake_fault() : result;
}

CUresult cuMemcpy(CUdeviceptr target, CUdeviceptr source, size_t size) {
    FAKE_ENTER();
    return give_copy(target, source, size, CU_STREAM_LEGACY, true);
}

CUresult cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source, size_t size, CUstream stream) {
    FAKE_ENTER();
    enum { SMALL = 64 << 10 };
    enum fake_kind to, from;
    FAKE_REQUIRE(fake_find(target, size, &to) && fake_find(source, size, &from), CUDA_ERROR_INVALID_VALUE);
    return to != FAKE_UNKNOWN && from == FAKE_UNKNOWN && size <= SMALL ? give_copy_aside(target, source, size, stream)
                                                                       : give_copy(target, source, size, stream, false);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream) {
    FAKE_ENTER();
    CUresult result = CUDA_SUCCESS;
    FAKE_REQUIRE(copy->WidthInBytes <= copy->srcPitch && copy->WidthInBytes <= copy->dstPitch && !copy->srcXInBytes && !copy->dstXInBytes,
                 CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < copy->Height && result == CUDA_SUCCESS; i++) {
        uint64_t from = copy->srcMemoryType == CU_MEMORYTYPE_HOST ? (uint64_t)(uintptr_t)copy->srcHost : copy->srcDevice,
                 to = copy->dstMemoryType == CU_MEMORYTYPE_HOST ? (uint64_t)(uintptr_t)copy->dstHost : copy->dstDevice;
        result = give_copy(to + i * copy->dstPitch, from + i * copy->srcPitch, copy->WidthInBytes, stream, false);
    }
    return result;
}

static CUresult run_fill(struct fake_work *work) {
    enum fake_kind kind;
    if (!fake_find(work->a, work->size * work->flags, &kind))
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    for (size_t i = 0; i < work->size; i++)
        memcpy((char *)fake_at(work->a) + i * work->flags, &work->value, work->flags);
    return CUDA_SUCCESS;
}

static CUresult give_fill(CUdeviceptr target, uint64_t value, size_t count, unsigned size, CUstream stream) {
    enum fake_kind kind;
    FAKE_REQUIRE(fake_find(target, count * size, &kind) && kind != FAKE_UNKNOWN && target % size == 0, CUDA_ERROR_INVALID_VALUE);
    struct fake_work *work = fake_work(run_fill);
    work->a = target;
    work->value = value;
    work->size = count;
    work->flags = size;
    return fake_give(stream, work);
}

CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t count, CUstream stream) {
    FAKE_ENTER();
    return give_fill(target, value, count, 1, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr target, unsigned short value, size_t count, CUstream stream) {
    FAKE_ENTER();
    return give_fill(target, value, count, 2, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr target, unsigned value, size_t count, CUstream stream) {
    FAKE_ENTER();
    return give_fill(target, value, count, 4, stream);
}

static CUresult run_nothing(struct fake_work *work) {
    (void)work;
    return CUDA_SUCCESS;
}

static CUresult run_host_function(struct fake_work *work) {
    void (*function)(void *) = NULL;
    memcpy((void *)&function, &work->a, sizeof function);
    function((void *)(uintptr_t)work->b);
    return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream stream, void (*function)(void *), void *data) {
    FAKE_ENTER();
    struct fake_work *work = fake_work(run_host_function);
    memcpy(&work->a, (void *)&function, sizeof function);
    work->b = (uint64_t)(uintptr_t)data;
    return fake_give(stream, work);
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t size, CUdevice device, CUstream stream) {
    FAKE_ENTER();
    (void)device;
    enum fake_kind kind;
    FAKE_REQUIRE(fake_find(address, size, &kind) && kind == FAKE_MANAGED, CUDA_ERROR_INVALID_VALUE);
    return fake_give(stream, fake_work(run_nothing));
}

/* ---- words in memory -------------------------------------------------------------------------------------------- */

static uint64_t load(const struct fake_work *work) {
    uint64_t value = 0;
    memcpy(&value, fake_at(work->a), work->size);
    return value;
}

static bool holds(const struct fake_work *work) {
    uint64_t value = load(work), mask = work->size == 4 ? UINT32_MAX : UINT64_MAX;
    switch (work->flags) {
    case CU_STREAM_WAIT_VALUE_GEQ: /* cyclic */
        return work->size == 4 ? (int32_t)((uint32_t)value - (uint32_t)work->value) >= 0 : (int64_t)(value - work->value) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
        return value == work->value;
    case CU_STREAM_WAIT_VALUE_AND:
        return (value & work->value) != 0;
    default:
        return (~(value | work->value) & mask) != 0;
    }
}

static CUresult run_write(struct fake_work *work) {
    memcpy(fake_at(work->a), &work->value, work->size);
    return CUDA_SUCCESS;
}

static CUresult give_word(CUstream stream, CUdeviceptr address, uint64_t value, size_t size, unsigned flags, bool write) {
    enum fake_kind kind;
    FAKE_REQUIRE(fake_find(address, size, &kind) && kind != FAKE_UNKNOWN && flags <= CU_STREAM_WAIT_VALUE_NOR, CUDA_ERROR_INVALID_VALUE);
    struct fake_work *work = fake_work(write ? run_write : run_nothing);
    work->ready = write ? NULL : holds;
    work->a = address;
    work->value = value;
    work->size = size;
    work->flags = flags;
    return fake_give(stream, work);
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags) {
    FAKE_ENTER();
    return give_word(stream, address, value, 4, flags, false);
}

CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags) {
    FAKE_ENTER();
    return give_word(stream, address, value, 8, flags, false);
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags) {
    FAKE_ENTER();
    return give_word(stream, address, value, 4, flags, true);
}

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags) {
    FAKE_ENTER();
    return give_word(stream, address, value, 8, flags, true);
}

/* ---- events --------------------------------------------------------------------------------------------------------- */

CUresult cuEventCreate(CUevent *event, unsigned flags) {
    FAKE_ENTER();
    FAKE_REQUIRE(!(flags & ~7u), CUDA_ERROR_INVALID_VALUE);
    *event = calloc(1, sizeof **event);
    (*event)->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
    FAKE_ENTER();
    (void)event; /* work may still refer to it */
    return CUDA_SUCCESS;
}

static CUresult run_record(struct fake_work *work) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    pthread_mutex_lock(&all.lock);
    if (work->event->recorded == work->number) /* else it was recorded again */
        work->event->time = (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
    pthread_mutex_unlock(&all.lock);
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
    FAKE_ENTER();
    struct fake_work *work = fake_work(run_record);
    work->event = event;
    pthread_once(&all.once, start);
    if (fake_fault() != CUDA_SUCCESS) {
        free(work);
        return fake_fault();
    }
    pthread_mutex_lock(&all.lock);
    give_locked(real(stream), work);
    event->recorded = work->number;
    event->stream = real(stream);
    pthread_mutex_unlock(&all.lock);
    return CUDA_SUCCESS;
}

static bool is_reached(const struct CUevent_st *event) { return !event->recorded || is_done(event->stream, event->recorded); }

/* The record that was the last one when the wait was given. */
static bool record_reached(const struct fake_work *work) { return !work->value || is_done(work->stream, work->value); }

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    FAKE_ENTER();
    FAKE_REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE);
    struct fake_work *work = fake_work(run_nothing);
    work->ready = record_reached;
    pthread_mutex_lock(&all.lock);
    work->value = event->recorded;
    work->stream = event->stream;
    pthread_mutex_unlock(&all.lock);
    return fake_give(stream, work);
}

CUresult cuEventQuery(CUevent event) {
    FAKE_ENTER();
    pthread_mutex_lock(&all.lock);
    bool reached = is_reached(event);
    pthread_mutex_unlock(&all.lock);
    return fake_fault() != CUDA_SUCCESS ? fake_fault() : reached ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventSynchronize(CUevent event) {
    FAKE_ENTER();
    pthread_mutex_lock(&all.lock);
    while (!is_reached(event) && fake_fault() == CUDA_SUCCESS)
        pthread_cond_wait(&all.changed, &all.lock);
    pthread_mutex_unlock(&all.lock);
    return fake_fault();
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
    FAKE_ENTER();
    FAKE_REQUIRE(!((from->flags | to->flags) & CU_EVENT_DISABLE_TIMING) && from->recorded && to->recorded, CUDA_ERROR_INVALID_HANDLE);
    pthread_mutex_lock(&all.lock);
    bool reached = is_reached(from) && is_reached(to);
    *milliseconds = (float)(to->time - from->time);
    pthread_mutex_unlock(&all.lock);
    return reached ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
