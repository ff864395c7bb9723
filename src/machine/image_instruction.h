/* What translated code tells the helper about an image instruction: two words, `operation` and `modifiers`. */
#ifndef WL_MACHINE_IMAGE_INSTRUCTION_H
#define WL_MACHINE_IMAGE_INSTRUCTION_H

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

#endif
