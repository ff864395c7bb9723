/* Rare memory instructions: LDS without registers, blocks of registers, transposing loads. */
#include "device/cpu/helpers/lanes.h"
#include "machine/lane_mask.h"

#include <string.h>

#define MAX_LANES 64

/* Bytes from the first operand to the second: `offset` is a number of dwords, 8 bits and a second half of which the last is
 * a sign; with bit 15 set the distance comes from the address' upper half instead. */
static int32_t src2_distance(uint32_t address, uint32_t offset) {
    int32_t dwords = offset & 0x8000 ? (int32_t)address >> 17 : (int32_t)(int16_t)((offset & 0x4000) << 1 | (offset & 0x7fff));
    return dwords * 4;
}

void wl_help_ds_src2(struct wl_wave *wave, const uint32_t *address, uint32_t offset, uint32_t bits, uint32_t operation) {
    uint64_t exec = wl_exec(wave);
    for (uint32_t l = 0; l < wave->wave_size; l++) {
        if (!wl_lane_in(exec, l))
            continue;
        uint32_t first = offset & 0x8000 ? address[l] & 0x1ffff : address[l], second = first + (uint32_t)src2_distance(address[l], offset);
        uint64_t data = 0;
        memcpy(&data, wave->lds + second, bits / 8);
        wl_atomic_lane(wave->lds + first, operation, bits, data, 0);
    }
}

void wl_help_ds_condxchg(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, const uint32_t *data, uint32_t offset) {
    uint64_t exec = wl_exec(wave);
    uint32_t at[MAX_LANES], size = wave->wave_size;
    memcpy(at, address, size * sizeof *at); /* the destination may be the address */
    for (uint32_t l = 0; l < size; l++) {
        if (!wl_lane_in(exec, l))
            continue;
        for (uint32_t i = 0; i < 2; i++) {
            uint8_t *memory = wave->lds + ((at[l] + offset) & 0xfff8) + i * (size_t)4;
            uint32_t value = data[i * size + l], old;
            memcpy(&old, memory, 4);
            if (value >> 31) {
                value &= 0x7fffffff;
                memcpy(memory, &value, 4);
            }
            destination[i * size + l] = old;
        }
    }
}

static uint64_t address_of(const struct wl_wave *wave, const uint32_t *rows, uint64_t base, bool narrow, uint32_t lane) {
    if (!rows)
        return base;
    return base + (narrow ? rows[lane] : rows[lane] | (uint64_t)rows[wave->wave_size + lane] << 32);
}

/* 8 x 8 bytes at a time: rows 0 to 3 are loaded by four lanes of the first half of 16, rows 4 to 7 by those 8 lanes on. Lanes 0 to 3
 * and 8 to 11 feed lanes 0 to 7, the others lanes 8 to 15. */
static void load_bytes_transposed(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, uint64_t base, bool narrow) {
    enum { ELEMENTS = 8 };
    uint64_t exec = wl_exec(wave);
    uint8_t loaded[MAX_LANES][ELEMENTS] = {{0}};
    uint32_t size = wave->wave_size;
    for (uint32_t l = 0; l < size; l++)
        if (wl_lane_in(exec, l))
            memcpy(loaded[l], (const void *)(uintptr_t)address_of(wave, address, base, narrow, l), sizeof loaded[l]);
    for (uint32_t l = 0; l < size; l++) {
        if (!wl_lane_in(exec, l))
            continue;
        uint32_t first = l / 16 * 16 + l % 16 / 8 * 4, rows[2] = {0, 0};
        for (uint32_t i = 0; i < ELEMENTS; i++)
            rows[i / 4] |= (uint32_t)loaded[first + i / 4 * 8 + i % 4][l % ELEMENTS] << i % 4 * 8;
        destination[l] = rows[0];
        destination[size + l] = rows[1];
    }
}

/* Element `n` of `bits` bits of a lane's dwords. */
static uint32_t element_of(const uint32_t *dwords, uint32_t n, uint32_t bits) {
    const uint32_t at = n * bits, shift = at % 32;
    const uint64_t both = dwords[at / 32] | (uint64_t)(shift + bits > 32 ? dwords[at / 32 + 1] : 0) << 32;
    return (uint32_t)(both >> shift) & ((UINT32_C(1) << bits) - 1);
}

