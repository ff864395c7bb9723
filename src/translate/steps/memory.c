/* Vector memory, as steps: lane by lane, a strip at a time, in the order of lanes. */
#include "translate/steps/steps.h"

#include "base/whole.h"
#include "machine/helpers.h"
#include "machine/sanitize.h"
#include "translate/interface/marks.h"
#include "translate/isa/helper_words.h"

enum { MAX_LANES = 64, MAX_DATA = 4 };

struct access {
    uint32_t fault;
    uint8_t space, bytes, dwords; /* enum wl_space; bytes of an element, dwords moved a lane */
    bool sign, d16, hi, zeroes_half, store, by_lane, pair, two, returns, compare_first, has_second, to_lds;
    uint16_t address, data, data1, result; /* rows */
    bool has_address, is_signed;           /* is_signed: an address of one dword is extended by its sign */
    bool windows;                          /* a flat address may be in a debugger's windows */
    uint8_t unit;                          /* bytes that a dword of address counts */
    int64_t offset;
    uint32_t offset1;
    struct wl_scalar base; /* saddr; scratch: a 32-bit part */
    uint32_t element, operation;
    uint16_t descriptor;
    const struct wl_sanitize_site *site;        /* NULL: no sanitizer asks */
    const struct wl_sanitize_site *second_site; /* of the second address; of the copy in LDS */
};

/* ---- addresses ---- */

/* What a dword of address adds to the base. */
static uint64_t narrow_address(const struct access *a, uint32_t value) {
    return (a->is_signed ? (uint64_t)(int64_t)(int32_t)value : value) * a->unit;
}

/* The host addresses of a strip's lanes; in scratch: offsets. They lie in a trace, so that a fault's lane can be told. */
static void find_addresses(const struct wl_machine *m, const struct access *a, unsigned first, uint64_t *address) {
    const uint32_t *row = wl_machine_row(m, a->address) + first, *high = row + m->wave_size;
    uint64_t base = wl_scalar_read(m, &a->base) + (uint64_t)a->offset;
    switch ((enum wl_space)a->space) {
    case WL_SPACE_LDS:
        for (unsigned i = 0; i < WL_STRIP; i++)
            address[i] = (uint64_t)(uintptr_t)m->wave->lds + (uint32_t)(row[i] + (uint32_t)a->offset);
        return;
    case WL_SPACE_SCRATCH:
        for (unsigned i = 0; i < WL_STRIP; i++)
            address[i] = (uint32_t)(base + (a->has_address ? row[i] * a->unit : 0));
        return;
    default:
        break;
    }
    if (a->has_address && a->pair)
        for (unsigned i = 0; i < WL_STRIP; i++)
            address[i] = base + (row[i] | (uint64_t)high[i] << 32);
    else if (a->has_address)
        for (unsigned i = 0; i < WL_STRIP; i++)
            address[i] = base + narrow_address(a, row[i]);
    else
        for (unsigned i = 0; i < WL_STRIP; i++)
            address[i] = base + (a->by_lane ? (uint64_t)(first + i) * 4 : 0);
    if (a->space == WL_SPACE_FLAT)
        for (unsigned i = 0; i < WL_STRIP; i++)
            address[i] = wl_flat_address(address[i], first + i);
    if (a->windows)
        for (unsigned i = 0; i < WL_STRIP; i++)
            address[i] = wl_window_address(address[i]);
}

static void *locate(const struct wl_machine *m, const struct access *a, uint64_t address, uint32_t lane) {
    const struct wl_wave *wave = m->wave;
    if (a->space == WL_SPACE_SCRATCH)
        return wave->scratch + wl_scratch_address((uint32_t)address, lane, m->wave_size);
    if (a->space == WL_SPACE_FLAT && address >> 32 == WL_SHARED_APERTURE_HI)
        return wave->lds + (uint32_t)address;
    if (a->space == WL_SPACE_FLAT && address >> 32 == WL_PRIVATE_APERTURE_HI)
        return wave->scratch + wl_scratch_address((uint32_t)address, lane, m->wave_size);
    return (void *)(uintptr_t)address;
}

/* Whether consecutive bytes of the lane are so in memory. */
static bool is_linear(const struct access *a, uint64_t address) {
    return a->space != WL_SPACE_SCRATCH && !(a->space == WL_SPACE_FLAT && address >> 32 == WL_PRIVATE_APERTURE_HI);
}

