/* Typed buffer instructions of one lane, and where others find theirs; the code of the CPU device. */
#include "translate/nvptx/device/device.h"

#include "device/cpu/buffer_lane.c"

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

uint64_t wl_device_buffer_find(const struct wl_device_buffer *given, uint64_t part) {
    struct wl_buffer buffer;
    struct wl_buffer_place place;
    const uint32_t skip = (uint32_t)(part >> 32), bytes = (uint32_t)part;
    locate(given, &buffer, &place);
    return wl_buffer_in_range(&place, skip, bytes) ? (uint64_t)(uintptr_t)wl_buffer_memory(&place, skip) : 0;
}
