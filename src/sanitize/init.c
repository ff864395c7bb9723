/* initcheck: workgroups, waves, and what moves between their registers and memory. */
#include "sanitize/init.h"

#include "sanitize/init_state.h"
#include "sanitize/lazy.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- lives ----------------------------------------------------------------------------------- */

/* Nobody has written it. False: there is no memory for that. */
static bool begin_area(struct wl_init_area *area, size_t size) {
    if (size > area->capacity) {
        free(area->bits);
        free(area->origins);
        area->bits = malloc(size + WL_INIT_AREA_BEHIND);
        area->origins = calloc(size / 4 + 1, sizeof *area->origins);
        area->has_origins = false;
        area->capacity = area->bits && area->origins ? size : 0;
    }
    area->size = size <= area->capacity ? size : 0;
    if (area->size)
        memset(area->bits, 0xff, area->size);
    if (area->size && area->has_origins)
        memset(area->origins, 0, (area->capacity / 4 + 1) * sizeof *area->origins);
    area->has_origins = false;
    return area->size == size;
}

void wl_init_group_begin(struct wl_san_group *group) {
    struct wl_init_group *g = group->init;
    if (!g)
        g = group->init = calloc(1, sizeof *g);
    if (g && !begin_area(&g->lds, group->launch->lds_size))
        wl_init_group_free(group);
}

static void free_area(struct wl_init_area *area) {
    free(area->bits);
    free(area->origins);
}

void wl_init_group_free(struct wl_san_group *group) {
    struct wl_init_group *g = group->init;
    for (unsigned i = 0; g && i < sizeof g->waves / sizeof *g->waves; i++)
        if (g->waves[i]) {
            free_area(&g->waves[i]->scratch);
            munmap(g->waves[i], sizeof *g->waves[i]);
        }
    if (g)
        free_area(&g->lds);
    free(g);
    group->init = NULL;
}

/* The registers that nobody has written, of those that may be read before they are. */
static void begin_registers(struct wl_undefined *u, const struct wl_san_launch *launch) {
    const uint64_t all = u->wave_size == 64 ? UINT64_MAX : UINT32_MAX;
    wl_undefined_clear(u);
    for (unsigned w = 0; w < 2; w++)
        for (uint64_t left = launch->unwritten_scalars[w]; left; left &= left - 1) {
            const unsigned r = w * 64 + (unsigned)__builtin_ctzll(left);
            wl_undefined_set_scalar(u, r, r == WL_SGPR_SCC ? 1 : UINT32_MAX, wl_origin(WL_ORIGIN_SGPR, r));
        }
    for (unsigned w = 0; w < WL_ROW_WORDS; w++) {
        u->rows[w] = launch->unwritten_rows[w];
        u->any |= u->rows[w] != 0;
        for (uint64_t left = u->rows[w]; left; left &= left - 1) {
            const unsigned r = w * 64 + (unsigned)__builtin_ctzll(left);
            u->lanes[r] = u->never[r] = all;
        }
    }
}

void wl_init_wave_begin(struct wl_san_wave *wave) {
    struct wl_init_group *g = wave->group->init;
    const struct wl_san_launch *launch = wave->group->launch;
    if (!g || wave->index >= sizeof g->waves / sizeof *g->waves)
        return;
    struct wl_init_wave *w = g->waves[wave->index];
    if (!w)
        w = g->waves[wave->index] = wl_san_map(sizeof *w);
    if (!w || !begin_area(&w->scratch, (size_t)launch->scratch_size * launch->wave_size))
        return;
    wave->init = w;
    w->undefined.wave_size = launch->wave_size;
    w->undefined.lds = g->lds.bits;
    w->undefined.scratch = w->scratch.bits;
    begin_registers(&w->undefined, launch);
}

struct wl_undefined *wl_san_undefined(struct wl_san_wave *wave) {
    return wave->init ? &((struct wl_init_wave *)wave->init)->undefined : NULL;
}

