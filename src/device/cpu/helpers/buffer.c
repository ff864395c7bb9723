/* Memory through buffer descriptors, in full generality: swizzling, range checks, formats. */
#include "device/cpu/helpers/image_wave.h"
#include "device/cpu/helpers/lanes.h"
#include "lane/buffer_lane.h"
#include "machine/lane_mask.h"
#include "machine/operations.h"

#include <string.h>

/* ---- descriptors that translated code leaves to a helper ---- */

static struct wl_buffer_place read_place(struct wl_buffer *b, uint64_t low, uint64_t high, uint32_t generation, uint32_t lane,
                                         uint32_t offset) {
    const uint32_t descriptor[4] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)};
    const bool wide = (descriptor[3] & WL_BUFFER_KIND) == WL_BUFFER_WIDE;
    wl_buffer_read(b, descriptor, WL_ELEMENT_GENERATION(generation) | (wide ? WL_ELEMENT_WIDE : 0));
    return (struct wl_buffer_place){.buffer = b,
                                    .index = b->add_tid ? lane : 0,
                                    .soffset = wide ? descriptor[2] + ((uint64_t)(descriptor[3] & WL_BUFFER_CARRY) << (32 - 6)) : 0,
                                    .offset = offset};
}

uint32_t wl_help_buffer_parts(uint64_t low, uint64_t high, uint32_t generation, uint32_t lane, uint32_t offset, uint32_t skip,
                              uint32_t bytes, uint64_t value) {
    struct wl_buffer b;
    const struct wl_buffer_place place = read_place(&b, low, high, generation, lane, offset);
    uint32_t data = (uint32_t)value;
    wl_buffer_copy(&place, skip, &data, bytes, value >> 32 & 1);
    return data;
}

uint64_t wl_help_buffer_place(uint64_t low, uint64_t high, uint32_t generation, uint32_t lane, uint32_t offset, uint32_t skip,
                              uint32_t bytes) {
    struct wl_buffer b;
    const struct wl_buffer_place place = read_place(&b, low, high, generation, lane, offset);
    const bool whole = bytes & WL_BUFFER_WHOLE;
    bytes &= ~(uint32_t)WL_BUFFER_WHOLE;
    if (!wl_buffer_in_range(&place, skip, bytes) || (whole && !wl_buffer_is_whole(&place, skip, bytes)))
        return 0;
    return (uint64_t)(uintptr_t)wl_buffer_memory(&place, skip);
}

/* ---- the three accesses --------------------------------------------------------------------- */

static uint32_t merge(uint32_t raw, uint32_t old, uint32_t element) {
    unsigned bits = element & 0xff;
    if (bits == 8)
        raw = element & WL_ELEMENT_SIGNED ? (uint32_t)(int8_t)raw : raw & 0xff;
    else if (bits == 16)
        raw = element & WL_ELEMENT_SIGNED ? (uint32_t)(int16_t)raw : raw & 0xffff;
    if (!(element & WL_ELEMENT_D16))
        return raw;
    if (element & WL_ELEMENT_ZEROES_HALF)
        old = 0;
    return element & WL_ELEMENT_HIGH ? (old & 0xffff) | raw << 16 : (old & 0xffff0000) | (raw & 0xffff);
}

/* Where loads and stores without registers find a lane's dwords in LDS. */
static uint8_t *lds_slot(const struct wl_wave *wave, uint32_t instruction_offset, uint32_t lane, uint32_t dwords) {
    return wave->lds + (wave->sgpr[WL_SGPR_M0] & WL_M0_LDS) + instruction_offset + (size_t)lane * dwords * 4;
}

static void load_typed_lane(struct wl_wave *wave, const struct wl_buffer_place *place, uint32_t *destination, uint32_t lane,
                            uint32_t element, uint32_t instruction) {
    uint32_t first[4];
    if (!(element & WL_ELEMENT_LDS)) {
        wl_buffer_load_typed(place, destination + lane, wave->wave_size, element);
        return;
    }
    wl_buffer_load_typed(place, first, 1, WL_ELEMENT(element & 255, 1, element & ~(uint32_t)(0xfff | WL_ELEMENT_D16)));
    memcpy(lds_slot(wave, instruction, lane, 1), &first[0], 4);
}

