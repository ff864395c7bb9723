/* HIP reference: Texture Management [Deprecated]: texture references, which kernels read as variables.
 *
 * A reference is the program's variable, of which a registered code object has a copy on the device, or (hipModuleGetTexRef)
 * the device's variable itself. What it is bound to is kept here, by its address; every change of a bound reference makes a
 * new texture object, and a copy of the reference for the device. */
#include "api/array.h"
#include "api/texture.h"
#include "base/assert.h"
#include "base/options.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/program.h"

#include <stdlib.h>
#include <string.h>

struct binding {
    struct binding *next;
    const textureReference *reference;
    struct wl_texture *texture; /* NULL: not bound */
    hipResourceDesc resource;
    float border[4];
    const void *owner;         /* NULL: not known */
    struct wl_context *module; /* of the module that owns it; NULL: it is the program's variable */
    void *variable;            /* of a module, where `reference` is a copy of it; else NULL */
};

static struct {
    pthread_mutex_t lock; /* over the list and every binding in it */
    struct binding *first;
} bindings = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The binding of a reference, made if `make`. NULL: there is none, or no memory. The lock is held. */
static struct binding *find_binding(const textureReference *reference, bool make) {
    wl_assert_held(&bindings.lock);
    struct binding *binding = bindings.first;
    while (binding && binding->reference != reference)
        binding = binding->next;
    if (!binding && make && (binding = calloc(1, sizeof *binding))) {
        binding->reference = reference;
        binding->next = bindings.first;
        bindings.first = binding;
    }
    return binding;
}

/* The device's copy of a reference. Those of modules are the device's own where the host reaches them. */
static hipError_t copy_to_device(const char *function, const struct binding *binding) {
    const textureReference *reference = binding->reference;
    struct wl_context *context = binding->variable ? binding->module : wl_context_current();
    void *address = NULL;
    size_t size = 0;
    if (!context)
        return wl_api_fail(function, hipErrorNoDevice, wl_failure());
    if (binding->variable)
        return wl_api_status(function, context->device->ops->copy(context->device, binding->variable, reference, sizeof *reference));
    enum wl_status status = wl_symbol_variable(reference, context, &address, &size);
    if (status == WL_NOT_FOUND)
        return wl_api_success();
    if (status == WL_OK)
        status = context->device->ops->copy(context->device, address, reference, size < sizeof *reference ? size : sizeof *reference);
    return wl_api_status(function, status);
}

static hipTextureDesc description(const textureReference *reference, const struct binding *binding, const hipChannelFormatDesc *desc) {
    bool wide = desc->x == 32;
    hipTextureDesc texture = {.filterMode = reference->filterMode,
                              .readMode = wide ? hipReadModeElementType : reference->readMode,
                              .sRGB = reference->sRGB,
                              .normalizedCoords = reference->normalized,
                              .maxAnisotropy = reference->maxAnisotropy,
                              .mipmapFilterMode = reference->mipmapFilterMode,
                              .mipmapLevelBias = reference->mipmapLevelBias,
                              .minMipmapLevelClamp = reference->minMipmapLevelClamp,
                              .maxMipmapLevelClamp = reference->maxMipmapLevelClamp};
    memcpy(texture.addressMode, reference->addressMode, sizeof texture.addressMode);
    memcpy(texture.borderColor, binding->border, sizeof texture.borderColor);
    return texture;
}

static const hipChannelFormatDesc *desc_of(const hipResourceDesc *resource) {
    static const hipChannelFormatDesc none;
    switch (resource->resType) {
    case hipResourceTypeArray:
        return wl_handle_is(resource->res.array.array, WL_HANDLE_ARRAY) ? &resource->res.array.array->desc : &none;
    case hipResourceTypeMipmappedArray:
        return wl_handle_is(resource->res.mipmap.mipmap, WL_HANDLE_MIPMAP) ? &resource->res.mipmap.mipmap->level[0].desc : &none;
    case hipResourceTypeLinear:
        return &resource->res.linear.desc;
    case hipResourceTypePitch2D:
        return &resource->res.pitch2D.desc;
    }
    return &none;
}

