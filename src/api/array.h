/* What a hipArray_t points to, for the chapters that use arrays. */
#ifndef WL_API_ARRAY_H
#define WL_API_ARRAY_H

#include "api/api.h"

/* An array: elements in rows, rows in slices (planes, layers, faces). The first members, up to texture_type, lie as in the
 * headers of HIP 5, where the struct was public. */
struct hipArray {
    _Alignas(16) void *data; /* WL_MEMORY_ARRAY; a level of a mipmapped array: a part of the whole's. Aligned as handles are */
    hipChannelFormatDesc desc;
    unsigned type;
    unsigned width, height, depth; /* elements as the program gave them: a height or depth of 0 is none */
    hipArray_Format format;
    unsigned channels;
    bool driver; /* made by hipArray*Create */
    unsigned texture_type;
    unsigned flags;      /* hipArray* */
    size_t element;      /* bytes */
    size_t pitch, slice; /* bytes from row to row, from slice to slice */
    uint64_t memory_id;  /* of the allocation: hipDeviceReset takes it away */
    bool is_level;       /* of a mipmapped array, with which it is freed */
    atomic_uint out;     /* of a level: times that the program asked for it and did not free it */
};

struct hipMipmappedArray {
    _Alignas(16) void *data;
    unsigned levels;
    struct hipArray level[]; /* each half as large as the one before, down to 1 */
};

/* Rows of a slice, slices of an array. */
static inline size_t wl_array_rows(const struct hipArray *array) { return array->height ? array->height : 1; }
static inline size_t wl_array_slices(const struct hipArray *array) { return array->depth ? array->depth : 1; }
static inline size_t wl_array_row_bytes(const struct hipArray *array) { return array->width * array->element; }

/* The description of `n` channels of a format, and back: 1, 2 or 4 channels of the same 8, 16 or 32 bits. False: there is none. */
bool wl_array_desc_of(hipArray_Format format, unsigned n, hipChannelFormatDesc *desc);
bool wl_array_format_of(const hipChannelFormatDesc *desc, hipArray_Format *format, unsigned *channels);
/* Whether it is a live array, levels of mipmapped arrays included, whose memory is there. */
bool wl_api_is_array(hipArray_const_t array);

#endif
