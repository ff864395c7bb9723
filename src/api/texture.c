/* HIP reference: Texture Management. From descriptions of resources and textures to the descriptors that kernels read. */
#include "api/texture.h"
#include "api/array.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/stream.h"
#include "runtime/stream_run.h"
#include "sanitize/allocations.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- formats ----------------------------------------------------------------------------------- */

/* A view's format: 1, 2 and 4 channels of each of these follow one another. */
static bool view_desc(hipResourceViewFormat format, hipChannelFormatDesc *desc) {
    static const hipArray_Format order[] = {HIP_AD_FORMAT_UNSIGNED_INT8, HIP_AD_FORMAT_SIGNED_INT8,    HIP_AD_FORMAT_UNSIGNED_INT16,
                                            HIP_AD_FORMAT_SIGNED_INT16,  HIP_AD_FORMAT_UNSIGNED_INT32, HIP_AD_FORMAT_SIGNED_INT32,
                                            HIP_AD_FORMAT_HALF,          HIP_AD_FORMAT_FLOAT};
    static const unsigned channels[] = {1, 2, 4};
    unsigned index = (unsigned)format - 1;
    return format != hipResViewFormatNone && index / 3 < sizeof order / sizeof *order &&
           wl_array_desc_of(order[index / 3], channels[index % 3], desc);
}

/* How kernels see elements: `texture` is NULL for surfaces. A sentence, or NULL. Integers of 32 bits are never normalized, and sRGB
 * is for elements of four channels; with others the request for it means nothing. */
static const char *choose_format(const hipChannelFormatDesc *desc, const hipTextureDesc *texture, bool linear,
                                 struct wl_channel_format *format) {
    hipArray_Format unused;
    unsigned channels;
    if (!wl_array_format_of(desc, &unused, &channels))
        return "elements have 1, 2 or 4 channels of the same 8, 16 or 32 bits";
    bool is_float = desc->f == hipChannelFormatKindFloat, is_signed = desc->f == hipChannelFormatKindSigned;
    bool normalized = texture && !is_float && desc->x < 32 && texture->readMode == hipReadModeNormalizedFloat;
    *format = (struct wl_channel_format){.channels = (uint8_t)channels, .bits = (uint8_t)desc->x};
    if (texture && texture->filterMode == hipFilterModeLinear && !is_float && !normalized)
        return "integers are filtered only where they are read as normalized floats";
    if (normalized)
        format->number = is_signed ? WL_NUMBER_SNORM : WL_NUMBER_UNORM;
    else
        format->number = is_float ? WL_NUMBER_FLOAT : is_signed ? WL_NUMBER_SINT : WL_NUMBER_UINT;
    if (texture && texture->sRGB && channels == 4) {
        if (linear)
            return "linear memory has no sRGB";
        if (desc->x != 8 || !normalized || is_signed)
            return "sRGB needs unsigned 8-bit channels that are read as normalized floats";
        format->number = WL_NUMBER_SRGB;
    }
    return NULL;
}

/* ---- resources ---------------------------------------------------------------------------------- */

/* What is being made, and why it cannot be. */
struct making {
    const char *function;
    const hipResourceDesc *resource;
    const hipTextureDesc *texture;
    const struct hipResourceViewDesc *view;
    unsigned generation;
    hipChannelFormatDesc desc;
    struct wl_image image;
    bool linear;
    size_t count;
};

static hipError_t refuse(const struct making *m, const char *why) { return wl_api_fail(m->function, hipErrorInvalidValue, why); }

static uint8_t array_type(const struct hipArray *array) {
    if (array->flags & hipArrayCubemap)
        return WL_IMAGE_CUBE;
    if (array->flags & hipArrayLayered)
        return array->height ? WL_IMAGE_2D_ARRAY : WL_IMAGE_1D_ARRAY;
    return array->depth ? WL_IMAGE_3D : array->height ? WL_IMAGE_2D : WL_IMAGE_1D;
}

static hipError_t take_array(struct making *m, const struct hipArray *array, unsigned levels) {
    m->desc = array->desc;
    m->image.base = (uint64_t)(uintptr_t)array->data;
    m->image.type = array_type(array);
    m->image.width = array->width;
    m->image.height = (uint32_t)wl_array_rows(array);
    m->image.depth = (uint32_t)wl_array_slices(array);
    m->image.pitch = (uint32_t)(array->pitch / array->element);
    m->image.last_level = levels - 1;
    return hipSuccess;
}

