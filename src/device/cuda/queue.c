/* Queues and marks: the driver's streams and events. */
#include "device/cuda/cuda.h"
#include "device/cuda/services.h"

#include <stdlib.h>

#define TAKEN_AT_ONCE (64u << 10)

static CUdeviceptr address_of(const void *memory) { return (CUdeviceptr)(uintptr_t)memory; }

/* ---- queues ------------------------------------------------------------------------------------ */

/* The driver cuts priorities to its own range, in which 0 is the lowest as well. */
static enum wl_status open_stream(struct wl_device_queue *queue) {
    return wl_cuda_check(queue->device->driver->cuStreamCreateWithPriority(
                             &queue->stream, queue->non_blocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT, queue->priority),
                         "cuStreamCreateWithPriority");
}

/* Makes the device's context the thread's; a queue that has outlived a reset gets a new stream. */
static enum wl_status enter(struct wl_device_queue *queue) {
    enum wl_status status = wl_cuda_enter(queue->device);
    uint32_t generation = atomic_load_explicit(&queue->device->generation, memory_order_relaxed);
    if (status != WL_OK || queue->generation == generation)
        return status;
    if (queue->adopted)
        return wl_fail(WL_ILLEGAL_STATE, "the CUstream is gone with the device's reset");
    if (queue->stream != CU_STREAM_LEGACY)
        status = open_stream(queue);
    if (status == WL_OK)
        queue->generation = generation;
    return status;
}

/* The null stream's queue is the driver's own legacy stream, so that the order between it and the others is kept by the driver,
 * whoever gives work to them. */
static enum wl_status queue_create(struct wl_device *base, bool legacy, bool non_blocking, int priority, struct wl_device_queue **result) {
    struct wl_cuda_device *device = wl_cuda(base);
    struct wl_device_queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a queue");
    *queue = (struct wl_device_queue){.device = device,
                                      .stream = CU_STREAM_LEGACY,
                                      .non_blocking = non_blocking,
                                      .priority = priority,
                                      .generation = atomic_load(&device->generation)};
    enum wl_status status = wl_cuda_enter(device);
    if (status == WL_OK && !legacy)
        status = open_stream(queue);
    if (status == WL_OK)
        *result = queue;
    else
        free(queue);
    return status;
}

static void queue_destroy(struct wl_device_queue *queue) {
    if (queue->stream != CU_STREAM_LEGACY && !queue->adopted && queue->generation == atomic_load(&queue->device->generation) &&
        wl_cuda_enter(queue->device) == WL_OK)
        (void)queue->device->driver->cuStreamDestroy(queue->stream);
    free(queue);
}

/* Whether the driver has the memory; else it is the program's, of which the driver knows nothing. */
static bool is_drivers(const struct wl_cuda_device *device, const void *memory) {
    CUdeviceptr begin = 0;
    size_t size = 0;
    return device->driver->cuMemGetAddressRange(&begin, &size, address_of(memory)) == CUDA_SUCCESS;
}

/* For rows of pageable memory the driver waits until the stream has come to them; a dense block of TAKEN_AT_ONCE bytes it takes at once. So
 * they go through memory of the device's, which is there until they are where they belong. False: not such rows, or the driver does not
 * do that. */
static bool copy_through(struct wl_device_queue *queue, const CUDA_MEMCPY2D *rows, enum wl_status *status) {
    const struct wl_cuda_driver *driver = queue->device->driver;
    const size_t size = rows->WidthInBytes * rows->Height;
    CUdeviceptr block = 0;
    CUDA_MEMCPY2D placing = *rows;
    if (rows->srcMemoryType != CU_MEMORYTYPE_HOST || rows->dstMemoryType != CU_MEMORYTYPE_DEVICE || rows->srcPitch != rows->WidthInBytes ||
        size > TAKEN_AT_ONCE || !driver->cuMemAllocAsync || !driver->cuMemFreeAsync ||
        driver->cuMemAllocAsync(&block, size, queue->stream) != CUDA_SUCCESS)
        return false;
    placing.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    placing.srcDevice = block;
    CUresult result = driver->cuMemcpyAsync(block, address_of(rows->srcHost), size, queue->stream);
    if (result == CUDA_SUCCESS)
        result = driver->cuMemcpy2DAsync(&placing, queue->stream);
    const CUresult freed = driver->cuMemFreeAsync(block, queue->stream);
    *status = wl_cuda_result(queue->device, result == CUDA_SUCCESS ? freed : result, "a copy of rows");
    return result != CUDA_ERROR_INVALID_VALUE; /* a pitch that is too large */
}

