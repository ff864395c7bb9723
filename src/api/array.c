/* HIP reference: Memory management, arrays and mipmapped arrays. Their memory is laid out in rows; textures and surfaces read it. */
#include "api/array.h"
#include "api/checked.h"
#include "api/texture.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/stream.h"
#include "runtime/stream_run.h"

#include <stdatomic.h>
#include <stdlib.h>

#define PITCH_ALIGNMENT 256
#define MAX_LEVELS      32 /* more than any size within the limits has */
#define KNOWN_FLAGS     (hipArrayLayered | hipArraySurfaceLoadStore | hipArrayCubemap | hipArrayTextureGather)

static uint64_t memory_id(const void *data) {
    struct wl_allocation allocation;
    return wl_memory_find(data, &allocation) && allocation.kind == WL_MEMORY_ARRAY ? allocation.id : 0;
}

bool wl_api_is_array(hipArray_const_t array) { return wl_handle_is(array, WL_HANDLE_ARRAY) && memory_id(array->data) == array->memory_id; }

/* Frees an array's memory, unless a reset has done that. */
static void free_data(void *data, uint64_t id) {
    if (memory_id(data) == id)
        (void)wl_memory_free(data, 1u << WL_MEMORY_ARRAY);
}

/* ---- formats ----------------------------------------------------------------------------------- */

static const struct {
    hipArray_Format format;
    int bits;
    hipChannelFormatKind kind;
} formats[] = {
    {HIP_AD_FORMAT_UNSIGNED_INT8, 8, hipChannelFormatKindUnsigned},
    {HIP_AD_FORMAT_UNSIGNED_INT16, 16, hipChannelFormatKindUnsigned},
    {HIP_AD_FORMAT_UNSIGNED_INT32, 32, hipChannelFormatKindUnsigned},
    {HIP_AD_FORMAT_SIGNED_INT8, 8, hipChannelFormatKindSigned},
    {HIP_AD_FORMAT_SIGNED_INT16, 16, hipChannelFormatKindSigned},
    {HIP_AD_FORMAT_SIGNED_INT32, 32, hipChannelFormatKindSigned},
    {HIP_AD_FORMAT_HALF, 16, hipChannelFormatKindFloat},
    {HIP_AD_FORMAT_FLOAT, 32, hipChannelFormatKindFloat},
};
#define FORMATS (sizeof formats / sizeof *formats)

bool wl_array_desc_of(hipArray_Format format, unsigned n, hipChannelFormatDesc *desc) {
    for (size_t i = 0; i < FORMATS && (n == 1 || n == 2 || n == 4); i++)
        if (formats[i].format == format) {
            int bits = formats[i].bits;
            *desc = (hipChannelFormatDesc){bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0, formats[i].kind};
            return true;
        }
    return false;
}

bool wl_array_format_of(const hipChannelFormatDesc *d, hipArray_Format *format, unsigned *channels) {
    *channels = d->w ? 4 : d->z ? 3 : d->y ? 2 : 1;
    if (*channels == 3 || (d->y && d->y != d->x) || (d->z && d->z != d->x) || (d->w && (d->w != d->x || !d->z)) || (d->z && !d->y))
        return false;
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].bits == d->x && formats[i].kind == d->f) {
            *format = formats[i].format;
            return true;
        }
    return false;
}

hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind f) {
    return (hipChannelFormatDesc){.x = x, .y = y, .z = z, .w = w, .f = f};
}

/* What an array is made with. */
struct request {
    hipChannelFormatDesc desc;
    hipArray_Format format;
    unsigned channels, flags;
    hipExtent extent;
    bool driver;
};

/* Completes the format from the description. */
static bool fit_format(struct request *request) { return wl_array_format_of(&request->desc, &request->format, &request->channels); }

/* Completes the description from the format. */
static bool fit_desc(struct request *request) { return wl_array_desc_of(request->format, request->channels, &request->desc); }