static hipError_t take_linear(struct making *m) {
    hipArray_Format format;
    unsigned channels;
    m->desc = m->resource->res.linear.desc;
    if (!m->texture)
        return refuse(m, "surfaces are made of arrays");
    if (!m->resource->res.linear.devPtr || !wl_array_format_of(&m->desc, &format, &channels))
        return refuse(m, "no memory, or no format that textures have");
    size_t element = (size_t)m->desc.x / 8 * channels;
    m->linear = true;
    m->count = m->resource->res.linear.sizeInBytes / element;
    m->image.base = (uint64_t)(uintptr_t)m->resource->res.linear.devPtr;
    if (m->count == 0 || m->count > UINT32_MAX || m->image.base % element)
        return refuse(m, "linear memory holds whole elements, at least one, aligned as they are");
    return hipSuccess;
}

static hipError_t take_pitched(struct making *m) {
    hipArray_Format format;
    unsigned channels;
    const size_t pitch = m->resource->res.pitch2D.pitchInBytes, width = m->resource->res.pitch2D.width,
                 height = m->resource->res.pitch2D.height;
    m->desc = m->resource->res.pitch2D.desc;
    if (!m->texture)
        return refuse(m, "surfaces are made of arrays");
    if (!m->resource->res.pitch2D.devPtr || !wl_array_format_of(&m->desc, &format, &channels))
        return refuse(m, "no memory, or no format that textures have");
    size_t element = (size_t)m->desc.x / 8 * channels;
    m->image.base = (uint64_t)(uintptr_t)m->resource->res.pitch2D.devPtr;
    if (m->image.base % WL_IMAGE_BASE_ALIGNMENT)
        return refuse(m, "2D memory starts at a multiple of textureAlignment");
    if (width == 0 || height == 0 || width > WL_IMAGE_MAX_SIZE || height > WL_IMAGE_MAX_SIZE || pitch % element ||
        pitch / element < width || pitch / element > WL_IMAGE_MAX_SIZE)
        return refuse(m, "no 2D texture has this shape and this pitch");
    if (pitch == element && height > 1)
        return refuse(m, "rows of one texel need a pitch of more than one");
    m->image.type = WL_IMAGE_2D;
    m->image.width = (uint32_t)width;
    m->image.height = (uint32_t)height;
    m->image.depth = 1;
    m->image.pitch = (uint32_t)(pitch / element);
    return hipSuccess;
}

static hipError_t take_resource(struct making *m) {
    const hipResourceDesc *resource = m->resource;
    switch (resource->resType) {
    case hipResourceTypeArray:
        if (!resource->res.array.array)
            return refuse(m, "a NULL array");
        if (!wl_api_is_array(resource->res.array.array))
            return wl_api_fail(m->function, hipErrorInvalidHandle, "not an array");
        return take_array(m, resource->res.array.array, 1);
    case hipResourceTypeMipmappedArray:
        if (!resource->res.mipmap.mipmap || !m->texture)
            return refuse(m, m->texture ? "a NULL array" : "surfaces are made of one level");
        if (!wl_handle_is(resource->res.mipmap.mipmap, WL_HANDLE_MIPMAP) || !wl_api_is_array(&resource->res.mipmap.mipmap->level[0]))
            return wl_api_fail(m->function, hipErrorInvalidHandle, "not a mipmapped array");
        return take_array(m, &resource->res.mipmap.mipmap->level[0], resource->res.mipmap.mipmap->levels);
    case hipResourceTypeLinear:
        return take_linear(m);
    case hipResourceTypePitch2D:
        return take_pitched(m);
    }
    return refuse(m, "no such type of resource");
}