/* Many rows at once. False: the driver does not do that. */
static bool copy_plane(struct wl_device_queue *queue, const struct wl_rows *rows, enum wl_status *status) {
    enum { FEW = 4 };
    struct wl_cuda_device *device = queue->device;
    if (rows->rows < FEW || !device->driver->cuMemcpy2DAsync || !device->driver->cuMemGetAddressRange || rows->target_pitch < rows->width ||
        rows->source_pitch < rows->width)
        return false;
    const CUDA_MEMCPY2D copy = {
        .srcMemoryType = is_drivers(device, rows->source) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
        .srcHost = rows->source,
        .srcDevice = address_of(rows->source),
        .srcPitch = rows->source_pitch,
        .dstMemoryType = is_drivers(device, rows->target) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
        .dstHost = rows->target,
        .dstDevice = address_of(rows->target),
        .dstPitch = rows->target_pitch,
        .WidthInBytes = rows->width,
        .Height = rows->rows,
    };
    if (copy_through(queue, &copy, status))
        return true;
    CUresult result = device->driver->cuMemcpy2DAsync(&copy, queue->stream);
    if (result == CUDA_ERROR_INVALID_VALUE) /* a pitch that is too large, two mappings in a row: one by one */
        return false;
    *status = wl_cuda_result(device, result, "cuMemcpy2DAsync");
    return true;
}

static enum wl_status queue_copy(struct wl_device_queue *queue, const struct wl_rows *rows) {
    struct wl_cuda_device *device = queue->device;
    enum wl_status status = enter(queue);
    if (status != WL_OK)
        return status;
    bool dense = rows->rows == 1 || (rows->target_pitch == rows->width && rows->source_pitch == rows->width);
    size_t count = dense ? 1 : rows->rows, width = dense ? rows->width * rows->rows : rows->width;
    if (!dense && copy_plane(queue, rows, &status))
        return status;
    for (size_t i = 0; i < count && status == WL_OK && width; i++)
        status = wl_cuda_result(device,
                                device->driver->cuMemcpyAsync(address_of(rows->target) + i * rows->target_pitch,
                                                              address_of(rows->source) + i * rows->source_pitch, width, queue->stream),
                                "cuMemcpyAsync");
    return status;
}

static enum wl_status queue_fill(struct wl_device_queue *queue, void *target, uint32_t pattern, unsigned pattern_size, size_t count) {
    struct wl_cuda_device *device = queue->device;
    const struct wl_cuda_driver *driver = device->driver;
    enum wl_status status = enter(queue);
    if (status != WL_OK || count == 0)
        return status;
    switch (pattern_size) {
    case 1:
        return wl_cuda_result(device, driver->cuMemsetD8Async(address_of(target), (unsigned char)pattern, count, queue->stream),
                              "cuMemsetD8Async");
    case 2:
        return wl_cuda_result(device, driver->cuMemsetD16Async(address_of(target), (unsigned short)pattern, count, queue->stream),
                              "cuMemsetD16Async");
    case 4:
        return wl_cuda_result(device, driver->cuMemsetD32Async(address_of(target), pattern, count, queue->stream), "cuMemsetD32Async");
    default:
        return wl_fail(WL_INVALID_VALUE, "a fill pattern of %u bytes", pattern_size);
    }
}

static enum wl_status queue_launch(struct wl_device_queue *queue, const struct wl_launch *launch) {
    if (queue->generation != atomic_load_explicit(&queue->device->generation, memory_order_relaxed)) {
        enum wl_status status = enter(queue);
        if (status != WL_OK)
            return status;
    }
    return wl_cuda_launch(queue->device, queue->stream, launch);
}

