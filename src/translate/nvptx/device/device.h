/* C functions that translated kernels call on NVIDIA's GPUs: what an image or typed buffer instruction does to one lane.
 *
 * image.c and buffer.c here take the CPU device's own code (device/cpu/image_lane.c and its kin) and are compiled for NVPTX at build
 * time; ptx_device.c links the bitcode into the modules of kernels that need it. tables.c, a build tool, prints the tables that the CPU
 * device computes when it starts. include/ has the few functions of C's library that this code uses.
 *
 * A thread fills a record, and the function reads and writes it. */
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

typedef void wl_device_image_fn(struct wl_device_image *image);
wl_device_image_fn wl_device_image_load, wl_device_image_store, wl_device_image_resinfo, wl_device_image_sample, wl_device_image_intersect;
/* The same where the level comes from the neighbours: all threads of the warp call it. */
wl_device_image_fn wl_device_quad_sample;
/* Of an atomic of `bytes` bytes: the texel's address. 0: the lane does nothing. */
uint64_t wl_device_image_find(struct wl_device_image *image, uint32_t bytes);

struct wl_device_buffer {
    uint32_t address[2], data[WL_DEVICE_DATA], resource[4];
    uint32_t soffset, offset, element, lane, active; /* WL_ELEMENT_*, as wl_helpers.buffer_load has them */
};
typedef void wl_device_buffer_fn(struct wl_device_buffer *buffer);
wl_device_buffer_fn wl_device_buffer_load, wl_device_buffer_store;
/* Address of the bytes that lie so far behind an element's start (bits 63:32), so many of them (31:0). 0: out of range. */
uint64_t wl_device_buffer_find(const struct wl_device_buffer *buffer, uint64_t part);

#endif