/* ---- making ------------------------------------------------------------------------------------- */

/* What hipDeviceProp_t tells of textures and surfaces. A cubemap's layers are six slices each. */
static bool is_within_limits(const struct request *request) {
    const hipExtent *e = &request->extent;
    const size_t slices = (request->flags & hipArrayCubemap ? 6 : 1) * (size_t)WL_IMAGE_MAX_SLICES;
    return e->width <= WL_IMAGE_MAX_SIZE && e->height <= WL_IMAGE_MAX_SIZE && e->depth <= slices;
}

static bool is_shape(const struct request *request) {
    const hipExtent *e = &request->extent;
    if (e->width == 0 || (request->flags & ~KNOWN_FLAGS) || !is_within_limits(request))
        return false;
    if (request->flags & hipArrayCubemap) /* six square faces, times the layers */
        return e->width == e->height && e->depth > 0 && e->depth % 6 == 0 && (e->depth == 6 || (request->flags & hipArrayLayered));
    if (request->flags & hipArrayLayered)
        return e->depth > 0;
    if (request->flags & hipArrayTextureGather)
        return e->height > 0 && e->depth == 0;
    return e->depth == 0 || e->height > 0;
}

/* Describes an array of the request's shape in `array`, all but its data. Returns its bytes; 0: too many. */
static size_t describe(const struct request *request, struct hipArray *array) {
    size_t element = (size_t)request->desc.x / 8 * request->channels, row = 0, size = 0;
    *array = (struct hipArray){.desc = request->desc,
                               .width = (unsigned)request->extent.width,
                               .height = (unsigned)request->extent.height,
                               .depth = (unsigned)request->extent.depth,
                               .format = request->format,
                               .channels = request->channels,
                               .driver = request->driver,
                               .flags = request->flags,
                               .element = element};
    if (__builtin_mul_overflow(request->extent.width, element, &row) || row > SIZE_MAX / 2)
        return 0;
    array->pitch = (row + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
    if (__builtin_mul_overflow(array->pitch, wl_array_rows(array), &array->slice) ||
        __builtin_mul_overflow(array->slice, wl_array_slices(array), &size))
        return 0;
    return size;
}

static hipError_t check(const char *function, const void *place, const struct request *request) {
    struct wl_context *context = wl_context_current();
    if (!context)
        return wl_api_fail(function, hipErrorNoDevice, wl_failure());
    if (wl_capture_unsafe() != WL_OK)
        return wl_api_status(function, WL_CAPTURE_UNSUPPORTED);
    if (!place)
        return wl_api_fail(function, hipErrorInvalidValue, "no place for the array");
    if (!is_shape(request))
        return wl_api_fail(function, hipErrorInvalidValue, "no array has this shape and these flags");
    if (wl_context_fault(context) != WL_OK)
        return wl_api_fault(function, wl_context_fault(context));
    return hipSuccess;
}

static hipError_t create(const char *function, hipArray_t *result, const struct request *request) {
    hipError_t error = check(function, result, request);
    if (error != hipSuccess)
        return error;
    struct hipArray *array = malloc(sizeof *array);
    size_t size = array ? describe(request, array) : 0;
    wl_checked_call(function);
    enum wl_status status = size ? wl_memory_allocate(wl_context_current(), WL_MEMORY_ARRAY, size, request->flags, &array->data)
                                 : wl_fail(WL_OUT_OF_MEMORY, "no memory for such an array");
    if (status == WL_OK) {
        status = wl_handle_add(array, WL_HANDLE_ARRAY);
        if (status != WL_OK)
            (void)wl_memory_free(array->data, 1u << WL_MEMORY_ARRAY);
    }
    if (status != WL_OK) {
        free(array);
        return wl_api_status(function, status);
    }
    array->memory_id = memory_id(array->data);
    *result = array;
    return wl_api_success();
}

static hipError_t create_runtime(const char *function, hipArray_t *array, const hipChannelFormatDesc *desc, hipExtent extent,
                                 unsigned flags) {
    struct request request = {.flags = flags, .extent = extent};
    if (!desc)
        return wl_api_fail(function, hipErrorInvalidValue, "no channel description");
    request.desc = *desc;
    if (!fit_format(&request))
        return wl_api_fail(function, hipErrorInvalidValue, "elements have 1, 2 or 4 channels of the same 8, 16 or 32 bits");
    return create(function, array, &request);
}

static bool driver_request(const HIP_ARRAY3D_DESCRIPTOR *descriptor, struct request *request) {
    if (!descriptor)
        return false;
    *request = (struct request){.format = descriptor->Format,
                                .channels = descriptor->NumChannels,
                                .flags = descriptor->Flags,
                                .extent = {descriptor->Width, descriptor->Height, descriptor->Depth},
                                .driver = true};
    return fit_desc(request);
}

hipError_t hipMallocArray(hipArray_t *array, const hipChannelFormatDesc *desc, size_t width, size_t height, unsigned int flags) {
    API_REQUIRE(!(flags & (hipArrayLayered | hipArrayCubemap)), hipErrorInvalidValue);
    return create_runtime(__func__, array, desc, (hipExtent){width, height, 0}, flags);
}

hipError_t hipMalloc3DArray(hipArray_t *array, const hipChannelFormatDesc *desc, hipExtent extent, unsigned int flags) {
    return create_runtime(__func__, array, desc, extent, flags);
}

hipError_t hipArrayCreate(hipArray_t *array, const HIP_ARRAY_DESCRIPTOR *descriptor) {
    struct request request;
    API_REQUIRE(descriptor != NULL, hipErrorInvalidValue);
    HIP_ARRAY3D_DESCRIPTOR wide = {
        .Width = descriptor->Width, .Height = descriptor->Height, .Format = descriptor->Format, .NumChannels = descriptor->NumChannels};
    API_REQUIRE(driver_request(&wide, &request), hipErrorInvalidValue);
    return create(__func__, array, &request);
}

hipError_t hipArray3DCreate(hipArray_t *array, const HIP_ARRAY3D_DESCRIPTOR *descriptor) {
    struct request request;
    API_REQUIRE(driver_request(descriptor, &request), hipErrorInvalidValue);
    return create(__func__, array, &request);
}

/* False: it is not out. */
static bool give_level_back(hipArray_t level) {
    unsigned out = atomic_load(&level->out);
    while (out && !atomic_compare_exchange_weak(&level->out, &out, out - 1))
        ;
    return out > 0;
}

static hipError_t destroy(const char *function, hipArray_t array) {
    if (wl_capture_unsafe() != WL_OK)
        return wl_api_status(function, WL_CAPTURE_UNSUPPORTED);
    if (!array)
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL array");
    wl_checked_call(function);
    if (!wl_handle_is(array, WL_HANDLE_ARRAY)) {
        wl_checked_bad_handle(function, array, "array");
        return wl_api_fail(function, hipErrorContextIsDestroyed, "not an array");
    }
    if (array->is_level) /* its memory goes with the mipmapped array */
        return give_level_back(array) ? wl_api_success() : wl_api_fail(function, hipErrorContextIsDestroyed, "freed as often as asked for");
    if (!wl_stream_inside_command())
        wl_runtime_drain();
    wl_handle_remove(array);
    wl_texture_prune(); /* before its address can be another array's */
    free_data(array->data, array->memory_id);
    free(array);
    return wl_api_success();
}

hipError_t hipFreeArray(hipArray_t array) { return destroy(__func__, array); }

hipError_t hipArrayDestroy(hipArray_t array) { return destroy(__func__, array); }

/* ---- questions ---------------------------------------------------------------------------------- */

hipError_t hipGetChannelDesc(hipChannelFormatDesc *desc, hipArray_const_t array) {
    API_REQUIRE(desc != NULL && array != NULL, hipErrorInvalidValue);
    API_REQUIRE(wl_api_is_array(array), hipErrorInvalidHandle);
    *desc = array->desc;
    API_SUCCESS();
}

hipError_t hipArrayGetInfo(hipChannelFormatDesc *desc, hipExtent *extent, unsigned int *flags, hipArray_t array) {
    API_TRY(wl_capture_unsafe());
    API_REQUIRE(wl_api_is_array(array), hipErrorInvalidHandle);
    if (desc)
        *desc = array->desc;
    if (extent)
        *extent = (hipExtent){array->width, array->height, array->depth};
    if (flags)
        *flags = array->flags;
    API_SUCCESS();
}

hipError_t hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR *descriptor, hipArray_t array) {
    API_TRY(wl_capture_unsafe());
    API_REQUIRE(array != NULL, hipErrorInvalidHandle);
    API_REQUIRE(descriptor != NULL, hipErrorInvalidValue);
    API_REQUIRE(wl_api_is_array(array), hipErrorInvalidHandle);
    *descriptor = (HIP_ARRAY_DESCRIPTOR){array->width, array->height, array->format, array->channels};
    API_SUCCESS();
}

