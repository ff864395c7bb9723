#include "image_resize.h"

constant sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

kernel void image_resize(read_only image2d_t image, global uchar4 *out) {
    int x = get_global_id(0), y = get_global_id(1);
    float4 v = read_imagef(image, linear, (float2)((x + 0.5f) / OUT_WIDTH, (y + 0.5f) / OUT_HEIGHT));
    out[y * OUT_WIDTH + x] = convert_uchar4(v * 255 + 0.5f);
}