/* Binds a reference; what it was bound to before is destroyed. The lock is held. */
static hipError_t bind_locked(const char *function, textureReference *reference, struct binding *binding, const hipResourceDesc *resource) {
    wl_assert_held(&bindings.lock);
    hipTextureDesc texture = description(reference, binding, desc_of(resource));
    struct wl_texture *made, *old = binding->texture;
    hipError_t error = wl_texture_create(function, resource, &texture, NULL, &made);
    if (error != hipSuccess)
        return error;
    binding->texture = made;
    binding->resource = *resource;
    reference->channelDesc = *desc_of(resource);
    unsigned channels = 0;
    (void)wl_array_format_of(&reference->channelDesc, &reference->format, &channels);
    reference->numChannels = (int)channels;
    reference->textureObject = (hipTextureObject_t)made->object;
    error = copy_to_device(function, binding);
    wl_texture_destroy(old);
    return error;
}

static hipError_t bind(const char *function, const textureReference *reference, const hipResourceDesc *resource) {
    if (!reference)
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL texture reference");
    pthread_mutex_lock(&bindings.lock);
    struct binding *binding = find_binding(reference, true);
    hipError_t error = binding ? bind_locked(function, (textureReference *)(uintptr_t)reference, binding, resource)
                               : wl_api_fail(function, hipErrorOutOfMemory, "no memory for a texture reference");
    pthread_mutex_unlock(&bindings.lock);
    return error;
}

/* A reference changed: makes its texture anew if it is bound. */
static hipError_t refresh(const char *function, textureReference *reference) {
    pthread_mutex_lock(&bindings.lock);
    struct binding *binding = find_binding(reference, false);
    hipError_t error = wl_api_success();
    if (binding && binding->texture)
        error = bind_locked(function, reference, binding, &binding->resource);
    pthread_mutex_unlock(&bindings.lock);
    return error;
}

/* Unbinds; the reference is told. The lock is held. */
static hipError_t unbind_locked(const char *function, struct binding *binding) {
    wl_assert_held(&bindings.lock);
    ((textureReference *)(uintptr_t)binding->reference)->textureObject = NULL;
    hipError_t error = copy_to_device(function, binding);
    wl_texture_destroy(binding->texture);
    binding->texture = NULL;
    return error;
}

/* ---- what goes away ------------------------------------------------------------------------------- */

void wl_texture_own(const textureReference *reference, const void *owner) {
    pthread_mutex_lock(&bindings.lock);
    struct binding *binding = find_binding(reference, true);
    if (binding) {
        binding->owner = owner;
        binding->module = NULL;
    } else {
        wl_log(1, "no memory to remember the texture reference at %p", (const void *)reference);
    }
    pthread_mutex_unlock(&bindings.lock);
}

/* The host's copy of a module's variable, with its binding. NULL: no memory, or the variable cannot be read. The lock is held. */
static struct binding *copy_variable(void *variable, struct wl_context *context) {
    wl_assert_held(&bindings.lock);
    struct binding *binding = NULL;
    textureReference *copy = calloc(1, sizeof *copy);
    if (copy && context->device->ops->copy(context->device, copy, variable, sizeof *copy) == WL_OK)
        binding = find_binding(copy, true);
    if (binding)
        binding->variable = variable;
    else
        free(copy);
    return binding;
}

hipError_t wl_texture_of_module(const char *function, void *variable, const void *module, struct wl_context *context,
                                textureReference **reference) {
    pthread_mutex_lock(&bindings.lock);
    struct binding *binding = bindings.first;
    while (binding && binding->reference != variable && binding->variable != variable)
        binding = binding->next;
    if (!binding)
        binding = context->info.discrete ? copy_variable(variable, context) : find_binding(variable, true);
    if (binding) {
        binding->owner = module;
        binding->module = context;
        *reference = (textureReference *)(uintptr_t)binding->reference;
    }
    pthread_mutex_unlock(&bindings.lock);
    return binding ? wl_api_success() : wl_api_fail(function, hipErrorOutOfMemory, "no memory for a texture reference");
}

static void disown(const void *owner, const struct wl_context *context) {
    pthread_mutex_lock(&bindings.lock);
    for (struct binding **at = &bindings.first; *at;) {
        struct binding *binding = *at;
        if ((owner && binding->owner == owner) || (context && binding->module == context)) {
            *at = binding->next;
            wl_texture_destroy(binding->texture);
            if (binding->variable)
                free((void *)(uintptr_t)binding->reference);
            free(binding);
        } else {
            at = &binding->next;
        }
    }
    pthread_mutex_unlock(&bindings.lock);
}

void wl_texture_disown(const void *owner) { disown(owner, NULL); }
void wl_texture_disown_modules(const struct wl_context *context) { disown(NULL, context); }

