/* Samples and loads of the lanes of a wave together, in vectors of 16 lanes (image.h says which). Compiled by clang, once for each
 * kind of host: WL_IMAGE_RUN names the copy.
 *
 * Every copy computes bit for bit what image_sample.c does for one lane: the same operations in the same order, none fused.
 * Coordinates become indices and weights; indices that exist on all axes become offsets, from which texels are gathered whole. A
 * texel that is not there is read at index 0 and replaced, so that no coordinate leads out of the image. */
#include "device/cpu/image.h"

#include <stddef.h>
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))
enum { STRIP = 16, CHANNELS = 4 };

typedef __attribute__((ext_vector_type(16))) float f32x16;
typedef __attribute__((ext_vector_type(16))) uint32_t u32x16;
typedef __attribute__((ext_vector_type(16))) int32_t i32x16;
typedef __attribute__((ext_vector_type(16))) uint16_t u16x16;
typedef __attribute__((ext_vector_type(16))) _Float16 f16x16;
typedef __attribute__((ext_vector_type(8))) uint32_t u32x8;
typedef __attribute__((ext_vector_type(8))) uint64_t u64x8;
typedef __attribute__((ext_vector_type(4))) uint32_t u32x4;

#define CONVERT(type, x) __builtin_convertvector(x, type)

INLINE u32x16 load(const void *p) {
    u32x16 v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* ---- rounding ---- */

#if defined(__AVX2__) || defined(__aarch64__)
INLINE f32x16 nearest(f32x16 v) { return __builtin_elementwise_rint(v); }
INLINE f32x16 down(f32x16 v) { return __builtin_elementwise_floor(v); }
#else
/* What is large enough has no fraction. */
INLINE f32x16 nearest(f32x16 v) {
    const u32x16 sign = (u32x16)v & 0x80000000;
    const f32x16 unit = (f32x16)(sign | 0x4b000000); /* 2^23 */
    const u32x16 size = (u32x16)v & 0x7fffffff;
    return size < 0x4b000000 ? (v + unit) - unit : v;
}
INLINE f32x16 down(f32x16 v) {
    const f32x16 rounded = nearest(v);
    return rounded > v ? rounded - 1 : rounded;
}
#endif

INLINE bool any(i32x16 mask) { return __builtin_reduce_or(mask) != 0; }

/* ---- coordinates ---- */

/* The texels that coordinates select, as find_axis of image_sample.c: -1 is the border. */
struct axis {
    i32x16 first, second;
    f32x16 weight;
};

INLINE i32x16 modulo(i32x16 i, int32_t n) { /* both are exact as floats, and so far from the next multiple that the quotient is */
    const i32x16 quotient = CONVERT(i32x16, down(CONVERT(f32x16, i) / (float)n));
    return i - quotient * n;
}

INLINE i32x16 wrap_outside(uint8_t wrap, i32x16 i, int32_t n) {
    i32x16 within;
    switch ((enum wl_image_wrap)wrap) {
    case WL_WRAP_REPEAT:
        return modulo(i, n);
    case WL_WRAP_MIRROR:
        within = modulo(i, 2 * n);
        return within < n ? within : 2 * n - 1 - within;
    case WL_WRAP_MIRROR_ONCE:
        within = i < 0 ? -1 - i : i;
        return within < n ? within : n - 1;
    case WL_WRAP_BORDER:
        return ((i < 0) | (i >= n)) ? -1 : i;
    default:
        within = i < 0 ? 0 : i;
        return within < n ? within : n - 1;
    }
}

INLINE i32x16 wrap_index(uint8_t wrap, i32x16 i, int32_t n) {
    if (any((i < 0) | (i >= n)))
        return wrap_outside(wrap, i, n);
    return i;
}

INLINE i32x16 fixed_coordinate(uint8_t wrap, f32x16 at, uint32_t size, bool unnormalized) {
    const float limit = 0x1p20f;
    if (!unnormalized) {
        if (wrap == WL_WRAP_REPEAT)
            at -= down(at);
        else if (wrap == WL_WRAP_MIRROR)
            at -= 2 * down(at * 0.5f);
        at *= (float)size;
    }
    at = at == at ? at : 0;
    at = at < -limit ? -limit : at;
    at = at > limit ? limit : at;
    return CONVERT(i32x16, nearest(at * 256));
}

INLINE struct axis find_axis(uint8_t wrap, const void *row, uint32_t size, bool unnormalized, bool linear) {
    const i32x16 fixed = fixed_coordinate(wrap, (f32x16)load(row), size, unnormalized) - (linear ? 128 : 0);
    const i32x16 index = fixed >> 8;
    struct axis axis = {.first = wrap_index(wrap, index, (int32_t)size)};
    if (linear) {
        axis.second = wrap_index(wrap, index + 1, (int32_t)size);
        axis.weight = CONVERT(f32x16, fixed & 255) * 0x1p-8f;
    }
    return axis;
}

/* The slice of an array, at most the last. */
INLINE i32x16 find_slice(const void *row, uint32_t depth) {
    f32x16 slice = nearest((f32x16)load(row));
    slice = slice > 0 ? slice : 0;
    slice = slice < (float)depth ? slice : (float)(depth - 1);
    return CONVERT(i32x16, slice);
}

/* ---- texels ---- */

struct texels {
    f32x16 channel[CHANNELS];
};

/* The dwords at 16 offsets of at least 0. */
INLINE u32x16 gather(const uint8_t *data, i32x16 offset) {
#if defined(__AVX512F__)
    return (u32x16)_mm512_i32gather_epi32((__m512i)offset, data, 1);
#else
    u32x16 dwords;
    for (unsigned i = 0; i < STRIP; i++) {
        uint32_t dword;
        memcpy(&dword, data + offset[i], sizeof dword);
        dwords[i] = dword;
    }
    return dwords;
#endif
}

#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODD(a, b)  __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)

INLINE u32x16 eight_pairs(const uint8_t *data, i32x16 offset, unsigned first) {
    u64x8 pairs;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t pair;
        memcpy(&pair, data + offset[first + i], sizeof pair);
        pairs[i] = pair;
    }
    return (u32x16)pairs;
}