hipError_t hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR *descriptor, hipArray_t array) {
    API_TRY(wl_capture_unsafe());
    API_REQUIRE(array != NULL, hipErrorInvalidHandle);
    API_REQUIRE(descriptor != NULL, hipErrorInvalidValue);
    API_REQUIRE(wl_api_is_array(array), hipErrorInvalidHandle);
    *descriptor = (HIP_ARRAY3D_DESCRIPTOR){array->width, array->height, array->depth, array->format, array->channels, array->flags};
    API_SUCCESS();
}

/* ---- mipmapped arrays --------------------------------------------------------------------------- */

static size_t half(size_t length) { return length > 1 ? length / 2 : length; }

/* The next level: half of each dimension; layers and faces stay. */
static void shrink(struct request *request) {
    request->extent.width = half(request->extent.width);
    request->extent.height = half(request->extent.height);
    if (!(request->flags & (hipArrayLayered | hipArrayCubemap)))
        request->extent.depth = half(request->extent.depth);
}

/* Levels until every dimension is 1. */
static unsigned level_limit(const struct request *request) {
    size_t largest = request->extent.width > request->extent.height ? request->extent.width : request->extent.height;
    if (!(request->flags & (hipArrayLayered | hipArrayCubemap)) && request->extent.depth > largest)
        largest = request->extent.depth;
    unsigned levels = 1;
    for (; largest > 1; largest /= 2)
        levels++;
    return levels;
}