static bool is_live(const hipResourceDesc *resource) {
    struct wl_allocation allocation;
    switch (resource->resType) {
    case hipResourceTypeArray:
        return wl_api_is_array(resource->res.array.array);
    case hipResourceTypeMipmappedArray:
        return wl_handle_is(resource->res.mipmap.mipmap, WL_HANDLE_MIPMAP) && wl_api_is_array(&resource->res.mipmap.mipmap->level[0]);
    case hipResourceTypeLinear:
        return wl_memory_find(resource->res.linear.devPtr, &allocation);
    case hipResourceTypePitch2D:
        return wl_memory_find(resource->res.pitch2D.devPtr, &allocation);
    }
    return false;
}

void wl_texture_prune(void) {
    pthread_mutex_lock(&bindings.lock);
    for (struct binding *binding = bindings.first; binding; binding = binding->next)
        if (binding->texture && !is_live(&binding->resource))
            (void)unbind_locked("hipUnbindTexture", binding);
    pthread_mutex_unlock(&bindings.lock);
}

/* ---- questions -------------------------------------------------------------------------------------- */

/* What a reference is bound to; false: to nothing. */
static bool bound_to(const textureReference *reference, hipResourceDesc *resource) {
    pthread_mutex_lock(&bindings.lock);
    const struct binding *binding = reference ? find_binding(reference, false) : NULL;
    bool bound = binding && binding->texture;
    if (bound)
        *resource = binding->resource;
    pthread_mutex_unlock(&bindings.lock);
    return bound;
}

/* ---- binding by the program's variable ---------------------------------------------------------- */

hipError_t hipGetTextureReference(const textureReference **texref, const void *symbol) {
    void *address = NULL;
    size_t size = 0;
    API_REQUIRE(texref != NULL && symbol != NULL, hipErrorInvalidValue);
    API_CONTEXT(context);
    enum wl_status status = wl_symbol_variable(symbol, context, &address, &size);
    API_REQUIRE(status != WL_NOT_FOUND, hipErrorInvalidTexture);
    API_TRY(status);
    API_REQUIRE(size >= sizeof(textureReference), hipErrorInvalidTexture);
    *texref = symbol;
    API_SUCCESS();
}

hipError_t hipBindTexture(size_t *offset, const textureReference *tex, const void *devPtr, const hipChannelFormatDesc *desc, size_t size) {
    struct wl_allocation allocation;
    API_REQUIRE(tex != NULL && devPtr != NULL && desc != NULL, hipErrorInvalidValue);
    uint64_t address = (uint64_t)(uintptr_t)devPtr;
    if (wl_memory_find(devPtr, &allocation) && size > allocation.address + allocation.size - address)
        size = allocation.address + allocation.size - address; /* "all of it" is a larger number */
    hipResourceDesc resource = {.resType = hipResourceTypeLinear};
    resource.res.linear.devPtr = (void *)(uintptr_t)devPtr;
    resource.res.linear.desc = *desc;
    resource.res.linear.sizeInBytes = size;
    if (offset)
        *offset = 0;
    return bind(__func__, tex, &resource);
}

hipError_t hipBindTexture2D(size_t *offset, const textureReference *tex, const void *devPtr, const hipChannelFormatDesc *desc, size_t width,
                            size_t height, size_t pitch) {
    API_REQUIRE(tex != NULL && devPtr != NULL && desc != NULL, hipErrorInvalidValue);
    hipResourceDesc resource = {.resType = hipResourceTypePitch2D};
    resource.res.pitch2D.devPtr = (void *)(uintptr_t)devPtr;
    resource.res.pitch2D.desc = *desc;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    if (offset)
        *offset = 0;
    return bind(__func__, tex, &resource);
}

static bool same_desc(const hipChannelFormatDesc *a, const hipChannelFormatDesc *b) {
    return a->x == b->x && a->y == b->y && a->z == b->z && a->w == b->w && a->f == b->f;
}

hipError_t hipBindTextureToArray(const textureReference *tex, hipArray_const_t array, const hipChannelFormatDesc *desc) {
    API_REQUIRE(tex != NULL && array != NULL && desc != NULL, hipErrorInvalidValue);
    API_REQUIRE(wl_api_is_array(array), hipErrorInvalidHandle);
    API_REQUIRE(same_desc(desc, &array->desc), hipErrorInvalidValue);
    hipResourceDesc resource = {.resType = hipResourceTypeArray};
    resource.res.array.array = (hipArray_t)(uintptr_t)array;
    return bind(__func__, tex, &resource);
}

