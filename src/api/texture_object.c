/* HIP reference: Texture Management and Surface Object: the functions of texture and surface objects. */
#include "api/array.h"
#include "api/texture.h"
#include "runtime/context.h"

#include <string.h>

static struct wl_texture *object_of(const void *handle, bool is_surface) {
    struct wl_texture *texture = wl_texture_find(handle);
    return texture && texture->is_surface == is_surface ? texture : NULL;
}

static hipError_t destroy(const char *function, const void *handle, bool is_surface) {
    if (!handle)
        return wl_api_success();
    struct wl_texture *texture = object_of(handle, is_surface);
    if (!texture)
        return wl_api_fail(function, hipErrorInvalidValue, is_surface ? "not a surface" : "not a texture");
    wl_texture_destroy(texture);
    return wl_api_success();
}

/* ---- textures ----------------------------------------------------------------------------------- */

hipError_t hipCreateTextureObject(hipTextureObject_t *texObject, const hipResourceDesc *resDesc, const hipTextureDesc *texDesc,
                                  const struct hipResourceViewDesc *resViewDesc) {
    struct wl_texture *texture;
    API_REQUIRE(texObject != NULL && resDesc != NULL && texDesc != NULL, hipErrorInvalidValue);
    hipError_t error = wl_texture_create(__func__, resDesc, texDesc, resViewDesc, &texture);
    if (error == hipSuccess)
        *texObject = (hipTextureObject_t)texture->object;
    return error;
}

hipError_t hipDestroyTextureObject(hipTextureObject_t textureObject) { return destroy(__func__, textureObject, false); }

hipError_t hipGetTextureObjectResourceDesc(hipResourceDesc *resDesc, hipTextureObject_t textureObject) {
    const struct wl_texture *texture = object_of(textureObject, false);
    API_REQUIRE(resDesc != NULL && texture != NULL, hipErrorInvalidValue);
    *resDesc = texture->resource;
    API_SUCCESS();
}

hipError_t hipGetTextureObjectTextureDesc(hipTextureDesc *texDesc, hipTextureObject_t textureObject) {
    const struct wl_texture *texture = object_of(textureObject, false);
    API_REQUIRE(texDesc != NULL && texture != NULL, hipErrorInvalidValue);
    *texDesc = texture->texture;
    API_SUCCESS();
}

hipError_t hipGetTextureObjectResourceViewDesc(struct hipResourceViewDesc *resViewDesc, hipTextureObject_t textureObject) {
    const struct wl_texture *texture = object_of(textureObject, false);
    API_REQUIRE(resViewDesc != NULL && texture != NULL && texture->has_view, hipErrorInvalidValue);
    *resViewDesc = texture->view;
    API_SUCCESS();
}

hipError_t hipDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements, const hipChannelFormatDesc *fmtDesc, int device) {
    hipArray_Format format;
    unsigned channels;
    API_REQUIRE(maxWidthInElements != NULL && fmtDesc != NULL, hipErrorInvalidValue);
    API_REQUIRE(device >= 0 && (size_t)device < wl_context_count(), hipErrorInvalidDevice);
    API_REQUIRE(wl_array_format_of(fmtDesc, &format, &channels), hipErrorInvalidValue);
    *maxWidthInElements = UINT32_MAX;
    API_SUCCESS();
}

/* ---- the driver's descriptions ------------------------------------------------------------------ */

static bool from_driver_resource(const HIP_RESOURCE_DESC *driver, hipResourceDesc *resource) {
    *resource = (hipResourceDesc){.resType = (hipResourceType)driver->resType};
    switch (driver->resType) {
    case HIP_RESOURCE_TYPE_ARRAY:
        resource->res.array.array = driver->res.array.hArray;
        return true;
    case HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        resource->res.mipmap.mipmap = driver->res.mipmap.hMipmappedArray;
        return true;
    case HIP_RESOURCE_TYPE_LINEAR:
        resource->res.linear.devPtr = driver->res.linear.devPtr;
        resource->res.linear.sizeInBytes = driver->res.linear.sizeInBytes;
        return wl_array_desc_of(driver->res.linear.format, driver->res.linear.numChannels, &resource->res.linear.desc);
    case HIP_RESOURCE_TYPE_PITCH2D:
        resource->res.pitch2D.devPtr = driver->res.pitch2D.devPtr;
        resource->res.pitch2D.width = driver->res.pitch2D.width;
        resource->res.pitch2D.height = driver->res.pitch2D.height;
        resource->res.pitch2D.pitchInBytes = driver->res.pitch2D.pitchInBytes;
        return wl_array_desc_of(driver->res.pitch2D.format, driver->res.pitch2D.numChannels, &resource->res.pitch2D.desc);
    }
    return false;
}

