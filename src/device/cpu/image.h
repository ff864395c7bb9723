/* Image instructions: what translated code tells the helper about one, and what an image is.
 *
 * image.c does the instruction for a wave, image_lane.c for a lane; image_sample.c is addressing and filtering;
 * image_kernels.c does the common samples and loads for all lanes together; channel_values.c converts; image_decode.c reads
 * and image_descriptor.c writes the descriptors of each generation (device/image.h). image_bvh.c is ray tracing's instruction. */
#ifndef WL_DEVICE_CPU_IMAGE_H
#define WL_DEVICE_CPU_IMAGE_H

#include "device/image.h"

#include <stdbool.h>
#include <stdint.h>

/* `operation`: kind, flags, the atomic's enum wl_atomic_op. */
enum wl_image_kind {
    WL_IMAGE_LOAD,
    WL_IMAGE_STORE,
    WL_IMAGE_SAMPLE,
    WL_IMAGE_GATHER,
    WL_IMAGE_RESINFO,
    WL_IMAGE_LOD,
    WL_IMAGE_ATOMIC,
    WL_IMAGE_BVH, /* the resource has 4 dwords and is no image: image_bvh.c */
};
#define WL_IMAGE_KIND(kind)         ((uint32_t)(kind))
#define WL_IMAGE_KIND_OF(operation) ((operation) & 15)
enum {
    WL_IMAGE_COMPARE = 1 << 4,  /* _c: an address is compared with the texels */
    WL_IMAGE_GRADIENT = 1 << 5, /* _d, _cd: the level from gradients among the addresses */
    WL_IMAGE_LEVEL = 1 << 6,    /* _l, _mip: the level is an address */
    WL_IMAGE_BIAS = 1 << 7,     /* _b: an address is added to the level */
    WL_IMAGE_ZERO = 1 << 8,     /* _lz: level 0 */
    WL_IMAGE_CLAMP = 1 << 9,    /* _cl: an address is the least level */
    WL_IMAGE_OFFSET = 1 << 10,  /* _o: an address moves the texels */
    WL_IMAGE_G16 = 1 << 11,     /* gradients of 16 bits */
    WL_IMAGE_RAW = 1 << 12,     /* _pck: memory's bits, without conversion */
    WL_IMAGE_SIGNED = 1 << 13,  /* with RAW: extended with their sign */
    WL_IMAGE_WIDE = 1 << 14,    /* BVH: a node's number has 64 bits */
};
#define WL_IMAGE_WITH_ATOMIC(op)      ((uint32_t)(op) << 16)
#define WL_IMAGE_ATOMIC_OF(operation) ((operation) >> 16 & 255)

/* `modifiers` */
#define WL_IMAGE_DMASK(modifiers) ((modifiers) & 15)
#define WL_IMAGE_DIM(modifiers)   ((modifiers) >> 4 & 7) /* as encoded on gfx10 and later */
enum {
    WL_IMAGE_HAS_DIM = 1 << 7, /* else (gfx9) the resource says it */
    WL_IMAGE_UNORM = 1 << 8,
    WL_IMAGE_ARRAY = 1 << 9, /* gfx9's DA */
    WL_IMAGE_A16 = 1 << 10,
    WL_IMAGE_D16 = 1 << 11,
    WL_IMAGE_STATUS = 1 << 12, /* TFE, LWE: one more register, a status, which is always 0 here */
    WL_IMAGE_RETURN = 1 << 13, /* atomics */
    WL_IMAGE_R128 = 1 << 14,   /* the resource has 4 dwords */
};
#define WL_IMAGE_GENERATION(generation)   ((uint32_t)((generation) - 9) << 16)
#define WL_IMAGE_GENERATION_OF(modifiers) (9 + ((modifiers) >> 16 & 3))

/* ---- texels ---- */

/* A texel as the shader sees it: floats, or integers of 32 bits. */
union wl_texel {
    float f[4];
    uint32_t u[4];
};

/* What a descriptor's DST_SEL code selects of a texel. */
static inline uint32_t wl_image_selected(const union wl_texel *texel, unsigned select, bool integer) {
    switch (select) {
    case 1:
        return integer ? 1 : 0x3f800000;
    case 4:
        return texel->u[0];
    case 5:
        return texel->u[1];
    case 6:
        return texel->u[2];
    case 7:
        return texel->u[3];
    default:
        return 0;
    }
}

/* ---- sampling ---- */

