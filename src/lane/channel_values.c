/* Elements of channel formats, converted. It runs on NVIDIA's GPUs as well: no state but the arguments. */
#include "lane/channel_values.h"

#include "base/float_bits.h"
#include "base/whole.h"

#include <math.h>
#include <string.h>

float wl_half_to_float(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7fff;
    if (magnitude >= 0x7c00)
        return wl_bits_float(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    if (magnitude >= 0x400)
        return wl_bits_float(sign | ((magnitude << 13) + ((127 - 15) << 23)));
    float value = (float)magnitude * 0x1p-24f;
    return sign ? -value : value;
}

/* To nearest, ties to even. */
uint16_t wl_float_to_half(float value) {
    uint32_t bits = wl_float_bits(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7e00);
    if (magnitude >= 0x477ff000) /* 65520 */
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000) /* the least normal number: what is below has a fixed unit */
        return (uint16_t)(sign | (uint32_t)lrintf(wl_bits_float(magnitude) * 0x1p24f));
    uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return (uint16_t)(sign | ((rounded - ((127 - 15) << 23)) >> 13));
}

/* ---- channels --------------------------------------------------------------------------------------- */

static uint32_t read_raw(const uint8_t *memory, unsigned bits) {
    uint16_t half;
    uint32_t word;
    switch (bits) {
    case 8:
        return *memory;
    case 16:
        memcpy(&half, memory, sizeof half);
        return half;
    default:
        memcpy(&word, memory, sizeof word);
        return word;
    }
}

static int32_t extend(uint32_t raw, unsigned bits) { return (int32_t)(raw << (32 - bits)) >> (32 - bits); }

/* Floats of fewer than 16 bits are halves without sign and last bits. */
static uint32_t decode(uint32_t raw, unsigned bits, enum wl_channel_number number) {
    switch (number) {
    case WL_NUMBER_UNORM:
        return wl_float_bits((float)raw / (float)((1u << bits) - 1));
    case WL_NUMBER_SNORM:
        return wl_float_bits(fmaxf((float)extend(raw, bits) / (float)((1u << (bits - 1)) - 1), -1));
    case WL_NUMBER_SINT:
        return (uint32_t)extend(raw, bits);
    case WL_NUMBER_FLOAT:
        return bits == 32 ? raw : wl_float_bits(wl_half_to_float((uint16_t)(bits == 16 ? raw : raw << (15 - bits))));
    case WL_NUMBER_SRGB:
        return wl_float_bits(wl_linear_of_srgb((uint8_t)raw));
    case WL_NUMBER_USCALED:
        return wl_float_bits((float)raw);
    case WL_NUMBER_SSCALED:
        return wl_float_bits((float)extend(raw, bits));
    case WL_NUMBER_UINT:
        break;
    }
    return raw;
}

static uint32_t clamp_integer(int64_t value, int64_t low, int64_t high) {
    return (uint32_t)(value < low ? low : value > high ? high : value);
}

/* 5 exponent bits, no sign: negative numbers become 0. */
static uint32_t small_float_bits(float value, unsigned bits) {
    const uint32_t infinity = 31u << (bits - 5), all = wl_float_bits(value);
    if (isnan(value))
        return infinity | 1;
    if (value <= 0)
        return 0;
    if (value >= 65536)
        return isinf(value) ? infinity : infinity - 1;
    if (value < 0x1p-14f) /* denormals share the least exponent */
        return (uint32_t)(value * (float)(1u << (bits - 5)) * 0x1p14f);
    return (all - ((127 - 15) << 23)) >> (28 - bits);
}

