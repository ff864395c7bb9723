#include "device/cpu/helpers/helpers.h"
#include "base/cpu.h"
#include "device/cpu/helpers/barriers.h"
#include "device/cpu/helpers/lanes.h"
#include "machine/lane_mask.h"
#include "machine/operations.h"

#include <string.h>
#include <time.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* ---- floating-point control ----------------------------------------------------------------- */

/* MODE: f32 rounding in bits 1:0, f32 denormals in bits 5:4, f64 and f16 denormals in bits 7:6 (3: kept, 0: flushed both ways).
 * The host has one rounding mode and one denormal mode for all widths; f32's are the ones that compilers set. Translated code
 * with f64 arithmetic that keeps denormals of f64 flushes those of f32 itself (translate/lift/inst/denormal.c). No compiler asks for the
 * reverse: f64's or f16's flushed and f32's kept. All are kept then. */
uint32_t wl_float_enter(uint32_t mode) {
#if defined(__x86_64__)
    static const uint32_t rounding[4] = {_MM_ROUND_NEAREST, _MM_ROUND_UP, _MM_ROUND_DOWN, _MM_ROUND_TOWARD_ZERO};
    uint32_t previous = _mm_getcsr(), control = _MM_MASK_MASK | rounding[mode & 3];
    enum { DENORMALS_ARE_ZERO = 0x40 };
    if (!(mode & 0x10)) /* inputs flushed */
        control |= DENORMALS_ARE_ZERO;
    if (!(mode & 0x20)) /* outputs flushed */
        control |= _MM_FLUSH_ZERO_ON;
    if ((previous & ~(uint32_t)_MM_EXCEPT_MASK) != control)
        _mm_setcsr(control);
    return previous;
#else
    static const uint64_t rounding[4] = {0, 1, 2, 3};
    uint64_t previous, control = rounding[mode & 3] << 22 | ((mode & 0x30) == 0x30 ? 0 : UINT64_C(1) << 24);
    __asm__ volatile("mrs %0, fpcr" : "=r"(previous));
    if (previous != control)
        __asm__ volatile("msr fpcr, %0" ::"r"(control));
    return (uint32_t)previous;
#endif
}

void wl_float_restore(uint32_t control) {
#if defined(__x86_64__)
    if (_mm_getcsr() != control)
        _mm_setcsr(control);
#else
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)control));
#endif
}

void wl_float_leave(uint32_t control) {
#if defined(__x86_64__)
    if ((_mm_getcsr() ^ control) & ~(uint32_t)_MM_EXCEPT_MASK)
        _mm_setcsr(control);
#else
    wl_float_restore(control);
#endif
}

/* ---- addresses ------------------------------------------------------------------------------ */

/* Of an address that wl_flat_address has made. */
static void *plain_pointer(const struct wl_wave *wave, uint64_t address, uint32_t lane) {
    if (address >> 32 == WL_SHARED_APERTURE_HI)
        return wave->lds + (uint32_t)address;
    if (address >> 32 == WL_PRIVATE_APERTURE_HI)
        return wave->scratch + wl_scratch_address((uint32_t)address, lane, wave->wave_size);
    return (void *)(uintptr_t)address;
}

void *wl_flat_pointer(const struct wl_wave *wave, uint64_t address, uint32_t lane) {
    return plain_pointer(wave, wl_flat_address(address, lane), lane);
}

static unsigned element_bits(uint32_t element) { return element & 0xff; }
static unsigned element_count(uint32_t element) { return element >> 8 & 15; }

/* What a load of `bits` makes of a register that holds `old`. */
static uint32_t widen(uint32_t raw, uint32_t old, uint32_t element) {
    unsigned bits = element_bits(element);
    if (bits == 8)
        raw = element & WL_ELEMENT_SIGNED ? (uint32_t)(int8_t)raw : raw & 0xff;
    else if (bits == 16)
        raw = element & WL_ELEMENT_SIGNED ? (uint32_t)(int16_t)raw : raw & 0xffff;
    if (!(element & WL_ELEMENT_D16))
        return raw;
    return element & WL_ELEMENT_HIGH ? (old & 0xffff) | raw << 16 : (old & 0xffff0000) | (raw & 0xffff);
}

/* What a store of a sub-dword element takes from a register. */
static uint32_t narrow_data(uint32_t value, uint32_t element) { return element & WL_ELEMENT_HIGH ? value >> 16 : value; }