hipError_t hipBindTextureToMipmappedArray(const textureReference *tex, hipMipmappedArray_const_t mipmappedArray,
                                          const hipChannelFormatDesc *desc) {
    API_REQUIRE(tex != NULL && mipmappedArray != NULL && desc != NULL, hipErrorInvalidValue);
    API_REQUIRE(wl_handle_is(mipmappedArray, WL_HANDLE_MIPMAP), hipErrorInvalidHandle);
    API_REQUIRE(same_desc(desc, &mipmappedArray->level[0].desc), hipErrorInvalidValue);
    hipResourceDesc resource = {.resType = hipResourceTypeMipmappedArray};
    resource.res.mipmap.mipmap = (hipMipmappedArray_t)(uintptr_t)mipmappedArray;
    return bind(__func__, tex, &resource);
}

hipError_t hipUnbindTexture(const textureReference *tex) {
    API_REQUIRE(tex != NULL, hipErrorInvalidValue);
    pthread_mutex_lock(&bindings.lock);
    struct binding *binding = find_binding(tex, false);
    hipError_t error = wl_api_success();
    if (binding && binding->texture)
        error = unbind_locked(__func__, binding);
    pthread_mutex_unlock(&bindings.lock);
    return error;
}

hipError_t hipGetTextureAlignmentOffset(size_t *offset, const textureReference *texref) {
    hipResourceDesc resource;
    API_REQUIRE(offset != NULL && texref != NULL, hipErrorInvalidValue);
    API_REQUIRE(bound_to(texref, &resource), hipErrorInvalidTexture);
    *offset = 0;
    API_SUCCESS();
}

/* ---- the driver's functions: what a reference is bound to ---------------------------------------- */

hipError_t hipTexRefSetArray(textureReference *tex, hipArray_const_t array, unsigned int flags) {
    API_REQUIRE(tex != NULL && array != NULL && (flags & ~(unsigned)HIP_TRSA_OVERRIDE_FORMAT) == 0, hipErrorInvalidValue);
    hipResourceDesc resource = {.resType = hipResourceTypeArray};
    resource.res.array.array = (hipArray_t)(uintptr_t)array;
    return bind(__func__, tex, &resource);
}

hipError_t hipTexRefSetMipmappedArray(textureReference *texRef, struct hipMipmappedArray *mipmappedArray, unsigned int flags) {
    API_REQUIRE(texRef != NULL && mipmappedArray != NULL && (flags & ~(unsigned)HIP_TRSA_OVERRIDE_FORMAT) == 0, hipErrorInvalidValue);
    hipResourceDesc resource = {.resType = hipResourceTypeMipmappedArray};
    resource.res.mipmap.mipmap = mipmappedArray;
    return bind(__func__, texRef, &resource);
}

hipError_t hipTexRefSetAddress(size_t *byteOffset, textureReference *texRef, hipDeviceptr_t dptr, size_t bytes) {
    hipResourceDesc resource = {.resType = hipResourceTypeLinear};
    API_REQUIRE(texRef != NULL, hipErrorInvalidValue);
    if (!dptr)
        return hipUnbindTexture(texRef);
    API_REQUIRE(wl_array_desc_of(texRef->format, (unsigned)texRef->numChannels, &resource.res.linear.desc), hipErrorInvalidValue);
    resource.res.linear.devPtr = dptr;
    resource.res.linear.sizeInBytes = bytes;
    if (byteOffset)
        *byteOffset = 0;
    return bind(__func__, texRef, &resource);
}

hipError_t hipTexRefSetAddress2D(textureReference *texRef, const HIP_ARRAY_DESCRIPTOR *desc, hipDeviceptr_t dptr, size_t pitch) {
    hipResourceDesc resource = {.resType = hipResourceTypePitch2D};
    API_REQUIRE(texRef != NULL && desc != NULL, hipErrorInvalidValue);
    API_REQUIRE(wl_array_desc_of(desc->Format, desc->NumChannels, &resource.res.pitch2D.desc), hipErrorInvalidValue);
    resource.res.pitch2D.devPtr = dptr;
    resource.res.pitch2D.width = desc->Width;
    resource.res.pitch2D.height = desc->Height;
    resource.res.pitch2D.pitchInBytes = pitch;
    return bind(__func__, texRef, &resource);
}