INLINE void gather_pairs(const uint8_t *data, i32x16 offset, u32x16 dwords[2]) {
    const u32x16 low = eight_pairs(data, offset, 0), high = eight_pairs(data, offset, 8);
    dwords[0] = EVEN(low, high);
    dwords[1] = ODD(low, high);
}

INLINE u32x16 four_texels(const uint8_t *data, i32x16 offset, unsigned first) {
    u32x4 t[4];
    for (unsigned i = 0; i < 4; i++)
        memcpy(&t[i], data + offset[first + i], sizeof t[i]);
    const u32x8 low = __builtin_shufflevector(t[0], t[1], 0, 1, 2, 3, 4, 5, 6, 7);
    const u32x8 high = __builtin_shufflevector(t[2], t[3], 0, 1, 2, 3, 4, 5, 6, 7);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

INLINE void gather_fours(const uint8_t *data, i32x16 offset, u32x16 dwords[4]) {
    const u32x16 a = four_texels(data, offset, 0), b = four_texels(data, offset, 4);
    const u32x16 c = four_texels(data, offset, 8), d = four_texels(data, offset, 12);
    const u32x16 even0 = EVEN(a, b), odd0 = ODD(a, b), even1 = EVEN(c, d), odd1 = ODD(c, d);
    dwords[0] = EVEN(even0, even1);
    dwords[1] = EVEN(odd0, odd1);
    dwords[2] = ODD(even0, even1);
    dwords[3] = ODD(odd0, odd1);
}

/* The components' bits, one a vector. */
INLINE void gather_raw(struct wl_channel_format format, const uint8_t *data, i32x16 offset, u32x16 raw[CHANNELS]) {
    const unsigned bits = format.bits, bytes = format.channels * bits / 8, mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    u32x16 dwords[4];
    if (bytes == 16) {
        gather_fours(data, offset, dwords);
    } else if (bytes == 8) {
        gather_pairs(data, offset, dwords);
    } else {
        dwords[0] = gather(data, offset & ~3);
        if (bytes < 4)
            dwords[0] >>= (u32x16)((offset & 3) * 8);
    }
    for (unsigned i = 0; i < format.channels; i++)
        raw[i] = dwords[i * bits / 32] >> i * bits % 32 & mask;
}

INLINE f32x16 from_half(u32x16 bits) {
#if defined(__F16C__) || defined(__aarch64__)
    const f32x16 value = CONVERT(f32x16, (f16x16)CONVERT(u16x16, bits));
    const u32x16 special = (bits & 0x8000) << 16 | 0x7f800000 | (bits & 0x3ff) << 13; /* a NaN stays the same one */
    return (bits & 0x7c00) == 0x7c00 ? (f32x16)special : value;
#else
    const u32x16 size = bits & 0x7fff, wide = (u32x16)((f32x16)(size << 13) * 0x1p112f);
    return (f32x16)((size >= 0x7c00 ? size << 13 | 0x7f800000 : wide) | (bits & 0x8000) << 16);
#endif
}

/* What the largest value of a normalized format stands for in its units. */
INLINE float unit_of(struct wl_channel_format format) {
    return format.number == WL_NUMBER_UNORM   ? (float)((1u << format.bits) - 1)
           : format.number == WL_NUMBER_SNORM ? (float)((1u << (format.bits - 1)) - 1)
                                              : 1;
}

INLINE bool is_normalized(struct wl_channel_format format) { return format.number == WL_NUMBER_UNORM || format.number == WL_NUMBER_SNORM; }

/* As numbers, normalized ones in their units; integers as their bits. */
INLINE f32x16 convert(struct wl_channel_format format, u32x16 raw) {
    const unsigned shift = 32 - format.bits;
    switch ((enum wl_channel_number)format.number) {
    case WL_NUMBER_UNORM:
        return CONVERT(f32x16, (i32x16)raw);
    case WL_NUMBER_SNORM: {
        const f32x16 value = CONVERT(f32x16, (i32x16)(raw << shift) >> shift);
        return value < -unit_of(format) ? -unit_of(format) : value;
    }
    case WL_NUMBER_SINT:
        return (f32x16)((i32x16)(raw << shift) >> shift);
    case WL_NUMBER_FLOAT:
        return format.bits == 16 ? from_half(raw) : (f32x16)raw;
    case WL_NUMBER_USCALED:
        return CONVERT(f32x16, (i32x16)raw);
    case WL_NUMBER_SSCALED:
        return CONVERT(f32x16, (i32x16)(raw << shift) >> shift);
    default:
        return (f32x16)raw;
    }
}

/* ---- filters ---- */

/* What the lanes of a strip sample; format and shape are constants where the copies below make them so. */
struct strip {
    const struct wl_image_wave *wave;
    struct wl_channel_format format;
    unsigned axes;
    bool linear, border; /* some axis may have -1 */
    struct axis axis[3];
    i32x16 slice; /* the offset of a slice that is no axis */
};

INLINE struct texels fetch(const struct strip *s, i32x16 x, i32x16 y, i32x16 z) {
    const struct wl_image_wave *w = s->wave;
    const i32x16 outside = s->axes == 3 ? x | y | z : s->axes == 2 ? x | y : x;
    const bool some = s->border && any(outside < 0);
    const unsigned bytes = s->format.channels * s->format.bits / 8;
    i32x16 offset = x * (int32_t)bytes;
    u32x16 raw[CHANNELS];
    struct texels t;
    if (s->axes > 1)
        offset += y * (int32_t)w->level.pitch;
    offset += s->axes == 3 ? z * (int32_t)w->level.slice : s->slice;
    if (some)
        offset = outside < 0 ? 0 : offset;
    gather_raw(s->format, w->level.data, offset, raw);
    for (unsigned i = 0; i < s->format.channels; i++) {
        t.channel[i] = convert(s->format, raw[i]);
        if (!s->linear && is_normalized(s->format))
            t.channel[i] /= unit_of(s->format);
        if (some)
            t.channel[i] = outside < 0 ? w->border[i] : t.channel[i];
    }
    return t;
}

/* a + (b - a) * weight; a itself where the weight is 0, whatever b is. */
INLINE struct texels mix(const struct strip *s, struct texels a, struct texels b, f32x16 weight) {
    for (unsigned i = 0; i < s->format.channels; i++) {
        const f32x16 mixed = a.channel[i] + (b.channel[i] - a.channel[i]) * weight;
        a.channel[i] = s->format.number == WL_NUMBER_FLOAT ? weight == 0 ? a.channel[i] : mixed : mixed;
    }
    return a;
}

INLINE struct texels filter_row(const struct strip *s, i32x16 y, i32x16 z) {
    const struct axis *x = &s->axis[0];
    const struct texels first = fetch(s, x->first, y, z);
    return s->linear ? mix(s, first, fetch(s, x->second, y, z), x->weight) : first;
}

INLINE struct texels filter_plane(const struct strip *s, i32x16 z) {
    const struct axis *y = &s->axis[1];
    const struct texels first = filter_row(s, y->first, z);
    return s->linear && s->axes > 1 ? mix(s, first, filter_row(s, y->second, z), y->weight) : first;
}

INLINE struct texels filter(const struct strip *s) {
    const struct axis *z = &s->axis[2];
    const struct texels first = filter_plane(s, z->first);
    return s->linear && s->axes == 3 ? mix(s, first, filter_plane(s, z->second), z->weight) : first;
}

/* ---- results ---- */

INLINE void put_row(const struct wl_image_wave *w, unsigned row, unsigned lane, uint32_t active, u32x16 value) {
    uint32_t *at = w->data + (size_t)row * w->wave_size + lane;
    if (active != 0xffff) {
        static const uint32_t bits[STRIP] = {1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                                             1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
        value = (load(bits) & active) != 0 ? value : load(at);
    }
    memcpy(at, &value, sizeof value);
}

INLINE u32x16 component(const struct wl_image_wave *w, struct wl_channel_format format, unsigned i, const struct texels *t) {
    const bool integer = format.number == WL_NUMBER_UINT || format.number == WL_NUMBER_SINT;
    const unsigned select = w->selects >> i * 3 & 7, channel = select - 4;
    const uint32_t one = integer ? 1 : 0x3f800000;
    if (select < 4)
        return (u32x16)(select == 1 ? one : 0);
    if (channel >= format.channels)
        return (u32x16)(channel == 3 ? one : 0);
    if (format.channels == 1)
        return (u32x16)t->channel[0];
    return (u32x16)(channel == 0 ? t->channel[0] : channel == 1 ? t->channel[1] : channel == 2 ? t->channel[2] : t->channel[3]);
}

INLINE void put_texels(const struct wl_image_wave *w, struct wl_channel_format format, unsigned lane, uint32_t active,
                       const struct texels *t) {
    for (unsigned i = 0, row = 0; i < CHANNELS; i++)
        if (w->dmask >> i & 1)
            put_row(w, row++, lane, active, component(w, format, i, t));
}

/* ---- waves ---- */

INLINE void sample_strip(const struct wl_image_wave *w, struct wl_channel_format format, unsigned axes, bool linear, unsigned lane,
                         uint32_t active) {
    const uint32_t sizes[3] = {w->level.width, w->level.height, w->level.depth};
    struct strip s = {.wave = w, .format = format, .axes = axes, .linear = linear, .border = w->has_border};
    for (unsigned i = 0; i < axes; i++)
        s.axis[i] = find_axis(w->wrap[i], w->at[i] + lane, sizes[i], w->unnormalized, linear);
    s.slice = (i32x16)(int32_t)0;
    if (axes < 3 && w->slices)
        s.slice = find_slice(w->slices + lane, w->level.depth) * (int32_t)w->level.slice;
    struct texels t = filter(&s);
    if (linear && is_normalized(format))
        for (unsigned i = 0; i < format.channels; i++)
            t.channel[i] /= unit_of(format);
    put_texels(w, format, lane, active, &t);
}

INLINE void sample_strips(const struct wl_image_wave *w, struct wl_channel_format format, unsigned axes, bool linear) {
    for (unsigned lane = 0; lane < w->wave_size; lane += STRIP) {
        const uint32_t active = w->exec >> lane & 0xffff;
        if (active)
            sample_strip(w, format, axes, linear, lane, active);
    }
}

INLINE void sample_axes(const struct wl_image_wave *w, struct wl_channel_format format, bool linear) {
    if (w->axes == 2)
        sample_strips(w, format, 2, linear);
    else if (w->axes == 3)
        sample_strips(w, format, 3, linear);
    else
        sample_strips(w, format, 1, linear);
}

/* Loads: integer coordinates, of which any may be outside, where all components are 0. */
INLINE void load_strip(const struct wl_image_wave *w, struct wl_channel_format format, unsigned lane, uint32_t active) {
    const uint32_t sizes[3] = {w->level.width, w->level.height, w->level.depth};
    i32x16 outside = (i32x16)(int32_t)0, offset = outside;
    const int32_t steps[3] = {(int32_t)format.channels * format.bits / 8, (int32_t)w->level.pitch, (int32_t)w->level.slice};
    const uint32_t *rows[3] = {w->at[0], w->axes > 1 ? w->at[1] : NULL, w->axes > 2 ? w->at[2] : w->slices};
    u32x16 raw[CHANNELS];
    struct texels t;
    for (unsigned i = 0; i < 3; i++) {
        if (!rows[i])
            continue;
        const u32x16 at = load(rows[i] + lane);
        const i32x16 far = at >= sizes[i];
        outside |= far;
        offset += far ? 0 : (i32x16)at * steps[i];
    }
    gather_raw(format, w->level.data, offset, raw);
    for (unsigned i = 0; i < format.channels; i++)
        t.channel[i] = convert(format, raw[i]);
    if (is_normalized(format))
        for (unsigned i = 0; i < format.channels; i++)
            t.channel[i] /= unit_of(format);
    for (unsigned i = 0, row = 0; i < CHANNELS; i++)
        if (w->dmask >> i & 1)
            put_row(w, row++, lane, active, outside ? 0 : component(w, format, i, &t));
}

INLINE void load_strips(const struct wl_image_wave *w, struct wl_channel_format format) {
    for (unsigned lane = 0; lane < w->wave_size; lane += STRIP) {
        const uint32_t active = w->exec >> lane & 0xffff;
        if (active)
            load_strip(w, format, lane, active);
    }
}

/* Common formats and all others, each a copy of its own. */
static const struct wl_channel_format bytes4 = {4, 8, WL_NUMBER_UNORM, 0}, byte = {1, 8, WL_NUMBER_UNORM, 0},
                                      floats4 = {4, 32, WL_NUMBER_FLOAT, 0}, floats1 = {1, 32, WL_NUMBER_FLOAT, 0};

static void sample_bytes4(const struct wl_image_wave *w) { sample_axes(w, bytes4, true); }
static void sample_byte(const struct wl_image_wave *w) { sample_axes(w, byte, true); }
static void sample_floats4(const struct wl_image_wave *w) { sample_axes(w, floats4, true); }
static void sample_floats1(const struct wl_image_wave *w) { sample_axes(w, floats1, true); }
static void sample_other(const struct wl_image_wave *w) { sample_axes(w, w->format, true); }
static void sample_nearest(const struct wl_image_wave *w) { sample_axes(w, w->format, false); }

static bool same(struct wl_channel_format a, struct wl_channel_format b) {
    return a.channels == b.channels && a.bits == b.bits && a.number == b.number;
}

void WL_IMAGE_RUN(const struct wl_image_wave *w) {
    if (w->loads)
        load_strips(w, w->format);
    else if (!w->linear)
        sample_nearest(w);
    else if (same(w->format, bytes4))
        sample_bytes4(w);
    else if (same(w->format, floats1))
        sample_floats1(w);
    else if (same(w->format, floats4))
        sample_floats4(w);
    else if (same(w->format, byte))
        sample_byte(w);
    else
        sample_other(w);
}