static void to_driver_resource(const hipResourceDesc *resource, HIP_RESOURCE_DESC *driver) {
    *driver = (HIP_RESOURCE_DESC){.resType = (HIPresourcetype)resource->resType};
    switch (resource->resType) {
    case hipResourceTypeArray:
        driver->res.array.hArray = resource->res.array.array;
        break;
    case hipResourceTypeMipmappedArray:
        driver->res.mipmap.hMipmappedArray = resource->res.mipmap.mipmap;
        break;
    case hipResourceTypeLinear:
        driver->res.linear.devPtr = resource->res.linear.devPtr;
        driver->res.linear.sizeInBytes = resource->res.linear.sizeInBytes;
        (void)wl_array_format_of(&resource->res.linear.desc, &driver->res.linear.format, &driver->res.linear.numChannels);
        break;
    case hipResourceTypePitch2D:
        driver->res.pitch2D.devPtr = resource->res.pitch2D.devPtr;
        driver->res.pitch2D.width = resource->res.pitch2D.width;
        driver->res.pitch2D.height = resource->res.pitch2D.height;
        driver->res.pitch2D.pitchInBytes = resource->res.pitch2D.pitchInBytes;
        (void)wl_array_format_of(&resource->res.pitch2D.desc, &driver->res.pitch2D.format, &driver->res.pitch2D.numChannels);
        break;
    }
}

hipError_t hipTexObjectCreate(hipTextureObject_t *texObject, const HIP_RESOURCE_DESC *resDesc, const HIP_TEXTURE_DESC *texDesc,
                              const HIP_RESOURCE_VIEW_DESC *resViewDesc) {
    hipResourceDesc resource;
    struct wl_texture *made;
    API_REQUIRE(texObject != NULL && resDesc != NULL && texDesc != NULL, hipErrorInvalidValue);
    API_REQUIRE(from_driver_resource(resDesc, &resource), hipErrorInvalidValue);
    hipTextureDesc texture = {.filterMode = (hipTextureFilterMode)texDesc->filterMode,
                              .readMode = texDesc->flags & HIP_TRSF_READ_AS_INTEGER ? hipReadModeElementType : hipReadModeNormalizedFloat,
                              .sRGB = (texDesc->flags & HIP_TRSF_SRGB) != 0,
                              .normalizedCoords = (texDesc->flags & HIP_TRSF_NORMALIZED_COORDINATES) != 0,
                              .maxAnisotropy = texDesc->maxAnisotropy,
                              .mipmapFilterMode = (hipTextureFilterMode)texDesc->mipmapFilterMode,
                              .mipmapLevelBias = texDesc->mipmapLevelBias,
                              .minMipmapLevelClamp = texDesc->minMipmapLevelClamp,
                              .maxMipmapLevelClamp = texDesc->maxMipmapLevelClamp};
    for (unsigned i = 0; i < 3; i++)
        texture.addressMode[i] = (hipTextureAddressMode)texDesc->addressMode[i];
    memcpy(texture.borderColor, texDesc->borderColor, sizeof texture.borderColor);
    struct hipResourceViewDesc view;
    if (resViewDesc)
        view = (struct hipResourceViewDesc){(hipResourceViewFormat)resViewDesc->format,
                                            resViewDesc->width,
                                            resViewDesc->height,
                                            resViewDesc->depth,
                                            resViewDesc->firstMipmapLevel,
                                            resViewDesc->lastMipmapLevel,
                                            resViewDesc->firstLayer,
                                            resViewDesc->lastLayer};
    hipError_t error = wl_texture_create(__func__, &resource, &texture, resViewDesc ? &view : NULL, &made);
    if (error == hipSuccess)
        *texObject = (hipTextureObject_t)made->object;
    return error;
}

hipError_t hipTexObjectDestroy(hipTextureObject_t texObject) { return destroy(__func__, texObject, false); }

hipError_t hipTexObjectGetResourceDesc(HIP_RESOURCE_DESC *resDesc, hipTextureObject_t texObject) {
    const struct wl_texture *texture = object_of(texObject, false);
    API_REQUIRE(resDesc != NULL && texture != NULL, hipErrorInvalidValue);
    to_driver_resource(&texture->resource, resDesc);
    API_SUCCESS();
}