/* One level of an image. */
struct wl_image_level {
    uint8_t *data;
    uint32_t width, height, depth; /* 1 where the dimension has none */
    uint64_t pitch, slice;         /* bytes */
};
/* `level` counts from the resource's first. */
void wl_image_find_level(const struct wl_image *image, uint32_t level, struct wl_image_level *found);
/* The address of a texel; NULL: outside. `slice`: array layer, face or depth. */
uint8_t *wl_image_texel(const struct wl_image *image, const struct wl_image_level *level, int64_t x, int64_t y, int64_t slice);

/* Where one lane samples. */
struct wl_sample_place {
    float at[3];     /* coordinates; unused ones 0 */
    float slice;     /* of an array or cube: layer, face + 8 * layer */
    float lod;       /* before the sampler's bias and limits */
    float least;     /* _cl */
    float reference; /* _c */
    int offset[3];   /* in texels */
    bool unnormalized, compare;
};
/* Normalized formats are filtered in units of 1 / (their largest number), and the result is divided. */
void wl_image_sample(const struct wl_image *image, const struct wl_sampler *sampler, const struct wl_sample_place *place,
                     union wl_texel *texel);
/* What a texel outside reads. `filtered`: as the filter takes it, in units. */
void wl_image_border(const struct wl_image *image, const struct wl_sampler *sampler, bool filtered, union wl_texel *texel);
/* The four texels that linear filtering would mix, one component of each, in gather4's order. */
void wl_image_gather(const struct wl_image *image, const struct wl_sampler *sampler, const struct wl_sample_place *place,
                     unsigned component, union wl_texel *texel);
/* log2 of the larger gradient's length in texels. */
float wl_image_lod(const struct wl_image *image, bool unnormalized, const float dx[3], const float dy[3]);
/* The level as the sampler limits it, with its bias. */
float wl_image_clamp_lod(const struct wl_image *image, const struct wl_sampler *sampler, const struct wl_sample_place *place);

/* ---- the lanes of a wave together ---- */

/* Levels by number, from the resource's first on, and how a lane's is found. */
#define WL_IMAGE_LEVELS 16
struct wl_image_levels {
    uint32_t width[WL_IMAGE_LEVELS], height[WL_IMAGE_LEVELS], depth[WL_IMAGE_LEVELS];
    uint32_t start[WL_IMAGE_LEVELS], pitch[WL_IMAGE_LEVELS], slice[WL_IMAGE_LEVELS]; /* bytes; start: from wl_image_wave.level.data */
    float bias, least, most;
    bool nearest; /* else between two */
};

/* A sample without comparison, offset and sRGB, of level 0 or of levels that lanes give or that are 0, with a wrap of REPEAT, MIRROR,
 * MIRROR_ONCE, CLAMP or BORDER and the same filter on all axes; or a load from level 0, or a store to it. Addresses and data are of 32 bits. */
struct wl_image_wave {
    uint32_t *data;              /* the first row that is written */
    const uint32_t *at[3];       /* the rows of the coordinates; floats, or integers of loads */
    const uint32_t *slices;      /* the row of the array's slice; NULL: slice 0 */
    uint64_t exec;               /* at least one lane */
    struct wl_image_level level; /* from the resource's first slice on, less than 2 GiB */
    uint32_t wave_size, dmask;   /* dmask is not 0 */
    struct wl_channel_format format;
    uint16_t selects; /* never 0 */
    uint8_t axes;     /* coordinates, slices aside */
    uint8_t wrap[3];
    const struct wl_image_levels *levels; /* NULL: level 0 */
    const uint32_t *lods;                 /* the row of the levels, floats; NULL: 0 */
    bool unnormalized, linear, loads, stores;
    bool cube;       /* `slices` are face + 8 * layer */
    bool buffer;     /* loads: what descriptors select as constants is there outside as well */
    uint8_t skip;    /* loads: bytes from level.data, a multiple of 4, to the first element */
    bool has_border; /* some wrap is BORDER */
    float border[4]; /* linear and normalized: in the format's units */
};
/* The same bits as lane by lane. Rows of inactive lanes may hold anything. Float control: to nearest, with denormals. */
typedef void wl_image_wave_fn(const struct wl_image_wave *wave);
wl_image_wave_fn wl_image_base, wl_image_avx2, wl_image_avx512;
/* The host's copy; NULL: one lane at a time. */
wl_image_wave_fn *wl_image_kernels(void);
/* For tests, before other threads run: this copy instead of the host's own; NULL: one lane at a time. */
void wl_image_choose(wl_image_wave_fn *kernels);

#endif
