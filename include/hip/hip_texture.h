/* Textures and surfaces. Included by hip_runtime_api.h. HIP reference: "Texture Management", "Texture Management [Deprecated]",
 * "Surface Object".
 *
 * A texture names memory or an array, and how kernels read it: coordinates, what lies outside, filters, conversions. Linear
 * filtering has weights of 8 bits. The memory stays the program's, which frees it after the texture.
 *
 * hipErrorNotSupported everywhere: the device's architecture has no image instructions (gfx94x, gfx950), or the format is
 * compressed. hipErrorInvalidValue: NULL, a description that is no texture's (below), a shape beyond the device's limits. All
 * functions are thread-safe; what a running kernel reads must not change. */
#ifdef __HIP__
/* In HIP code the toolchain's own headers count. */
#else
#ifndef HIP_INCLUDE_HIP_HIP_TEXTURE_H
#define HIP_INCLUDE_HIP_HIP_TEXTURE_H

/* ---- texture objects -------------------------------------------------------------------------- */

/* Creates a texture, which hipDestroyTextureObject frees. `resViewDesc` may be NULL: the resource as it is. Linear memory is read
 * with tex1Dfetch, by elements; 2D memory with a pitch starts at a multiple of textureAlignment. hipErrorInvalidValue: linear
 * filtering of integers that are not read as normalized floats, sRGB of four channels that are not of 8 bits or lie in linear memory
 * (with fewer channels it means nothing), a view of elements of another size; a view's width and height are not looked at. hipErrorInvalidHandle: not a live array. */
hipError_t hipCreateTextureObject(hipTextureObject_t *texObject, const hipResourceDesc *resDesc, const hipTextureDesc *texDesc,
                                  const struct hipResourceViewDesc *resViewDesc);
/* NULL is no error. hipErrorInvalidValue: not a texture. */
hipError_t hipDestroyTextureObject(hipTextureObject_t textureObject);
/* What it was created with. */
hipError_t hipGetTextureObjectResourceDesc(hipResourceDesc *resDesc, hipTextureObject_t textureObject);
hipError_t hipGetTextureObjectTextureDesc(hipTextureDesc *texDesc, hipTextureObject_t textureObject);
/* hipErrorInvalidValue also where it was created without a view. */
hipError_t hipGetTextureObjectResourceViewDesc(struct hipResourceViewDesc *resViewDesc, hipTextureObject_t textureObject);
/* The same with the driver's descriptions. */
hipError_t hipTexObjectCreate(hipTextureObject_t *texObject, const HIP_RESOURCE_DESC *resDesc, const HIP_TEXTURE_DESC *texDesc,
                              const HIP_RESOURCE_VIEW_DESC *resViewDesc);
hipError_t hipTexObjectDestroy(hipTextureObject_t texObject);
hipError_t hipTexObjectGetResourceDesc(HIP_RESOURCE_DESC *resDesc, hipTextureObject_t texObject);
hipError_t hipTexObjectGetTextureDesc(HIP_TEXTURE_DESC *texDesc, hipTextureObject_t texObject);
hipError_t hipTexObjectGetResourceViewDesc(HIP_RESOURCE_VIEW_DESC *resViewDesc, hipTextureObject_t texObject);
/* The most elements of this format that a texture of linear memory has. */
hipError_t hipDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements, const hipChannelFormatDesc *fmtDesc, int device);

/* ---- surface objects -------------------------------------------------------------------------- */

/* An array to read and write by elements. Errors as for textures. */
hipError_t hipCreateSurfaceObject(hipSurfaceObject_t *surfObject, const hipResourceDesc *resDesc);
hipError_t hipDestroySurfaceObject(hipSurfaceObject_t surfaceObject);

/* ---- texture references ----------------------------------------------------------------------- */

/* The reference behind a registered variable. hipErrorInvalidTexture: it is none. */
hipError_t hipGetTextureReference(const textureReference **texref, const void *symbol);
/* Bind a reference to linear memory (`size` bytes, at most to the allocation's end), 2D memory, an array or a mipmapped array,
 * to be read as the reference says at that moment; what it was bound to before is forgotten. `offset` may be NULL and becomes 0.
 * hipErrorInvalidValue: `desc` is not the array's, and what hipCreateTextureObject refuses. */
