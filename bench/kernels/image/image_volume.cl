#include "image_volume.h"

constant sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

kernel void image_volume(read_only image3d_t volume, global const float *at, global float *out) {
    int i = get_global_id(0);
    out[i] = read_imagef(volume, linear, (float4)(at[i], at[COUNT + i], at[2 * COUNT + i], 0)).x;
}
