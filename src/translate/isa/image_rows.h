/* The rows of isa.c for image instructions. */
#ifndef WL_TRANSLATE_ISA_IMAGE_ROWS_H
#define WL_TRANSLATE_ISA_IMAGE_ROWS_H

#include "machine/image_instruction.h"
#include "translate/isa/isa.h"

#define IMAGE_ROW(NAME, KIND, FLAGS) {.name = (NAME), .class = WL_ISA_IMAGE, .image = WL_IMAGE_KIND(KIND) | (FLAGS)}

#define IMAGE_OFFSET(NAME, KIND, FLAGS) IMAGE_ROW(NAME, KIND, FLAGS), IMAGE_ROW(NAME "_o", KIND, (FLAGS) | WL_IMAGE_OFFSET)
/* Gradients have forms with 16 bits each, whose suffix comes last. */
#define IMAGE_GRADIENT(NAME, FLAGS)                                                                                                        \
    IMAGE_OFFSET(NAME, WL_IMAGE_SAMPLE, (FLAGS) | WL_IMAGE_GRADIENT),                                                                      \
        IMAGE_ROW(NAME "_g16", WL_IMAGE_SAMPLE, (FLAGS) | WL_IMAGE_GRADIENT | WL_IMAGE_G16),                                               \
        IMAGE_ROW(NAME "_o_g16", WL_IMAGE_SAMPLE, (FLAGS) | WL_IMAGE_GRADIENT | WL_IMAGE_G16 | WL_IMAGE_OFFSET)
#define IMAGE_LEVELS(NAME, KIND, FLAGS)                                                                                                    \
    IMAGE_OFFSET(NAME, KIND, FLAGS), IMAGE_OFFSET(NAME "_cl", KIND, (FLAGS) | WL_IMAGE_CLAMP),                                             \
        IMAGE_OFFSET(NAME "_l", KIND, (FLAGS) | WL_IMAGE_LEVEL), IMAGE_OFFSET(NAME "_b", KIND, (FLAGS) | WL_IMAGE_BIAS),                   \
        IMAGE_OFFSET(NAME "_b_cl", KIND, (FLAGS) | WL_IMAGE_BIAS | WL_IMAGE_CLAMP),                                                        \
        IMAGE_OFFSET(NAME "_lz", KIND, (FLAGS) | WL_IMAGE_ZERO)
#define IMAGE_SAMPLES(NAME, FLAGS)                                                                                                         \
    IMAGE_LEVELS(NAME, WL_IMAGE_SAMPLE, FLAGS), IMAGE_GRADIENT(NAME "_d", FLAGS), IMAGE_GRADIENT(NAME "_d_cl", (FLAGS) | WL_IMAGE_CLAMP),  \
        IMAGE_GRADIENT(NAME "_cd", FLAGS), IMAGE_GRADIENT(NAME "_cd_cl", (FLAGS) | WL_IMAGE_CLAMP)

#define IMAGE_ATOMIC(NAME, OP)                                                                                                             \
    {.name = "image_atomic_" NAME, .class = WL_ISA_IMAGE, .atomic = WL_ATOMIC_##OP, .image = WL_IMAGE_KIND(WL_IMAGE_ATOMIC)}

#define IMAGE_ROWS                                                                                                                         \
    IMAGE_ROW("image_load", WL_IMAGE_LOAD, 0), IMAGE_ROW("image_load_mip", WL_IMAGE_LOAD, WL_IMAGE_LEVEL),                                 \
        IMAGE_ROW("image_load_pck", WL_IMAGE_LOAD, WL_IMAGE_RAW),                                                                          \
        IMAGE_ROW("image_load_pck_sgn", WL_IMAGE_LOAD, WL_IMAGE_RAW | WL_IMAGE_SIGNED),                                                    \
        IMAGE_ROW("image_load_mip_pck", WL_IMAGE_LOAD, WL_IMAGE_RAW | WL_IMAGE_LEVEL),                                                     \
        IMAGE_ROW("image_load_mip_pck_sgn", WL_IMAGE_LOAD, WL_IMAGE_RAW | WL_IMAGE_LEVEL | WL_IMAGE_SIGNED),                               \
        IMAGE_ROW("image_store", WL_IMAGE_STORE, 0), IMAGE_ROW("image_store_mip", WL_IMAGE_STORE, WL_IMAGE_LEVEL),                         \
        IMAGE_ROW("image_store_pck", WL_IMAGE_STORE, WL_IMAGE_RAW),                                                                        \
        IMAGE_ROW("image_store_mip_pck", WL_IMAGE_STORE, WL_IMAGE_RAW | WL_IMAGE_LEVEL),                                                   \
        IMAGE_ROW("image_bvh_intersect_ray", WL_IMAGE_BVH, 0), IMAGE_ROW("image_bvh64_intersect_ray", WL_IMAGE_BVH, WL_IMAGE_WIDE),        \
        IMAGE_ROW("image_get_resinfo", WL_IMAGE_RESINFO, 0), IMAGE_ROW("image_get_lod", WL_IMAGE_LOD, 0),                                  \
        IMAGE_SAMPLES("image_sample", 0), IMAGE_SAMPLES("image_sample_c", WL_IMAGE_COMPARE),                                               \
        IMAGE_LEVELS("image_gather4", WL_IMAGE_GATHER, 0), IMAGE_LEVELS("image_gather4_c", WL_IMAGE_GATHER, WL_IMAGE_COMPARE),             \
        IMAGE_ATOMIC("swap", SWAP), IMAGE_ATOMIC("cmpswap", CMPSWAP),                                                                      \
                                                                                                                                           \
        IMAGE_ATOMIC("and", AND), IMAGE_ATOMIC("or", OR), IMAGE_ATOMIC("xor", XOR), IMAGE_ATOMIC("fcmpswap", FCMPSWAP),                    \
        IMAGE_ATOMIC("add_uint", ADD), IMAGE_ATOMIC("sub_uint", SUB), IMAGE_ATOMIC("min_int", SMIN), IMAGE_ATOMIC("min_uint", UMIN),       \
        IMAGE_ATOMIC("max_int", SMAX), IMAGE_ATOMIC("max_uint", UMAX), IMAGE_ATOMIC("inc_uint", INC), IMAGE_ATOMIC("dec_uint", DEC),       \
        IMAGE_ATOMIC("add_flt", FADD), IMAGE_ATOMIC("min_flt", FMIN), IMAGE_ATOMIC("max_flt", FMAX),                                       \
        IMAGE_ATOMIC("pk_add_f16", PK_ADD_F16), IMAGE_ATOMIC("pk_add_bf16", PK_ADD_BF16)

#endif