typedef uint8_t *locate_fn(const struct wl_wave *wave, uint64_t address, uint32_t lane);

static uint8_t *locate_flat(const struct wl_wave *wave, uint64_t address, uint32_t lane) { return plain_pointer(wave, address, lane); }

static uint8_t *locate_scratch(const struct wl_wave *wave, uint64_t address, uint32_t lane) {
    return wave->scratch + wl_scratch_address((uint32_t)address, lane, wave->wave_size);
}

/* Whether consecutive bytes from this address are consecutive in memory. */
static bool is_contiguous(locate_fn *locate, uint64_t address) { return locate == locate_flat && address >> 32 != WL_PRIVATE_APERTURE_HI; }

static uint32_t read_element(const struct wl_wave *wave, locate_fn *locate, uint64_t address, uint32_t lane, unsigned bytes) {
    uint32_t value = 0;
    if (is_contiguous(locate, address)) {
        memcpy(&value, locate(wave, address, lane), bytes);
        return value;
    }
    for (unsigned b = 0; b < bytes; b++)
        value |= (uint32_t)*locate(wave, address + b, lane) << b * 8;
    return value;
}

static void write_element(const struct wl_wave *wave, locate_fn *locate, uint64_t address, uint32_t lane, unsigned bytes, uint32_t value) {
    if (is_contiguous(locate, address)) {
        memcpy(locate(wave, address, lane), &value, bytes);
        return;
    }
    for (unsigned b = 0; b < bytes; b++)
        *locate(wave, address + b, lane) = (uint8_t)(value >> b * 8);
}

static uint64_t lane_address(const struct wl_wave *wave, const uint32_t *address, uint64_t base, bool narrow, uint32_t lane) {
    if (!address)
        return base;
    uint64_t low = address[lane];
    return base + (narrow ? low : low | (uint64_t)address[wave->wave_size + lane] << 32);
}

static uint64_t flat_lane_address(const struct wl_wave *wave, const uint32_t *address, uint64_t base, bool narrow, uint32_t lane) {
    return wl_flat_address(lane_address(wave, address, base, narrow, lane), lane);
}

/* ---- loads and stores ----------------------------------------------------------------------- */

static void load_lane(struct wl_wave *wave, locate_fn *locate, uint32_t *destination, uint64_t address, uint32_t lane, uint32_t element) {
    unsigned bytes = element_bits(element) / 8;
    uint32_t loaded[16];
    for (unsigned i = 0; i < element_count(element); i++)
        loaded[i] = read_element(wave, locate, address + (uint64_t)i * bytes, lane, bytes);
    for (unsigned i = 0; i < element_count(element); i++) {
        uint32_t *d = &destination[i * wave->wave_size + lane];
        *d = widen(loaded[i], *d, element);
    }
}

static void store_lane(struct wl_wave *wave, locate_fn *locate, const uint32_t *data, uint64_t address, uint32_t lane, uint32_t element) {
    unsigned bytes = element_bits(element) / 8;
    for (unsigned i = 0; i < element_count(element); i++)
        write_element(wave, locate, address + (uint64_t)i * bytes, lane, bytes, narrow_data(data[i * wave->wave_size + lane], element));
}

static void help_scratch_load(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, uint32_t base, uint32_t element) {
    uint64_t exec = wl_exec(wave);
    for (uint32_t l = 0; l < wave->wave_size; l++)
        if (wl_lane_in(exec, l))
            load_lane(wave, locate_scratch, destination, (uint32_t)lane_address(wave, address, base, true, l), l, element);
}

static void help_scratch_store(struct wl_wave *wave, const uint32_t *data, const uint32_t *address, uint32_t base, uint32_t element) {
    uint64_t exec = wl_exec(wave);
    for (uint32_t l = 0; l < wave->wave_size; l++)
        if (wl_lane_in(exec, l))
            store_lane(wave, locate_scratch, data, (uint32_t)lane_address(wave, address, base, true, l), l, element);
}

static void help_flat_load(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, uint64_t base, uint32_t narrow,
                           uint32_t element) {
    uint64_t exec = wl_exec(wave);
    for (uint32_t l = 0; l < wave->wave_size; l++)
        if (wl_lane_in(exec, l))
            load_lane(wave, locate_flat, destination, flat_lane_address(wave, address, base, narrow, l), l, element);
}