/* Typed loads by index from records of one element each, as in textures of linear memory: done for all lanes together. False: it is
 * another kind of load. */
static bool load_records(struct wl_wave *wave, const struct wl_buffer *b, uint32_t *destination, const uint32_t *address, uint32_t start,
                         uint32_t element) {
    enum { IDENTITY = 0xfac };
    const uint32_t rare = WL_ELEMENT_OFFEN | WL_ELEMENT_LDS | WL_ELEMENT_TFE | WL_ELEMENT_D16, count = element >> 8 & 15;
    const struct wl_channel_format format = wl_buffer_format(b, element);
    const uint64_t size = b->records * b->stride, base = b->base + start;
    wl_image_wave_fn *kernels = wl_image_kernels();
    if (!kernels || !(element & WL_ELEMENT_IDXEN) || element & rare || b->swizzle_size || b->add_tid ||
        (b->bounds != WL_BOUNDS_INDEX && b->bounds != WL_BOUNDS_STRUCTURED) || b->stride == 0 || wl_channel_bytes(&format) != b->stride ||
        format.packed || format.channels == 3 || start != 0 || size > INT32_MAX)
        return false;
    const struct wl_image_wave w = {.data = destination,
                                    .at = {address},
                                    .exec = wl_exec(wave),
                                    .level = {.data = (uint8_t *)(uintptr_t)(base & ~UINT64_C(3)), .width = (uint32_t)b->records},
                                    .wave_size = wave->wave_size,
                                    .dmask = (1u << count) - 1,
                                    .format = format,
                                    .selects = (uint16_t)(b->selects ? b->selects : IDENTITY),
                                    .axes = 1,
                                    .loads = true,
                                    .buffer = true,
                                    .skip = base & 3};
    if (w.exec && count)
        kernels(&w);
    return true;
}

/* Bytes that a lane moves at once: of several dwords that are in range and lie side by side; 0: each dword is moved alone. */
static uint32_t whole_bytes(const struct wl_buffer_place *place, uint32_t element) {
    const uint32_t bytes = (element >> 8 & 15) * 4;
    const bool plain = (element & 0xff) == 32 && bytes > 4 && bytes <= 16 && !(element & WL_ELEMENT_LDS);
    return plain && wl_buffer_in_range(place, 0, bytes) && wl_buffer_is_whole(place, 0, bytes) ? bytes : 0;
}

void wl_help_buffer_load(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, const uint32_t *descriptor, uint32_t soffset,
                         uint32_t offset, uint32_t element) {
    uint64_t exec = wl_exec(wave);
    uint32_t copy[2 * 64], bytes = (element & 0xff) / 8, count = element >> 8 & 15, instruction = offset;
    struct wl_buffer b;
    wl_buffer_read(&b, descriptor, element);
    if (element & WL_ELEMENT_TYPED && load_records(wave, &b, destination, address, soffset + offset, element))
        return;
    if (address) { /* the destination may be the address */
        uint32_t rows = (element & WL_ELEMENT_IDXEN ? 1 : 0) + (element & WL_ELEMENT_OFFEN ? 1 : 0);
        memcpy(copy, address, (size_t)rows * wave->wave_size * sizeof *copy);
    }
    for (uint32_t l = 0; l < wave->wave_size; l++) {
        if (!wl_lane_in(exec, l))
            continue;
        struct wl_buffer_place place = wl_buffer_locate(&b, copy + l, wave->wave_size, soffset, offset, element, l);
        if (element & WL_ELEMENT_TFE) /* no page is missing here */
            destination[(size_t)(element & WL_ELEMENT_TYPED && element & WL_ELEMENT_D16 ? (count + 1) / 2 : count) * wave->wave_size + l] =
                0;
        if (element & WL_ELEMENT_TYPED) {
            load_typed_lane(wave, &place, destination, l, element, instruction);
            continue;
        }
        const uint32_t whole = whole_bytes(&place, element);
        uint32_t words[4];
        if (whole)
            wl_buffer_copy(&place, 0, words, whole, false);
        for (uint32_t i = 0; i < whole / 4; i++)
            destination[i * wave->wave_size + l] = words[i];
        if (whole)
            continue;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t raw = 0;
            if (wl_buffer_in_range(&place, i * bytes, bytes))
                wl_buffer_copy(&place, i * bytes, &raw, bytes, false);
            if (element & WL_ELEMENT_LDS) {
                raw = merge(raw, 0, element);
                memcpy(lds_slot(wave, instruction, l, count) + (size_t)i * 4, &raw, 4);
            } else {
                uint32_t *d = &destination[i * wave->wave_size + l];
                *d = merge(raw, *d, element);
            }
        }
    }
}