/* Each 16 lanes load rows of 16 elements, a row by one, two or four lanes beside each other; lane i of them gets column i. */
void wl_help_ds_transposed(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, uint32_t offset, uint32_t bits) {
    enum { GROUP = 16, MOST_DWORDS = 3 };
    const uint32_t dwords = bits == 6 ? 3 : 2, elements = dwords * 32 / bits, size = wave->wave_size;
    const uint64_t exec = wl_exec(wave);
    uint32_t loaded[MAX_LANES][MOST_DWORDS] = {{0}};
    for (uint32_t l = 0; l < size; l++)
        if (wl_lane_in(exec, l))
            memcpy(loaded[l], wave->lds + (uint32_t)(address[l] + offset), dwords * sizeof(uint32_t));
    for (uint32_t l = 0; l < size; l++) {
        if (!wl_lane_in(exec, l))
            continue;
        const uint32_t group = l / GROUP * GROUP, column = l % GROUP;
        uint32_t result[MOST_DWORDS + 1] = {0};
        for (uint32_t row = 0; row < elements; row++) {
            const uint32_t source = group + row * (GROUP / elements) + column / elements, at = row * bits;
            const uint64_t value = (uint64_t)element_of(loaded[source], column % elements, bits) << at % 32;
            result[at / 32] |= (uint32_t)value;
            result[at / 32 + 1] |= (uint32_t)(value >> 32);
        }
        for (uint32_t i = 0; i < dwords; i++)
            destination[i * size + l] = result[i];
    }
}

/* Within each group of 8 lanes, the 16-bit element j of lane i becomes element i of lane j. */
void wl_help_load_transposed(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, uint64_t base, uint32_t kind) {
    enum { ELEMENTS = 8 };
    uint64_t exec = wl_exec(wave);
    bool narrow = kind & WL_TRANSPOSED_NARROW;
    if (kind & WL_TRANSPOSED_BYTES) {
        load_bytes_transposed(wave, destination, address, base, narrow);
        return;
    }
    uint16_t loaded[MAX_LANES][ELEMENTS] = {{0}};
    uint32_t size = wave->wave_size;
    for (uint32_t l = 0; l < size; l++)
        if (wl_lane_in(exec, l))
            memcpy(loaded[l], (const void *)(uintptr_t)address_of(wave, address, base, narrow, l), sizeof loaded[l]);
    for (uint32_t l = 0; l < size; l++) {
        if (!wl_lane_in(exec, l))
            continue;
        uint32_t group = l / ELEMENTS * ELEMENTS, element = l % ELEMENTS;
        for (uint32_t i = 0; i < ELEMENTS; i += 2)
            destination[i / 2 * size + l] = loaded[group + i][element] | (uint32_t)loaded[group + i + 1][element] << 16;
    }
}

static uint32_t *block_dword(struct wl_wave *wave, uint64_t address, uint32_t kind, uint32_t lane) {
    if (kind & WL_BLOCK_SCRATCH)
        return (uint32_t *)(void *)(wave->scratch + wl_scratch_address((uint32_t)address & ~3u, lane, wave->wave_size));
    return (uint32_t *)(uintptr_t)address;
}

void wl_help_block(struct wl_wave *wave, uint32_t *rows, const uint32_t *address, uint64_t base, uint32_t kind, uint32_t mask) {
    enum { BLOCK = 32 };
    uint64_t exec = wl_exec(wave), at[MAX_LANES];
    for (uint32_t l = 0; l < wave->wave_size; l++) /* a load may overwrite its address */
        at[l] = address_of(wave, address, base, kind & WL_BLOCK_NARROW, l);
    for (uint32_t i = 0; i < BLOCK; i++) {
        if (!(mask >> i & 1))
            continue;
        for (uint32_t l = 0; l < wave->wave_size; l++) {
            if (!wl_lane_in(exec, l))
                continue;
            uint32_t *memory = block_dword(wave, at[l] + i * UINT64_C(4), kind, l), *cell = &rows[i * wave->wave_size + l];
            if (kind & WL_BLOCK_STORE)
                memcpy(memory, cell, 4);
            else
                memcpy(cell, memory, 4);
        }
    }
}