static void free_mipmap(struct hipMipmappedArray *mipmap) {
    for (unsigned i = 0; i < mipmap->levels; i++)
        wl_handle_remove(&mipmap->level[i]);
    free_data(mipmap->data, mipmap->level[0].memory_id);
    free(mipmap);
}

static hipError_t create_mipmap(const char *function, hipMipmappedArray_t *result, struct request request, unsigned levels) {
    hipError_t error = check(function, result, &request);
    if (error != hipSuccess)
        return error;
    if (levels == 0 || levels > level_limit(&request))
        return wl_api_fail(function, hipErrorInvalidValue, "no levels, or more than there are halves");
    struct hipMipmappedArray *mipmap = calloc(1, sizeof *mipmap + levels * sizeof mipmap->level[0]);
    size_t offsets[MAX_LEVELS], total = 0;
    wl_checked_call(function);
    enum wl_status status = mipmap ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a mipmapped array");
    for (unsigned i = 0; i < levels && status == WL_OK; i++, shrink(&request)) {
        size_t size = describe(&request, &mipmap->level[i]);
        mipmap->level[i].is_level = true;
        offsets[i] = total;
        if (!size || __builtin_add_overflow(total, size, &total))
            status = wl_fail(WL_OUT_OF_MEMORY, "no memory for such an array");
    }
    if (status == WL_OK)
        status = wl_memory_allocate(wl_context_current(), WL_MEMORY_ARRAY, total, request.flags, &mipmap->data);
    if (status != WL_OK) {
        free(mipmap);
        return wl_api_status(function, status);
    }
    for (unsigned i = 0; i < levels && status == WL_OK; i++) {
        mipmap->level[i].data = (char *)mipmap->data + offsets[i];
        mipmap->level[i].memory_id = memory_id(mipmap->data);
        status = wl_handle_add(&mipmap->level[i], WL_HANDLE_ARRAY);
        mipmap->levels += status == WL_OK;
    }
    if (status == WL_OK)
        status = wl_handle_add(mipmap, WL_HANDLE_MIPMAP);
    if (status != WL_OK) {
        free_mipmap(mipmap);
        return wl_api_status(function, status);
    }
    *result = mipmap;
    return wl_api_success();
}

