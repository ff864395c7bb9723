/* What channels.h describes. */
#include "device/channels.h"

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

/* ---- numbers of formats ----------------------------------------------------------------------------- */

/* gfx9's data format; then the first of the unified formats on gfx10, and from gfx11 on, with the kinds that follow one another:
 * u n U S i s f r: UNORM SNORM USCALED SSCALED UINT SINT FLOAT SRGB. */
struct row {
    uint8_t data, channels, bits; /* packed: bits of all */
    bool packed;
    uint8_t first10;
    const char *kinds10;
    uint8_t first11;
    const char *kinds11;
};
static const struct row rows[] = {
    {1, 1, 8, false, 1, "unUSis", 1, "unUSis"},
    {2, 1, 16, false, 7, "unUSisf", 7, "unUSisf"},
    {3, 2, 8, false, 14, "unUSis", 14, "unUSis"},
    {4, 1, 32, false, 20, "isf", 20, "isf"},
    {5, 2, 16, false, 23, "unUSisf", 23, "unUSisf"},
    {WL_PACKED_10_11_11, 3, 32, true, 30, "unUSisf", 30, "f"},
    {WL_PACKED_11_11_10, 3, 32, true, 37, "unUSisf", 31, "f"},
    {WL_PACKED_10_10_10_2, 4, 32, true, 44, "unUSis", 32, "unis"},
    {WL_PACKED_2_10_10_10, 4, 32, true, 50, "unUSis", 36, "unUSis"},
    {10, 4, 8, false, 56, "unUSis", 42, "unUSis"},
    {11, 2, 32, false, 62, "isf", 48, "isf"},
    {12, 4, 16, false, 65, "unUSisf", 51, "unUSisf"},
    {13, 3, 32, false, 72, "isf", 58, "isf"},
    {14, 4, 32, false, 75, "isf", 61, "isf"},
    /* of images alone */
    {1, 1, 8, false, 128, "r", 64, "r"},
    {3, 2, 8, false, 129, "r", 65, "r"},
    {10, 4, 8, false, 130, "r", 66, "r"},
    {WL_PACKED_5_9_9_9, 3, 32, true, 132, "f", 67, "f"},
    {WL_PACKED_5_6_5, 3, 16, true, 133, "u", 68, "u"},
    {WL_PACKED_1_5_5_5, 4, 16, true, 134, "u", 69, "u"},
    {WL_PACKED_5_5_5_1, 4, 16, true, 135, "u", 70, "u"},
    {WL_PACKED_4_4_4_4, 4, 16, true, 136, "u", 71, "u"},
};
enum { ROWS = sizeof rows / sizeof *rows, CODES = 256 };

static const char letters[] = "unisfrUS";                   /* by enum wl_channel_number */
static const uint8_t numbers9[] = {0, 1, 4, 5, 7, 9, 2, 3}; /* the same; gfx9's number formats */
enum { SNORM_OLD9 = 6 };                                    /* another SNORM */

static struct wl_channel_format unified[2][CODES], gfx9[16 << 6];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void make_run(struct wl_channel_format *to, struct wl_channel_format format, const char *kinds) {
    for (; *kinds; kinds++) {
        format.number = (uint8_t)(strchr(letters, *kinds) - letters);
        *to++ = format;
    }
}

static void make_tables(void) {
    for (unsigned i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        const struct wl_channel_format format = {row->channels, row->bits, 0, row->packed ? row->data : WL_PACKED_NONE};
        for (const char *kind = row->kinds10; *kind; kind++) {
            const uint8_t number = (uint8_t)(strchr(letters, *kind) - letters);
            gfx9[row->data | numbers9[number] << 6] = (struct wl_channel_format){format.channels, format.bits, number, format.packed};
        }
        gfx9[row->data | SNORM_OLD9 << 6] = gfx9[row->data | numbers9[WL_NUMBER_SNORM] << 6];
        make_run(&unified[0][row->first10], format, row->kinds10);
        make_run(&unified[1][row->first11], format, row->kinds11);
    }
}

static bool is_row(const struct row *row, const struct wl_channel_format *format) {
    return row->channels == format->channels && row->bits == format->bits && (row->packed ? row->data : WL_PACKED_NONE) == format->packed;
}

uint32_t wl_channel_code(unsigned generation, const struct wl_channel_format *format) {
    for (unsigned i = 0; i < ROWS; i++) {
        const char *kinds = generation > 10 ? rows[i].kinds11 : rows[i].kinds10, *at = strchr(kinds, letters[format->number]);
        if (is_row(&rows[i], format) && at)
            return generation == 9 ? rows[i].data | (uint32_t)numbers9[format->number] << 6
                                   : (uint32_t)(at - kinds) + (generation == 10 ? rows[i].first10 : rows[i].first11);
    }
    return 0;
}

bool wl_channel_decode(unsigned generation, uint32_t code, struct wl_channel_format *format) {
    pthread_once(&tables_once, make_tables);
    *format = (struct wl_channel_format){0};
    if (generation == 9 && code < sizeof gfx9 / sizeof *gfx9)
        *format = gfx9[code];
    else if (generation > 9 && code < CODES)
        *format = unified[generation > 10][code];
    return format->channels != 0;
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
        return float_bits((float)raw / (float)((1u << bits) - 1));
    case WL_NUMBER_SNORM:
        return float_bits(fmaxf((float)extend(raw, bits) / (float)((1u << (bits - 1)) - 1), -1));
    case WL_NUMBER_SINT:
        return (uint32_t)extend(raw, bits);
    case WL_NUMBER_FLOAT:
        return bits == 32 ? raw : float_bits(wl_half_to_float((uint16_t)(bits == 16 ? raw : raw << (15 - bits))));
    case WL_NUMBER_SRGB:
        return float_bits(linear_of_srgb[raw & 255]);
    case WL_NUMBER_USCALED:
        return float_bits((float)raw);
    case WL_NUMBER_SSCALED:
        return float_bits((float)extend(raw, bits));
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
    const uint32_t infinity = 31u << (bits - 5), all = float_bits(value);
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
    const float f = bits_float(value), finite = isnan(f) ? 0 : f;
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
        return srgb_of_linear(finite);
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
    for (unsigned i = 0; i < format->channels; word >>= width[i++]) {
        const uint32_t raw = word & ((1u << width[i]) - 1);
        element[i] = unit > 0 ? float_bits((float)raw * unit) : decode(raw, width[i], number_of(format, i));
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

void wl_channels_load(const struct wl_channel_format *format, const uint8_t *memory, uint32_t element[4]) {
    const unsigned bits = format->bits;
    element[0] = element[1] = element[2] = 0;
    element[3] = wl_channel_is_integer(format) ? 1 : 0x3f800000;
    if (format->packed) {
        load_packed(format, memory, element);
        return;
    }
    if (format->number == WL_NUMBER_SRGB)
        pthread_once(&srgb_once, make_srgb);
    for (unsigned i = 0; i < format->channels; i++)
        element[i] = decode(read_raw(memory + (size_t)i * bits / 8, bits), bits, number_of(format, i));
}

void wl_channels_store(const struct wl_channel_format *format, uint8_t *memory, const uint32_t element[4]) {
    const unsigned bytes = format->bits / 8;
    if (format->packed) {
        store_packed(format, memory, element);
        return;
    }
    for (unsigned i = 0; i < format->channels; i++) {
        const uint32_t raw = encode(element[i], format->bits, number_of(format, i));
        memcpy(memory + (size_t)i * bytes, &raw, bytes);
    }
}