hipError_t hipTexObjectGetTextureDesc(HIP_TEXTURE_DESC *texDesc, hipTextureObject_t texObject) {
    const struct wl_texture *object = object_of(texObject, false);
    API_REQUIRE(texDesc != NULL && object != NULL, hipErrorInvalidValue);
    const hipTextureDesc *texture = &object->texture;
    *texDesc = (HIP_TEXTURE_DESC){.filterMode = (HIPfilter_mode)texture->filterMode,
                                  .flags = (texture->readMode == hipReadModeElementType ? HIP_TRSF_READ_AS_INTEGER : 0u) |
                                           (texture->normalizedCoords ? HIP_TRSF_NORMALIZED_COORDINATES : 0u) |
                                           (texture->sRGB ? HIP_TRSF_SRGB : 0u),
                                  .maxAnisotropy = texture->maxAnisotropy,
                                  .mipmapFilterMode = (HIPfilter_mode)texture->mipmapFilterMode,
                                  .mipmapLevelBias = texture->mipmapLevelBias,
                                  .minMipmapLevelClamp = texture->minMipmapLevelClamp,
                                  .maxMipmapLevelClamp = texture->maxMipmapLevelClamp};
    for (unsigned i = 0; i < 3; i++)
        texDesc->addressMode[i] = (HIPaddress_mode)texture->addressMode[i];
    memcpy(texDesc->borderColor, texture->borderColor, sizeof texDesc->borderColor);
    API_SUCCESS();
}

hipError_t hipTexObjectGetResourceViewDesc(HIP_RESOURCE_VIEW_DESC *resViewDesc, hipTextureObject_t texObject) {
    const struct wl_texture *texture = object_of(texObject, false);
    API_REQUIRE(resViewDesc != NULL && texture != NULL && texture->has_view, hipErrorInvalidValue);
    const struct hipResourceViewDesc *view = &texture->view;
    *resViewDesc = (HIP_RESOURCE_VIEW_DESC){.format = (HIPresourceViewFormat)view->format,
                                            .width = view->width,
                                            .height = view->height,
                                            .depth = view->depth,
                                            .firstMipmapLevel = view->firstMipmapLevel,
                                            .lastMipmapLevel = view->lastMipmapLevel,
                                            .firstLayer = view->firstLayer,
                                            .lastLayer = view->lastLayer};
    API_SUCCESS();
}

/* ---- surfaces ----------------------------------------------------------------------------------- */

static hipError_t create_surface(const char *function, hipSurfaceObject_t *surfObject, const hipResourceDesc *resDesc) {
    struct wl_texture *surface;
    if (!surfObject || !resDesc)
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer");
    hipError_t error = wl_texture_create(function, resDesc, NULL, NULL, &surface);
    if (error == hipSuccess)
        *surfObject = (hipSurfaceObject_t)surface->object;
    return error;
}

hipError_t hipCreateSurfaceObject(hipSurfaceObject_t *surfObject, const hipResourceDesc *resDesc) {
    return create_surface(__func__, surfObject, resDesc);
}

hipError_t hipDestroySurfaceObject(hipSurfaceObject_t surfaceObject) { return destroy(__func__, surfaceObject, true); }

/* The same functions under the names that C++ programs of HIP 5 and earlier were linked with: until 5.0 a surface object was a number. */
__attribute__((visibility("default"))) hipError_t
_Z22hipCreateSurfaceObjectPP13__hip_surfacePK15hipResourceDesc(hipSurfaceObject_t *surfObject, const hipResourceDesc *resDesc);
hipError_t _Z22hipCreateSurfaceObjectPP13__hip_surfacePK15hipResourceDesc(hipSurfaceObject_t *surfObject, const hipResourceDesc *resDesc) {
    return create_surface("hipCreateSurfaceObject", surfObject, resDesc);
}
__attribute__((visibility("default"))) hipError_t _Z23hipDestroySurfaceObjectP13__hip_surface(hipSurfaceObject_t surfaceObject);
hipError_t _Z23hipDestroySurfaceObjectP13__hip_surface(hipSurfaceObject_t surfaceObject) {
    return destroy("hipDestroySurfaceObject", surfaceObject, true);
}
__attribute__((visibility("default"))) hipError_t _Z22hipCreateSurfaceObjectPyPK15hipResourceDesc(hipSurfaceObject_t *surfObject,
                                                                                                  const hipResourceDesc *resDesc);
hipError_t _Z22hipCreateSurfaceObjectPyPK15hipResourceDesc(hipSurfaceObject_t *surfObject, const hipResourceDesc *resDesc) {
    return create_surface("hipCreateSurfaceObject", surfObject, resDesc);
}
__attribute__((visibility("default"))) hipError_t _Z23hipDestroySurfaceObjecty(hipSurfaceObject_t surfaceObject);
hipError_t _Z23hipDestroySurfaceObjecty(hipSurfaceObject_t surfaceObject) {
    return destroy("hipDestroySurfaceObject", surfaceObject, true);
}