hipError_t hipTexRefGetAddress(hipDeviceptr_t *dev_ptr, const textureReference *texRef) {
    hipResourceDesc resource;
    API_REQUIRE(dev_ptr != NULL && texRef != NULL, hipErrorInvalidValue);
    API_REQUIRE(bound_to(texRef, &resource), hipErrorInvalidValue);
    API_REQUIRE(resource.resType == hipResourceTypeLinear || resource.resType == hipResourceTypePitch2D, hipErrorInvalidValue);
    *dev_ptr = resource.resType == hipResourceTypeLinear ? resource.res.linear.devPtr : resource.res.pitch2D.devPtr;
    API_SUCCESS();
}

hipError_t hipTexRefGetArray(hipArray_t *array, const textureReference *texRef) {
    hipResourceDesc resource;
    API_REQUIRE(array != NULL && texRef != NULL, hipErrorInvalidValue);
    API_REQUIRE(bound_to(texRef, &resource) && resource.resType == hipResourceTypeArray, hipErrorInvalidValue);
    *array = resource.res.array.array;
    API_SUCCESS();
}

hipError_t hipTexRefGetMipMappedArray(hipMipmappedArray_t *array, const textureReference *texRef) {
    hipResourceDesc resource;
    API_REQUIRE(array != NULL && texRef != NULL, hipErrorInvalidValue);
    API_REQUIRE(bound_to(texRef, &resource) && resource.resType == hipResourceTypeMipmappedArray, hipErrorInvalidValue);
    *array = resource.res.mipmap.mipmap;
    API_SUCCESS();
}

/* ---- the driver's functions: how a reference is read --------------------------------------------- */

hipError_t hipTexRefSetAddressMode(textureReference *texRef, int dim, hipTextureAddressMode am) {
    API_REQUIRE(texRef != NULL && dim >= 0 && dim < 3 && (unsigned)am <= hipAddressModeBorder, hipErrorInvalidValue);
    texRef->addressMode[dim] = am;
    return refresh(__func__, texRef);
}

hipError_t hipTexRefSetFilterMode(textureReference *texRef, hipTextureFilterMode fm) {
    API_REQUIRE(texRef != NULL && (unsigned)fm <= hipFilterModeLinear, hipErrorInvalidValue);
    texRef->filterMode = fm;
    return refresh(__func__, texRef);
}

hipError_t hipTexRefSetFlags(textureReference *texRef, unsigned int flags) {
    const unsigned known = HIP_TRSF_READ_AS_INTEGER | HIP_TRSF_NORMALIZED_COORDINATES | HIP_TRSF_SRGB;
    API_REQUIRE(texRef != NULL && (flags & ~known) == 0, hipErrorInvalidValue);
    texRef->readMode = flags & HIP_TRSF_READ_AS_INTEGER ? hipReadModeElementType : hipReadModeNormalizedFloat;
    texRef->normalized = (flags & HIP_TRSF_NORMALIZED_COORDINATES) != 0;
    texRef->sRGB = (flags & HIP_TRSF_SRGB) != 0;
    return refresh(__func__, texRef);
}

hipError_t hipTexRefSetFormat(textureReference *texRef, hipArray_Format fmt, int numPackedComponents) {
    hipChannelFormatDesc desc;
    API_REQUIRE(texRef != NULL && wl_array_desc_of(fmt, (unsigned)numPackedComponents, &desc), hipErrorInvalidValue);
    texRef->format = fmt;
    texRef->numChannels = numPackedComponents;
    texRef->channelDesc = desc;
    API_SUCCESS();
}

hipError_t hipTexRefSetMaxAnisotropy(textureReference *texRef, unsigned int maxAniso) {
    API_REQUIRE(texRef != NULL, hipErrorInvalidValue);
    texRef->maxAnisotropy = maxAniso;
    return refresh(__func__, texRef);
}

hipError_t hipTexRefSetMipmapFilterMode(textureReference *texRef, hipTextureFilterMode fm) {
    API_REQUIRE(texRef != NULL && (unsigned)fm <= hipFilterModeLinear, hipErrorInvalidValue);
    texRef->mipmapFilterMode = fm;
    return refresh(__func__, texRef);
}

hipError_t hipTexRefSetMipmapLevelBias(textureReference *texRef, float bias) {
    API_REQUIRE(texRef != NULL, hipErrorInvalidValue);
    texRef->mipmapLevelBias = bias;
    return refresh(__func__, texRef);
}

