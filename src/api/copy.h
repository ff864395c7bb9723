/* Copies between memory and arrays, for the files of that chapter and for graphs. */
#ifndef WL_API_COPY_H
#define WL_API_COPY_H

#include "api/array.h"

/* One end of a copy: memory with a pitch, or an array, and where in it to begin. */
struct wl_side {
    hipArray_t array;    /* or */
    void *memory;        /* of memory: */
    size_t pitch, slice; /* bytes from row to row, from plane to plane */
    size_t x, y, z;      /* bytes, rows, planes */
    bool device;         /* of memory: the caller says that it is a device's, so that HIP has to know it */
};

/* Copies `rows` rows of `width` bytes, `slices` planes of them. hipErrorInvalidValue: not within an array; otherwise as
 * wl_api_copy. */
hipError_t wl_api_copy_sides(const char *function, const struct wl_side *target, const struct wl_side *source, size_t width, size_t rows,
                             size_t slices, hipMemcpyKind kind, hipStream_t stream, bool async);
/* Rows of memory, and a device variable and other memory: `other` receives it, or with `to` is copied into it. */
hipError_t wl_api_copy_plane(const char *function, void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                             hipMemcpyKind kind, hipStream_t stream, bool async);
hipError_t wl_api_copy_symbol(const char *function, const void *symbol, bool to, void *other, size_t size, size_t offset,
                              hipMemcpyKind kind, hipStream_t stream, bool async);
/* Fills as HIP functions describe it; the same checks. */
hipError_t wl_api_fill(const char *function, const struct wl_fill *fill, hipStream_t stream, bool async);
hipError_t wl_api_fill_volume(const char *function, const hipPitchedPtr *pointer, int value, const hipExtent *extent, hipStream_t stream,
                              bool async);

/* The copy that 3D parameters describe. hipErrorInvalidValue: neither or both of array and pointer on a side, arrays of
 * different elements. */
hipError_t wl_api_copy_volume(const char *function, const struct hipMemcpy3DParms *parameters, hipStream_t stream, bool async);

/* Whether the memory is only a device's: the program does not reach it without HIP functions, and it is no array. Synchronous calls
 * do not wait for what happens within such memory. */
bool wl_api_is_devices_own(const struct wl_allocation *allocation);

/* Bytes from the first to the last one that a side of a copy touches; false: more than there are addresses. */
bool wl_api_reach(size_t width, size_t rows, size_t slices, size_t pitch, size_t slice, size_t *bytes);

#endif