static enum wl_status queue_value(struct wl_device_queue *queue, enum wl_value_operation operation, void *address, unsigned size,
                                  uint64_t value, uint64_t mask) {
    static const unsigned flags[] = {[WL_VALUE_GEQ] = CU_STREAM_WAIT_VALUE_GEQ,
                                     [WL_VALUE_EQ] = CU_STREAM_WAIT_VALUE_EQ,
                                     [WL_VALUE_AND] = CU_STREAM_WAIT_VALUE_AND,
                                     [WL_VALUE_NOR] = CU_STREAM_WAIT_VALUE_NOR,
                                     [WL_VALUE_WRITE] = 0};
    const struct wl_cuda_driver *driver = queue->device->driver;
    CUdeviceptr at = address_of(address);
    bool write = operation == WL_VALUE_WRITE;
    enum wl_status status = enter(queue);
    if (status != WL_OK || operation == WL_VALUE_BARRIER) /* all work of a queue is in order */
        return status;
    const uint64_t all = size == 4 ? UINT32_MAX : UINT64_MAX;
    const bool waits = size == 4 ? driver->cuStreamWaitValue32 != NULL : driver->cuStreamWaitValue64 != NULL;
    if (!write && ((mask & all) != all || !waits))
        return wl_cuda_wait(queue->device, queue->stream, operation, address, size, value, mask);
    if (size == 4 ? !(write ? driver->cuStreamWriteValue32 : driver->cuStreamWaitValue32)
                  : !(write ? driver->cuStreamWriteValue64 : driver->cuStreamWaitValue64))
        return wl_fail(WL_UNSUPPORTED, "the CUDA driver has no stream memory operations of %u bytes", size);
    CUresult result =
        size == 4
            ? (write ? driver->cuStreamWriteValue32 : driver->cuStreamWaitValue32)(queue->stream, at, (uint32_t)value, flags[operation])
            : (write ? driver->cuStreamWriteValue64 : driver->cuStreamWaitValue64)(queue->stream, at, value, flags[operation]);
    return wl_cuda_result(queue->device, result, "a stream memory operation");
}

static enum wl_status queue_prefetch(struct wl_device_queue *queue, const void *memory, size_t size, const struct wl_device *device) {
    const struct wl_cuda_driver *driver = queue->device->driver;
    enum wl_status status = enter(queue);
    if (status != WL_OK || !driver->cuMemPrefetchAsync)
        return status; /* a hint */
    CUdevice place = device ? wl_cuda(device)->handle : CU_DEVICE_CPU;
    return wl_cuda_result(queue->device, driver->cuMemPrefetchAsync(address_of(memory), size, place, queue->stream), "cuMemPrefetchAsync");
}

static enum wl_status queue_query(struct wl_device_queue *queue) {
    enum wl_status status = enter(queue);
    if (status != WL_OK)
        return status;
    CUresult result = queue->device->driver->cuStreamQuery(queue->stream);
    return result == CUDA_ERROR_NOT_READY ? WL_NOT_READY : wl_cuda_result(queue->device, result, "asking a stream");
}

/* Through a mark, and not with cuStreamSynchronize: that does not wait for what the stream is ordered behind in others. */
static enum wl_status queue_synchronize(struct wl_device_queue *queue) {
    struct wl_cuda_device *device = queue->device;
    enum wl_status status = enter(queue);
    if (status != WL_OK)
        return status;
    struct wl_device_mark *mark = NULL;
    status = wl_cuda_queue_ops.mark_create(&device->base, false, &mark);
    if (status == WL_OK)
        status = wl_cuda_queue_ops.mark_place(mark, queue);
    if (status == WL_OK)
        status = wl_cuda_queue_ops.mark_synchronize(mark);
    if (mark)
        wl_cuda_queue_ops.mark_destroy(mark);
    return status;
}

/* ---- marks ------------------------------------------------------------------------------------- */

