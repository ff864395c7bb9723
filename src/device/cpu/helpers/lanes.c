#include "device/cpu/helpers/lanes.h"
#include "machine/lane_mask.h"
#include "machine/operations.h"

#include <string.h>

#define MAX_LANES 64

void wl_help_ds_bpermute(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, const uint32_t *source, uint32_t offset) {
    uint64_t exec = wl_exec(wave);
    uint32_t copy[MAX_LANES], lanes = wave->wave_size;
    memcpy(copy, source, lanes * sizeof *copy);
    for (uint32_t l = 0; l < lanes; l++) {
        uint32_t from = (address[l] + offset) / 4 % lanes;
        if (wl_lane_in(exec, l))
            destination[l] = wl_lane_in(exec, from) ? copy[from] : 0;
    }
}

void wl_help_ds_permute(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, const uint32_t *source, uint32_t offset) {
    uint64_t exec = wl_exec(wave);
    uint32_t result[MAX_LANES] = {0}, lanes = wave->wave_size;
    for (uint32_t l = 0; l < lanes; l++)
        if (wl_lane_in(exec, l))
            result[(address[l] + offset) / 4 % lanes] = source[l];
    for (uint32_t l = 0; l < lanes; l++)
        if (wl_lane_in(exec, l))
            destination[l] = result[l];
}

/* ---- ds_swizzle_b32 ------------------------------------------------------------------------- */

static uint32_t reverse5(uint32_t value) {
    uint32_t result = 0;
    for (int bit = 0; bit < 5; bit++)
        result |= (value >> bit & 1) << (4 - bit);
    return result;
}

/* The lane that lane `i` of a group of 32 reads. */
static uint32_t swizzle_source(uint32_t i, uint32_t pattern) {
    uint32_t mask = pattern & 31, middle = pattern >> 5 & 31;
    if (pattern >= 0xe000) /* FFT */
        return ((reverse5(i) >> __builtin_popcount(mask)) + (i & mask)) & 31;
    if (pattern >= 0xc000) { /* rotate */
        uint32_t rotate = pattern >> 10 & 1 ? 0u - middle : middle;
        return (i & mask) | ((i + rotate) & ~mask & 31);
    }
    if (pattern & 0x8000) /* any permutation of four */
        return (i & ~3u) | (pattern >> (i & 3) * 2 & 3);
    return ((i & mask) | middle) ^ (pattern >> 10 & 31);
}

void wl_help_ds_swizzle(struct wl_wave *wave, uint32_t *destination, const uint32_t *source, uint32_t pattern) {
    uint64_t exec = wl_exec(wave);
    uint32_t copy[MAX_LANES], lanes = wave->wave_size;
    memcpy(copy, source, lanes * sizeof *copy);
    for (uint32_t l = 0; l < lanes; l++) {
        uint32_t from = swizzle_source(l & 31, pattern & 0xffff) | (l & 32);
        if (wl_lane_in(exec, l))
            destination[l] = wl_lane_in(exec, from) ? copy[from] : 0;
    }
}

/* ---- v_permlane ----------------------------------------------------------------------------- */

static void permute_rows(struct wl_wave *wave, uint32_t *destination, const uint32_t *source, uint64_t selects, uint32_t flip,
                         bool fetch_inactive, bool bound_control) {
    uint64_t exec = wl_exec(wave);
    uint32_t copy[MAX_LANES], lanes = wave->wave_size;
    memcpy(copy, source, lanes * sizeof *copy);
    for (uint32_t l = 0; l < lanes; l++) {
        uint32_t from = ((l & ~15u) ^ flip) | (uint32_t)(selects >> (l & 15) * 4 & 15);
        if (!wl_lane_in(exec, l))
            continue;
        if (fetch_inactive || wl_lane_in(exec, from))
            destination[l] = copy[from];
        else if (bound_control)
            destination[l] = 0;
    }
}

void wl_help_permlane16(struct wl_wave *wave, uint32_t *destination, const uint32_t *source, uint32_t low, uint32_t high,
                        uint32_t fetch_inactive, uint32_t bound_control) {
    permute_rows(wave, destination, source, low | (uint64_t)high << 32, 0, fetch_inactive, bound_control);
}

