#include "device/cpu/run/sanitize_rare.h"

#include "device/cpu/helpers/helpers.h"
#include "device/cpu/helpers/reach.h"
#include "machine/lane_mask.h"

#include <string.h>

enum { MAX_LANES = 64 };

/* An instruction on its way: the lanes that are on, and those that may make all of its accesses so far. */
struct asking {
    struct wl_wave *wave;
    const struct wl_sanitize_site *site;
    uint64_t exec, good;
};

static struct asking begin(struct wl_wave *wave) {
    const uint64_t exec = wl_exec(wave);
    return (struct asking){wave, (const struct wl_sanitize_site *)(uintptr_t)wave->pc, exec, exec};
}

/* One of its accesses. `address`: as wl_helpers.sanitize_access has it. */
static void ask(struct asking *a, enum wl_sanitize_kind kind, enum wl_sanitize_space space, uint32_t bytes, const uint64_t *address) {
    struct wl_sanitize_site site = *a->site;
    site.kind = (uint8_t)kind;
    site.space = (uint8_t)space;
    site.bytes = bytes;
    if (a->good)
        a->good &= wl_sanitize_access(a->wave, &site, a->good, address, NULL);
}

/* Off goes who may not. */
static void narrow(const struct asking *a) { wl_sanitize_set_exec(a->wave, a->good); }

static void finish(const struct asking *a, uint32_t *destination, uint32_t dwords) {
    wl_sanitize_set_exec(a->wave, a->exec);
    wl_sanitize_clear_lanes(a->wave, destination, dwords, a->exec & ~a->good);
}

static void ask_lds(struct asking *a, enum wl_sanitize_kind kind, uint32_t bytes, const uint32_t *row, uint32_t offset) {
    uint64_t address[MAX_LANES];
    for (uint32_t l = 0; l < a->wave->wave_size; l++)
        address[l] = (uint64_t)(uintptr_t)a->wave->lds + (uint32_t)(row[l] + offset);
    ask(a, kind, WL_SANITIZE_LDS, bytes, address);
}

/* ---- LDS ------------------------------------------------------------------------------------- */

static void help_src2(struct wl_wave *wave, const uint32_t *address, uint32_t offset, uint32_t bits, uint32_t operation) {
    struct asking a = begin(wave);
    uint32_t first[MAX_LANES], second[MAX_LANES];
    for (uint32_t l = 0; l < wave->wave_size; l++)
        wl_help_src2_places(address[l], offset, &first[l], &second[l]);
    ask_lds(&a, WL_SANITIZE_LOAD, bits / 8, second, 0);
    ask_lds(&a, WL_SANITIZE_ATOMIC, bits / 8, first, 0);
    narrow(&a);
    wl_helpers_table.ds_src2(wave, address, offset, bits, operation);
    finish(&a, NULL, 0);
}

static void help_condxchg(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, const uint32_t *data, uint32_t offset) {
    struct asking a = begin(wave);
    uint32_t place[MAX_LANES];
    for (uint32_t l = 0; l < wave->wave_size; l++)
        place[l] = (address[l] + offset) & 0xfff8;
    ask_lds(&a, WL_SANITIZE_ATOMIC, 8, place, 0);
    narrow(&a);
    wl_helpers_table.ds_condxchg(wave, destination, address, data, offset);
    finish(&a, destination, 2);
}

static void help_arrive(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, const uint32_t *data, uint32_t offset) {
    struct asking a = begin(wave);
    ask_lds(&a, WL_SANITIZE_ATOMIC, 8, address, offset);
    narrow(&a);
    wl_helpers_table.ds_arrive(wave, destination, address, data, offset);
    finish(&a, destination, 2);
}