/* Events are kept: making one costs more than recording it. A spare one may still be pending; placing it again moves it. */
static enum wl_status mark_create(struct wl_device *base, bool timing, struct wl_device_mark **result) {
    struct wl_cuda_device *device = wl_cuda(base);
    struct wl_device_mark *mark = NULL;
    pthread_mutex_lock(&device->lock);
    for (struct wl_device_mark **link = &device->marks; *link && !mark; link = &(*link)->next)
        if ((*link)->timing == timing && (*link)->generation == atomic_load(&device->generation)) {
            mark = *link;
            *link = mark->next;
            break;
        }
    pthread_mutex_unlock(&device->lock);
    enum wl_status status = mark ? WL_OK : wl_cuda_enter(device);
    if (status == WL_OK && !mark) {
        mark = calloc(1, sizeof *mark);
        status = mark ? wl_cuda_check(device->driver->cuEventCreate(&mark->event, timing ? 0 : CU_EVENT_DISABLE_TIMING), "cuEventCreate")
                      : wl_fail(WL_OUT_OF_MEMORY, "no memory for a mark");
    }
    if (status != WL_OK) {
        free(mark);
        return status;
    }
    mark->device = device;
    mark->generation = atomic_load(&device->generation);
    mark->timing = timing;
    *result = mark;
    return WL_OK;
}

static void mark_destroy(struct wl_device_mark *mark) {
    struct wl_cuda_device *device = mark->device;
    if (mark->adopted) {
        free(mark);
        return;
    }
    pthread_mutex_lock(&device->lock);
    mark->next = device->marks;
    device->marks = mark;
    pthread_mutex_unlock(&device->lock);
}

/* A mark of before a reset stands for nothing any more. */
static bool is_gone(const struct wl_device_mark *mark) { return mark->generation != atomic_load(&mark->device->generation); }

static enum wl_status mark_place(struct wl_device_mark *mark, struct wl_device_queue *queue) {
    enum wl_status status = enter(queue);
    return status == WL_OK ? wl_cuda_result(mark->device, mark->device->driver->cuEventRecord(mark->event, queue->stream), "cuEventRecord")
                           : status;
}

static enum wl_status mark_wait(struct wl_device_mark *mark, struct wl_device_queue *queue) {
    enum wl_status status = enter(queue);
    return status == WL_OK && !is_gone(mark)
               ? wl_cuda_result(queue->device, queue->device->driver->cuStreamWaitEvent(queue->stream, mark->event, 0), "cuStreamWaitEvent")
               : status;
}

static enum wl_status mark_query(struct wl_device_mark *mark) {
    enum wl_status status = wl_cuda_enter(mark->device);
    if (status != WL_OK || is_gone(mark))
        return status;
    CUresult result = mark->device->driver->cuEventQuery(mark->event);
    return result == CUDA_ERROR_NOT_READY ? WL_NOT_READY : wl_cuda_result(mark->device, result, "asking an event");
}

static enum wl_status mark_synchronize(struct wl_device_mark *mark) {
    enum wl_status status = wl_cuda_enter(mark->device);
    if (status == WL_OK && !is_gone(mark))
        status = wl_cuda_result(mark->device, mark->device->driver->cuEventSynchronize(mark->event), "waiting for an event");
    wl_cuda_services_flush(mark->device);
    return status;
}

static enum wl_status mark_elapsed(struct wl_device_mark *start, struct wl_device_mark *stop, double *milliseconds) {
    float elapsed = 0;
    if (start->device != stop->device || !start->timing || !stop->timing || is_gone(start) || is_gone(stop))
        return wl_fail(WL_INVALID_VALUE, "events of different devices, or without timing, have no time between them");
    enum wl_status status = wl_cuda_enter(start->device);
    if (status != WL_OK)
        return status;
    CUresult result = start->device->driver->cuEventElapsedTime(&elapsed, start->event, stop->event);
    *milliseconds = elapsed;
    return result == CUDA_ERROR_NOT_READY ? WL_NOT_READY : wl_cuda_result(start->device, result, "the time between events");
}

const struct wl_queue_ops wl_cuda_queue_ops = {
    .create = queue_create,
    .destroy = queue_destroy,
    .copy = queue_copy,
    .fill = queue_fill,
    .launch = queue_launch,
    .value = queue_value,
    .prefetch = queue_prefetch,
    .query = queue_query,
    .synchronize = queue_synchronize,
    .mark_create = mark_create,
    .mark_destroy = mark_destroy,
    .mark_place = mark_place,
    .mark_wait = mark_wait,
    .mark_query = mark_query,
    .mark_synchronize = mark_synchronize,
    .mark_elapsed = mark_elapsed,
};
