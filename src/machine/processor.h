/* machine/: what an AMD processor is, without LLVM and without HIP.
 *
 *   in    nothing but a processor's name, or words of a descriptor
 *   out   facts, and the structures that the layers above share:
 *
 *   processor.h          one row a gfx target: struct wl_processor. A gfx number stands nowhere else
 *   wave.h               the state of one wave, struct wl_wave: the contract between translated code and whoever runs it
 *   helpers.h            the functions that translated code calls: struct wl_helpers
 *   operations.h         atomics and permutations, as enums
 *   matrix.h             matrix instructions: shapes, and where elements lie in registers
 *   dot_sums.h           dot products of RDNA3 and RDNA4, bit for bit
 *   channels.h           formats of texels and of typed buffers: struct wl_channel_format
 *   image.h              images, samplers and their descriptors: struct wl_image, struct wl_sampler
 *   image_instruction.h  an image instruction as two words
 *   lane_mask.h          EXEC as helpers see it
 *
 * The rows are constant; all functions are thread-safe. */
#ifndef WL_MACHINE_PROCESSOR_H
#define WL_MACHINE_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Code for a generic target runs on every member of its family. */
enum wl_family {
    WL_FAMILY_GFX9,
    WL_FAMILY_GFX908, /* and gfx90a: families of one, which have no generic target */
    WL_FAMILY_GFX90A,
    WL_FAMILY_GFX9_4,
    WL_FAMILY_GFX10_1,
    WL_FAMILY_GFX10_3,
    WL_FAMILY_GFX11,
    WL_FAMILY_GFX12,
    WL_FAMILY_GFX12_5,
};

/* Processors of one set have the same instructions under the same encodings: the decoder's table (translate/decode/words) names sets, not
 * processors. At most 32 of them, since the table has a bit for each. */
enum wl_instruction_set {
    WL_SET_GFX900,
    WL_SET_GFX904,
    WL_SET_GFX9_GENERIC,
    WL_SET_GFX906,
    WL_SET_GFX908,
    WL_SET_GFX90A,
    WL_SET_GFX94,
    WL_SET_GFX1010,
    WL_SET_GFX1012,
    WL_SET_GFX1013,
    WL_SET_GFX1030,
    WL_SET_GFX1100,
    WL_SET_GFX1150,
    WL_SET_GFX1200,
    WL_SET_GFX950,          /* that of gfx942 but for xf32, and more */
    WL_SET_GFX1250,         /* most of gfx1200's, no images and no interpolation, and much more */
    WL_SET_GFX1251,         /* that of gfx1250, with DPP for instructions of 64 bits */
    WL_SET_GFX12_5_GENERIC, /* that of gfx1250 without what WL_GFX12_ONE names (decode/words/row.h) */
};

/* What a processor has, or does. */
enum {
    WL_HAS_XNACK = 1 << 0,   /* code may be for XNACK on, off, or either */
    WL_HAS_SRAMECC = 1 << 1, /* the same for SRAM-ECC: loads into half a register clear the other half */
    WL_HAS_WAVE32 = 1 << 2,  /* and waves of 64; else of 64 alone */
    WL_HAS_AGPRS = 1 << 3,
    WL_HAS_UNIFIED_REGISTERS = 1 << 4,   /* VGPRs and AGPRs are of one file */
    WL_HAS_IMAGES = 1 << 5,              /* image instructions */
    WL_HAS_SCRATCH_BUFFERS = 1 << 6,     /* private memory is also reached through swizzled buffer descriptors */
    WL_HAS_ARCHITECTED_SCRATCH = 1 << 7, /* where a wave's private memory lies is no register that a kernel sets up */
    WL_HAS_PACKED_IDS = 1 << 8,          /* v0 has all three ids of a work item */
    WL_HAS_TTMP_GROUPS = 1 << 9,         /* ttmp7 and ttmp9 have the ids of the workgroup */
    WL_HAS_OCP_FP8 = 1 << 10,            /* 8-bit numbers as OCP defines them; else, where there are any, FNUZ */
    WL_FLUSHES_ATOMICS = 1 << 11,        /* f32 additions in memory take denormals for 0, whatever MODE says */
    WL_FLUSHES_MATRICES = 1 << 12,       /* matrix instructions do with those of f16 and bf16 */
    WL_HAS_WAVE32_ALONE = 1 << 13,       /* no waves of 64 */
    WL_HAS_CLUSTERS = 1 << 14,           /* workgroups of a launch in clusters, with a barrier of their own and loads for several of them */
    WL_HAS_NAMED_BARRIERS = 1 << 15,     /* 16 in a workgroup, beside its own */
    WL_HAS_1024_VGPRS = 1 << 16,         /* s_set_vgpr_msb chooses which 256 of them an instruction's fields name */
    WL_HAS_PRELOAD = 1 << 17,            /* a kernel may ask for its first arguments in SGPRs */
    WL_HAS_64_USER_SGPRS = 1 << 18,      /* the kernel descriptor counts user SGPRs in 6 bits; else in 5 */
    WL_MODE_SETS_BANKS = 1 << 19,        /* writing a constant to any bits of MODE does what s_set_vgpr_msb does, with bits 19:12 of it */
    WL_PAIRS_PRODUCTS = 1 << 20,         /* matrix instructions sum products in pairs (machine/matrix.h) */
    WL_ALIGNS_PRODUCTS = 1 << 21,        /* or align them to the largest one first */
    WL_SUMS_DOTS = 1 << 22,              /* or add two or four at a time, as dot instructions do (machine/dot_sums.h) */
};

enum {
    WL_NAMED_BARRIERS = 16,     /* of a workgroup, where there are any; numbers 1 to 16 */
    WL_CLUSTER_WORKGROUPS = 16, /* the most of a cluster */
};

struct wl_processor {
    const char *name; /* "gfx90a" */
    const char
        *alike; /* one whose instructions have the same text, or most of them, for LLVM before 20, which lacks this; NULL: it has this */
    uint8_t machine;                /* EF_AMDGPU_MACH of ELF flags */
    uint8_t major, minor, stepping; /* major: the generation, 9 to 12 */
    uint8_t family;                 /* enum wl_family */
    uint8_t set;                    /* enum wl_instruction_set */
    bool generic;
    uint32_t has;       /* WL_HAS_* */
    uint32_t lds_bytes; /* that a workgroup may ask for */
};

/* The row of a name, or of its first `length` bytes. NULL: there is no such processor. */
const struct wl_processor *wl_processor_find(const char *name);
const struct wl_processor *wl_processor_find_name(const char *name, size_t length);
/* The row of an ELF file's EF_AMDGPU_MACH; NULL: there is none. */
const struct wl_processor *wl_processor_of_machine(uint32_t machine);
/* All rows, in the order of preference where a program does not say what it wants: first the processors of data centres that most
 * binaries are built and tuned for, the newest first, then the wide families. NULL behind the last. */
const struct wl_processor *wl_processor_at(size_t index);
/* Whether code for one runs on the other. */
bool wl_processor_runs(const struct wl_processor *code, const struct wl_processor *device);

/* Questions by name; the name is one of the table. */
static inline bool wl_processor_has(const char *name, uint32_t what) {
    const struct wl_processor *processor = wl_processor_find(name);
    return processor && processor->has & what;
}
static inline unsigned wl_processor_generation(const char *name) {
    const struct wl_processor *processor = wl_processor_find(name);
    return processor ? processor->major : 0;
}

#endif