static void help_lds_transposed(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, uint32_t offset, uint32_t bits) {
    const uint32_t dwords = bits == 6 ? 3 : 2;
    struct asking a = begin(wave);
    ask_lds(&a, WL_SANITIZE_LOAD, dwords * 4, address, offset);
    narrow(&a);
    wl_helpers_table.ds_transposed(wave, destination, address, offset, bits);
    finish(&a, destination, dwords);
}

/* ---- by WL_REACH_* --------------------------------------------------------------------------- */

static void find(const struct wl_wave *wave, const uint32_t *rows, uint64_t base, uint32_t kind, uint64_t *address) {
    for (uint32_t l = 0; l < wave->wave_size; l++)
        address[l] = wl_help_reach(wave, rows, base, kind, l);
}

static enum wl_sanitize_space space_of(uint32_t kind) {
    return kind & WL_REACH_LDS ? WL_SANITIZE_LDS : kind & WL_REACH_SCRATCH ? WL_SANITIZE_SCRATCH : WL_SANITIZE_GLOBAL;
}

static void help_transposed(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, uint64_t base, uint32_t kind) {
    const uint32_t bits = kind >> WL_REACH_SIZE & 0xff, dwords = bits == 16 ? 4 : bits == 6 ? 3 : 2;
    struct asking a = begin(wave);
    uint64_t at[MAX_LANES];
    find(wave, address, base, kind, at);
    ask(&a, WL_SANITIZE_LOAD, kind & WL_REACH_LDS ? WL_SANITIZE_LDS : WL_SANITIZE_GLOBAL, dwords * 4, at);
    narrow(&a);
    wl_helpers_table.load_transposed(wave, destination, address, base, kind);
    finish(&a, destination, dwords);
}

static void help_copy(struct wl_wave *wave, const uint32_t *lds, const uint32_t *address, uint64_t base, uint32_t offset, uint32_t kind) {
    const uint32_t size = kind >> WL_REACH_SIZE & 0xff;
    const bool stores = kind & WL_REACH_STORE;
    struct asking a = begin(wave);
    uint64_t at[MAX_LANES];
    find(wave, address, base, kind, at);
    ask(&a, stores ? WL_SANITIZE_STORE : WL_SANITIZE_LOAD, WL_SANITIZE_GLOBAL, size, at);
    ask_lds(&a, stores ? WL_SANITIZE_LOAD : WL_SANITIZE_STORE, size, lds, offset);
    narrow(&a);
    wl_helpers_table.copy_lds(wave, lds, address, base, offset, kind);
    finish(&a, NULL, 0);
}

static void help_block(struct wl_wave *wave, uint32_t *rows, const uint32_t *address, uint64_t base, uint32_t kind, uint32_t mask) {
    const bool stores = kind & WL_REACH_STORE;
    struct asking a = begin(wave);
    uint64_t start[MAX_LANES], at[MAX_LANES];
    find(wave, address, base, kind, start);
    for (uint32_t left = mask; left; left &= left - 1) {
        for (uint32_t l = 0; l < wave->wave_size; l++)
            at[l] = start[l] + 4 * (uint64_t)__builtin_ctz(left);
        ask(&a, stores ? WL_SANITIZE_STORE : WL_SANITIZE_LOAD, space_of(kind), 4, at);
    }
    narrow(&a);
    wl_helpers_table.block(wave, rows, address, base, kind, mask);
    finish(&a, NULL, 0);
    for (uint32_t left = stores ? 0 : mask; left; left &= left - 1)
        wl_sanitize_clear_lanes(wave, rows + (size_t)__builtin_ctz(left) * wave->wave_size, 1, a.exec & ~a.good);
}

void wl_sanitize_rare_helpers(struct wl_helpers *helpers) {
    helpers->ds_src2 = help_src2;
    helpers->ds_condxchg = help_condxchg;
    helpers->ds_arrive = help_arrive;
    helpers->ds_transposed = help_lds_transposed;
    helpers->load_transposed = help_transposed;
    helpers->copy_lds = help_copy;
    helpers->block = help_block;
}