hipError_t hipBindTexture(size_t *offset, const textureReference *tex, const void *devPtr, const hipChannelFormatDesc *desc, size_t size);
hipError_t hipBindTexture2D(size_t *offset, const textureReference *tex, const void *devPtr, const hipChannelFormatDesc *desc, size_t width,
                            size_t height, size_t pitch);
hipError_t hipBindTextureToArray(const textureReference *tex, hipArray_const_t array, const hipChannelFormatDesc *desc);
hipError_t hipBindTextureToMipmappedArray(const textureReference *tex, hipMipmappedArray_const_t mipmappedArray,
                                          const hipChannelFormatDesc *desc);
/* Waits for all work. Not bound: no error. */
hipError_t hipUnbindTexture(const textureReference *tex);
/* 0. hipErrorInvalidTexture: not bound. */
hipError_t hipGetTextureAlignmentOffset(size_t *offset, const textureReference *texref);

/* The driver's functions, for references of hipModuleGetTexRef as well. The format of linear and 2D memory is the one that
 * hipTexRefSetFormat or the descriptor gave; arrays have their own. Changes of a bound reference count from the next launch. */
hipError_t hipTexRefSetArray(textureReference *tex, hipArray_const_t array, unsigned int flags);
hipError_t hipTexRefSetMipmappedArray(textureReference *texRef, struct hipMipmappedArray *mipmappedArray, unsigned int flags);
hipError_t hipTexRefSetAddress(size_t *byteOffset, textureReference *texRef, hipDeviceptr_t dptr, size_t bytes); /* NULL: unbinds */
hipError_t hipTexRefSetAddress2D(textureReference *texRef, const HIP_ARRAY_DESCRIPTOR *desc, hipDeviceptr_t dptr, size_t pitch);
hipError_t hipTexRefSetAddressMode(textureReference *texRef, int dim, hipTextureAddressMode am);
hipError_t hipTexRefSetFilterMode(textureReference *texRef, hipTextureFilterMode fm);
hipError_t hipTexRefSetFlags(textureReference *texRef, unsigned int flags); /* HIP_TRSF_* */
hipError_t hipTexRefSetFormat(textureReference *texRef, hipArray_Format fmt, int numPackedComponents);
hipError_t hipTexRefSetBorderColor(textureReference *texRef, float *borderColor); /* four */
hipError_t hipTexRefSetMaxAnisotropy(textureReference *texRef, unsigned int maxAniso);
hipError_t hipTexRefSetMipmapFilterMode(textureReference *texRef, hipTextureFilterMode fm);
hipError_t hipTexRefSetMipmapLevelBias(textureReference *texRef, float bias);
hipError_t hipTexRefSetMipmapLevelClamp(textureReference *texRef, float minMipMapLevelClamp, float maxMipMapLevelClamp);
/* What was set. hipErrorInvalidValue: the reference is not bound to that kind of resource. */
hipError_t hipTexRefGetAddress(hipDeviceptr_t *dev_ptr, const textureReference *texRef);
hipError_t hipTexRefGetArray(hipArray_t *array, const textureReference *texRef);
hipError_t hipTexRefGetMipMappedArray(hipMipmappedArray_t *array, const textureReference *texRef);
hipError_t hipTexRefGetAddressMode(hipTextureAddressMode *pam, const textureReference *texRef, int dim);
hipError_t hipTexRefGetFilterMode(hipTextureFilterMode *pfm, const textureReference *texRef);
hipError_t hipTexRefGetFlags(unsigned int *pFlags, const textureReference *texRef);
hipError_t hipTexRefGetFormat(hipArray_Format *pFormat, int *pNumChannels, const textureReference *texRef);
hipError_t hipTexRefGetBorderColor(float *borderColor, const textureReference *texRef);
hipError_t hipTexRefGetMaxAnisotropy(int *pmaxAnsio, const textureReference *texRef);
hipError_t hipTexRefGetMipmapFilterMode(hipTextureFilterMode *pfm, const textureReference *texRef);
hipError_t hipTexRefGetMipmapLevelBias(float *pbias, const textureReference *texRef);
hipError_t hipTexRefGetMipmapLevelClamp(float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp, const textureReference *texRef);

#endif
#endif