void wl_san_decides(struct wl_san_wave *wave, uint64_t code, uint32_t use, uint32_t lane, uint64_t origin) {
    wl_init_report(wave, code, (enum wl_undefined_use)use, lane, origin);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* The bytes of a lane's access: in memory, LDS or private memory. */
struct place {
    struct wl_san_wave *wave;
    const struct wl_transfer *transfer;
    uint8_t space;
    uint32_t lane, bytes;
    uint64_t address;
};

static struct wl_init_area *area_of(const struct place *p) {
    if (p->space == WL_SANITIZE_LDS)
        return p->wave->group->init ? &((struct wl_init_group *)p->wave->group->init)->lds : NULL;
    return &((struct wl_init_wave *)p->wave->init)->scratch;
}

/* Where byte `i` is in its area; its size: it is not there. */
static size_t offset_in(const struct place *p, const struct wl_init_area *area, uint32_t i) {
    const uint64_t address = p->address + i;
    const uint64_t at =
        p->space == WL_SANITIZE_LDS ? address : wl_scratch_address((uint32_t)address, p->lane, p->wave->group->launch->wave_size);
    return at < area->size ? at : area->size;
}

static bool is_in_block(const struct place *p) { return (p->address & (WL_INIT_BLOCK - 1)) + p->bytes <= WL_INIT_BLOCK; }

static uint64_t own_origin(const struct place *p, uint32_t i) {
    return wl_origin(p->space == WL_SANITIZE_LDS ? WL_ORIGIN_LDS : WL_ORIGIN_SCRATCH, p->address + i);
}

/* False: all bits are defined. *origin: of the first undefined byte. */
static bool read_global(const struct place *p, uint8_t *bits, uint64_t *origin) {
    const uint8_t *from = is_in_block(p) ? wl_init_read(p->address) : NULL;
    bool any = false;
    if (!from && is_in_block(p))
        return false;
    for (uint32_t i = 0; i < p->bytes; i++) {
        const uint8_t *byte = from ? from + i : wl_init_read(p->address + i);
        bits[i] = byte ? *byte : 0;
        if (bits[i] && !any) {
            any = true;
            *origin = wl_init_origin(p->address + i);
        }
    }
    return any;
}

/* LDS and private memory by dwords, where they are all there. */
static bool is_whole(const struct place *p, const struct wl_init_area *area) {
    return area && p->bytes && !((p->address | p->bytes) & 3) && offset_in(p, area, p->bytes - 1) < area->size;
}

static bool read_dwords(const struct place *p, const struct wl_init_area *area, uint8_t *bits, uint64_t *origin) {
    bool any = false;
    for (uint32_t i = 0; i < p->bytes; i += 4) {
        const size_t at = offset_in(p, area, i);
        uint32_t open;
        memcpy(&open, area->bits + at, sizeof open);
        memcpy(bits + i, &open, sizeof open);
        if (open && !any) {
            any = true;
            *origin = area->origins[at / 4] ? area->origins[at / 4] : own_origin(p, i);
        }
    }
    return any;
}

static bool read_place(const struct place *p, uint8_t *bits, uint64_t *origin) {
    bool any = false;
    if (p->space == WL_SANITIZE_GLOBAL)
        return read_global(p, bits, origin);
    const struct wl_init_area *area = area_of(p);
    if (is_whole(p, area))
        return read_dwords(p, area, bits, origin);
    for (uint32_t i = 0; area && i < p->bytes; i++) {
        const size_t at = offset_in(p, area, i);
        bits[i] = at < area->size ? area->bits[at] : 0;
        if (bits[i] && !any) {
            any = true;
            *origin = area->origins[at / 4] ? area->origins[at / 4] : own_origin(p, i);
        }
    }
    return any;
}

static void write_global(const struct place *p, const uint8_t *bits, uint64_t origin) {
    for (uint32_t i = 0; i < p->bytes; i++) {
        if (!bits[i] && !wl_init_read(p->address + i))
            continue;
        uint8_t *to = wl_init_write(p->address + i);
        if (to)
            *to = bits[i];
        if (bits[i])
            wl_init_set_origin(p->address + i, origin);
    }
}

static void define_global(const struct place *p) {
    uint8_t *to = is_in_block(p) && wl_init_read(p->address) ? wl_init_write(p->address) : NULL;
    if (to)
        memset(to, 0, p->bytes);
    else if (!is_in_block(p))
        wl_init_mark(p->address, p->bytes, false);
}

/* `bits` NULL: all are defined. */
static void write_place(const struct place *p, const uint8_t *bits, uint64_t origin) {
    if (p->space == WL_SANITIZE_GLOBAL) {
        if (bits)
            write_global(p, bits, origin);
        else
            define_global(p);
        return;
    }
    struct wl_init_area *area = area_of(p);
    if (!bits && is_whole(p, area)) {
        for (uint32_t i = 0; i < p->bytes; i += 4)
            memset(area->bits + offset_in(p, area, i), 0, 4);
        return;
    }
    for (uint32_t i = 0; area && i < p->bytes; i++) {
        const size_t at = offset_in(p, area, i);
        if (at == area->size)
            continue;
        area->bits[at] = bits ? bits[i] : 0;
        if (area->bits[at]) {
            area->origins[at / 4] = origin;
            area->has_origins = true;
        }
    }
}

/* ---- registers ------------------------------------------------------------------------------- */

/* What a load of fewer than 4 bytes makes of a register. */
static uint32_t widen(const struct wl_transfer *t, const uint8_t *bits, uint32_t bytes, uint32_t old) {
    uint32_t value = bytes == 1 ? bits[0] : bits[0] | (uint32_t)bits[1] << 8;
    if (t->sign)
        value = bytes == 1 ? (uint32_t)(int8_t)value : (uint32_t)(int16_t)value;
    if (!t->d16)
        return value;
    return t->hi ? (old & 0xffff) | value << 16 : (old & 0xffff0000) | (value & 0xffff);
}

static uint32_t dword(const uint8_t *bits) {
    uint32_t value;
    memcpy(&value, bits, sizeof value);
    return value;
}

static void load_row(struct wl_undefined *u, unsigned part, const struct place *p, const uint8_t *bits, uint64_t origin) {
    const struct wl_transfer *t = p->transfer;
    const unsigned row = t->result[part];
    if (row + t->dwords > WL_VGPR_COUNT)
        return;
    for (unsigned d = 0; d < t->dwords; d++) {
        uint32_t value;
        if (t->typed || (p->bytes >= 4 && p->bytes < 4u * (d + 1)))
            value = bits ? UINT32_MAX : 0;
        else if (p->bytes < 4)
            value = bits ? widen(t, bits, p->bytes, wl_undefined_bits(u, row + d, p->lane))
                         : widen(t, (const uint8_t[2]){0, 0}, p->bytes, wl_undefined_bits(u, row + d, p->lane));
        else
            value = bits ? dword(bits + (size_t)4 * d) : 0;
        if (value || u->lanes[row + d] >> p->lane & 1)
            wl_undefined_set(u, row + d, p->lane, value, bits ? origin : wl_undefined_origin(u, row + d, p->lane));
    }
}

/* False: all are defined. */
static bool store_row(const struct wl_undefined *u, unsigned part, const struct place *p, uint8_t *bits, uint64_t *origin) {
    const struct wl_transfer *t = p->transfer;
    bool any = false;
    if (t->data[part] + (p->bytes + 3) / 4 > WL_VGPR_COUNT)
        return false;
    for (unsigned d = 0; d < (p->bytes + 3) / 4; d++) {
        const unsigned row = t->data[part] + d;
        uint32_t value = wl_undefined_bits(u, row, p->lane);
        if (t->hi)
            value >>= 16;
        if (t->typed)
            value = value ? UINT32_MAX : 0;
        const unsigned size = p->bytes - 4 * d < 4 ? p->bytes - 4 * d : 4;
        memcpy(bits + (size_t)4 * d, &value, size);
        if (value && !any) {
            any = true;
            *origin = wl_undefined_origin(u, row, p->lane);
        }
    }
    return any;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static void load_scalar(struct wl_undefined *u, const struct place *p, const uint8_t *bits, uint64_t origin) {
    const struct wl_transfer *t = p->transfer;
    for (unsigned d = 0; d < t->dwords && t->result[0] + d < WL_SGPR_COUNT; d++)
        wl_undefined_set_scalar(u, t->result[0] + d, p->bytes < 4 ? widen(t, bits, p->bytes, 0) : dword(bits + (size_t)4 * d), origin);
}

static void store_scalar(const struct wl_undefined *u, const struct place *p) {
    uint8_t bits[WL_INIT_MOST_BYTES];
    uint64_t origin = 0;
    for (unsigned d = 0; d < p->bytes / 4; d++) {
        const unsigned reg = p->transfer->data[0] + d;
        memcpy(bits + (size_t)4 * d, &u->sgpr[reg], 4);
        origin = u->sgpr[reg] ? u->sgpr_origin[reg] : origin;
    }
    write_place(p, origin ? bits : NULL, origin);
}

/* Whether a store gives the host more undefined bits than the padding of a structure. */
static bool matters_to_host(const struct place *p, const uint8_t *bits) {
    for (uint32_t i = 0; i < p->bytes; i++) {
        uint32_t end = i;
        if (!wl_init_counts(bits[i]))
            continue;
        while (end < p->bytes && bits[end])
            end++;
        if (i == 0 || !wl_init_can_be_padding(p->address + i, p->address + end))
            return true;
        i = end;
    }
    return false;
}

static bool is_for_host(const struct place *p) {
    struct wl_san_block block;
    return p->space == WL_SANITIZE_GLOBAL && wl_san_find(p->address, &block) && p->address - block.address < block.size &&
           (block.kind == WL_SAN_MANAGED || block.kind == WL_SAN_PINNED || block.kind == WL_SAN_REGISTERED);
}

static void load(struct wl_init_wave *w, unsigned part, const struct place *p) {
    struct wl_undefined *u = &w->undefined;
    uint8_t bits[WL_INIT_MOST_BYTES];
    uint64_t origin = 0;
    const bool any = read_place(p, bits, &origin);
    switch ((enum wl_transfer_kind)p->transfer->kind) {
    case WL_TRANSFER_VECTOR:
        if (p->transfer->has_result && (any || p->transfer->d16))
            load_row(u, part, p, any ? bits : NULL, origin);
        break;
    case WL_TRANSFER_SCALAR:
        if (any && p->transfer->has_result)
            load_scalar(u, p, bits, origin);
        break;
    case WL_TRANSFER_TO_LDS:
        memset(w->passing[p->lane], 0, sizeof w->passing[0]);
        if (any)
            memcpy(w->passing[p->lane], bits, p->bytes);
        w->passing_origin[p->lane] = any ? origin : 0;
        break;
    case WL_TRANSFER_NONE:
        break;
    }
}

static void store(struct wl_init_wave *w, unsigned part, const struct place *p, uint64_t code) {
    struct wl_undefined *u = &w->undefined;
    uint8_t bits[WL_INIT_MOST_BYTES];
    uint64_t origin = 0;
    bool any = false;
    if (p->transfer->kind == WL_TRANSFER_SCALAR) {
        store_scalar(u, p);
        return;
    }
    if (p->transfer->kind == WL_TRANSFER_VECTOR && p->transfer->has_data) {
        any = store_row(u, part, p, bits, &origin);
    } else if (p->transfer->kind == WL_TRANSFER_TO_LDS) {
        any = w->passing_origin[p->lane];
        origin = w->passing_origin[p->lane];
        memcpy(bits, w->passing[p->lane], p->bytes);
    }
    if (any && is_for_host(p)) {
        if (matters_to_host(p, bits))
            wl_init_report(p->wave, code, WL_USE_HOST, p->lane, origin);
        any = false;
    }
    write_place(p, any ? bits : NULL, origin);
}

static void change(struct wl_init_wave *w, unsigned part, const struct place *p, uint64_t code) {
    struct wl_undefined *u = &w->undefined;
    uint8_t bits[WL_INIT_MOST_BYTES], stored[WL_INIT_MOST_BYTES];
    uint64_t origin = 0, stored_origin = 0;
    const bool any = read_place(p, bits, &origin), replaces = p->transfer->kind == WL_TRANSFER_VECTOR && p->transfer->replaces;
    if (!replaces) {
        if (any)
            wl_init_report(p->wave, code, WL_USE_ATOMIC, p->lane, origin);
        write_place(p, NULL, 0);
        return;
    }
    const bool stores = p->transfer->has_data && store_row(u, part, p, stored, &stored_origin);
    write_place(p, stores ? stored : NULL, stored_origin);
    if (any && p->transfer->has_result)
        load_row(u, part, p, bits, origin);
}

/* ---- most accesses: all is defined ---- */

/* The bits of a lane's bytes of private memory, which lie side by side; NULL: (*strange) they have to be looked for. */
static uint8_t *side_by_side(const struct place *p, const struct wl_init_area *area, bool *strange) {
    *strange |= p->bytes > 4 || !is_whole(p, area);
    return *strange ? NULL : area->bits + offset_in(p, area, 0);
}

/* The undefined bits of some bytes, or-ed together. */
static inline uint32_t open_in(const uint8_t *bits, uint32_t bytes) {
    uint32_t open = 0, at = 0;
    for (; at + 4 <= bytes; at += 4)
        open |= dword(bits + at);
    for (; at < bytes; at++)
        open |= bits[at];
    return open;
}

/* Whether nothing that is loaded from private memory has undefined bits. */
static bool loads_defined_privately(struct wl_san_wave *wave, const struct wl_san_access *access) {
    struct place p = {.wave = wave, .space = access->space, .bytes = access->site->bytes};
    const struct wl_init_area *area = area_of(&p);
    bool strange = false;
    uint32_t open = 0;
    for (uint64_t left = access->lanes; left && !strange && !open; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        p.lane = access->first_lane + i;
        p.address = access->address[i];
        const uint8_t *bits = side_by_side(&p, area, &strange);
        open |= bits ? open_in(bits, p.bytes) : 0;
    }
    return !open && !strange;
}

/* Where the bits of lanes' bytes are, in LDS or in a block of global memory: those of a lane lie side by side. */
struct bits_of_lanes {
    uint8_t *bits;   /* of all LDS, or of the last lane's block; NULL: they are all defined */
    uint64_t size;   /* of LDS, or of a block */
    uint64_t number; /* of the block */
    bool lds;
};
static struct bits_of_lanes bits_of_lanes(const struct wl_san_wave *wave, const struct wl_san_access *access) {
    const struct wl_init_group *g = wave->group->init;
    if (access->space != WL_SANITIZE_LDS)
        return (struct bits_of_lanes){.size = WL_INIT_BLOCK, .number = UINT64_MAX};
    return (struct bits_of_lanes){.bits = g ? g->lds.bits : NULL, .size = g ? g->lds.size : 0, .number = UINT64_MAX, .lds = true};
}

/* The place of a lane's bits, *at, in `bits`. False: they do not lie side by side, or are not there. */
static inline bool find_bits(struct bits_of_lanes *of, uint64_t address, uint32_t bytes, uint64_t *at) {
    *at = of->lds ? address : address & (WL_INIT_BLOCK - 1);
    if (!of->lds && address >> WL_INIT_BLOCK_SHIFT != of->number) {
        of->number = address >> WL_INIT_BLOCK_SHIFT;
        of->bits = (uint8_t *)(uintptr_t)wl_init_read(address - *at);
    }
    return bytes <= of->size && *at <= of->size - bytes;
}

/* Whether nothing that is loaded has undefined bits. */
static bool loads_defined(struct wl_san_wave *wave, const struct wl_san_access *access) {
    const uint32_t bytes = access->site->bytes;
    struct bits_of_lanes of = bits_of_lanes(wave, access);
    uint32_t open = 0;
    if (access->space == WL_SANITIZE_SCRATCH)
        return loads_defined_privately(wave, access);
    for (uint64_t left = access->lanes; left && !open; left &= left - 1) {
        uint64_t at;
        if (!find_bits(&of, access->address[(unsigned)__builtin_ctzll(left)], bytes, &at))
            return false;
        if (of.bits)
            open = open_in(of.bits + at, bytes);
    }
    return !open;
}

static bool data_is_defined(const struct wl_undefined *u, unsigned part, const struct wl_san_access *access) {
    const unsigned first = access->site->transfer.data[part], count = (access->site->bytes + 3) / 4;
    uint64_t open = first + count > WL_VGPR_COUNT ? UINT64_MAX : 0;
    for (unsigned d = 0; d < count && !open; d++)
        open |= u->lanes[first + d];
    return !(open >> access->first_lane & access->lanes);
}

static inline void clear_bits(uint8_t *bits, uint32_t bytes) {
    uint32_t at = 0;
    for (; at + 4 <= bytes; at += 4)
        memset(bits + at, 0, 4);
    for (; at < bytes; at++)
        bits[at] = 0;
}

/* Stores of what is defined. */
static void define(struct wl_san_wave *wave, const struct wl_san_access *access) {
    struct place p = {.wave = wave, .space = access->space, .bytes = access->site->bytes};
    struct bits_of_lanes of = bits_of_lanes(wave, access);
    const bool is_private = p.space == WL_SANITIZE_SCRATCH;
    for (uint64_t left = access->lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        uint64_t at;
        p.lane = access->first_lane + i;
        p.address = access->address[i];
        if (is_private || !find_bits(&of, p.address, p.bytes, &at) || (of.bits && !of.lds))
            write_place(&p, NULL, 0); /* a block of global memory may be one that all share */
        else if (of.bits)
            clear_bits(of.bits + at, p.bytes);
    }
}

/* True: that was all. */
static bool is_quick(struct wl_san_wave *wave, const struct wl_san_access *access, unsigned part) {
    const struct wl_undefined *u = &((struct wl_init_wave *)wave->init)->undefined;
    const struct wl_transfer *t = &access->site->transfer;
    if (access->site->kind == WL_SANITIZE_LOAD)
        return t->kind != WL_TRANSFER_TO_LDS && !t->d16 && loads_defined(wave, access);
    if (access->site->kind != WL_SANITIZE_STORE || t->kind != WL_TRANSFER_VECTOR || (t->has_data && !data_is_defined(u, part, access)))
        return false;
    define(wave, access);
    return true;
}

void wl_init_access(struct wl_san_wave *wave, const struct wl_san_access *access) {
    struct wl_init_wave *w = wave->init;
    const struct wl_sanitize_site *site = access->site;
    if (!w || site->bytes > WL_INIT_MOST_BYTES)
        return;
    const unsigned part = site->second;
    if (is_quick(wave, access, part))
        return;
    for (uint64_t left = access->lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        const struct place p = {wave, &site->transfer, access->space, access->first_lane + i, site->bytes, access->address[i]};
        if (site->kind == WL_SANITIZE_LOAD)
            load(w, part, &p);
        else if (site->kind == WL_SANITIZE_STORE)
            store(w, part, &p, site->address);
        else
            change(w, part, &p, site->address);
    }
}

/* ---- native code ----------------------------------------------------------------------------- */

/* Whether no byte of [bits, bits + size) has an undefined bit. */
static bool is_clear(const uint8_t *bits, uint64_t size) {
    uint64_t open = 0;
    for (; size >= 8; size -= 8, bits += 8) {
        uint64_t word;
        memcpy(&word, bits, sizeof word);
        open |= word;
    }
    for (; size; size--)
        open |= *bits++;
    return !open;
}

/* Whether the bits are defined of the bytes that lanes access; those between are not looked at. */
static bool are_clear(const uint8_t *bits, const struct wl_san_lanes *run) {
    uint32_t open = 0;
    for (uint64_t left = run->lanes; left; left &= left - 1)
        open |= open_in(bits + (uint64_t)(unsigned)__builtin_ctzll(left) * run->step, run->site->bytes);
    return !open;
}

/* What native code stores is defined. */
bool wl_init_run(struct wl_san_wave *wave, const struct wl_san_lanes *run, uint64_t extent) {
    const struct wl_init_group *g = wave->group->init;
    const bool stores = run->site->kind == WL_SANITIZE_STORE, lds = run->space == WL_SANITIZE_LDS;
    const uint8_t *bits;
    if (!wave->init)
        return true;
    if (run->site->transfer.kind == WL_TRANSFER_TO_LDS || (lds && (!g || run->start + extent > g->lds.size)) ||
        (!lds && (run->start & (WL_INIT_BLOCK - 1)) + extent > WL_INIT_BLOCK))
        return false;
    bits = lds ? g->lds.bits + run->start : wl_init_read(run->start);
    if (!bits || (run->step > run->site->bytes ? are_clear(bits, run) : is_clear(bits, extent)))
        return true;
    if (!stores || (run->step && run->lanes & (run->lanes + 1)))
        return false;
    uint8_t *to = lds ? g->lds.bits + run->start : wl_init_write(run->start);
    if (to)
        memset(to, 0, extent);
    return true;
}

uint32_t wl_san_piece(struct wl_undefined *u, const struct wl_defined_piece *piece, uint64_t exec) {
    const uint64_t all = u->wave_size == 64 ? UINT64_MAX : UINT32_MAX;
    uint64_t open = 0;
    for (unsigned w = 0; w < 2; w++)
        open |= u->scalar[w] & piece->read_scalars[w];
    for (unsigned w = 0; w < WL_ROW_WORDS && !open; w++)
        for (uint64_t left = u->rows[w] & (piece->read[w] | piece->crossed[w]); left; left &= left - 1) {
            const unsigned bit = (unsigned)__builtin_ctzll(left);
            open |= u->lanes[w * 64 + bit] & (piece->crossed[w] >> bit & 1 ? all : exec);
        }
    if (open)
        return 1;
    uint64_t any = 0;
    for (unsigned w = 0; w < 2; w++)
        for (uint64_t left = u->scalar[w] & piece->written_scalars[w]; left; left &= left - 1)
            wl_undefined_set_scalar(u, w * 64 + (unsigned)__builtin_ctzll(left), 0, 0);
    for (unsigned w = 0; w < WL_ROW_WORDS; w++) {
        for (uint64_t left = u->rows[w] & piece->written[w]; left; left &= left - 1) {
            const unsigned bit = (unsigned)__builtin_ctzll(left);
            u->lanes[w * 64 + bit] &= ~exec;
            if (!u->lanes[w * 64 + bit])
                u->rows[w] &= ~(UINT64_C(1) << bit);
        }
        any |= u->rows[w];
    }
    u->any = (any | u->scalar[0] | u->scalar[1]) != 0;
    return 0;
}
