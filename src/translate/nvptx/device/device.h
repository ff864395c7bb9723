/* nvptx/device/: C functions that translated kernels call on NVIDIA's GPUs.
 *
 *   in    a record that one thread has filled: struct wl_device_image, struct wl_device_buffer
 *   out   the result of one lane's image or typed buffer instruction, in the same record
 *
 * image.c, buffer.c and rays.c are compiled for NVPTX at build time, each as one unit with the files of lane/ that it calls
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

#endif