static uint32_t encode(uint32_t value, unsigned bits, enum wl_channel_number number) {
    const float f = wl_bits_float(value), finite = isnan(f) ? 0 : f;
    const double top = ldexp(1, (int)bits) - 1, half_top = ldexp(1, (int)bits - 1) - 1;
    switch (number) {
    case WL_NUMBER_UNORM:
        return (uint32_t)nearbyint(fmin(fmax(finite, 0), 1) * top);
    case WL_NUMBER_SNORM:
        return (uint32_t)(int32_t)nearbyint(fmin(fmax(finite, -1), 1) * half_top);
    case WL_NUMBER_SINT:
        return bits == 32 ? value : clamp_integer((int32_t)value, -(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1);
    case WL_NUMBER_FLOAT:
        return bits == 32 ? value : bits == 16 ? wl_float_to_half(f) : small_float_bits(f, bits);
    case WL_NUMBER_SRGB:
        return wl_srgb_of_linear(finite);
    case WL_NUMBER_USCALED:
        return (uint32_t)fmin(fmax(finite, 0), top);
    case WL_NUMBER_SSCALED:
        return (uint32_t)(int32_t)fmin(fmax(finite, -half_top - 1), half_top);
    case WL_NUMBER_UINT:
        break;
    }
    return bits == 32 ? value : clamp_integer(value, 0, (INT64_C(1) << bits) - 1);
}

/* sRGB's fourth channel is linear. */
static enum wl_channel_number number_of(const struct wl_channel_format *format, unsigned i) {
    return format->number == WL_NUMBER_SRGB && i == 3 ? WL_NUMBER_UNORM : (enum wl_channel_number)format->number;
}

/* ---- packed channels -------------------------------------------------------------------------------- */

/* From the lowest bit up. */
static const uint8_t widths[64][4] = {
    [WL_PACKED_10_11_11] = {11, 11, 10},      [WL_PACKED_11_11_10] = {10, 11, 11}, [WL_PACKED_10_10_10_2] = {2, 10, 10, 10},
    [WL_PACKED_2_10_10_10] = {10, 10, 10, 2}, [WL_PACKED_5_6_5] = {5, 6, 5},       [WL_PACKED_1_5_5_5] = {5, 5, 5, 1},
    [WL_PACKED_5_5_5_1] = {1, 5, 5, 5},       [WL_PACKED_4_4_4_4] = {4, 4, 4, 4},  [WL_PACKED_5_9_9_9] = {9, 9, 9},
};

static void load_packed(const struct wl_channel_format *format, const uint8_t *memory, uint32_t element[4]) {
    const uint8_t *width = widths[format->packed & 63];
    uint32_t word = read_raw(memory, format->bits);
    const float unit = format->packed == WL_PACKED_5_9_9_9 ? ldexpf(1, (int)(word >> 27) - 15 - 9) : 0;
    for (unsigned i = 0; i < 4; word >>= width[i++]) {
        const uint32_t raw = word & ((1u << width[i]) - 1);
        if (i < format->channels)
            element[i] = unit > 0 ? wl_float_bits((float)raw * unit) : decode(raw, width[i], number_of(format, i));
    }
}

static void store_packed(const struct wl_channel_format *format, uint8_t *memory, const uint32_t element[4]) {
    const uint8_t *width = widths[format->packed & 63];
    uint32_t word = 0;
    if (format->packed == WL_PACKED_5_9_9_9)
        return;
    for (unsigned i = 0, at = 0; i < format->channels; at += width[i++])
        word |= (encode(element[i], width[i], number_of(format, i)) & ((1u << width[i]) - 1)) << at;
    memcpy(memory, &word, format->bits / 8);
}

/* ---- elements --------------------------------------------------------------------------------------- */

/* Elements of these sizes are moved as one (base/whole.h). */
static bool is_one_access(unsigned bytes) { return bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16; }

/* Each size is a constant: the form of wl_whole_copy() for GPUs needs one. */
static void copy_at_once(void *to, const void *from, unsigned bytes) {
    switch (bytes) {
    case 2:
        wl_whole_copy(to, from, 2);
        break;
    case 4:
        wl_whole_copy(to, from, 4);
        break;
    case 8:
        wl_whole_copy(to, from, 8);
        break;
    default:
        wl_whole_copy(to, from, 16);
    }
}

/* Channel `i` of 8, 16 or 32 bits of words in which channels lie side by side. */
static uint32_t get_channel(const uint32_t words[4], unsigned i, unsigned bits) {
    if (bits == 32)
        return words[i];
    return bits == 16 ? words[i / 2] >> i % 2 * 16 & 0xffff : words[0] >> i * 8 & 0xff;
}

static void put_channel(uint32_t words[4], unsigned i, unsigned bits, uint32_t raw) {
    if (bits == 32)
        words[i] = raw;
    else if (bits == 16)
        words[i / 2] |= (raw & 0xffff) << i % 2 * 16;
    else
        words[0] |= (raw & 0xff) << i * 8;
}

void wl_channels_load(const struct wl_channel_format *format, const uint8_t *memory, uint32_t element[4]) {
    const unsigned bits = format->bits;
    _Alignas(16) uint32_t words[4] = {0, 0, 0, 0};
    element[0] = element[1] = element[2] = 0;
    element[3] = wl_channel_is_integer(format) ? 1 : 0x3f800000;
    if (format->packed) {
        load_packed(format, memory, element);
        return;
    }
    const bool whole = is_one_access(format->channels * bits / 8);
    if (whole)
        copy_at_once(words, memory, format->channels * bits / 8);
    for (unsigned i = 0; i < 4; i++) {
        if (i >= format->channels)
            continue;
        const uint32_t raw = whole ? get_channel(words, i, bits) : read_raw(memory + (size_t)i * bits / 8, bits);
        element[i] = decode(raw, bits, number_of(format, i));
    }
}

void wl_channels_store(const struct wl_channel_format *format, uint8_t *memory, const uint32_t element[4]) {
    const unsigned bits = format->bits, bytes = bits / 8;
    _Alignas(16) uint32_t words[4] = {0, 0, 0, 0};
    if (format->packed) {
        store_packed(format, memory, element);
        return;
    }
    for (unsigned i = 0; i < 4; i++)
        if (i < format->channels)
            put_channel(words, i, bits, encode(element[i], bits, number_of(format, i)));
    if (is_one_access(format->channels * bytes)) {
        copy_at_once(memory, words, format->channels * bytes);
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t raw = get_channel(words, i, bits);
        if (i < format->channels)
            memcpy(memory + (size_t)i * bytes, &raw, bytes);
    }
}