hipError_t hipTexRefSetMipmapLevelClamp(textureReference *texRef, float minMipMapLevelClamp, float maxMipMapLevelClamp) {
    API_REQUIRE(texRef != NULL && minMipMapLevelClamp <= maxMipMapLevelClamp, hipErrorInvalidValue);
    texRef->minMipmapLevelClamp = minMipMapLevelClamp;
    texRef->maxMipmapLevelClamp = maxMipMapLevelClamp;
    return refresh(__func__, texRef);
}

hipError_t hipTexRefSetBorderColor(textureReference *texRef, float *borderColor) {
    API_REQUIRE(texRef != NULL && borderColor != NULL, hipErrorInvalidValue);
    pthread_mutex_lock(&bindings.lock);
    struct binding *binding = find_binding(texRef, true);
    if (binding)
        memcpy(binding->border, borderColor, sizeof binding->border);
    pthread_mutex_unlock(&bindings.lock);
    API_REQUIRE(binding != NULL, hipErrorOutOfMemory);
    return refresh(__func__, texRef);
}

hipError_t hipTexRefGetBorderColor(float *borderColor, const textureReference *texRef) {
    API_REQUIRE(texRef != NULL && borderColor != NULL, hipErrorInvalidValue);
    pthread_mutex_lock(&bindings.lock);
    const struct binding *binding = find_binding(texRef, false);
    memset(borderColor, 0, 4 * sizeof *borderColor);
    if (binding)
        memcpy(borderColor, binding->border, sizeof binding->border);
    pthread_mutex_unlock(&bindings.lock);
    API_SUCCESS();
}

hipError_t hipTexRefGetAddressMode(hipTextureAddressMode *pam, const textureReference *texRef, int dim) {
    API_REQUIRE(pam != NULL && texRef != NULL && dim >= 0 && dim < 3, hipErrorInvalidValue);
    *pam = texRef->addressMode[dim];
    API_SUCCESS();
}

hipError_t hipTexRefGetFilterMode(hipTextureFilterMode *pfm, const textureReference *texRef) {
    API_REQUIRE(pfm != NULL && texRef != NULL, hipErrorInvalidValue);
    *pfm = texRef->filterMode;
    API_SUCCESS();
}

hipError_t hipTexRefGetFlags(unsigned int *pFlags, const textureReference *texRef) {
    API_REQUIRE(pFlags != NULL && texRef != NULL, hipErrorInvalidValue);
    *pFlags = (texRef->readMode == hipReadModeElementType ? HIP_TRSF_READ_AS_INTEGER : 0u) |
              (texRef->normalized ? HIP_TRSF_NORMALIZED_COORDINATES : 0u) | (texRef->sRGB ? HIP_TRSF_SRGB : 0u);
    API_SUCCESS();
}

hipError_t hipTexRefGetFormat(hipArray_Format *pFormat, int *pNumChannels, const textureReference *texRef) {
    API_REQUIRE(pFormat != NULL && pNumChannels != NULL && texRef != NULL, hipErrorInvalidValue);
    *pFormat = texRef->format;
    *pNumChannels = texRef->numChannels;
    API_SUCCESS();
}

hipError_t hipTexRefGetMaxAnisotropy(int *pmaxAnsio, const textureReference *texRef) {
    API_REQUIRE(pmaxAnsio != NULL && texRef != NULL, hipErrorInvalidValue);
    *pmaxAnsio = (int)texRef->maxAnisotropy;
    API_SUCCESS();
}

hipError_t hipTexRefGetMipmapFilterMode(hipTextureFilterMode *pfm, const textureReference *texRef) {
    API_REQUIRE(pfm != NULL && texRef != NULL, hipErrorInvalidValue);
    *pfm = texRef->mipmapFilterMode;
    API_SUCCESS();
}

hipError_t hipTexRefGetMipmapLevelBias(float *pbias, const textureReference *texRef) {
    API_REQUIRE(pbias != NULL && texRef != NULL, hipErrorInvalidValue);
    *pbias = texRef->mipmapLevelBias;
    API_SUCCESS();
}

hipError_t hipTexRefGetMipmapLevelClamp(float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp, const textureReference *texRef) {
    API_REQUIRE(pminMipmapLevelClamp != NULL && pmaxMipmapLevelClamp != NULL && texRef != NULL, hipErrorInvalidValue);
    *pminMipmapLevelClamp = texRef->minMipmapLevelClamp;
    *pmaxMipmapLevelClamp = texRef->maxMipmapLevelClamp;
    API_SUCCESS();
}