void wl_help_permlanex16(struct wl_wave *wave, uint32_t *destination, const uint32_t *source, uint32_t low, uint32_t high,
                         uint32_t fetch_inactive, uint32_t bound_control) {
    permute_rows(wave, destination, source, low | (uint64_t)high << 32, 16, fetch_inactive, bound_control);
}

void wl_help_exchange(struct wl_wave *wave, const struct wl_exchange *exchange) {
    uint64_t exec = wl_exec(wave);
    uint32_t copy[2][MAX_LANES], lanes = wave->wave_size;
    for (unsigned i = 0; i < exchange->sources; i++)
        memcpy(copy[i], exchange->source[i], lanes * sizeof *copy[i]);
    for (unsigned r = 0; r < exchange->results; r++)
        for (uint32_t l = 0; l < lanes; l++) {
            uint32_t from = exchange->from[r][l], lane = from % MAX_LANES;
            if (!wl_lane_in(exec, l))
                continue;
            if (exchange->fetch_inactive || wl_lane_in(exec, lane))
                exchange->to[r][l] = copy[from / MAX_LANES][lane];
            else if (exchange->bound_control)
                exchange->to[r][l] = 0;
        }
}

/* ---- DPP ------------------------------------------------------------------------------------ */

/* The lane that lane `l` reads, or -1. */
static int dpp_source(uint32_t l, uint32_t lanes, uint32_t kind, uint32_t control) {
    uint32_t row = l & ~15u, i = l & 15, n = control & 15;
    switch ((enum wl_dpp_kind)kind) {
    case WL_DPP_NONE:
        return (int)l;
    case WL_DPP_QUAD_PERM:
        return (int)((l & ~3u) | (control >> (l & 3) * 2 & 3));
    case WL_DPP_ROW_SHL:
        return i + n < 16 ? (int)(l + n) : -1;
    case WL_DPP_ROW_SHR:
        return i >= n ? (int)(l - n) : -1;
    case WL_DPP_ROW_ROR:
        return (int)(row | ((i - n) & 15));
    case WL_DPP_WAVE_SHL:
        return l + 1 < lanes ? (int)(l + 1) : -1;
    case WL_DPP_WAVE_ROL:
        return (int)((l + 1) % lanes);
    case WL_DPP_WAVE_SHR:
        return (int)l - 1;
    case WL_DPP_WAVE_ROR:
        return (int)((l + lanes - 1) % lanes);
    case WL_DPP_ROW_MIRROR:
        return (int)(row | (15 - i));
    case WL_DPP_ROW_HALF_MIRROR:
        return (int)(row | (i & 8) | (7 - (i & 7)));
    case WL_DPP_ROW_BCAST15:
        return (int)row - 1;
    case WL_DPP_ROW_BCAST31:
        return l >= 32 ? 31 : -1;
    case WL_DPP_ROW_SHARE:
    case WL_DPP_ROW_NEWBCAST:
        return (int)(row | n);
    case WL_DPP_ROW_XMASK:
        return (int)(row | (i ^ n));
    case WL_DPP_DPP8:
        return (int)((l & ~7u) | (control >> (l & 7) * 3 & 7));
    }
    return -1;
}

uint64_t wl_help_dpp(struct wl_wave *wave, uint32_t *destination, const uint32_t *source, uint32_t kind, uint32_t control,
                     uint32_t row_mask, uint32_t bank_mask, uint32_t bound_control, uint32_t fetch_inactive) {
    uint64_t exec = wl_exec(wave), written = 0;
    uint32_t copy[MAX_LANES], lanes = wave->wave_size;
    bool zero = bound_control || kind == WL_DPP_DPP8; /* DPP8 has no bound control: what it cannot read is 0 */
    memcpy(copy, source, lanes * sizeof *copy);
    for (uint32_t l = 0; l < lanes; l++) {
        bool wanted = kind == WL_DPP_DPP8 || ((row_mask >> (l >> 4) & 1) && (bank_mask >> (l >> 2 & 3) & 1));
        if (!wl_lane_in(exec, l) || !wanted)
            continue;
        int from = dpp_source(l, lanes, kind, control);
        bool readable = from >= 0 && (fetch_inactive || wl_lane_in(exec, (uint32_t)from));
        if (!readable && !zero)
            continue;
        destination[l] = readable ? copy[from] : 0;
        written |= UINT64_C(1) << l;
    }
    return written;
}
