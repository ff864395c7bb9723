/* From coordinates to texels: address modes, levels, filters.
 *
 * Coordinates become fixed-point numbers with 8 bits of fraction, rounded to nearest, as in the hardware: linear filtering has
 * weights of n / 256, and the coordinates that AMD's device library makes for point filtering, floor(x * width) / width, hit
 * their texel in spite of the division's error. */
#include "lane/image.h"

#include "lane/channel_values.h"

#include <math.h>
#include <string.h>

/* On a GPU loops are for what one copy of the code does several times; all others are written out, so that arrays are registers. */
#ifdef __NVPTX__
#define ROLLED   _Pragma("clang loop unroll(disable)")
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define ROLLED
#define UNROLLED
#endif

/* ---- levels --------------------------------------------------------------------------------------- */

static uint32_t half(uint32_t size) { return size > 1 ? size / 2 : 1; }

void wl_image_find_level(const struct wl_image *image, uint32_t level, struct wl_image_level *found) {
    uint32_t bytes = wl_channel_bytes(&image->format), width = image->width, height = image->height, depth = image->depth;
    bool shrinks = image->type == WL_IMAGE_3D;
    uint64_t offset = 0;
    for (uint32_t i = 0;; i++) {
        uint64_t row = (uint64_t)width * bytes;
        uint64_t pitch = i == 0 && image->pitch && image->last_level == 0 ? (uint64_t)image->pitch * bytes : wl_image_row_up(row);
        *found = (struct wl_image_level){.data = (uint8_t *)(uintptr_t)(image->base + offset),
                                         .width = width,
                                         .height = height,
                                         .depth = depth,
                                         .pitch = pitch,
                                         .slice = pitch * height};
        if (i == image->first_level + level)
            return;
        offset += found->slice * (depth + image->first_slice);
        width = half(width);
        height = half(height);
        depth = shrinks ? half(depth) : depth;
    }
}

uint8_t *wl_image_texel(const struct wl_image *image, const struct wl_image_level *level, int64_t x, int64_t y, int64_t slice) {
    if (x < 0 || y < 0 || slice < 0 || x >= level->width || y >= level->height || slice >= level->depth)
        return NULL;
    return level->data + ((uint64_t)slice + image->first_slice) * level->slice + (uint64_t)y * level->pitch +
           (uint64_t)x * wl_channel_bytes(&image->format);
}

/* ---- coordinates ---------------------------------------------------------------------------------- */

/* The texels that one coordinate selects: -1 is the border. */
struct axis {
    int32_t first, second;
    float weight; /* of the second: n / 256 */
};