static void help_flat_store(struct wl_wave *wave, const uint32_t *data, const uint32_t *address, uint64_t base, uint32_t narrow,
                            uint32_t element) {
    uint64_t exec = wl_exec(wave);
    for (uint32_t l = 0; l < wave->wave_size; l++)
        if (wl_lane_in(exec, l))
            store_lane(wave, locate_flat, data, flat_lane_address(wave, address, base, narrow, l), l, element);
}

/* ---- atomics -------------------------------------------------------------------------------- */

static uint64_t row_value(const struct wl_wave *wave, const uint32_t *row, uint32_t bits, uint32_t index, uint32_t lane) {
    const uint32_t *at = row + (size_t)index * (bits / 32) * wave->wave_size + lane;
    return bits == 64 ? at[0] | (uint64_t)at[wave->wave_size] << 32 : at[0];
}

static void atomic_row(struct wl_wave *wave, uint32_t *destination, const uint32_t *data, void *memory, uint32_t lane, uint32_t element,
                       uint32_t operation) {
    uint32_t bits = element_bits(element);
    bool two = wl_atomic_has_two(operation);
    uint64_t old =
        wl_atomic_lane(memory, operation, bits, row_value(wave, data, bits, 0, lane), two ? row_value(wave, data, bits, 1, lane) : 0);
    if (!(element & WL_ELEMENT_RETURN))
        return;
    destination[lane] = (uint32_t)old;
    if (bits == 64)
        destination[wave->wave_size + lane] = (uint32_t)(old >> 32);
}

/* 64 bits of a lane's scratch, whose dwords are apart; only this lane sees them. */
static void atomic_in_scratch(struct wl_wave *wave, uint32_t *destination, const uint32_t *data, uint32_t address, uint32_t lane,
                              uint32_t element, uint32_t operation) {
    uint64_t memory =
        read_element(wave, locate_scratch, address, lane, 4) | (uint64_t)read_element(wave, locate_scratch, address + 4, lane, 4) << 32;
    atomic_row(wave, destination, data, &memory, lane, element, operation);
    write_element(wave, locate_scratch, address, lane, 4, (uint32_t)memory);
    write_element(wave, locate_scratch, address + 4, lane, 4, (uint32_t)(memory >> 32));
}

static void help_flat_atomic(struct wl_wave *wave, uint32_t *destination, const uint32_t *data, const uint32_t *address, uint64_t base,
                             uint32_t narrow, uint32_t element, uint32_t operation) {
    uint64_t exec = wl_exec(wave);
    for (uint32_t l = 0; l < wave->wave_size; l++) {
        if (!wl_lane_in(exec, l))
            continue;
        uint64_t at = flat_lane_address(wave, address, base, narrow, l);
        if (at >> 32 == WL_PRIVATE_APERTURE_HI && element_bits(element) == 64)
            atomic_in_scratch(wave, destination, data, (uint32_t)at, l, element, operation);
        else
            atomic_row(wave, destination, data, plain_pointer(wave, at, l), l, element, operation);
    }
}

static void help_ds_atomic(struct wl_wave *wave, uint32_t *destination, const uint32_t *data, const uint32_t *address, uint32_t offset,
                           uint32_t element, uint32_t operation) {
    uint64_t exec = wl_exec(wave);
    for (uint32_t l = 0; l < wave->wave_size; l++)
        if (wl_lane_in(exec, l))
            atomic_row(wave, destination, data, wave->lds + address[l] + (uint64_t)offset, l, element, operation);
}

/* ---- scalar state --------------------------------------------------------------------------- */

static uint64_t help_time(struct wl_wave *wave) {
    struct timespec t;
    (void)wave;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 100000000u + (uint64_t)t.tv_nsec / 10;
}

enum { HWREG_MODE = 1, HWREG_IB_STS2 = 28, HWREG_SHADER_CYCLES = 29, HWREG_SHADER_CYCLES_HI = 30, HWREG_SH_MEM_BASES = 15 };

static uint32_t hwreg_mask(uint32_t hwreg) {
    uint32_t size = (hwreg >> 11 & 31) + 1;
    return size == 32 ? UINT32_MAX : (1u << size) - 1;
}

