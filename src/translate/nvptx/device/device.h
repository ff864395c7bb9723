/* nvptx/device/: C functions that translated kernels call on NVIDIA's GPUs.
 *
 *   in    a record that one thread has filled: struct wl_device_image, struct wl_device_buffer
 *   out   the result of one lane's image or typed buffer instruction, in the same record
 * or the dwords of a lane's factors, of which a matrix instruction's sum is the result.
 *
 * image.c, buffer.c, rays.c and matrix.c are compiled for NVPTX at build time, each as one unit with the files of lane/ that it calls
 * (CMakeLists.txt); nvptx/device.c links the bitcode into the modules of kernels that need it. tables.c, a build tool, prints the tables
 * that the CPU device computes when it starts. include/ has the few functions of C's library that this code uses. */
#ifndef WL_TRANSLATE_NVPTX_DEVICE_H
#define WL_TRANSLATE_NVPTX_DEVICE_H

#include <stdint.h>

#define WL_DEVICE_ADDRESSES 16
#define WL_DEVICE_DATA      8

struct wl_device_image {
    uint32_t address[WL_DEVICE_ADDRESSES];
    uint32_t data[WL_DEVICE_DATA]; /* the data registers; loads change what the instruction writes */
    uint32_t resource[8], sampler[4];
    uint64_t borders; /* of the launch */
    uint32_t operation, modifiers;
    uint32_t active; /* the lane is on: only then anything happens */
};

/* The rows of `address`, as instructions name them. */
#define WL_DEVICE_LOW_ROWS  UINT64_C(0x0706050403020100)
#define WL_DEVICE_HIGH_ROWS UINT64_C(0x0f0e0d0c0b0a0908)

/* For each generation G a function NAME_G, of these. quad_sample is for levels that come from the neighbours: all threads of the warp
 * call it. find gives the texel's address for an atomic of `bytes` bytes; 0: the lane does nothing. */
typedef void wl_device_image_fn(struct wl_device_image *image);
typedef uint64_t wl_device_image_find_fn(struct wl_device_image *image, uint32_t bytes);
#define WL_DEVICE_IMAGES(G)                                                                                                                \
    wl_device_image_fn wl_device_image_load_##G, wl_device_image_store_##G, wl_device_image_resinfo_##G, wl_device_image_sample_##G,       \
        wl_device_quad_sample_##G;                                                                                                         \
    wl_device_image_find_fn wl_device_image_find_##G;
WL_DEVICE_IMAGES(9)
WL_DEVICE_IMAGES(10)
WL_DEVICE_IMAGES(11)
WL_DEVICE_IMAGES(12)
wl_device_image_fn wl_device_image_intersect; /* of all generations */

struct wl_device_buffer {
    uint32_t address[2], data[WL_DEVICE_DATA], resource[4];
    uint32_t soffset, offset, element, lane, active; /* WL_ELEMENT_*, as wl_helpers.buffer_load has them */
};
typedef void wl_device_buffer_fn(struct wl_device_buffer *buffer);
wl_device_buffer_fn wl_device_buffer_load, wl_device_buffer_store;
/* Address of the bytes that lie so far behind an element's start (bits 63:32), so many of them (31:0). 0: out of range. */
uint64_t wl_device_buffer_find(const struct wl_device_buffer *buffer, uint64_t part);

/* Matrix sums with WAVELIFT_MATH=hardware: C (as bits, in the format of D) and the products of the elements of four dwords of A and B, of which
 * what is not there is zero. PAIRS(name, kind, products, flush): the first two or four; ALIGNED(name, A's kind, B's kind): all;
 * DOTS(name, kind, of C and D, steps of four): all, in steps. Their names are those of a row's kinds, behind those of the processors. */
typedef uint32_t wl_device_sum_fn(uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0, uint32_t b1, uint32_t b2, uint32_t b3,
                                  uint32_t c);
#define WL_DEVICE_SUMS(PAIRS, ALIGNED, DOTS)                                                                                               \
    PAIRS(pairs_f16_4, WL_MATRIX_F16, 4, false)                                                                                            \
    PAIRS(pairs_bf16_2, WL_MATRIX_BF16, 2, false)                                                                                          \
    PAIRS(flushed_f16_4, WL_MATRIX_F16, 4, true)                                                                                           \
    PAIRS(flushed_bf16_2, WL_MATRIX_BF16, 2, true)                                                                                         \
    PAIRS(flushed_bf16_4, WL_MATRIX_BF16, 4, true)                                                                                         \
    ALIGNED(aligned_f16, WL_MATRIX_F16, WL_MATRIX_F16)                                                                                     \
    ALIGNED(aligned_bf16, WL_MATRIX_BF16, WL_MATRIX_BF16)                                                                                  \
    ALIGNED(aligned_xf32, WL_MATRIX_XF32, WL_MATRIX_XF32)                                                                                  \
    ALIGNED(aligned_fp8_fp8, WL_MATRIX_FP8, WL_MATRIX_FP8)                                                                                 \
    ALIGNED(aligned_fp8_bf8, WL_MATRIX_FP8, WL_MATRIX_BF8)                                                                                 \
    ALIGNED(aligned_bf8_fp8, WL_MATRIX_BF8, WL_MATRIX_FP8)                                                                                 \
    ALIGNED(aligned_bf8_bf8, WL_MATRIX_BF8, WL_MATRIX_BF8)                                                                                 \
    DOTS(twos_f32_f16, DOT_F16, DOT_F32, false)                                                                                            \
    DOTS(twos_f32_bf16, DOT_BF16, DOT_F32, false)                                                                                          \
    DOTS(twos_f16_f16, DOT_F16, DOT_F16, false)                                                                                            \
    DOTS(twos_bf16_bf16, DOT_BF16, DOT_BF16, false)                                                                                        \
    DOTS(fours_f32_f16, DOT_F16, DOT_F32, true)                                                                                            \
    DOTS(fours_f32_bf16, DOT_BF16, DOT_F32, true)                                                                                          \
    DOTS(fours_f16_f16, DOT_F16, DOT_F16, true)                                                                                            \
    DOTS(fours_bf16_bf16, DOT_BF16, DOT_BF16, true)
#define WL_DEVICE_SUM(name, ...) wl_device_sum_fn wl_device_sum_##name;
WL_DEVICE_SUMS(WL_DEVICE_SUM, WL_DEVICE_SUM, WL_DEVICE_SUM)
#undef WL_DEVICE_SUM

#endif