static int32_t wrap_index(uint8_t wrap, int32_t i, int32_t n) {
    int32_t period = 2 * n, within;
    switch ((enum wl_image_wrap)wrap) {
    case WL_WRAP_REPEAT:
        if (i >= 0 && i < n)
            return i;
        within = i % n;
        return within < 0 ? within + n : within;
    case WL_WRAP_MIRROR:
        within = i % period;
        within = within < 0 ? within + period : within;
        return within < n ? within : period - 1 - within;
    case WL_WRAP_MIRROR_ONCE:
        i = i < 0 ? -1 - i : i;
        return i < n ? i : n - 1;
    case WL_WRAP_MIRROR_ONCE_HALF_BORDER:
    case WL_WRAP_MIRROR_ONCE_BORDER:
        i = i < 0 ? -1 - i : i;
        return i < n ? i : -1;
    case WL_WRAP_HALF_BORDER:
    case WL_WRAP_BORDER:
        return i >= 0 && i < n ? i : -1;
    case WL_WRAP_CLAMP:
        break;
    }
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* The coordinate in units of 1 / 256 texel, from one period of what repeats. */
static int32_t fixed_coordinate(uint8_t wrap, float at, uint32_t size, bool unnormalized) {
    const float limit = 0x1p20f;
    if (!unnormalized) {
        if (wrap == WL_WRAP_REPEAT)
            at -= floorf(at);
        else if (wrap == WL_WRAP_MIRROR)
            at -= 2 * floorf(at * 0.5f);
        at *= (float)size;
    }
    if (isnan(at))
        return 0;
    at = at < -limit ? -limit : at > limit ? limit : at;
    int32_t fixed = (int32_t)lrintf(at * 256);
    if (wrap == WL_WRAP_HALF_BORDER)
        fixed = fixed<0 ? 0 : fixed>(int32_t) size * 256 ? (int32_t)size * 256 : fixed;
    return fixed;
}

static struct axis find_axis(uint8_t wrap, float at, uint32_t size, bool unnormalized, int offset, bool linear) {
    int32_t fixed = fixed_coordinate(wrap, at, size, unnormalized) - (linear ? 128 : 0);
    int32_t index = (fixed >> 8) + offset;
    if (!linear && wrap == WL_WRAP_HALF_BORDER && index == (int32_t)size)
        index--;
    struct axis axis = {.first = wrap_index(wrap, index, (int32_t)size), .second = -1};
    if (linear) {
        axis.second = wrap_index(wrap, index + 1, (int32_t)size);
        axis.weight = (float)(fixed & 255) / 256;
    }
    return axis;
}

static int64_t nearest_slice(float slice, uint32_t depth) {
    float nearest = rintf(slice);
    if (!(nearest > 0))
        return 0;
    return nearest < (float)depth ? (int64_t)nearest : (int64_t)depth - 1;
}

/* ---- texels of one level -------------------------------------------------------------------------- */

struct footprint {
    const struct wl_image *image;
    const struct wl_sampler *sampler;
    const struct wl_sample_place *place;
    struct wl_image_level level;
    struct axis axes[3];
    int64_t slice; /* of arrays and cubes */
    bool linear, linear_z;
    float unit; /* texels are filtered as multiples of 1 / unit; 0: as they are */
};

static bool is_integer(const struct wl_image *image) {
    return image->format.number == WL_NUMBER_UINT || image->format.number == WL_NUMBER_SINT;
}

static unsigned plane_axes(const struct wl_image *image) { return image->type == WL_IMAGE_1D || image->type == WL_IMAGE_1D_ARRAY ? 1 : 2; }

/* Of the level that is set. */
static void place_footprint(struct footprint *f, bool linear) {
    const struct wl_image *image = f->image;
    const struct wl_sample_place *place = f->place;
    bool cube = image->type == WL_IMAGE_CUBE;
    f->linear = linear;
    f->linear_z = image->type == WL_IMAGE_3D && f->sampler->linear_z && linear;
    uint32_t sizes[3] = {f->level.width, f->level.height, f->level.depth};
    unsigned axes = image->type == WL_IMAGE_3D ? 3 : plane_axes(image);
    UNROLLED for (unsigned i = 0; i < 3; i++) {
        f->axes[i] = (struct axis){0, -1, 0};
        if (i < axes)
            f->axes[i] = find_axis(cube ? WL_WRAP_CLAMP : f->sampler->wrap[i], place->at[i], sizes[i], place->unnormalized,
                                   place->offset[i], i == 2 ? f->linear_z : linear);
    }
    f->slice = 0;
    if (cube) { /* face + 8 * layer */
        int64_t number = (int64_t)fminf(fmaxf(rintf(place->slice), 0), 0x1p20f);
        f->slice = number / 8 * 6 + number % 8;
        f->slice = f->slice < f->level.depth ? f->slice : f->level.depth - 1;
    } else if (image->type != WL_IMAGE_3D) {
        f->slice = nearest_slice(place->slice, f->level.depth);
    }
}

static void find_footprint(struct footprint *f, bool linear, uint32_t level) {
    wl_image_find_level(f->image, level, &f->level);
    place_footprint(f, linear);
}

static bool compares(uint8_t function, float reference, float texel) {
    bool less = function & 1, equal = function & 2, greater = function & 4;
    return (less && reference < texel) || (equal && reference == texel) || (greater && reference > texel) || function == 7;
}

/* What the largest number of a normalized format stands for; 0: it is another one. */
static float unit_of(const struct wl_channel_format *format) {
    switch ((enum wl_channel_number)format->number) {
    case WL_NUMBER_UNORM:
        return (float)((1u << format->bits) - 1);
    case WL_NUMBER_SNORM:
        return (float)((1u << (format->bits - 1)) - 1);
    default:
        return 0;
    }
}

/* Of a format of integers: whole numbers in its range, as the hardware keeps them. */
static uint32_t integer_border(float value, bool is_signed) {
    const float least = is_signed ? -0x1p31f : 0, limit = is_signed ? 0x1p31f : 0x1p32f;
    if (!(value > least))
        return is_signed && value <= least ? UINT32_C(1) << 31 : 0;
    if (value >= limit)
        return is_signed ? INT32_MAX : UINT32_MAX;
    return is_signed ? (uint32_t)(int32_t)value : (uint32_t)value;
}

void wl_image_border(const struct wl_image *image, const struct wl_sampler *sampler, bool filtered, union wl_texel *texel) {
    const float unit = filtered ? unit_of(&image->format) : 0;
    memcpy(texel->f, sampler->border, sizeof texel->f);
    for (unsigned i = 0; i < 4; i++)
        if (is_integer(image))
            texel->u[i] = integer_border(texel->f[i], image->format.number == WL_NUMBER_SINT);
        else if (unit > 0)
            texel->f[i] *= unit;
}

/* A normalized texel in units. */
static void load_units(const struct footprint *f, const uint8_t *memory, union wl_texel *texel) {
    struct wl_channel_format raw = f->image->format;
    const bool is_signed = raw.number == WL_NUMBER_SNORM;
    raw.number = is_signed ? WL_NUMBER_SINT : WL_NUMBER_UINT;
    wl_channels_load(&raw, memory, texel->u);
    for (unsigned i = 0; i < 4; i++)
        texel->f[i] = i >= raw.channels ? (i == 3 ? f->unit : 0)
                      : is_signed       ? fmaxf((float)(int32_t)texel->u[i], -f->unit)
                                        : (float)texel->u[i];
}

static void fetch(const struct footprint *f, int32_t x, int32_t y, int32_t z, union wl_texel *texel) {
    const uint8_t *memory = wl_image_texel(f->image, &f->level, x, y, f->image->type == WL_IMAGE_3D ? z : f->slice);
    if (memory && f->unit > 0)
        load_units(f, memory, texel);
    else if (memory)
        wl_channels_load(&f->image->format, memory, texel->u);
    else
        wl_image_border(f->image, f->sampler, f->unit > 0, texel);
    if (f->place->compare)
        *texel = (union wl_texel){.f = {compares(f->sampler->compare, f->place->reference, texel->f[0]) ? 1 : 0, 0, 0, 1}};
}

static void mix(union wl_texel *a, const union wl_texel *b, float weight) {
    for (unsigned i = 0; i < 4; i++)
        a->f[i] += (b->f[i] - a->f[i]) * weight;
}

/* The first of two, or the second mixed into it. */
static void add(union wl_texel *sum, const union wl_texel *next, unsigned number, float weight) {
    if (number == 0)
        *sum = *next;
    else
        mix(sum, next, weight);
}

/* The first or the second texel, without a choice of addresses: what they are in stays in registers. */
static int32_t either(const struct axis *axis, unsigned second) { return axis->first + (int32_t)second * (axis->second - axis->first); }

/* The texels that the filter mixes, one after the other: rows of them, planes of rows, planes. */
static void sample_level(struct footprint *f, bool linear, uint32_t level, union wl_texel *texel) {
    find_footprint(f, linear && (f->place->compare || !is_integer(f->image)), level);
    f->unit = f->linear && !f->place->compare ? unit_of(&f->image->format) : 0;
    const unsigned nx = f->linear && f->axes[0].weight != 0 ? 2 : 1, ny = f->linear && f->axes[1].weight != 0 ? 2 : 1,
                   nz = f->linear_z && f->axes[2].weight != 0 ? 2 : 1;
    union wl_texel row = {.u = {0, 0, 0, 0}}, plane = row, one;
    ROLLED for (unsigned i = 0; i < nz * ny * nx; i++) {
        const unsigned x = nx == 2 ? i & 1 : 0, line = nx == 2 ? i >> 1 : i, y = ny == 2 ? line & 1 : 0, z = ny == 2 ? line >> 1 : line;
        fetch(f, either(&f->axes[0], x), either(&f->axes[1], y), either(&f->axes[2], z), &one);
        add(&row, &one, x, f->axes[0].weight);
        if (x + 1 == nx)
            add(&plane, &row, y, f->axes[1].weight);
        if (x + 1 == nx && y + 1 == ny)
            add(texel, &plane, z, f->axes[2].weight);
    }
    for (unsigned c = 0; c < 4; c++)
        if (f->unit > 0)
            texel->f[c] /= f->unit;
}

static void select_components(const struct wl_image *image, union wl_texel *texel, bool integer) {
    enum { IDENTITY = 0xfac };
    if (image->selects == IDENTITY || image->selects == 0)
        return;
    const union wl_texel old = *texel;
    for (unsigned i = 0; i < 4; i++)
        texel->u[i] = wl_image_selected(&old, image->selects >> i * 3 & 7, integer);
}

/* ---- levels of detail ----------------------------------------------------------------------------- */

/* Of a positive number. Not the library's, so that the bits are the same wherever this runs. */
static float log2_of(float value) {
    const double two_over_ln2 = 2.8853900817779268;
    double number = value, power = 1, sum = 0;
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & (UINT64_C(0xfffffffffffff))) | UINT64_C(1023) << 52;
    memcpy(&number, &bits, sizeof number);
    if (exponent == 1024) /* infinity */
        return value;
    if (number > 1.4142135623730951) {
        number *= 0.5;
        exponent++;
    }
    const double s = (number - 1) / (number + 1); /* ln x = 2 (s + s^3/3 + s^5/5 + ...) */
    for (int i = 0; i < 12; i++) {
        sum += power / (2 * i + 1);
        power *= s * s;
    }
    return (float)((double)exponent + two_over_ln2 * s * sum);
}

