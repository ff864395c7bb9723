/* Elements of channel formats (machine/channels.h), converted. All functions are thread-safe and cannot fail. */
#ifndef WL_LANE_CHANNEL_VALUES_H
#define WL_LANE_CHANNEL_VALUES_H

#include "machine/channels.h"

/* An element as kernels see it: floats or integers of 32 bits. Components that the format lacks read as 0, 0, 0, 1 and are not
 * written; nothing is written to a format with a shared exponent. Stores round to nearest even (floats of 10 and 11 bits: towards
 * zero), clamp, and take what is no number for 0 in formats of integers. */
void wl_channels_load(const struct wl_channel_format *format, const uint8_t *memory, uint32_t element[4]);
void wl_channels_store(const struct wl_channel_format *format, uint8_t *memory, const uint32_t element[4]);

/* sRGB's curve: of a byte, and back; linear numbers are clamped to 0 to 1. */
float wl_linear_of_srgb(uint8_t srgb);
uint32_t wl_srgb_of_linear(float linear);

float wl_half_to_float(uint16_t half);
uint16_t wl_float_to_half(float value); /* to nearest even */

#endif
