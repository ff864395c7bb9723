/* Buffer descriptors: where an element lies, whether it is in range, how it is converted. What is here runs on NVIDIA's GPUs as well
 * (translate/nvptx/device). All functions are thread-safe and cannot fail. */
#ifndef WL_LANE_BUFFER_LANE_H
#define WL_LANE_BUFFER_LANE_H

#include "base/whole.h"
#include "lane/channel_values.h"
#include "machine/helpers.h"

struct wl_buffer {
    uint64_t base, records;
    uint32_t stride, index_stride, swizzle_size; /* swizzle_size 0: linear */
    uint32_t bounds;                             /* WL_BOUNDS_*; gfx10 and later: OOB_SELECT */
    bool add_tid, wide;                          /* wide: gfx1250's */
    uint32_t generation;
    uint32_t selects; /* DST_SEL */
    uint32_t format;  /* the descriptor's own; gfx9: dfmt | nfmt << 4 */
};

/* STRUCTURED: index, and the offset within the record; INDEX: index alone; EMPTY: any address if there are records; RAW: bytes
 * from the start; NONE: gfx9 checks no addresses that thread ids make, gfx1250 none that are swizzled; RECORD: gfx1250, bytes from the start,
 * and from the record's. */
enum { WL_BOUNDS_STRUCTURED, WL_BOUNDS_INDEX, WL_BOUNDS_EMPTY, WL_BOUNDS_RAW, WL_BOUNDS_NONE, WL_BOUNDS_RECORD };

static inline void wl_buffer_bounds(struct wl_buffer *b, const uint32_t *d, bool idxen) {
    if (b->generation == 9)
        b->bounds = b->add_tid ? WL_BOUNDS_NONE : b->stride && idxen ? WL_BOUNDS_INDEX : WL_BOUNDS_RAW;
    else
        b->bounds = d[3] >> 28 & 3;
    if (b->generation >= 10 && b->bounds == WL_BOUNDS_RAW && b->swizzle_size && b->stride)
        b->bounds = WL_BOUNDS_STRUCTURED;
}

/* gfx1250's descriptor: 57 bits of address, 45 of size in bytes, 6 that are not used, 14 of the stride, 2 of its scale, one that swizzles, one
 * that checks records too, and the type, which is 0 for buffers. Of another type there is nothing. */
static inline void wl_buffer_read_wide(struct wl_buffer *b, const uint32_t *d) {
    const uint32_t scale = d[3] >> 26 & 3, by = scale ? scale + 1 + (scale == 3) : 0; /* 1, 4, 8, 32 */
    const bool swizzles = d[3] >> 28 & 1, checks_records = d[3] >> 29 & 1, other = d[3] >> 30;

    *b = (struct wl_buffer){
        .wide = true,
        .base = (d[0] | (uint64_t)d[1] << 32) & ((UINT64_C(1) << 57) - 1),
        .records = other ? 0 : d[1] >> 25 | (uint64_t)d[2] << 7 | (uint64_t)(d[3] & 63) << 39,
        .stride = (d[3] >> 12 & 0x3fff) << by,
        .index_stride = 32,
        .swizzle_size = swizzles ? 16 : 0,
        .bounds = other            ? WL_BOUNDS_EMPTY
                  : swizzles       ? WL_BOUNDS_NONE
                  : checks_records ? WL_BOUNDS_RECORD
                                   : WL_BOUNDS_RAW,
        .generation = 12,
    };
}

static inline void wl_buffer_read(struct wl_buffer *b, const uint32_t *d, uint32_t element) {
    if ((element & (WL_ELEMENT_WIDE | WL_ELEMENT_FORMAT)) == WL_ELEMENT_WIDE) {
        wl_buffer_read_wide(b, d);
        return;
    }
    b->wide = false;
    b->generation = 9 + (element >> 28 & 3);
    b->base = d[0] | (uint64_t)(d[1] & 0xffff) << 32;
    b->stride = d[1] >> 16 & 0x3fff;
    b->records = d[2];
    b->index_stride = 8u << (d[3] >> 21 & 3);
    b->add_tid = d[3] >> 23 & 1;
    b->selects = d[3] & 0xfff;
    b->swizzle_size = b->generation >= 11 ? (uint32_t)((d[1] >> 30) ? 2u << (d[1] >> 30) : 0) : (d[1] >> 31) * 4;
    if (b->generation == 9 && b->add_tid && !(element & WL_ELEMENT_TYPED))
        b->stride |= (d[3] >> 15 & 15) << 14; /* the data format's bits */
    if (b->generation == 9)
        b->format = (d[3] >> 15 & 15) | (d[3] >> 12 & 7) << 4;
    else
        b->format = b->generation == 10 ? d[3] >> 12 & 127 : d[3] >> 12 & 63;
    wl_buffer_bounds(b, d, element & WL_ELEMENT_IDXEN);
}

struct wl_buffer_place { /* of one lane */
    const struct wl_buffer *buffer;
    uint64_t soffset; /* counts towards the end of raw buffers; is never swizzled but on gfx1250, where it has bit 32 of the offset */
    uint32_t index, offset;
};

