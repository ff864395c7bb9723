/* Helpers of watched waves for rare memory instructions and images (machine/helpers.h): they ask before the device's own helpers access memory. */
#ifndef WL_DEVICE_CPU_RUN_SANITIZE_RARE_H
#define WL_DEVICE_CPU_RUN_SANITIZE_RARE_H

#include "machine/helpers.h"
#include "machine/sanitize.h"

/* Puts them into the table. (sanitize_rare.c; sanitize_image.c) */
void wl_sanitize_rare_helpers(struct wl_helpers *helpers);
void wl_sanitize_image_helper(struct wl_helpers *helpers);

/* What they need: wl_helpers.sanitize_access; sets EXEC; sets registers of these lanes to 0. (sanitize.c) */
uint64_t wl_sanitize_access(struct wl_wave *wave, const struct wl_sanitize_site *site, uint64_t lanes, const uint64_t *address,
                            const uint32_t *data);
void wl_sanitize_set_exec(struct wl_wave *wave, uint64_t exec);
void wl_sanitize_clear_lanes(const struct wl_wave *wave, uint32_t *rows, uint32_t count, uint64_t lanes);

#endif
