/* Texels in memory and as the shader sees them. */
#include "device/cpu/image.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static uint32_t float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float bits_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float wl_half_to_float(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7fff;
    if (magnitude >= 0x7c00)
        return bits_float(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    if (magnitude >= 0x400)
        return bits_float(sign | ((magnitude << 13) + ((127 - 15) << 23)));
    float value = (float)magnitude * 0x1p-24f;
    return sign ? -value : value;
}

/* To nearest, ties to even. */
uint16_t wl_float_to_half(float value) {
    uint32_t bits = float_bits(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7e00);
    if (magnitude >= 0x477ff000) /* 65520 */
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000) /* the least normal number: what is below has a fixed unit */
        return (uint16_t)(sign | (uint32_t)lrintf(bits_float(magnitude) * 0x1p24f));
    uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return (uint16_t)(sign | ((rounded - ((127 - 15) << 23)) >> 13));
}

/* ---- sRGB ---------------------------------------------------------------------------------------- */

static float linear_of_srgb[256];
static pthread_once_t srgb_once = PTHREAD_ONCE_INIT;

static void make_srgb(void) {
    for (int i = 0; i < 256; i++) {
        double c = i / 255.0;
        linear_of_srgb[i] = (float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
}

static uint32_t srgb_of_linear(float linear) {
    double c = fmin(fmax(linear, 0), 1);
    c = c <= 0.0031308 ? c * 12.92 : 1.055 * pow(c, 1 / 2.4) - 0.055;
    return (uint32_t)nearbyint(c * 255);
}

/* ---- components ----------------------------------------------------------------------------------- */

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

static uint32_t decode(uint32_t raw, unsigned bits, uint8_t number, bool alpha) {
    switch ((enum wl_image_number)number) {
    case WL_NUMBER_UNORM:
        return float_bits((float)raw / (float)((1u << bits) - 1));
    case WL_NUMBER_SNORM:
        return float_bits(fmaxf((float)extend(raw, bits) / (float)((1u << (bits - 1)) - 1), -1));
    case WL_NUMBER_SINT:
        return (uint32_t)extend(raw, bits);
    case WL_NUMBER_FLOAT:
        return bits == 16 ? float_bits(wl_half_to_float((uint16_t)raw)) : raw;
    case WL_NUMBER_SRGB:
        return float_bits(alpha ? (float)raw / 255 : linear_of_srgb[raw & 255]);
    case WL_NUMBER_UINT:
        break;
    }
    return raw;
}

void wl_texel_load(const struct wl_image_format *format, const uint8_t *memory, union wl_texel *texel) {
    unsigned bytes = format->bits / 8;
    bool integer = format->number == WL_NUMBER_UINT || format->number == WL_NUMBER_SINT;
    *texel = (union wl_texel){.u = {0, 0, 0, integer ? 1 : 0x3f800000}};
    if (format->number == WL_NUMBER_SRGB)
        pthread_once(&srgb_once, make_srgb);
    for (unsigned i = 0; i < format->channels; i++)
        texel->u[i] = decode(read_raw(memory + (size_t)i * bytes, format->bits), format->bits, format->number, i == 3);
}

static uint32_t clamp_integer(int64_t value, int64_t low, int64_t high) {
    return (uint32_t)(value < low ? low : value > high ? high : value);
}

/* Floats that are no number are stored as 0 by formats of integers. Integers that do not fit are clamped. */
static uint32_t encode(uint32_t value, unsigned bits, uint8_t number, bool alpha) {
    float f = bits_float(value), finite = isnan(f) ? 0 : f;
    double top = ldexp(1, (int)bits) - 1, half_top = ldexp(1, (int)bits - 1) - 1;
    switch ((enum wl_image_number)number) {
    case WL_NUMBER_UNORM:
        return (uint32_t)nearbyint(fmin(fmax(finite, 0), 1) * top);
    case WL_NUMBER_SNORM:
        return (uint32_t)(int32_t)nearbyint(fmin(fmax(finite, -1), 1) * half_top);
    case WL_NUMBER_SINT:
        return bits == 32 ? value : clamp_integer((int32_t)value, -(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1);
    case WL_NUMBER_FLOAT:
        return bits == 16 ? wl_float_to_half(f) : value;
    case WL_NUMBER_SRGB:
        return alpha ? (uint32_t)nearbyint(fmin(fmax(finite, 0), 1) * top) : srgb_of_linear(finite);
    case WL_NUMBER_UINT:
        break;
    }
    return bits == 32 ? value : clamp_integer(value, 0, (INT64_C(1) << bits) - 1);
}

void wl_texel_store(const struct wl_image_format *format, uint8_t *memory, const union wl_texel *texel) {
    unsigned bytes = format->bits / 8;
    for (unsigned i = 0; i < format->channels; i++) {
        uint32_t raw = encode(texel->u[i], format->bits, format->number, i == 3);
        memcpy(memory + (size_t)i * bytes, &raw, bytes);
    }
}