void wl_help_buffer_store(struct wl_wave *wave, const uint32_t *data, const uint32_t *address, const uint32_t *descriptor, uint32_t soffset,
                          uint32_t offset, uint32_t element) {
    uint64_t exec = wl_exec(wave);
    uint32_t bytes = (element & 0xff) / 8, count = element >> 8 & 15;
    struct wl_buffer b;
    wl_buffer_read(&b, descriptor, element);
    for (uint32_t l = 0; l < wave->wave_size; l++) {
        if (!wl_lane_in(exec, l))
            continue;
        struct wl_buffer_place place = wl_buffer_locate(&b, address + l, wave->wave_size, soffset, offset, element, l);
        if (element & WL_ELEMENT_TYPED) {
            wl_buffer_store_typed(&place, data + l, wave->wave_size, element);
            continue;
        }
        const uint32_t whole = whole_bytes(&place, element);
        uint32_t words[4];
        for (uint32_t i = 0; i < whole / 4; i++)
            words[i] = data[i * wave->wave_size + l];
        if (whole) {
            wl_buffer_copy(&place, 0, words, whole, true);
            continue;
        }
        for (uint32_t i = 0; i < count; i++) {
            uint32_t value = 0;
            if (element & WL_ELEMENT_LDS)
                memcpy(&value, lds_slot(wave, offset, l, 1), 4);
            else
                value = data[i * wave->wave_size + l];
            if (element & WL_ELEMENT_HIGH)
                value >>= 16;
            if (wl_buffer_in_range(&place, i * bytes, bytes))
                wl_buffer_copy(&place, i * bytes, &value, bytes, true);
        }
    }
}

void wl_help_buffer_atomic(struct wl_wave *wave, uint32_t *data, const uint32_t *address, const uint32_t *descriptor, uint32_t soffset,
                           uint32_t offset, uint32_t element, uint32_t operation) {
    uint64_t exec = wl_exec(wave);
    uint32_t bits = element & 0xff, words = bits / 32, size = wave->wave_size;
    bool two = wl_atomic_has_two(operation);
    struct wl_buffer b;
    wl_buffer_read(&b, descriptor, element);
    for (uint32_t l = 0; l < size; l++) {
        if (!wl_lane_in(exec, l))
            continue;
        struct wl_buffer_place place = wl_buffer_locate(&b, address + l, wave->wave_size, soffset, offset, element, l);
        uint64_t operands[2] = {0, 0}, old = 0;
        for (uint32_t i = 0; i < words * (two ? 2 : 1); i++)
            operands[i / words] |= (uint64_t)data[i * size + l] << i % words * 32;
        if (wl_buffer_in_range(&place, 0, bits / 8))
            old = wl_atomic_lane(wl_buffer_memory(&place, 0), operation, bits, operands[0], operands[1]);
        for (uint32_t i = 0; i < words && element & WL_ELEMENT_RETURN; i++)
            data[i * size + l] = (uint32_t)(old >> i * 32);
    }
}