hipError_t hipMallocMipmappedArray(hipMipmappedArray_t *mipmap, const hipChannelFormatDesc *desc, hipExtent extent, unsigned int levels,
                                   unsigned int flags) {
    struct request request = {.flags = flags, .extent = extent};
    API_REQUIRE(desc != NULL, hipErrorInvalidValue);
    request.desc = *desc;
    API_REQUIRE(fit_format(&request), hipErrorInvalidValue);
    return create_mipmap(__func__, mipmap, request, levels);
}

hipError_t hipMipmappedArrayCreate(hipMipmappedArray_t *mipmap, HIP_ARRAY3D_DESCRIPTOR *descriptor, unsigned int levels) {
    struct request request;
    API_REQUIRE(driver_request(descriptor, &request), hipErrorInvalidValue);
    return create_mipmap(__func__, mipmap, request, levels);
}

static hipError_t destroy_mipmap(const char *function, hipMipmappedArray_t mipmap) {
    if (wl_capture_unsafe() != WL_OK)
        return wl_api_status(function, WL_CAPTURE_UNSUPPORTED);
    if (!mipmap)
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL array");
    wl_checked_call(function);
    if (!wl_handle_is(mipmap, WL_HANDLE_MIPMAP)) {
        wl_checked_bad_handle(function, mipmap, "mipmapped array");
        return wl_api_fail(function, hipErrorContextIsDestroyed, "not a mipmapped array");
    }
    if (!wl_stream_inside_command())
        wl_runtime_drain();
    wl_handle_remove(mipmap);
    free_mipmap(mipmap);
    wl_texture_prune();
    return wl_api_success();
}

hipError_t hipFreeMipmappedArray(hipMipmappedArray_t mipmap) { return destroy_mipmap(__func__, mipmap); }

hipError_t hipMipmappedArrayDestroy(hipMipmappedArray_t mipmap) { return destroy_mipmap(__func__, mipmap); }

static hipError_t get_level(const char *function, hipArray_t *array, hipMipmappedArray_t mipmap, unsigned level) {
    if (!array)
        return wl_api_fail(function, hipErrorInvalidValue, "no place for the array");
    if (!wl_handle_is(mipmap, WL_HANDLE_MIPMAP))
        return wl_api_fail(function, hipErrorInvalidHandle, "not a mipmapped array");
    if (level >= mipmap->levels)
        return wl_api_fail(function, hipErrorInvalidValue, "no such level");
    atomic_fetch_add(&mipmap->level[level].out, 1);
    *array = &mipmap->level[level];
    return wl_api_success();
}

hipError_t hipGetMipmappedArrayLevel(hipArray_t *array, hipMipmappedArray_const_t mipmap, unsigned int level) {
    return get_level(__func__, array, (hipMipmappedArray_t)(uintptr_t)mipmap, level);
}

hipError_t hipMipmappedArrayGetLevel(hipArray_t *array, hipMipmappedArray_t mipmap, unsigned int level) {
    return get_level(__func__, array, mipmap, level);
}