static uint32_t read_element(const struct wl_machine *m, const struct access *a, uint64_t address, uint32_t lane) {
    if (!is_linear(a, address)) {
        uint32_t value = 0;
        for (unsigned i = 0; i < a->bytes; i++)
            value |= (uint32_t)*(const volatile uint8_t *)locate(m, a, address + i, lane) << 8 * i;
        return value;
    }
    const void *from = locate(m, a, address, lane);
    if (a->bytes == 4)
        return *(const volatile wl_whole_4 *)from;
    return a->bytes == 2 ? *(const volatile wl_whole_2 *)from : *(const volatile uint8_t *)from;
}

static void write_element(const struct wl_machine *m, const struct access *a, uint64_t address, uint32_t lane, uint32_t value) {
    if (!is_linear(a, address)) {
        for (unsigned i = 0; i < a->bytes; i++)
            *(volatile uint8_t *)locate(m, a, address + i, lane) = (uint8_t)(value >> 8 * i);
        return;
    }
    void *to = locate(m, a, address, lane);
    if (a->bytes == 4)
        *(volatile wl_whole_4 *)to = value;
    else if (a->bytes == 2)
        *(volatile wl_whole_2 *)to = (uint16_t)value;
    else
        *(volatile uint8_t *)to = (uint8_t)value;
}

static uint32_t widen(const struct access *a, uint32_t value, uint32_t old) {
    if (a->sign)
        value = a->bytes == 1 ? (uint32_t)(int8_t)value : (uint32_t)(int16_t)value;
    if (!a->d16)
        return value;
    if (a->zeroes_half)
        old = 0;
    return a->hi ? (old & 0xffff) | value << 16 : (old & 0xffff0000) | (value & 0xffff);
}

/* ---- sanitizers ---- */

static void clear_lanes(const struct wl_machine *m, unsigned row, unsigned rows, uint64_t lanes) {
    for (; lanes; lanes &= lanes - 1)
        for (unsigned d = 0; d < rows; d++)
            wl_machine_row(m, row + d)[__builtin_ctzll(lanes)] = 0;
}

/* The lanes of `exec` that may access memory. */
static uint64_t ask(const struct wl_machine *m, const struct access *a, const struct wl_sanitize_site *site, uint64_t exec,
                    const uint32_t *data) {
    uint64_t address[MAX_LANES];
    if (!exec)
        return exec;
    for (unsigned first = 0; first < m->wave_size; first += WL_STRIP)
        find_addresses(m, a, first, address + first);
    return m->wave->helpers->sanitize_access(m->wave, site, exec, address, data);
}

/* The same for a load or store. The others load 0. */
static uint64_t allow(const struct wl_machine *m, const struct access *a, uint64_t exec) {
    const uint64_t good = ask(m, a, a->site, exec, a->store ? wl_machine_row(m, a->data) : NULL);
    if (!a->store && !a->to_lds)
        clear_lanes(m, a->result, a->dwords, exec & ~good);
    return good;
}

/* ---- steps ---- */

struct strip_access {
    struct wl_access_trace trace; /* the fault handler finds it here, on the stack */
    unsigned first, lanes;
};

static void start_strip(const struct wl_machine *m, const struct access *a, struct strip_access *s, unsigned first, unsigned lanes) {
    s->trace.magic = WL_ACCESS_TRACE;
    s->trace.first_lane = first;
    s->trace.lanes = lanes;
    s->trace.size = a->bytes == 4 ? a->dwords * 4u : a->bytes;
    s->trace.narrow = 0;
    s->first = first;
    s->lanes = lanes;
    find_addresses(m, a, first, s->trace.address);
}

/* Whether all lanes' bytes lie in memory as they are addressed, so that `address` can be used as it is. */
static bool is_plain(const struct access *a, const struct strip_access *s) {
    bool plain = a->space != WL_SPACE_SCRATCH && a->bytes == 4;
    if (a->space == WL_SPACE_FLAT)
        for (unsigned left = s->lanes; left; left &= left - 1)
            plain &= s->trace.address[__builtin_ctz(left)] >> 48 == 0;
    return plain;
}

/* What a lane moves is one access, as far as it is a power of two: programs hand over a value and its flag so. */
static void load_plain(const struct wl_machine *m, const struct access *a, struct strip_access *s, uint32_t *to) {
    const size_t size = m->wave_size;
    for (unsigned left = s->lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        uint32_t loaded[MAX_DATA];
        wl_whole_copy(loaded, (const void *)(uintptr_t)s->trace.address[i], a->dwords * 4u);
        for (unsigned d = 0; d < a->dwords; d++)
            to[d * size + i] = loaded[d];
    }
}

