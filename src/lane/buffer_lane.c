/* Typed accesses of one lane. It runs on NVIDIA's GPUs as well: no state but the arguments. */
#include "lane/buffer_lane.h"

#include <string.h>

/* ---- formats -------------------------------------------------------------------------------- */

/* An element: whole, or dword by dword where swizzling parts it. */
static void copy_element(const struct wl_buffer_place *p, uint8_t *bytes, uint32_t size, bool store) {
    if (wl_buffer_is_whole(p, 0, size)) {
        wl_buffer_copy(p, 0, bytes, size, store);
        return;
    }
    for (uint32_t at = 0; at < size; at += 4) {
        wl_buffer_copy(p, at, bytes + at, size - at < 4 ? size - at : 4, store);
    }
}

static void load_typed(const struct wl_buffer *b, const struct wl_channel_format *f, struct wl_buffer_place place, uint32_t out[4]) {
    uint32_t one = wl_channel_is_integer(f) ? 1 : 0x3f800000, components[4] = {0, 0, 0, 0};
    _Alignas(16) uint8_t bytes[16] = {0};
    if (wl_buffer_in_range(&place, 0, wl_channel_bytes(f))) {
        copy_element(&place, bytes, wl_channel_bytes(f), false);
        wl_channels_load(f, bytes, components);
    }
    for (unsigned i = 0; i < 4; i++) {
        uint32_t select = b->selects >> i * 3 & 7;
        if (b->selects == 0 || select >= 4)
            out[i] = components[b->selects ? select - 4 : i];
        else
            out[i] = select == 1 ? one : 0;
    }
}

struct wl_channel_format wl_buffer_format(const struct wl_buffer *b, uint32_t element) {
    struct wl_channel_format format;
    const uint32_t code = element & WL_ELEMENT_FORMAT ? element >> 21 & 127 : b->format;
    wl_channel_decode(b->generation, b->generation == 9 ? (code & 15) | (code >> 4 & 7) << 6 : code, &format);
    return format;
}

void wl_buffer_load_typed(const struct wl_buffer_place *place, uint32_t *data, uint32_t stride, uint32_t element) {
    const struct wl_channel_format format = wl_buffer_format(place->buffer, element);
    const unsigned count = element >> 8 & 15;
    uint32_t out[4];
    load_typed(place->buffer, &format, *place, out);
    for (unsigned i = 0; i < count && i < 4; i++) {
        if (!(element & WL_ELEMENT_D16)) {
            data[(size_t)i * stride] = out[i];
            continue;
        }
        float f;
        memcpy(&f, &out[i], 4);
        const uint32_t half = !wl_channel_is_integer(&format) ? wl_float_to_half(f) : out[i] & 0xffff;
        uint32_t *d = &data[(size_t)(i / 2) * stride];
        const bool high = i % 2 || element & WL_ELEMENT_HIGH;
        if (i % 2 == 0 && element & WL_ELEMENT_ZEROES_HALF)
            *d = 0;
        *d = high ? (*d & 0xffff) | half << 16 : (*d & 0xffff0000) | half;
    }
}

/* 16 bits of a register, as the 32 that they stand for. */
static uint32_t widened(uint32_t half, const struct wl_channel_format *format) {
    const float value = wl_half_to_float((uint16_t)half);
    if (wl_channel_is_integer(format))
        return format->number == WL_NUMBER_SINT ? (uint32_t)(int16_t)half : half;
    memcpy(&half, &value, sizeof half);
    return half;
}

void wl_buffer_store_typed(const struct wl_buffer_place *place, const uint32_t *data, uint32_t stride, uint32_t element) {
    const struct wl_channel_format format = wl_buffer_format(place->buffer, element);
    _Alignas(16) uint8_t bytes[16] = {0};
    uint32_t values[4] = {0, 0, 0, 0};
    if (!format.channels || !wl_buffer_in_range(place, 0, wl_channel_bytes(&format)))
        return;
    for (unsigned i = 0; i < 4 && i < (element >> 8 & 15); i++) {
        values[i] = data[(size_t)(element & WL_ELEMENT_D16 ? i / 2 : i) * stride];
        if (element & WL_ELEMENT_D16)
            values[i] = widened((i % 2 || element & WL_ELEMENT_HIGH) ? values[i] >> 16 : values[i] & 0xffff, &format);
    }
    wl_channels_store(&format, bytes, values);
    copy_element(place, bytes, wl_channel_bytes(&format), true);
}
