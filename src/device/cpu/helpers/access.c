/* Rare memory instructions: LDS without registers, blocks of registers, transposing loads. */
#include "device/cpu/helpers/barriers.h"
#include "device/cpu/helpers/lanes.h"
#include "device/cpu/helpers/reach.h"
#include "machine/lane_mask.h"

#include <string.h>

#define MAX_LANES 64

/* Bytes from the first operand to the second: `offset` is a number of dwords, 8 bits and a second half of which the last is
 * a sign; with bit 15 set the distance comes from the address' upper half instead. */
static int32_t src2_distance(uint32_t address, uint32_t offset) {
    int32_t dwords = offset & 0x8000 ? (int32_t)address >> 17 : (int32_t)(int16_t)((offset & 0x4000) << 1 | (offset & 0x7fff));
    return dwords * 4;
}

void wl_help_src2_places(uint32_t address, uint32_t offset, uint32_t *first, uint32_t *second) {
    *first = offset & 0x8000 ? address & 0x1ffff : address;
    *second = *first + (uint32_t)src2_distance(address, offset);
}

void wl_help_ds_src2(struct wl_wave *wave, const uint32_t *address, uint32_t offset, uint32_t bits, uint32_t operation) {
    uint64_t exec = wl_exec(wave);
    for (uint32_t l = 0; l < wave->wave_size; l++) {
        if (!wl_lane_in(exec, l))
            continue;
        uint32_t first, second;
        wl_help_src2_places(address[l], offset, &first, &second);
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

uint64_t wl_help_reach(const struct wl_wave *wave, const uint32_t *rows, uint64_t base, uint32_t kind, uint32_t lane) {
    if (kind & WL_REACH_LDS)
        return (uintptr_t)wave->lds + (uint32_t)(rows[lane] + base);
    if (!rows)
        return base;
    if (!(kind & WL_REACH_NARROW))
        return base + (rows[lane] | (uint64_t)rows[wave->wave_size + lane] << 32);
    const uint64_t index = kind & WL_REACH_SIGNED ? (uint64_t)(int64_t)(int32_t)rows[lane] : rows[lane];
    return base + index * (kind >> WL_REACH_UNIT & 0xff);
}

/* What is borrowed from the phase counts it down; the highest bit of the missing ones tells that none is missing any more. */
static uint64_t arrive(uint64_t old, uint32_t data) {
    enum { PHASE = 29 };
    uint32_t low = (uint32_t)old - data;
    if (low >> (PHASE - 1) & 1)
        low = low >> PHASE << PHASE | (uint32_t)(old >> 32 & 0xffff);
    return old >> 32 << 32 | low;
}

uint64_t wl_lds_arrive(struct wl_wave *wave, uint32_t address, uint32_t count) {
    uint8_t *const at = wave->lds + address;
    uint64_t old, now;
    memcpy(&old, at, sizeof old);
    now = arrive(old, count);
    memcpy(at, &now, sizeof now);
    return old;
}

void wl_help_ds_arrive(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, const uint32_t *data, uint32_t offset) {
    const uint64_t exec = wl_exec(wave);
    for (uint32_t l = 0; l < wave->wave_size; l++) {
        if (!wl_lane_in(exec, l))
            continue;
        const uint64_t old = wl_lds_arrive(wave, address[l] + offset, data ? data[l] : 1);
        if (!destination)
            continue;
        destination[l] = (uint32_t)old;
        destination[wave->wave_size + l] = (uint32_t)(old >> 32);
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

/* Which lane loads element `e` of a lane's result, and which of its elements that is. */
struct place {
    uint32_t lane, element;
};

static struct place transposed_from(uint32_t bits, uint32_t lane, uint32_t e) {
    switch (bits) {
    case 16: /* 8 x 8, within each 8 lanes */
        return (struct place){lane / 8 * 8 + e, lane % 8};
    case 8: /* 8 x 8: rows 0 to 3 by four lanes, rows 4 to 7 by those 8 lanes on; lanes 0 to 3 and 8 to 11 feed lanes 0 to 7 */
        return (struct place){lane / 16 * 16 + lane % 16 / 8 * 4 + e / 4 * 8 + e % 4, lane % 8};
    case 6: /* 16 x 16: the rows by every second four lanes */
        return (struct place){e / 4 * 8 + e % 4 + lane / 16 * 4, lane % 16};
    default: /* 8 x 16: a dword of them from each half of the wave */
        return (struct place){e / 8 * 16 + lane / 16 * 8 + e % 8, lane % 16};
    }
}

void wl_help_load_transposed(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, uint64_t base, uint32_t kind) {
    enum { LANES = 32, MOST_DWORDS = 4 };
    const uint64_t exec = wl_exec(wave);
    const uint32_t bits = kind >> WL_REACH_SIZE & 0xff, dwords = bits == 16 ? 4 : bits == 6 ? 3 : 2, size = wave->wave_size;
    uint32_t loaded[LANES][MOST_DWORDS] = {{0}};

    for (uint32_t l = 0; l < LANES; l++)
        if (wl_lane_in(exec, l))
            memcpy(loaded[l], (const void *)(uintptr_t)wl_help_reach(wave, address, base, kind, l), dwords * sizeof(uint32_t));
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t result[MOST_DWORDS + 1] = {0};

        if (!wl_lane_in(exec, l))
            continue;
        for (uint32_t e = 0; e < dwords * 32 / bits; e++) {
            const struct place from = transposed_from(bits, l, e);
            const uint64_t value = (uint64_t)element_of(loaded[from.lane], from.element, bits) << e * bits % 32;
            result[e * bits / 32] |= (uint32_t)value;
            result[e * bits / 32 + 1] |= (uint32_t)(value >> 32);
        }
        for (uint32_t i = 0; i < dwords; i++)
            destination[i * size + l] = result[i];
    }
}

void wl_help_copy_lds(struct wl_wave *wave, const uint32_t *lds, const uint32_t *address, uint64_t base, uint32_t offset, uint32_t kind) {
    const uint64_t exec = wl_exec(wave);
    const size_t size = kind >> WL_REACH_SIZE & 0xff;
    if (kind & WL_REACH_CLUSTER && !wl_cluster_takes(wave, wave->sgpr[WL_SGPR_M0] & 0xffff))
        return;
    for (uint32_t l = 0; l < wave->wave_size; l++) {
        if (!wl_lane_in(exec, l))
            continue;
        const uint32_t place = lds[l] + offset;
        void *const local = wave->lds + place;
        void *const memory = (void *)(uintptr_t)wl_help_reach(wave, address, base, kind, l);
        if (kind & WL_REACH_STORE)
            memcpy(memory, local, size);
        else
            memcpy(local, memory, size);
    }
}

/* The lane that `lane` reads; whether that one is active does not matter. */
static uint32_t permlane_from(uint32_t lane, uint32_t select, uint32_t width, uint32_t operation) {
    const uint32_t first = lane / width * width, n = lane - first, far = select < width ? select : width;

    switch (operation) {
    case WL_PERMLANE_BCAST:
        return first + (select & 63 & (width - 1));
    case WL_PERMLANE_UP:
        return n < far ? lane : lane - far;
    case WL_PERMLANE_DOWN:
        return n + far < width ? lane + far : lane;
    default:
        return (lane ^ (select & 63)) < first + width ? lane ^ (select & 63) : lane;
    }
}

void wl_help_permlane(struct wl_wave *wave, uint32_t *destination, const uint32_t *source, uint32_t select, uint32_t width,
                      uint32_t operation) {
    const uint64_t exec = wl_exec(wave);
    const uint32_t size = wave->wave_size, among = width && width < size ? width : size;
    uint32_t from[MAX_LANES];

    memcpy(from, source, size * sizeof *from); /* the destination may be the source */
    for (uint32_t l = 0; l < size; l++)
        if (wl_lane_in(exec, l))
            destination[l] = operation == WL_PERMLANE_INDEX ? ((from[l] & (among - 1)) + (l & ~(among - 1))) * 4
                                                            : from[permlane_from(l, select, among, operation) % size];
}

static uint32_t *block_dword(struct wl_wave *wave, uint64_t address, uint32_t kind, uint32_t lane) {
    if (kind & WL_REACH_SCRATCH)
        return (uint32_t *)(void *)(wave->scratch + wl_scratch_address((uint32_t)address & ~3u, lane, wave->wave_size));
    return (uint32_t *)(uintptr_t)address;
}

void wl_help_block(struct wl_wave *wave, uint32_t *rows, const uint32_t *address, uint64_t base, uint32_t kind, uint32_t mask) {
    enum { BLOCK = 32 };
    uint64_t exec = wl_exec(wave), at[MAX_LANES];
    for (uint32_t l = 0; l < wave->wave_size; l++) /* a load may overwrite its address */
        at[l] = wl_help_reach(wave, address, base, kind, l);
    for (uint32_t i = 0; i < BLOCK; i++) {
        if (!(mask >> i & 1))
            continue;
        for (uint32_t l = 0; l < wave->wave_size; l++) {
            if (!wl_lane_in(exec, l))
                continue;
            uint32_t *memory = block_dword(wave, at[l] + i * UINT64_C(4), kind, l), *cell = &rows[i * wave->wave_size + l];
            if (kind & WL_REACH_STORE)
                memcpy(memory, cell, 4);
            else
                memcpy(cell, memory, 4);
        }
    }
}