static void store_plain(const struct wl_machine *m, const struct access *a, struct strip_access *s, const uint32_t *from) {
    const size_t size = m->wave_size;
    for (unsigned left = s->lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        uint32_t stored[MAX_DATA];
        for (unsigned d = 0; d < a->dwords; d++)
            stored[d] = from[d * size + i];
        wl_whole_copy((void *)(uintptr_t)s->trace.address[i], stored, a->dwords * 4u);
    }
}

/* Private memory at one place that is the same in all lanes, as most of it is read and written: each dword is a row, like a register's. */
static bool is_private_row(const struct access *a, const struct strip_access *s) {
    if (a->bytes != 4 || (a->space != WL_SPACE_SCRATCH && a->space != WL_SPACE_FLAT))
        return false;
    const uint64_t address = s->trace.address[__builtin_ctz(s->lanes)];
    bool same = address % 4 == 0 && !is_linear(a, address);
    for (unsigned left = s->lanes; same && left; left &= left - 1)
        same = s->trace.address[__builtin_ctz(left)] == address;
    return same;
}

static void copy_lanes(uint32_t *to, const uint32_t *from, unsigned lanes) {
    if (lanes == 0xffff)
        memcpy(to, from, WL_STRIP * sizeof *to);
    else
        for (; lanes; lanes &= lanes - 1)
            to[__builtin_ctz(lanes)] = from[__builtin_ctz(lanes)];
}

static void move_private_rows(const struct wl_machine *m, const struct access *a, const struct strip_access *s, uint32_t *row) {
    const uint64_t address = s->trace.address[__builtin_ctz(s->lanes)];
    for (unsigned d = 0; d < a->dwords; d++, row += m->wave_size) {
        uint32_t *memory = locate(m, a, address + 4 * (uint64_t)d, s->first);
        copy_lanes(a->store ? memory : row, a->store ? row : memory, s->lanes);
    }
}

static void load_strip(const struct wl_machine *m, const struct access *a, struct strip_access *s, unsigned row) {
    uint32_t *to = wl_machine_row(m, row) + s->first;
    if (is_plain(a, s)) {
        load_plain(m, a, s, to);
        return;
    }
    if (is_private_row(a, s)) {
        move_private_rows(m, a, s, to);
        return;
    }
    for (unsigned left = s->lanes; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        for (unsigned d = 0; d < a->dwords; d++) {
            uint32_t *cell = to + (size_t)d * m->wave_size + i;
            *cell = widen(a, read_element(m, a, s->trace.address[i] + 4 * (uint64_t)d, s->first + i), *cell);
        }
    }
}

static void store_strip(const struct wl_machine *m, const struct access *a, struct strip_access *s, unsigned row) {
    uint32_t *from = wl_machine_row(m, row) + s->first;
    if (is_plain(a, s)) {
        store_plain(m, a, s, from);
        return;
    }
    if (is_private_row(a, s)) {
        move_private_rows(m, a, s, from);
        return;
    }
    for (unsigned left = s->lanes; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        for (unsigned d = 0; d < a->dwords; d++) {
            uint32_t value = from[(size_t)d * m->wave_size + i];
            write_element(m, a, s->trace.address[i] + 4 * (uint64_t)d, s->first + i, a->hi ? value >> 16 : value);
        }
    }
}

/* Sixteen dwords that follow each other, loaded or stored at once. True: done. */
static bool move_row(const struct wl_machine *m, const struct access *a, struct strip_access *s) {
    const uint64_t *address = s->trace.address;
    uint32_t *row = wl_machine_row(m, a->store ? a->data : a->result) + s->first;
    bool follows = s->lanes == 0xffff && a->bytes == 4 && a->dwords == 1 && is_linear(a, address[0]) && a->space != WL_SPACE_FLAT;
    for (unsigned i = 1; follows && i < WL_STRIP; i++)
        follows = address[i] == address[0] + 4 * (uint64_t)i;
    if (!follows)
        return false;
    if (a->store)
        wl_whole_copy((void *)(uintptr_t)address[0], row, WL_STRIP * sizeof *row);
    else
        wl_whole_copy(row, (const void *)(uintptr_t)address[0], WL_STRIP * sizeof *row);
    return true;
}

