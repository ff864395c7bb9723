/* The channel formats of NVIDIA's GPUs as host code under names of their own, with the tables and the mathematics that are theirs. */
#define wl_channel_decode gpu_channel_decode
#define wl_channels_load  gpu_channels_load
#define wl_channels_store gpu_channels_store
#define wl_half_to_float  gpu_half_to_float
#define wl_float_to_half  gpu_float_to_half
#define wl_linear_of_srgb gpu_linear_of_srgb
#define wl_srgb_of_linear gpu_srgb_of_linear

#include "translate/nvptx/device/channels.c"
