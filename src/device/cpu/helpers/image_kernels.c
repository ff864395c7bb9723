/* Samples, loads and stores of the lanes of a wave together, in vectors of 16 lanes (image_wave.h says which). Compiled by clang, once for
 * each kind of host: WL_IMAGE_RUN names the copy.
 *
 * Every copy computes bit for bit what image_sample.c does for one lane: the same operations in the same order, none fused.
 * Coordinates become indices and weights; indices that exist on all axes become offsets, from which texels are gathered whole. A
 * texel that is not there is read at index 0 and replaced, so that no coordinate leads out of the image. */
#include "device/cpu/helpers/image_wave.h"

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

typedef __attribute__((ext_vector_type(16))) double f64x16;

#define CONVERT(type, x) __builtin_convertvector(x, type)

static const i32x16 iota = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

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

INLINE i32x16 modulo(i32x16 i, i32x16 n) { /* both are exact as floats; the quotient is too, so far is the next multiple */
    const i32x16 quotient = CONVERT(i32x16, down(CONVERT(f32x16, i) / CONVERT(f32x16, n)));
    return i - quotient * n;
}

INLINE i32x16 wrap_outside(uint8_t wrap, i32x16 i, i32x16 n) {
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

INLINE i32x16 wrap_index(uint8_t wrap, i32x16 i, i32x16 n) {
    if (any((i < 0) | (i >= n)))
        return wrap_outside(wrap, i, n);
    return i;
}

INLINE i32x16 fixed_coordinate(uint8_t wrap, f32x16 at, i32x16 size, bool unnormalized) {
    const float limit = 0x1p20f;
    if (!unnormalized) {
        if (wrap == WL_WRAP_REPEAT)
            at -= down(at);
        else if (wrap == WL_WRAP_MIRROR)
            at -= 2 * down(at * 0.5f);
        at *= CONVERT(f32x16, size);
    }
    at = at == at ? at : 0;
    at = at < -limit ? -limit : at;
    at = at > limit ? limit : at;
    return CONVERT(i32x16, nearest(at * 256));
}

INLINE struct axis find_axis(uint8_t wrap, f32x16 at, i32x16 size, bool unnormalized, bool linear) {
    const i32x16 fixed = fixed_coordinate(wrap, at, size, unnormalized) - (linear ? 128 : 0);
    const i32x16 index = fixed >> 8;
    struct axis axis = {.first = wrap_index(wrap, index, size)};
    if (linear) {
        axis.second = wrap_index(wrap, index + 1, size);
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

/* The slice of a cube's face: face + 8 * layer, at most the last. */
INLINE i32x16 find_face(const void *row, uint32_t depth) {
    f32x16 number = nearest((f32x16)load(row));
    number = number > 0 ? number : 0;
    number = number < 0x1p20f ? number : 0x1p20f;
    const i32x16 whole = CONVERT(i32x16, number), slice = (whole >> 3) * 6 + (whole & 7);
    return slice < (int32_t)depth ? slice : (int32_t)depth - 1;
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
#if defined(__AVX512F__)
    const __m512i all = (__m512i)offset;
    return (u32x16)_mm512_i32gather_epi64(first ? _mm512_extracti64x4_epi64(all, 1) : _mm512_castsi512_si256(all), data, 1);
#else
    u64x8 pairs;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t pair;
        memcpy(&pair, data + offset[first + i], sizeof pair);
        pairs[i] = pair;
    }
    return (u32x16)pairs;
#endif
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
INLINE void split(struct wl_channel_format format, const u32x16 *dwords, u32x16 raw[CHANNELS]) {
    const unsigned bits = format.bits, mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    for (unsigned i = 0; i < format.channels; i++)
        raw[i] = dwords[i * bits / 32] >> i * bits % 32 & mask;
}

INLINE void gather_raw(struct wl_channel_format format, const uint8_t *data, i32x16 offset, u32x16 raw[CHANNELS]) {
    const unsigned bytes = format.channels * format.bits / 8;
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
    split(format, dwords, raw);
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

/* Texels as numbers: normalized formats in their units, integers as their bits. */
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
    bool neighbours;     /* in x, all pairs are; texels have 4 bytes */
    bool shared;         /* the format is no constant */
    struct axis axis[3];
    i32x16 start, pitch, depth_pitch; /* offsets: of the level and of a slice that is no axis; from row to row, slice to slice */
};

INLINE struct texels as_texels(struct wl_channel_format format, bool linear, const u32x16 raw[CHANNELS]) {
    struct texels t;
    for (unsigned i = 0; i < format.channels; i++) {
        t.channel[i] = convert(format, raw[i]);
        if (!linear && is_normalized(format))
            t.channel[i] /= unit_of(format);
    }
    return t;
}

INLINE i32x16 offset_of(const struct strip *s, i32x16 x, i32x16 y, i32x16 z) {
    i32x16 offset = s->start + x * (int32_t)(s->format.channels * s->format.bits / 8);
    if (s->axes > 1)
        offset += y * s->pitch;
    return s->axes == 3 ? offset + z * s->depth_pitch : offset;
}

/* `outside` is negative where the border is read, if `border`. */
INLINE struct texels fetch_at(const struct wl_image_wave *w, struct wl_channel_format format, bool linear, bool border, i32x16 offset,
                              i32x16 outside) {
    u32x16 raw[CHANNELS];
    gather_raw(format, w->level.data, border ? (outside < 0 ? 0 : offset) : offset, raw);
    struct texels t = as_texels(format, linear, raw);
    for (unsigned i = 0; i < format.channels && border; i++)
        t.channel[i] = outside < 0 ? w->border[i] : t.channel[i];
    return t;
}

/* Code that works for any format is large: its copies share it. `at`: offset, outside. */
static __attribute__((noinline)) void fetch_any(const struct wl_image_wave *w, bool border, const i32x16 at[2], struct texels *t) {
    *t = fetch_at(w, w->format, w->linear, border, at[0], at[1]);
}

INLINE struct texels fetch(const struct strip *s, i32x16 x, i32x16 y, i32x16 z) {
    const i32x16 outside = s->axes == 3 ? x | y | z : s->axes == 2 ? x | y : x, offset = offset_of(s, x, y, z);
    const bool border = s->border && any(outside < 0);
    if (!s->shared)
        return fetch_at(s->wave, s->format, s->linear, border, offset, outside);
    const i32x16 at[2] = {offset, outside};
    struct texels t;
    fetch_any(s->wave, border, at, &t);
    return t;
}

/* Neighbours in x, which are one load where both exist. */
INLINE void fetch_pair(const struct strip *s, i32x16 y, i32x16 z, struct texels pair[2]) {
    u32x16 dwords[2], raw[2][CHANNELS];
    gather_pairs(s->wave->level.data, offset_of(s, s->axis[0].first, y, z), dwords);
    for (unsigned k = 0; k < 2; k++) {
        split(s->format, &dwords[k], raw[k]);
        pair[k] = as_texels(s->format, s->linear, raw[k]);
    }
}

/* a + (b - a) * weight; a itself where the weight is 0, whatever b is. */
INLINE struct texels mix(const struct strip *s, struct texels a, struct texels b, f32x16 weight) {
    for (unsigned i = 0; i < s->format.channels; i++) {
        const f32x16 mixed = a.channel[i] + (b.channel[i] - a.channel[i]) * weight;
        const bool any_value = s->format.number == WL_NUMBER_FLOAT || s->border; /* else neither -0 nor what times 0 is not 0 */
        a.channel[i] = any_value ? weight == 0 ? a.channel[i] : mixed : mixed;
    }
    return a;
}

INLINE struct texels filter_row(const struct strip *s, i32x16 y, i32x16 z) {
    const struct axis *x = &s->axis[0];
    if (!s->shared && s->neighbours) {
        struct texels pair[2];
        fetch_pair(s, y, z, pair);
        return mix(s, pair[0], pair[1], x->weight);
    }
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

/* Of one level, of the same or of a different number in each lane. */
struct level {
    i32x16 sizes[3], start, pitch, slice;
};

INLINE i32x16 broadcast(uint32_t value) { return (i32x16)(int32_t)value; }

INLINE struct level same_level(const struct wl_image_wave *w) {
    return (struct level){.sizes = {broadcast(w->level.width), broadcast(w->level.height), broadcast(w->level.depth)},
                          .start = broadcast(0),
                          .pitch = broadcast((uint32_t)w->level.pitch),
                          .slice = broadcast((uint32_t)w->level.slice)};
}

INLINE i32x16 look_up(const uint32_t table[WL_IMAGE_LEVELS], i32x16 number) { return (i32x16)gather((const uint8_t *)table, number * 4); }

INLINE struct level lane_level(const struct wl_image_levels *levels, i32x16 number) {
    return (struct level){.sizes = {look_up(levels->width, number), look_up(levels->height, number), look_up(levels->depth, number)},
                          .start = look_up(levels->start, number),
                          .pitch = look_up(levels->pitch, number),
                          .slice = look_up(levels->slice, number)};
}

INLINE struct texels sample_level(const struct wl_image_wave *w, struct wl_channel_format format, unsigned axes, bool linear, bool shared,
                                  unsigned lane, const struct level *level) {
    struct strip s = {.wave = w, .format = format, .axes = axes, .linear = linear, .border = w->has_border, .shared = shared};
    for (unsigned i = 0; i < axes; i++) {
        f32x16 at = (f32x16)load(w->at[i] + lane);
        if (w->cube) /* 0 to 1, or 1 to 2 */
            at -= at > 1 ? (f32x16)1.0f : 0;
        s.axis[i] = find_axis(w->wrap[i], at, level->sizes[i], w->unnormalized, linear);
    }
    s.start = level->start;
    s.pitch = level->pitch;
    s.depth_pitch = level->slice;
    if (axes < 3 && w->slices)
        s.start += (w->cube ? find_face(w->slices + lane, w->level.depth) : find_slice(w->slices + lane, w->level.depth)) * level->slice;
    if (linear && format.channels * format.bits == 32 && !any((s.axis[0].second != s.axis[0].first + 1))) {
        i32x16 outside = s.axis[0].first;
        for (unsigned i = 1; i < axes; i++)
            outside |= s.axis[i].first | s.axis[i].second;
        s.neighbours = !s.border || !any(outside < 0);
    }
    struct texels t = filter(&s);
    if (linear && is_normalized(format))
        for (unsigned i = 0; i < format.channels; i++)
            t.channel[i] /= unit_of(format);
    return t;
}

/* The level as the sampler limits it, in 256ths. */
INLINE i32x16 find_level(const struct wl_image_levels *levels, const void *row) {
    f32x16 lod = (row ? (f32x16)load(row) : (f32x16)0.0f) + levels->bias;
    lod = lod > levels->least ? lod : levels->least; /* what is no number is the least */
    lod = lod < levels->most ? lod : levels->most;
    const i32x16 fixed = CONVERT(i32x16, levels->nearest ? (lod + 0.5f) : nearest(lod * 256));
    return lod > 0 ? (levels->nearest ? fixed << 8 : fixed) : 0;
}

INLINE struct texels sample_levels(const struct wl_image_wave *w, struct wl_channel_format format, unsigned axes, bool linear,
                                   unsigned lane) {
    const i32x16 fixed = find_level(w->levels, w->lods ? w->lods + lane : NULL), further = (fixed & 255) != 0;
    const f32x16 weight = CONVERT(f32x16, fixed & 255) * 0x1p-8f;
    struct texels t[2];
    for (unsigned i = 0; i < (any(further) ? 2 : 1); i++) { /* one copy of the code */
        const struct level level = lane_level(w->levels, (fixed >> 8) - (i ? further : 0));
        t[i] = sample_level(w, format, axes, linear, true, lane, &level);
    }
    for (unsigned i = 0; i < format.channels && any(further); i++) {
        const f32x16 mixed = t[0].channel[i] + (t[1].channel[i] - t[0].channel[i]) * weight;
        t[0].channel[i] = weight == 0 ? t[0].channel[i] : mixed;
    }
    return t[0];
}

INLINE void sample_strip(const struct wl_image_wave *w, struct wl_channel_format format, unsigned axes, bool linear, bool levels,
                         bool shared, unsigned lane, uint32_t active) {
    struct texels t;
    if (levels) {
        t = sample_levels(w, format, axes, linear, lane);
    } else {
        const struct level level = same_level(w);
        t = sample_level(w, format, axes, linear, shared, lane, &level);
    }
    put_texels(w, format, lane, active, &t);
}

/* ---- loads and stores ---- */

/* The offsets of integer coordinates; 0 where one is outside. */
INLINE i32x16 find_offset(const struct wl_image_wave *w, struct wl_channel_format format, unsigned lane, i32x16 *outside) {
    const uint32_t sizes[3] = {w->level.width, w->level.height, w->level.depth};
    const int32_t steps[3] = {(int32_t)format.channels * format.bits / 8, (int32_t)w->level.pitch, (int32_t)w->level.slice};
    const uint32_t *rows[3] = {w->at[0], w->axes > 1 ? w->at[1] : NULL, w->axes > 2 ? w->at[2] : w->slices};
    i32x16 offset = (i32x16)(int32_t)w->skip;
    *outside = (i32x16)(int32_t)0;
    for (unsigned i = 0; i < 3; i++) {
        if (!rows[i])
            continue;
        const u32x16 at = load(rows[i] + lane);
        *outside |= at >= sizes[i];
        offset += (i32x16)at * steps[i];
    }
    return *outside ? w->skip : offset;
}

/* 16 elements of 4 bytes that follow one another. */
INLINE void split_loaded(struct wl_channel_format format, const uint8_t *data, u32x16 raw[CHANNELS]) {
    const u32x16 dwords = load(data);
    split(format, &dwords, raw);
}

/* What is outside reads 0 in all components; of buffers, but for components that are constants. */
INLINE void load_strip(const struct wl_image_wave *w, struct wl_channel_format format, unsigned lane, uint32_t active) {
    i32x16 outside;
    const i32x16 offset = find_offset(w, format, lane, &outside);
    u32x16 raw[CHANNELS];
    struct texels t;
    if (format.channels * format.bits == 32 && !any((offset != offset[0] + iota * 4)))
        split_loaded(format, w->level.data + offset[0], raw);
    else
        gather_raw(format, w->level.data, offset, raw);
    for (unsigned i = 0; i < format.channels; i++)
        t.channel[i] = convert(format, raw[i]);
    if (is_normalized(format))
        for (unsigned i = 0; i < format.channels; i++)
            t.channel[i] /= unit_of(format);
    for (unsigned i = 0, row = 0; i < CHANNELS; i++) {
        const u32x16 value = component(w, format, i, &t);
        const bool constant = w->buffer && (w->selects >> i * 3 & 7) < 4;
        if (w->dmask >> i & 1)
            put_row(w, row++, lane, active, constant ? value : (outside ? 0 : value));
    }
}

/* To nearest even; by doubles, as one lane's. */
INLINE u32x16 to_normalized(f32x16 v, float low, float unit) {
    f32x16 limited = v == v ? v : 0;
    limited = limited < low ? low : limited;
    limited = limited > 1 ? 1 : limited;
    const f64x16 exact = CONVERT(f64x16, limited) * (double)unit, magic = (f64x16)(double)0x1.8p52;
    return (u32x16)CONVERT(i32x16, (exact + magic) - magic);
}

INLINE u32x16 to_half(f32x16 v) {
#if defined(__F16C__) || defined(__aarch64__)
    const u32x16 half = CONVERT(u32x16, (u16x16)CONVERT(f16x16, v));
#else
    const u32x16 bits = (u32x16)v, size = bits & 0x7fffffff;
    const u32x16 tiny = (u32x16)((f32x16)size + 0.5f) - 0x3f000000; /* below 2^-14: the addition rounds */
    const u32x16 normal = (size + 0xfff + (size >> 13 & 1) - 0x38000000) >> 13;
    const u32x16 half = (bits >> 16 & 0x8000) | (size >= 0x477ff000 ? (u32x16)0x7c00 : size < 0x38800000 ? tiny : normal);
#endif
    return v == v ? half : ((u32x16)v >> 16 & 0x8000) | 0x7e00;
}

/* A component as memory has it, in the low bits; above them there may be others. */
INLINE u32x16 encode(struct wl_channel_format format, u32x16 value) {
    const int32_t most = format.bits == 32 ? INT32_MAX : (1 << (format.bits - 1)) - 1;
    i32x16 clamped = (i32x16)value;
    switch ((enum wl_channel_number)format.number) {
    case WL_NUMBER_UNORM:
        return to_normalized((f32x16)value, 0, unit_of(format));
    case WL_NUMBER_SNORM:
        return to_normalized((f32x16)value, -1, unit_of(format));
    case WL_NUMBER_FLOAT:
        return format.bits == 16 ? to_half((f32x16)value) : value;
    case WL_NUMBER_SINT:
        clamped = clamped < -most - 1 ? -most - 1 : clamped;
        return (u32x16)(clamped > most ? most : clamped);
    default:
        return format.bits < 32 && any(value >> format.bits != 0) ? (value >> format.bits != 0 ? (1u << format.bits) - 1 : value) : value;
    }
}

/* Lanes in order, so that of two on one texel the last wins. */
INLINE void scatter(uint8_t *data, unsigned bytes, i32x16 offset, uint32_t lanes, const u32x16 dwords[4]) {
    uint32_t words[STRIP][4];
    for (unsigned k = 0; k * 4 < bytes; k++)
        for (unsigned i = 0; i < STRIP; i++)
            words[i][k] = dwords[k][i];
    for (; lanes; lanes &= lanes - 1) {
        const unsigned i = (unsigned)__builtin_ctz(lanes);
        memcpy(data + offset[i], words[i], bytes);
    }
}

INLINE uint32_t mask_of(i32x16 lanes) {
    uint32_t mask = 0;
    for (unsigned i = 0; i < STRIP; i++)
        mask |= (uint32_t)(lanes[i] & 1) << i;
    return mask;
}

/* Channels that no stored component goes to become 0. */
INLINE void store_strip(const struct wl_image_wave *w, struct wl_channel_format format, unsigned lane, uint32_t active) {
    const unsigned bits = format.bits, bytes = format.channels * bits / 8;
    const uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    i32x16 outside;
    const i32x16 offset = find_offset(w, format, lane, &outside);
    u32x16 given[CHANNELS], dwords[4];
    for (unsigned k = 0; k < 4; k++)
        given[k] = dwords[k] = (u32x16)(uint32_t)0;
    for (unsigned i = 0, row = 0; i < CHANNELS; i++) {
        const unsigned select = w->selects >> i * 3 & 7;
        const u32x16 value = w->dmask >> i & 1 ? load(w->data + (size_t)row++ * w->wave_size + lane) : (u32x16)(uint32_t)0;
        for (unsigned c = 0; c < format.channels; c++)
            given[c] = select == c + 4 ? value : given[c];
    }
    for (unsigned c = 0; c < format.channels; c++)
        dwords[c * bits / 32] |= (encode(format, given[c]) & mask) << c * bits % 32;
    if (any(outside))
        active &= ~mask_of(outside);
    if (bytes == 4 && active == 0xffff && !any(offset != offset[0] + iota * 4))
        memcpy(w->level.data + offset[0], &dwords[0], sizeof dwords[0]);
    else
        scatter(w->level.data, bytes, offset, active, dwords);
}

/* ---- copies ---- */

/* Common formats and all others, by the number of coordinates; where there are no vectors, one for all formats. A strip at a time, so
 * that the compiler does not make further copies for what is the same in all strips. */
typedef void strip_fn(const struct wl_image_wave *w, unsigned lane, uint32_t active);
#define COPY(name, axes, format, linear, levels, shared)                                                                                   \
    static __attribute__((noinline)) void name##axes(const struct wl_image_wave *w, unsigned lane, uint32_t active) {                      \
        sample_strip(w, format, axes, linear, levels, shared, lane, active);                                                               \
    }
#define COPIES(name, format, linear, levels, shared)                                                                                       \
    COPY(name, 1, format, linear, levels, shared)                                                                                          \
    COPY(name, 2, format, linear, levels, shared)                                                                                          \
    COPY(name, 3, format, linear, levels, shared)                                                                                          \
    static strip_fn *const name[] = {name##1, name##2, name##3};

COPIES(sample_other, w->format, true, false, true)
COPIES(sample_nearest, w->format, false, false, true)
COPIES(sample_levels_linear, w->format, true, true, true)
COPIES(sample_levels_nearest, w->format, false, true, true)

#if defined(__AVX2__) || defined(__aarch64__)
static const struct wl_channel_format bytes4 = {4, 8, WL_NUMBER_UNORM, 0}, byte = {1, 8, WL_NUMBER_UNORM, 0},
                                      floats4 = {4, 32, WL_NUMBER_FLOAT, 0}, floats1 = {1, 32, WL_NUMBER_FLOAT, 0};
COPIES(sample_bytes4, bytes4, true, false, false)
COPIES(sample_byte, byte, true, false, false)
COPIES(sample_floats4, floats4, true, false, false)
COPIES(sample_floats1, floats1, true, false, false)

static bool same(struct wl_channel_format a, struct wl_channel_format b) {
    return a.channels == b.channels && a.bits == b.bits && a.number == b.number;
}

static strip_fn *const *copies_of(struct wl_channel_format format) {
    return same(format, bytes4)    ? sample_bytes4
           : same(format, floats1) ? sample_floats1
           : same(format, floats4) ? sample_floats4
           : same(format, byte)    ? sample_byte
                                   : sample_other;
}
#else
static strip_fn *const *copies_of(struct wl_channel_format format) {
    (void)format;
    return sample_other;
}
#endif

static __attribute__((noinline)) void load_any(const struct wl_image_wave *w, unsigned lane, uint32_t active) {
    load_strip(w, w->format, lane, active);
}

static __attribute__((noinline)) void store_any(const struct wl_image_wave *w, unsigned lane, uint32_t active) {
    store_strip(w, w->format, lane, active);
}

static strip_fn *choose_copy(const struct wl_image_wave *w) {
    if (w->loads || w->stores)
        return w->loads ? load_any : store_any;
    if (w->levels)
        return (w->linear ? sample_levels_linear : sample_levels_nearest)[w->axes - 1];
    return (w->linear ? copies_of(w->format) : sample_nearest)[w->axes - 1];
}

void WL_IMAGE_RUN(const struct wl_image_wave *w) {
    strip_fn *copy = choose_copy(w);
    for (unsigned lane = 0; lane < w->wave_size; lane += STRIP) {
        const uint32_t active = w->exec >> lane & 0xffff;
        if (active)
            copy(w, lane, active);
    }
}