static const struct wl_step *run_access(struct wl_machine *m, const struct wl_step *step) {
    const struct access *a = step->data;
    uint64_t exec = wl_machine_exec(m);
    struct strip_access s;
    m->wave->fault_pc = a->fault;
    if (a->site)
        exec = allow(m, a, exec);
    for (unsigned first = 0; first < m->wave_size; first += WL_STRIP) {
        unsigned lanes = (unsigned)(exec >> first) & 0xffff;
        if (!lanes)
            continue;
        start_strip(m, a, &s, first, lanes);
        if (move_row(m, a, &s))
            continue;
        if (a->store)
            store_strip(m, a, &s, a->data);
        else
            load_strip(m, a, &s, a->result);
    }
    s.trace.magic = 0;
    __asm__ volatile("" ::"r"(&s) : "memory");
    return step + 1;
}

/* ---- dwords of LDS and of global memory: what most accesses are ---- */

/* What lies before it is in memory: a fault's handler reads the trace. */
static inline void settle(const struct wl_access_trace *trace) { __asm__ volatile("" ::"r"(trace) : "memory"); }

/* A lane's dwords, moved by one access of the host. */
static inline __attribute__((always_inline)) void move_lane(void *memory, uint32_t *cell, size_t rows_apart, const unsigned dwords,
                                                            const bool store) {
    uint32_t moved[MAX_DATA];
    for (unsigned d = 0; store && d < dwords; d++)
        moved[d] = cell[d * rows_apart];
    wl_whole_copy(store ? memory : moved, store ? moved : memory, dwords * 4);
    for (unsigned d = 0; !store && d < dwords; d++)
        cell[d * rows_apart] = moved[d];
}

/* Whether a strip's addresses, or offsets, are a dword apart. */
static inline bool addresses_follow(const uint64_t *address) {
    typedef uint64_t four __attribute__((vector_size(32)));
    const four step = {0, 4, 8, 12}, first = address[0] - (four){0} + step;
    four differs = {0};
    for (uint64_t i = 0; i < WL_STRIP; i += 4) {
        four some;
        memcpy(&some, address + i, sizeof some);
        differs |= some ^ (first + 4 * i);
    }
    return !(differs[0] | differs[1] | differs[2] | differs[3]);
}

static inline bool offsets_follow(const uint32_t *offset) {
    typedef uint32_t eight __attribute__((vector_size(32)));
    typedef uint64_t four __attribute__((vector_size(32)));
    const eight step = {0, 4, 8, 12, 16, 20, 24, 28};
    eight low, high;
    memcpy(&low, offset, sizeof low);
    memcpy(&high, offset + 8, sizeof high);
    const four differs = (four)((low ^ (offset[0] + step)) | (high ^ (offset[0] + 32 + step)));
    return !(differs[0] | differs[1] | differs[2] | differs[3]);
}

/* Where a lane's dwords are. */
static inline __attribute__((always_inline)) void *lane_place(const bool in_lds, const uint8_t *lds, const uint32_t *offset, uint32_t more,
                                                              const uint64_t *address, unsigned i) {
    return (void *)(uintptr_t)(in_lds ? (uint64_t)(uintptr_t)lds + (uint32_t)(offset[i] + more) : address[i]);
}

/* The active lanes of a strip: at the addresses, or at offsets in LDS. One dword a lane of lanes that follow each other is a row. */
static inline __attribute__((always_inline)) void move_strip(const bool in_lds, const uint8_t *lds, const uint32_t *offset, uint32_t more,
                                                             const uint64_t *address, uint32_t *row, size_t rows_apart, unsigned lanes,
                                                             const unsigned dwords, const bool store) {
    enum { ROW = WL_STRIP * sizeof(uint32_t) };
    const bool follow = dwords == 1 && lanes == 0xffff &&
                        (in_lds ? offsets_follow(offset) && offset[0] + more <= UINT32_MAX - ROW : addresses_follow(address));
    void *first = lane_place(in_lds, lds, offset, more, address, 0);
    if (follow)
        wl_whole_copy(store ? first : row, store ? row : first, ROW);
    else if (lanes == 0xffff)
        for (unsigned i = 0; i < WL_STRIP; i++)
            move_lane(lane_place(in_lds, lds, offset, more, address, i), row + i, rows_apart, dwords, store);
    else
        for (; lanes; lanes &= lanes - 1) {
            const unsigned i = (unsigned)__builtin_ctz(lanes);
            move_lane(lane_place(in_lds, lds, offset, more, address, i), row + i, rows_apart, dwords, store);
        }
}