static uint32_t help_getreg(struct wl_wave *wave, uint32_t hwreg) {
    uint32_t value = 0, offset = hwreg >> 6 & 31;
    switch (hwreg & 63) {
    case HWREG_MODE:
        value = wave->mode_register;
        break;
    case HWREG_IB_STS2:
        value = wl_cluster_status(wave);
        break;
    case HWREG_SHADER_CYCLES:
        value = (uint32_t)wl_ticks(); /* code for processors that count 20 bits reads no more */
        break;
    case HWREG_SHADER_CYCLES_HI:
        value = (uint32_t)(wl_ticks() >> 32);
        break;
    case HWREG_SH_MEM_BASES:
        value = (WL_SHARED_APERTURE_HI >> 16) << 16 | WL_PRIVATE_APERTURE_HI >> 16;
        break;
    default:
        break;
    }
    return value >> offset & hwreg_mask(hwreg);
}

static void help_setreg(struct wl_wave *wave, uint32_t hwreg, uint32_t value) {
    uint32_t offset = hwreg >> 6 & 31, mask = hwreg_mask(hwreg) << offset;
    if ((hwreg & 63) != HWREG_MODE)
        return;
    wave->mode_register = (wave->mode_register & ~mask) | (value << offset & mask);
    wl_float_enter(wave->mode_register);
}

static void help_denormals(struct wl_wave *wave, uint32_t inside) {
    uint32_t mode = wave->mode_register;
    wl_float_enter(inside ? mode | (mode >> 2 & 0x30) : mode);
}

static void help_rounding(struct wl_wave *wave, uint32_t other) {
    uint32_t mode = wave->mode_register >> (other ? 2 : 0) & 3;
#if defined(__x86_64__)
    static const uint32_t rounding[4] = {_MM_ROUND_NEAREST, _MM_ROUND_UP, _MM_ROUND_DOWN, _MM_ROUND_TOWARD_ZERO};
    _mm_setcsr((_mm_getcsr() & ~(uint32_t)_MM_ROUND_MASK) | rounding[mode]);
#else
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" ::"r"((control & ~(UINT64_C(3) << 22)) | (uint64_t)mode << 22));
#endif
}

static uint64_t help_message_return(struct wl_wave *wave, uint32_t message) {
    enum { GET_REALTIME = 0x83, GET_CLUSTER_BARRIER_STATE = 0x88 };
    if ((message & 0xff) == GET_CLUSTER_BARRIER_STATE)
        return wl_help_barrier(wave, WL_BARRIER_STATE, (uint32_t)WL_CLUSTER_BARRIER, 0);
    return (message & 0xff) == GET_REALTIME ? help_time(wave) : 0;
}

const struct wl_helpers wl_helpers_table = {
    .ds_bpermute = wl_help_ds_bpermute,
    .ds_permute = wl_help_ds_permute,
    .ds_swizzle = wl_help_ds_swizzle,
    .permlane16 = wl_help_permlane16,
    .permlanex16 = wl_help_permlanex16,
    .exchange = wl_help_exchange,
    .dpp = wl_help_dpp,
    .buffer_load = wl_help_buffer_load,
    .buffer_store = wl_help_buffer_store,
    .buffer_atomic = wl_help_buffer_atomic,
    .scratch_load = help_scratch_load,
    .scratch_store = help_scratch_store,
    .flat_load = help_flat_load,
    .flat_store = help_flat_store,
    .flat_atomic = help_flat_atomic,
    .ds_atomic = help_ds_atomic,
    .time = help_time,
    .getreg = help_getreg,
    .setreg = help_setreg,
    .message_return = help_message_return,
    .barrier = wl_help_barrier,
    .denormals = help_denormals,
    .matrix = wl_help_matrix,
    .rounding = help_rounding,
    .ds_src2 = wl_help_ds_src2,
    .ds_condxchg = wl_help_ds_condxchg,
    .ds_arrive = wl_help_ds_arrive,
    .ds_transposed = wl_help_ds_transposed,
    .permlane = wl_help_permlane,
    .load_transposed = wl_help_load_transposed,
    .copy_lds = wl_help_copy_lds,
    .tensor = wl_help_tensor,
    .block = wl_help_block,
    .buffer_place = wl_help_buffer_place,
    .buffer_parts = wl_help_buffer_parts,
    .image = wl_help_image,
    .split_atomic = wl_atomic_lane_split,
    .lane_atomic = wl_atomic_lane,
};