/* A view's width and height say nothing: it has the resource's. */
static hipError_t apply_view(struct making *m) {
    const struct hipResourceViewDesc *view = m->view;
    hipChannelFormatDesc desc;
    if (!view)
        return hipSuccess;
    if (view->format >= hipResViewFormatUnsignedBlockCompressed1)
        return wl_api_fail(m->function, hipErrorNotSupported, "compressed formats are not supported");
    if (m->linear)
        return refuse(m, "linear memory has no views");
    if (view->format != hipResViewFormatNone) {
        if (!view_desc(view->format, &desc) || (desc.x + desc.y + desc.z + desc.w) != (m->desc.x + m->desc.y + m->desc.z + m->desc.w))
            return refuse(m, "a view has elements of the resource's size");
        m->desc = desc;
    }
    if (view->firstMipmapLevel > view->lastMipmapLevel || view->lastMipmapLevel > m->image.last_level)
        return refuse(m, "no such levels");
    m->image.first_level = view->firstMipmapLevel;
    if (view->lastMipmapLevel)
        m->image.last_level = view->lastMipmapLevel;
    if (view->firstLayer > view->lastLayer || (view->lastLayer && view->lastLayer >= m->image.depth))
        return refuse(m, "no such layers");
    if (view->lastLayer && (m->image.type == WL_IMAGE_1D_ARRAY || m->image.type == WL_IMAGE_2D_ARRAY || m->image.type == WL_IMAGE_CUBE)) {
        if (m->image.last_level)
            return wl_api_fail(m->function, hipErrorNotSupported, "views of some layers have one level");
        m->image.first_slice = view->firstLayer;
        m->image.depth = view->lastLayer - view->firstLayer + 1;
    }
    return hipSuccess;
}

/* ---- samplers ----------------------------------------------------------------------------------- */

static uint8_t log2_of(unsigned value) {
    uint8_t result = 0;
    for (; value > 1 && result < 4; value /= 2)
        result++;
    return result;
}

static hipError_t make_sampler(const struct making *m, uint32_t words[4]) {
    static const uint8_t wraps[] = {WL_WRAP_REPEAT, WL_WRAP_CLAMP, WL_WRAP_MIRROR, WL_WRAP_BORDER};
    const hipTextureDesc *texture = m->texture;
    struct wl_sampler sampler = {.unnormalized = !texture->normalizedCoords,
                                 .linear = texture->filterMode == hipFilterModeLinear,
                                 .anisotropy = log2_of(texture->maxAnisotropy),
                                 .bias = texture->mipmapLevelBias,
                                 .min_lod = texture->minMipmapLevelClamp,
                                 .max_lod = texture->maxMipmapLevelClamp};
    sampler.linear_min = sampler.linear_z = sampler.linear;
    if (m->resource->resType == hipResourceTypeMipmappedArray)
        sampler.mip = texture->mipmapFilterMode == hipFilterModeLinear ? 2 : 1;
    for (unsigned i = 0; i < 3; i++) {
        if ((unsigned)texture->addressMode[i] > hipAddressModeBorder)
            return refuse(m, "no such address mode");
        bool repeats = texture->addressMode[i] == hipAddressModeWrap || texture->addressMode[i] == hipAddressModeMirror;
        sampler.wrap[i] = sampler.unnormalized && repeats ? WL_WRAP_CLAMP : wraps[texture->addressMode[i]];
    }
    memcpy(sampler.border, texture->borderColor, sizeof sampler.border);
    enum wl_status status = wl_sampler_encode(m->generation, &sampler, words);
    return status == WL_OK ? hipSuccess : wl_api_status(m->function, status);
}

/* ---- objects ------------------------------------------------------------------------------------ */

static hipError_t describe(struct making *m, uint32_t *words) {
    static const uint16_t selects[5] = {0, 0x204, 0x22c, 0, 0xfac};
    hipError_t error = take_resource(m);
    if (error == hipSuccess)
        error = apply_view(m);
    if (error != hipSuccess)
        return error;
    const char *why = choose_format(&m->desc, m->texture, m->linear, &m->image.format);
    if (why)
        return refuse(m, why);
    if (m->linear) {
        wl_image_encode_linear(m->generation, &m->image.format, m->image.base, (uint32_t)m->count, words);
    } else {
        if (m->image.width > WL_IMAGE_MAX_SIZE || m->image.height > WL_IMAGE_MAX_SIZE || m->image.depth > WL_IMAGE_MAX_SLICES)
            return refuse(m, "larger than a texture can be");
        m->image.selects = selects[m->image.format.channels];
        wl_image_encode(m->generation, &m->image, words);
    }
    return m->texture ? make_sampler(m, words + WL_IMAGE_SAMPLER_DWORD) : hipSuccess;
}