/* All strips; made once for each kind. LDS has no faults to tell of, and so no trace. */
static inline __attribute__((always_inline)) const struct wl_step *run_dwords(struct wl_machine *m, const struct wl_step *step,
                                                                              const bool in_lds, const unsigned dwords, const bool store) {
    const struct access *a = step->data;
    const uint64_t exec = wl_machine_exec(m);
    const uint8_t *lds = m->wave->lds;
    const uint32_t size = m->wave_size, *offset = wl_machine_row(m, a->address);
    uint32_t *row = wl_machine_row(m, store ? a->data : a->result);
    struct wl_access_trace trace;
    m->wave->fault_pc = a->fault;
    if (!in_lds) {
        trace.magic = WL_ACCESS_TRACE;
        trace.size = dwords * 4;
        trace.narrow = 0;
    }
    for (unsigned first = 0; first < size; first += WL_STRIP) {
        const unsigned lanes = (unsigned)(exec >> first) & 0xffff;
        if (!lanes)
            continue;
        if (!in_lds) {
            trace.first_lane = first;
            trace.lanes = lanes;
            find_addresses(m, a, first, trace.address);
            settle(&trace);
        }
        move_strip(in_lds, lds, offset + first, (uint32_t)a->offset, trace.address, row + first, size, lanes, dwords, store);
    }
    if (!in_lds) {
        trace.magic = 0;
        settle(&trace);
    }
    return step + 1;
}

#define DWORDS(NAME, LDS, COUNT, STORE)                                                                                                    \
    static const struct wl_step *NAME(struct wl_machine *m, const struct wl_step *step) { return run_dwords(m, step, LDS, COUNT, STORE); }
