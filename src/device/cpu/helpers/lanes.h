/* The members of wl_helpers_table, declared for the table alone; helpers.h documents them. lanes.c: moves between lanes;
 * buffer.c: memory through descriptors; atomic.c: atomics; access.c: rare memory
 * instructions; matrix.c: matrix instructions; barriers.c: barriers (barriers.h); helpers.c: other memory, scalar state, and the table. */
#ifndef WL_DEVICE_CPU_HELPERS_LANES_H
#define WL_DEVICE_CPU_HELPERS_LANES_H

#include "device/cpu/helpers/helpers.h"

#include <stdbool.h>

void wl_help_ds_bpermute(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, const uint32_t *source, uint32_t offset);
void wl_help_ds_permute(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, const uint32_t *source, uint32_t offset);
void wl_help_ds_swizzle(struct wl_wave *wave, uint32_t *destination, const uint32_t *source, uint32_t pattern);
void wl_help_permlane16(struct wl_wave *wave, uint32_t *destination, const uint32_t *source, uint32_t low, uint32_t high,
                        uint32_t fetch_inactive, uint32_t bound_control);
void wl_help_permlanex16(struct wl_wave *wave, uint32_t *destination, const uint32_t *source, uint32_t low, uint32_t high,
                         uint32_t fetch_inactive, uint32_t bound_control);
void wl_help_exchange(struct wl_wave *wave, const struct wl_exchange *exchange);
uint64_t wl_help_dpp(struct wl_wave *wave, uint32_t *destination, const uint32_t *source, uint32_t kind, uint32_t control,
                     uint32_t row_mask, uint32_t bank_mask, uint32_t bound_control, uint32_t fetch_inactive);
void wl_help_buffer_load(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, const uint32_t *descriptor, uint32_t soffset,
                         uint32_t offset, uint32_t element);
void wl_help_buffer_store(struct wl_wave *wave, const uint32_t *data, const uint32_t *address, const uint32_t *descriptor, uint32_t soffset,
                          uint32_t offset, uint32_t element);
void wl_help_buffer_atomic(struct wl_wave *wave, uint32_t *data, const uint32_t *address, const uint32_t *descriptor, uint32_t soffset,
                           uint32_t offset, uint32_t element, uint32_t operation);
uint32_t wl_help_barrier(struct wl_wave *wave, uint32_t operation, uint32_t number, uint32_t m0);
void wl_help_matrix(struct wl_wave *wave, const struct wl_matrix_product *product, uint32_t count, uint32_t number, uint32_t modifiers);
uint64_t wl_help_buffer_place(uint64_t low, uint64_t high, uint32_t generation, uint32_t lane, uint32_t offset, uint32_t skip,
                              uint32_t bytes);
uint32_t wl_help_buffer_parts(uint64_t low, uint64_t high, uint32_t generation, uint32_t lane, uint32_t offset, uint32_t skip,
                              uint32_t bytes, uint64_t value);
void wl_help_ds_src2(struct wl_wave *wave, const uint32_t *address, uint32_t offset, uint32_t bits, uint32_t operation);
void wl_help_ds_arrive(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, const uint32_t *data, uint32_t offset);
void wl_help_ds_condxchg(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, const uint32_t *data, uint32_t offset);
void wl_help_ds_transposed(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, uint32_t offset, uint32_t bits);
void wl_help_permlane(struct wl_wave *wave, uint32_t *destination, const uint32_t *source, uint32_t select, uint32_t width,
                      uint32_t operation);
/* As many as `count` come at a barrier in LDS. Returns what was there. */
uint64_t wl_lds_arrive(struct wl_wave *wave, uint32_t address, uint32_t count);
void wl_help_tensor(struct wl_wave *wave, const uint32_t *group0, const uint32_t *group1, const uint32_t *group2, const uint32_t *group3,
                    uint32_t store);
void wl_help_copy_lds(struct wl_wave *wave, const uint32_t *lds, const uint32_t *address, uint64_t base, uint32_t offset, uint32_t kind);
void wl_help_load_transposed(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, uint64_t base, uint32_t kind);
void wl_help_block(struct wl_wave *wave, uint32_t *rows, const uint32_t *address, uint64_t base, uint32_t kind, uint32_t mask);

void wl_help_image(struct wl_wave *wave, uint32_t *data, uint64_t low, uint64_t high, const uint32_t *resource, const uint32_t *sampler,
                   uint32_t operation, uint32_t modifiers);

/* One lane's atomic on memory: `bits` 32 or 64; `second` is the second operand of those that have one (cmpswap: `data` is
 * the new value, `second` the expected one). Returns the old value. */
uint64_t wl_atomic_lane(void *memory, uint32_t operation, uint32_t bits, uint64_t data, uint64_t second);
/* The same for 64 bits at an address that is a multiple of 4 but not of 8. x86-64 has an instruction for it; other hosts do it in two
 * halves. Such atomics exclude each other. An atomic of 32 bits on the upper half loses nothing; one on the lower half may come between
 * the two writes. */
uint64_t wl_atomic_lane_split(void *memory, uint32_t operation, uint64_t data, uint64_t second);
bool wl_atomic_has_two(uint32_t operation);

#endif