/* Textures whose objects are in a device's memory. */
static struct {
    pthread_mutex_t lock; /* over the list */
    struct wl_texture *first;
} copies = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Puts the words into the device's memory, where kernels read them. */
static enum wl_status copy_object(struct wl_context *context, struct wl_texture *texture) {
    struct wl_allocation allocation;
    void *memory = NULL;
    enum wl_status status = wl_memory_allocate(context, WL_MEMORY_ARRAY, sizeof texture->words, 0, &memory);
    if (status != WL_OK)
        return status;
    texture->object = memory;
    texture->memory_id = wl_memory_find(memory, &allocation) ? allocation.id : 0;
    pthread_mutex_lock(&copies.lock);
    texture->next = copies.first;
    copies.first = texture;
    pthread_mutex_unlock(&copies.lock);
    return context->device->ops->copy(context->device, memory, texture->words, sizeof texture->words);
}

/* Unless a reset has taken the memory. */
static void free_copy(struct wl_texture *texture) {
    struct wl_allocation allocation;
    if (texture->object == texture->words)
        return;
    pthread_mutex_lock(&copies.lock);
    for (struct wl_texture **at = &copies.first; *at; at = &(*at)->next)
        if (*at == texture) {
            *at = texture->next;
            break;
        }
    pthread_mutex_unlock(&copies.lock);
    if (wl_memory_find(texture->object, &allocation) && allocation.id == texture->memory_id)
        (void)wl_memory_free(texture->object, 1u << WL_MEMORY_ARRAY);
}

struct wl_texture *wl_texture_find(const void *object) {
    if (!wl_handle_is(object, WL_HANDLE_TEXTURE))
        return NULL;
    pthread_mutex_lock(&copies.lock);
    struct wl_texture *texture = copies.first;
    while (texture && texture->object != object)
        texture = texture->next;
    pthread_mutex_unlock(&copies.lock);
    return texture ? texture : (struct wl_texture *)(uintptr_t)object;
}

hipError_t wl_texture_create(const char *function, const hipResourceDesc *resource, const hipTextureDesc *texture,
                             const struct hipResourceViewDesc *view, struct wl_texture **result) {
    struct wl_context *context = wl_context_current();
    if (!context)
        return wl_api_fail(function, hipErrorNoDevice, wl_failure());
    if (wl_context_fault(context) != WL_OK)
        return wl_api_fault(function, wl_context_fault(context));
    const struct wl_target *target = wl_runtime_target();
    if (!wl_target_has(target, WL_HAS_IMAGES))
        return wl_api_fail(function, hipErrorNotSupported, "this architecture has no image instructions");
    struct making m = {.function = function, .resource = resource, .texture = texture, .view = view, .generation = target->major};
    struct wl_texture *made = aligned_alloc(64, (sizeof *made + 63) / 64 * 64);
    if (!made)
        return wl_api_fail(function, hipErrorOutOfMemory, "no memory for a texture");
    *made = (struct wl_texture){.is_surface = !texture, .has_view = view != NULL, .resource = *resource};
    if (texture)
        made->texture = *texture;
    if (view)
        made->view = *view;
    made->object = made->words;
    hipError_t error = describe(&m, made->words);
    if (error == hipSuccess && context->info.discrete)
        error = wl_api_status(function, copy_object(context, made));
    if (error == hipSuccess && wl_handle_add(made->object, WL_HANDLE_TEXTURE) != WL_OK)
        error = wl_api_fail(function, hipErrorOutOfMemory, wl_failure());
    if (error != hipSuccess) {
        free_copy(made);
        free(made);
        return error;
    }
    if (made->object == made->words) /* kernels read them where they are */
        wl_san_allocated((uint64_t)(uintptr_t)made->words, sizeof made->words, WL_SAN_SYSTEM, NULL, NULL);
    *result = made;
    return wl_api_success();
}

void wl_texture_destroy(struct wl_texture *texture) {
    if (!texture)
        return;
    if (!wl_stream_inside_command())
        wl_runtime_drain();
    wl_handle_remove(texture->object);
    wl_san_forgotten((uint64_t)(uintptr_t)texture->words, sizeof texture->words);
    free_copy(texture);
    free(texture);
}