#define DWORDS_OF(SPACE, LDS)                                                                                                              \
    DWORDS(load_##SPACE##_1, LDS, 1, false)                                                                                                \
    DWORDS(load_##SPACE##_2, LDS, 2, false)                                                                                                \
    DWORDS(load_##SPACE##_4, LDS, 4, false)                                                                                                \
    DWORDS(store_##SPACE##_1, LDS, 1, true)                                                                                                \
    DWORDS(store_##SPACE##_2, LDS, 2, true)                                                                                                \
    DWORDS(store_##SPACE##_4, LDS, 4, true)                                                                                                \
    static wl_step_fn *const SPACE##_dwords[2][MAX_DATA] = {{load_##SPACE##_1, load_##SPACE##_2, NULL, load_##SPACE##_4},                  \
                                                            {store_##SPACE##_1, store_##SPACE##_2, NULL, store_##SPACE##_4}};
DWORDS_OF(lds, true)
DWORDS_OF(global, false)

/* The function for such an access; NULL: it is another one. */
static wl_step_fn *dwords_form(const struct access *a) {
    if (a->site || a->bytes != 4 || !(a->space == WL_SPACE_LDS || a->space == WL_SPACE_GLOBAL))
        return NULL;
    return (a->space == WL_SPACE_LDS ? lds_dwords : global_dwords)[a->store][a->dwords - 1];
}

/* LDS instructions with two addresses. `offset` is the first one's. */
static const struct wl_step *run_two(struct wl_machine *m, const struct wl_step *step) {
    const struct access *a = step->data;
    const uint64_t exec = wl_machine_exec(m);
    uint64_t good[2] = {exec, exec};
    struct access second = *a;
    struct strip_access s, t;
    second.offset = a->offset1;
    second.site = a->second_site;
    second.data = a->data1;
    second.result = (uint16_t)(a->result + a->dwords);
    m->wave->fault_pc = a->fault;
    if (a->site) { /* the first one's result may be the address of both */
        good[0] = ask(m, a, a->site, exec, a->store ? wl_machine_row(m, a->data) : NULL);
        good[1] = ask(m, &second, second.site, exec, a->store ? wl_machine_row(m, a->data1) : NULL);
    }
    for (unsigned first = 0; first < m->wave_size; first += WL_STRIP) {
        if (!((exec >> first) & 0xffff))
            continue;
        start_strip(m, a, &s, first, (unsigned)(good[0] >> first) & 0xffff);
        start_strip(m, &second, &t, first, (unsigned)(good[1] >> first) & 0xffff);
        if (a->store) {
            store_strip(m, a, &s, a->data);
            store_strip(m, a, &t, a->data1);
        } else {
            load_strip(m, a, &s, a->result);
            load_strip(m, a, &t, a->result + a->dwords);
        }
    }
    for (unsigned i = 0; i < 2 && !a->store; i++)
        clear_lanes(m, a->result + i * a->dwords, a->dwords, exec & ~good[i]);
    return step + 1;
}

static uint64_t allow_lds(const struct wl_machine *m, const struct access *a, const uint8_t *to, uint64_t exec) {
    uint64_t address[MAX_LANES];
    for (unsigned i = 0; i < m->wave_size; i++)
        address[i] = (uint64_t)(uintptr_t)(to + (size_t)i * a->dwords * 4);
    return exec ? m->wave->helpers->sanitize_access(m->wave, a->second_site, exec, address, NULL) : 0;
}

/* A load to LDS: lane i's element goes to M0 + the instruction's offset + i * size. */
static const struct wl_step *run_to_lds(struct wl_machine *m, const struct wl_step *step) {
    const struct access *a = step->data;
    uint64_t exec = wl_machine_exec(m);
    uint8_t *to = m->wave->lds + (uint32_t)((m->sgpr[WL_SGPR_M0] & WL_M0_LDS) + (uint32_t)a->offset);
    struct strip_access s;
    m->wave->fault_pc = a->fault;
    if (a->site)
        exec = allow_lds(m, a, to, allow(m, a, exec));
    for (unsigned first = 0; first < m->wave_size; first += WL_STRIP) {
        unsigned lanes = (unsigned)(exec >> first) & 0xffff;
        start_strip(m, a, &s, first, lanes);
        for (unsigned left = lanes; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctz(left);
            for (unsigned d = 0; d < a->dwords; d++) {
                uint32_t value = widen(a, read_element(m, a, s.trace.address[i] + 4 * (uint64_t)d, first + i), 0);
                memcpy(to + ((size_t)(first + i) * a->dwords + d) * 4, &value, sizeof value);
            }
        }
    }
    return step + 1;
}

/* Atomics: the helpers do them; operands that are not where a helper looks are copied. */
static const struct wl_step *run_atomic(struct wl_machine *m, const struct wl_step *step) {
    const struct access *a = step->data;
    uint32_t data[2 * MAX_DATA * MAX_LANES], address[MAX_LANES], size = m->wave_size;
    const struct wl_helpers *helpers = m->wave->helpers;
    const uint32_t *address_row = a->has_address ? wl_machine_row(m, a->address) : NULL;
    uint32_t *result = wl_machine_row(m, a->returns ? a->result : a->data), n = a->dwords;
    unsigned one = a->has_second && a->compare_first ? a->data1 : a->data, two = a->compare_first ? a->data : a->data1;
    const uint64_t exec = wl_machine_exec(m);
    m->wave->fault_pc = a->fault;
    memcpy(data, wl_machine_row(m, one), (size_t)n * size * 4);
    if (a->has_second)
        memcpy(data + (size_t)n * size, wl_machine_row(m, two), (size_t)n * size * 4);
    if (a->site)
        wl_machine_set_mask(m, WL_SGPR_EXEC, ask(m, a, a->site, exec, data));
    const uint64_t good = wl_machine_exec(m);
    if (a->space == WL_SPACE_LDS) {
        for (unsigned l = 0; l < size; l++)
            address[l] = address_row[l] + (uint32_t)a->offset;
        helpers->ds_atomic(m->wave, result, data, address, 0, a->element, a->operation);
    } else {
        uint32_t wide[2 * MAX_LANES];
        const bool is_index = !a->pair && a->has_address && (a->is_signed || a->unit != 1), copied = is_index || a->windows;
        for (unsigned first = 0; copied && first < size; first += WL_STRIP) {
            uint64_t at[WL_STRIP];
            find_addresses(m, a, first, at);
            for (unsigned i = 0; i < WL_STRIP; i++) {
                wide[first + i] = (uint32_t)at[i];
                wide[size + first + i] = (uint32_t)(at[i] >> 32);
            }
        }
        helpers->flat_atomic(m->wave, result, data, copied ? wide : address_row,
                             copied ? 0 : wl_scalar_read(m, &a->base) + (uint64_t)a->offset, !a->pair && !copied, a->element, a->operation);
    }
    if (a->site)
        wl_machine_set_mask(m, WL_SGPR_EXEC, exec);
    if (a->returns)
        clear_lanes(m, a->result, n, exec & ~good);
    return step + 1;
}

/* Exchanges at two addresses of LDS. */
static const struct wl_step *run_two_atomics(struct wl_machine *m, const struct wl_step *step) {
    const struct access *a = step->data;
    uint32_t data[2 * MAX_DATA * MAX_LANES], address[2][MAX_LANES], size = m->wave_size, n = a->dwords;
    memcpy(data, wl_machine_row(m, a->data), (size_t)n * size * 4);
    memcpy(data + (size_t)n * size, wl_machine_row(m, a->data1), (size_t)n * size * 4);
    m->wave->fault_pc = a->fault;
    for (unsigned l = 0; l < size; l++) {
        uint32_t at = wl_machine_row(m, a->address)[l];
        address[0][l] = at + (uint32_t)a->offset;
        address[1][l] = at + a->offset1;
    }
    uint64_t exec = wl_machine_exec(m), good = exec;
    if (a->site) {
        struct access second = *a;
        second.offset = a->offset1;
        good &= ask(m, a, a->site, exec, data) & ask(m, &second, a->second_site, exec, data + (size_t)n * size);
    }
    for (unsigned first = 0; first < size; first += WL_STRIP) { /* both, strip after strip */
        wl_machine_set_mask(m, WL_SGPR_EXEC, good & UINT64_C(0xffff) << first);
        for (unsigned i = 0; i < 2; i++)
            m->wave->helpers->ds_atomic(m->wave, wl_machine_row(m, a->result + i * n), data + (size_t)i * n * size, address[i], 0,
                                        a->element, a->operation);
    }
    wl_machine_set_mask(m, WL_SGPR_EXEC, exec);
    clear_lanes(m, a->result, 2 * n, exec & ~good);
    return step + 1;
}

static const struct wl_step *run_buffer(struct wl_machine *m, const struct wl_step *step) {
    const struct access *a = step->data;
    const struct wl_helpers *helpers = m->wave->helpers;
    uint32_t *data = a->to_lds ? NULL : wl_machine_row(m, a->data), *address = a->has_address ? wl_machine_row(m, a->address) : NULL;
    const uint32_t *descriptor = m->sgpr + a->descriptor;
    uint32_t soffset = (uint32_t)wl_scalar_read(m, &a->base), offset = (uint32_t)a->offset;
    m->wave->fault_pc = a->fault;
    if (a->site)
        m->wave->pc = (uint64_t)(uintptr_t)a->site;
    if (a->operation)
        helpers->buffer_atomic(m->wave, data, address, descriptor, soffset, offset, a->element, a->operation);
    else if (a->store)
        helpers->buffer_store(m->wave, data, address, descriptor, soffset, offset, a->element);
    else
        helpers->buffer_load(m->wave, data, address, descriptor, soffset, offset, a->element);
    return step + 1;
}

/* ---- building ---- */

static bool is_vgpr(const struct wl_operand *operand) { return operand && operand->kind == WL_OPERAND_VGPR; }

static bool plan_buffer(struct wl_steps_builder *b, struct access *a, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands, *address = &op[inst->lds ? 0 : 1], *scalar = address + 2;
    bool none = scalar >= op + inst->operand_count || scalar->kind == WL_OPERAND_OFF;
    static const struct wl_operand off = {.kind = WL_OPERAND_OFF};
    a->to_lds = inst->lds;
    a->data = op[0].reg;
    a->has_address = is_vgpr(address);
    a->address = address->reg;
    a->descriptor = address[1].reg;
    a->element = wl_buffer_element(inst, b->generation);
    a->operation = inst->isa->class == WL_ISA_ATOMIC ? wl_memory_atomic(b->request->processor, inst->isa) : 0;
    return wl_scalar_plan(&a->base, none ? &off : scalar, WL_U32);
}

static bool plan_operands(struct access *a, const struct wl_inst *inst) {
    const struct wl_isa *isa = inst->isa;
    const struct wl_operand *op = inst->operands, *scalar = NULL;
    static const struct wl_operand off = {.kind = WL_OPERAND_OFF};
    unsigned at = 0;
    if (isa->by_lane) {
        a->by_lane = true;
        a->result = a->data = op[at++].reg;
        scalar = &op[at];
    } else {
        if (isa->class == WL_ISA_LOAD ? !inst->lds : isa->class == WL_ISA_ATOMIC && inst->returns)
            a->result = op[at++].reg;
        a->has_address = is_vgpr(&op[at]);
        a->pair = op[at].count >= 2;
        a->address = op[at++].reg;
        if (isa->class != WL_ISA_LOAD) {
            a->data = op[at].reg;
            a->data1 = (uint16_t)(a->data + isa->dwords);
            a->has_second = op[at].count >= 2 * isa->dwords;
            at++;
        }
        if (isa->space == WL_SPACE_LDS && at < inst->operand_count && is_vgpr(&op[at])) {
            a->data1 = op[at].reg;
            a->has_second = true;
        } else if (isa->space != WL_SPACE_LDS && at < inst->operand_count) {
            scalar = &op[at];
        }
    }
    if (isa->space == WL_SPACE_LDS && !a->has_address)
        return false;
    if (!scalar || scalar->kind == WL_OPERAND_OFF || (isa->space != WL_SPACE_SCRATCH && scalar->kind != WL_OPERAND_SGPR))
        scalar = &off;
    return wl_scalar_plan(&a->base, scalar, isa->space == WL_SPACE_SCRATCH ? WL_U32 : WL_U64);
}

/* Of the store to LDS that a load to LDS makes. */
static struct wl_sanitize_site *lds_site(struct wl_steps_builder *b, const struct wl_inst *inst, unsigned size) {
    struct wl_sanitize_site *site = wl_steps_site(b, inst, size);
    if (site) {
        site->kind = WL_SANITIZE_STORE;
        site->space = WL_SANITIZE_LDS;
    }
    return site;
}

static struct wl_sanitize_site *second_site(struct wl_steps_builder *b, const struct wl_inst *inst, unsigned size) {
    struct wl_sanitize_site *site = wl_steps_site(b, inst, size);
    if (site)
        site->second = 1;
    return site;
}

static wl_step_fn *plan_access(struct wl_steps_builder *b, struct access *a, const struct wl_inst *inst) {
    const struct wl_isa *isa = inst->isa;
    bool atomic = isa->class == WL_ISA_ATOMIC;
    unsigned size = atomic || isa->bits >= 32 ? isa->dwords * 4u : isa->bits / 8u, unit = isa->stride64 ? size * 64 : size;
    a->fault = wl_steps_place(b, inst);
    a->space = isa->space;
    a->bytes = isa->bits < 32 ? isa->bits / 8 : 4;
    a->dwords = isa->dwords;
    a->sign = isa->sign;
    a->d16 = isa->d16 && !isa->detail;
    a->hi = isa->hi;
    a->zeroes_half = inst->zeroes_half;
    a->store = isa->class == WL_ISA_STORE;
    a->offset = inst->offset0;
    a->returns = inst->returns;
    a->compare_first = isa->compare_first;
    a->is_signed = inst->signed_offset;
    a->unit = (uint8_t)wl_inst_offset_unit(inst);
    a->windows = a->space == WL_SPACE_FLAT && b->request->sanitize & WL_STEPS_MARKED;
    if (inst->gds)
        return NULL;
    a->site = wl_steps_site(b, inst, size);
    if (isa->addresses == 2)
        a->second_site = second_site(b, inst, size);
    else if (inst->lds && a->site)
        a->second_site = lds_site(b, inst, size);
    if (isa->space == WL_SPACE_BUFFER || isa->space == WL_SPACE_TBUFFER)
        return plan_buffer(b, a, inst) ? run_buffer : NULL;
    if (!plan_operands(a, inst))
        return NULL;
    a->element = WL_ELEMENT(isa->bits, 1, inst->returns ? WL_ELEMENT_RETURN : 0);
    a->operation = wl_memory_atomic(b->request->processor, isa);
    if (isa->addresses == 2) {
        a->offset = (int64_t)inst->offset0 * unit;
        a->offset1 = (uint32_t)inst->offset1 * unit;
        return atomic ? run_two_atomics : run_two;
    }
    if (atomic)
        return isa->space == WL_SPACE_SCRATCH ? NULL : run_atomic;
    return inst->lds ? run_to_lds : dwords_form(a) ? dwords_form(a) : run_access;
}

bool wl_steps_memory(struct wl_steps_builder *b, const struct wl_inst *inst) {
    if (!inst->isa || (inst->isa->class != WL_ISA_LOAD && inst->isa->class != WL_ISA_STORE && inst->isa->class != WL_ISA_ATOMIC))
        return false;
    struct access *a = wl_steps_allocate(b, sizeof *a);
    wl_step_fn *run = a ? plan_access(b, a, inst) : NULL;
    if (run)
        wl_steps_add(b, run, a);
    else
        wl_steps_refuse(b, inst);
    return true;
}