float wl_image_lod(const struct wl_image *image, bool unnormalized, const float dx[3], const float dy[3]) {
    float sizes[3] = {(float)image->width, (float)image->height, image->type == WL_IMAGE_3D ? (float)image->depth : 0};
    float x = 0, y = 0;
    for (unsigned i = 0; i < 3; i++) {
        float scale = unnormalized ? 1 : sizes[i];
        x += dx[i] * scale * dx[i] * scale;
        y += dy[i] * scale * dy[i] * scale;
    }
    float longest = x > y ? x : y;
    return longest > 0 ? 0.5f * log2_of(longest) : -126;
}

float wl_image_clamp_lod(const struct wl_image *image, const struct wl_sampler *sampler, const struct wl_sample_place *place) {
    float lod = place->lod + sampler->bias, least = fmaxf(sampler->min_lod, place->least);
    float most = fminf(sampler->max_lod, (float)(image->last_level - image->first_level));
    return fminf(fmaxf(lod, least), most);
}

void wl_image_sample(const struct wl_image *image, const struct wl_sampler *sampler, const struct wl_sample_place *place,
                     union wl_texel *texel) {
    struct footprint f = {.image = image, .sampler = sampler, .place = place};
    float lod = place->lod + sampler->bias, clamped = wl_image_clamp_lod(image, sampler, place);
    bool linear = lod > 0 ? sampler->linear_min : sampler->linear;
    uint32_t level = 0, count = 1, weight = 0;
    if (sampler->mip != 0 && image->last_level > image->first_level && clamped > 0) {
        const bool nearest = sampler->mip == 1 || is_integer(image);
        const uint32_t fixed = nearest ? (uint32_t)(clamped + 0.5f) << 8 : (uint32_t)lrintf(clamped * 256);
        level = fixed >> 8;
        weight = fixed & 255;
        count = weight ? 2 : 1;
    }
    ROLLED for (uint32_t i = 0; i < count; i++) {
        union wl_texel one;
        sample_level(&f, linear, level + i, &one);
        add(texel, &one, i, (float)weight / 256);
    }
    select_components(image, texel, is_integer(image) && !place->compare);
}

void wl_image_gather(const struct wl_image *image, const struct wl_sampler *sampler, const struct wl_sample_place *place,
                     unsigned component, union wl_texel *texel) {
    struct footprint f = {.image = image, .sampler = sampler, .place = place};
    float clamped = wl_image_clamp_lod(image, sampler, place);
    find_footprint(&f, true, clamped > 0 && sampler->mip ? (uint32_t)(clamped + 0.5f) : 0);
    const struct axis *x = &f.axes[0], *y = &f.axes[1];
    ROLLED for (unsigned i = 0; i < 4; i++) { /* below left, below right, above right, above left */
        const bool right = i == 1 || i == 2;
        union wl_texel corner;
        fetch(&f, either(x, right), either(y, i < 2), 0, &corner);
        select_components(image, &corner, is_integer(image) && !place->compare);
        const uint32_t value = wl_image_selected(&corner, component + 4, false);
        texel->u[0] = i == 0 ? value : texel->u[0];
        texel->u[1] = i == 1 ? value : texel->u[1];
        texel->u[2] = i == 2 ? value : texel->u[2];
        texel->u[3] = i == 3 ? value : texel->u[3];
    }
}