/* `address`: the lane's address registers, `stride` dwords apart. */
static inline struct wl_buffer_place wl_buffer_locate(const struct wl_buffer *b, const uint32_t *address, uint32_t stride, uint32_t soffset,
                                                      uint32_t offset, uint32_t element, uint32_t lane) {
    struct wl_buffer_place place = {.buffer = b, .soffset = soffset, .index = b->add_tid ? lane : 0, .offset = offset};
    if (element & WL_ELEMENT_IDXEN) {
        place.index += *address;
        address += stride;
    }
    if (element & WL_ELEMENT_OFFEN)
        place.offset += *address;
    if (b->wide && place.offset < offset)
        place.soffset += UINT64_C(1) << 32;
    return place;
}

/* Bytes from the base, without soffset, of the byte `skip` of an element. Swizzled: the records of index_stride neighbours are
 * interleaved by pieces of swizzle_size. */
static inline uint64_t wl_buffer_distance(const struct wl_buffer_place *p, uint32_t skip) {
    const struct wl_buffer *b = p->buffer;
    uint32_t offset = p->offset + skip;
    if (!b->swizzle_size)
        return (uint64_t)p->index * b->stride + p->offset + skip;
    uint64_t group = p->index / b->index_stride, record = p->index % b->index_stride;
    uint64_t piece = offset / b->swizzle_size, within = offset % b->swizzle_size;
    return (group * b->stride + piece * b->swizzle_size) * b->index_stride + record * b->swizzle_size + within;
}

/* The same for gfx1250, with soffset. */
static inline uint64_t wl_buffer_swizzled_wide(const struct wl_buffer_place *p, uint32_t skip) {
    enum { RECORDS = 32, PIECE = 16 };
    const uint64_t offset = p->offset + p->soffset + skip, group = p->index / RECORDS, record = p->index % RECORDS;
    return (group * p->buffer->stride + offset / PIECE * PIECE) * RECORDS + record * PIECE + offset % PIECE;
}

static inline uint8_t *wl_buffer_memory(const struct wl_buffer_place *p, uint32_t skip) {
    if (p->buffer->wide && p->buffer->swizzle_size)
        return (uint8_t *)(uintptr_t)(p->buffer->base + wl_buffer_swizzled_wide(p, skip));
    return (uint8_t *)(uintptr_t)(p->buffer->base + p->soffset + wl_buffer_distance(p, skip));
}

/* Whether `bytes` bytes of an element from its byte `skip` on lie side by side: swizzling parts them where a piece ends. */
static inline bool wl_buffer_is_whole(const struct wl_buffer_place *p, uint32_t skip, uint32_t bytes) {
    const uint32_t size = p->buffer->swizzle_size, offset = p->offset + (p->buffer->wide ? (uint32_t)p->soffset : 0);
    return !size || (offset + skip) % size + bytes <= size;
}

/* Copies `bytes` bytes of an element from its byte `skip` on. */
static inline void wl_buffer_copy(const struct wl_buffer_place *p, uint32_t skip, void *data, uint32_t bytes, bool store) {
    if (wl_buffer_is_whole(p, skip, bytes)) {
        uint8_t *memory = wl_buffer_memory(p, skip);
        wl_whole_copy(store ? (void *)memory : data, store ? data : (void *)memory, bytes);
        return;
    }
    for (uint32_t i = 0; i < bytes; i++) {
        uint8_t *memory = wl_buffer_memory(p, skip + i), *byte = (uint8_t *)data + i;
        *(store ? memory : byte) = *(store ? byte : memory);
    }
}

static inline bool wl_buffer_in_range(const struct wl_buffer_place *p, uint32_t skip, uint32_t bytes) {
    const struct wl_buffer *b = p->buffer;
    uint64_t linear = (uint64_t)p->index * b->stride + p->offset + p->soffset;
    switch (b->bounds) {
    case WL_BOUNDS_STRUCTURED:
        return p->index < b->records && (b->stride == 0 || (uint64_t)p->offset + skip + bytes <= b->stride);
    case WL_BOUNDS_INDEX:
        return p->index < b->records;
    case WL_BOUNDS_EMPTY:
        return b->records != 0;
    case WL_BOUNDS_RAW:
        return linear + skip + bytes <= b->records;
    case WL_BOUNDS_RECORD:
        return linear + skip + bytes <= b->records && p->offset + p->soffset + skip + bytes <= b->stride;
    default:
        return true;
    }
}

/* The format that a typed access converts by: the descriptor's or the instruction's. */
struct wl_channel_format wl_buffer_format(const struct wl_buffer *buffer, uint32_t element);
/* A typed access of one lane; `data`: its registers, `stride` dwords apart. */
void wl_buffer_load_typed(const struct wl_buffer_place *place, uint32_t *data, uint32_t stride, uint32_t element);
void wl_buffer_store_typed(const struct wl_buffer_place *place, const uint32_t *data, uint32_t stride, uint32_t element);

#endif
