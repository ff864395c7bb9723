/* Typed buffer instructions of one lane, and where others find theirs; the code of the CPU device. */
#include "translate/nvptx/device/device.h"

#include "lane/buffer_lane.h"

static void locate(const struct wl_device_buffer *given, struct wl_buffer *buffer, struct wl_buffer_place *place) {
    wl_buffer_read(buffer, given->resource, given->element);
    *place = wl_buffer_locate(buffer, given->address, 1, given->soffset, given->offset, given->element, given->lane);
}

void wl_device_buffer_load(struct wl_device_buffer *given) {
    struct wl_buffer buffer;
    struct wl_buffer_place place;
    const uint32_t count = given->element >> 8 & 15;
    if (!given->active)
        return;
    locate(given, &buffer, &place);
    if (given->element & WL_ELEMENT_TFE) /* no page is missing here */
        given->data[given->element & WL_ELEMENT_D16 ? (count + 1) / 2 : count] = 0;
    wl_buffer_load_typed(&place, given->data, 1, given->element);
}

void wl_device_buffer_store(struct wl_device_buffer *given) {
    struct wl_buffer buffer;
    struct wl_buffer_place place;
    if (!given->active)
        return;
    locate(given, &buffer, &place);
    wl_buffer_store_typed(&place, given->data, 1, given->element);
}

/* wl_buffer_in_range, wl_buffer_memory without branches: they are part of the kernel, where threads would part. (With the CPU's code the
 * optimizer of driver 580 gave wrong addresses in waves of 64 where lanes were off, on an H200.) */
static uint32_t is_in_range(const struct wl_buffer_place *p, uint32_t skip, uint32_t bytes) {
    const struct wl_buffer *b = p->buffer;
    const uint64_t behind = (uint64_t)p->offset + skip + bytes, linear = (uint64_t)p->index * b->stride + p->soffset + behind;
    const uint32_t index = p->index < b->records, record = (b->stride == 0) | (behind <= b->stride);
    return ((b->bounds == WL_BOUNDS_STRUCTURED) & index & record) | ((b->bounds == WL_BOUNDS_INDEX) & index) |
           ((b->bounds == WL_BOUNDS_EMPTY) & (b->records != 0)) | ((b->bounds == WL_BOUNDS_RAW) & (linear <= b->records)) |
           (b->bounds == WL_BOUNDS_NONE);
}

static uint32_t log_2(uint32_t power) { return 31 - (uint32_t)__builtin_clz(power | 1); }

uint64_t wl_device_buffer_find(const struct wl_device_buffer *given, uint64_t part) {
    const uint32_t skip = (uint32_t)(part >> 32), bytes = (uint32_t)part;
    const bool indexed = given->element & WL_ELEMENT_IDXEN, shifted = given->element & WL_ELEMENT_OFFEN; /* constants */
    struct wl_buffer buffer;
    wl_buffer_read(&buffer, given->resource, given->element);
    const struct wl_buffer_place place = {.buffer = &buffer,
                                          .soffset = given->soffset,
                                          .index = (given->lane & -(uint32_t)buffer.add_tid) + (indexed ? given->address[0] : 0),
                                          .offset = given->offset + (shifted ? given->address[indexed] : 0)};
    const uint64_t linear = (uint64_t)place.index * buffer.stride + place.offset + skip, swizzles = -(uint64_t)(buffer.swizzle_size != 0);
    const uint32_t offset = place.offset + skip, records = log_2(buffer.index_stride), block = log_2(buffer.swizzle_size);
    const uint64_t group = place.index >> records, record = place.index & (buffer.index_stride - 1);
    const uint64_t within = offset & (buffer.swizzle_size - 1), apart = offset - within;
    const uint64_t swizzled = ((group * buffer.stride + apart) << records) + (record << block) + within;
    const uint64_t distance = (swizzled & swizzles) | (linear & ~swizzles);
    return (buffer.base + place.soffset + distance) & -(uint64_t)is_in_range(&place, skip, bytes);
}
