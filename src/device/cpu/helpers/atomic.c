/* One lane's atomics: what each computes, and how it is done in memory. */
#include "base/float_bits.h"
#include "device/cpu/helpers/lanes.h"
#include "lane/channel_values.h"
#include "machine/operations.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>

/* Of the lower half. */
static float as_float(uint64_t bits) { return wl_bits_float((uint32_t)bits); }

static uint64_t flush_denormal(uint64_t bits) { return bits & 0x7f800000 ? bits : bits & 0x80000000; }

static uint64_t float_result(uint32_t operation, uint32_t bits, uint64_t old, uint64_t data) {
    double a = bits == 64 ? wl_bits_double(old) : as_float(old), b = bits == 64 ? wl_bits_double(data) : as_float(data);
    if (operation == WL_ATOMIC_FADD)
        return bits == 64 ? wl_double_bits(a + b) : wl_float_bits(as_float(old) + as_float(data));
    if (a == b) /* -0 is less than +0 */
        return operation == WL_ATOMIC_FMIN ? old | data : old & data;
    if (isnan(b))
        return old;
    return (operation == WL_ATOMIC_FMIN ? a < b : a > b) ? old : data;
}

static uint32_t packed_add(uint32_t operation, uint32_t old, uint32_t data) {
    uint32_t result = 0;
    for (int half = 0; half < 2; half++) {
        uint16_t a = (uint16_t)(old >> half * 16), b = (uint16_t)(data >> half * 16), sum;
        if (operation == WL_ATOMIC_PK_ADD_F16) {
            sum = wl_float_to_half(wl_half_to_float(a) + wl_half_to_float(b));
        } else {
            uint32_t wide = wl_float_bits(as_float((uint64_t)a << 16) + as_float((uint64_t)b << 16));
            bool nan = (wide & 0x7fffffff) > 0x7f800000;
            sum = (uint16_t)(nan ? wide >> 16 | 0x40 : (wide + 0x7fff + (wide >> 16 & 1)) >> 16);
        }
        result |= (uint32_t)sum << half * 16;
    }
    return result;
}

bool wl_atomic_has_two(uint32_t operation) {
    return operation == WL_ATOMIC_CMPSWAP || operation == WL_ATOMIC_MSKOR || operation == WL_ATOMIC_FCMPSWAP || operation == WL_ATOMIC_WRAP;
}

static uint64_t combine(uint32_t operation, uint32_t bits, uint64_t old, uint64_t data, uint64_t other) {
    int64_t so = bits == 64 ? (int64_t)old : (int32_t)old, sd = bits == 64 ? (int64_t)data : (int32_t)data;
    switch ((enum wl_atomic_op)operation) {
    case WL_ATOMIC_NONE:
        return old;
    case WL_ATOMIC_SWAP:
        return data;
    case WL_ATOMIC_CMPSWAP:
        return old == other ? data : old;
    case WL_ATOMIC_ADD:
        return old + data;
    case WL_ATOMIC_SUB:
        return old - data;
    case WL_ATOMIC_RSUB:
        return data - old;
    case WL_ATOMIC_SMIN:
        return so < sd ? old : data;
    case WL_ATOMIC_UMIN:
        return old < data ? old : data;
    case WL_ATOMIC_SMAX:
        return so > sd ? old : data;
    case WL_ATOMIC_UMAX:
        return old > data ? old : data;
    case WL_ATOMIC_AND:
        return old & data;
    case WL_ATOMIC_OR:
        return old | data;
    case WL_ATOMIC_XOR:
        return old ^ data;
    case WL_ATOMIC_INC:
        return old >= data ? 0 : old + 1;
    case WL_ATOMIC_DEC:
        return old == 0 || old > data ? data : old - 1;
    case WL_ATOMIC_FADD_FLUSH:
        return flush_denormal(wl_float_bits(as_float(flush_denormal(old)) + as_float(flush_denormal(data))));
    case WL_ATOMIC_FADD:
    case WL_ATOMIC_FMIN:
    case WL_ATOMIC_FMAX:
        return float_result(operation, bits, old, data);
    case WL_ATOMIC_PK_ADD_F16:
    case WL_ATOMIC_PK_ADD_BF16:
        return packed_add(operation, (uint32_t)old, (uint32_t)data);
    case WL_ATOMIC_CSUB:
        return old < data ? 0 : old - data;
    case WL_ATOMIC_COND_SUB:
        return old >= data ? old - data : old;
    case WL_ATOMIC_MSKOR:
        return (old & ~data) | other;
    case WL_ATOMIC_FCMPSWAP:
        return (bits == 64 ? wl_bits_double(old) == wl_bits_double(other) : as_float(old) == as_float(other)) ? data : old;
    case WL_ATOMIC_ORDERED_ADD:
        return (uint32_t)old == (uint32_t)data ? (((old >> 32) + (data >> 32)) << 32 | (uint32_t)(old + 1)) : old;
    case WL_ATOMIC_WRAP:
        return old >= data ? old - data : old + other;
    }
    return old;
}

/* Tries whether both halves can be written, so that a fault comes here and not while the lock is held. */
static void touch(uint32_t *halves) {
    __atomic_fetch_or(&halves[0], 0, __ATOMIC_RELAXED);
    __atomic_fetch_or(&halves[1], 0, __ATOMIC_RELAXED);
}

uint64_t wl_atomic_lane_split(void *memory, uint32_t operation, uint64_t data, uint64_t compare) {
    enum { LOCKS = 64 };
    static atomic_flag locks[LOCKS]; /* clear: free */
    uint32_t *halves = memory;
    atomic_flag *lock = &locks[(uintptr_t)memory / 8 % LOCKS];
    touch(halves);
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
        sched_yield();
    for (;;) {
        uint32_t low = __atomic_load_n(&halves[0], __ATOMIC_SEQ_CST), high = __atomic_load_n(&halves[1], __ATOMIC_SEQ_CST);
        const uint64_t old = low | (uint64_t)high << 32, new = combine(operation, 64, old, data, compare);
        uint32_t seen = low, written = (uint32_t)new;
        if (!__atomic_compare_exchange_n(&halves[0], &seen, written, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            continue;
        seen = high;
        if (__atomic_compare_exchange_n(&halves[1], &seen, (uint32_t)(new >> 32), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            atomic_flag_clear_explicit(lock, memory_order_release);
            return old;
        }
        __atomic_compare_exchange_n(&halves[0], &written, low, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST); /* back: somebody wrote the other */
    }
}

uint64_t wl_atomic_lane(void *memory, uint32_t operation, uint32_t bits, uint64_t data, uint64_t compare) {
    if (bits == 64 && !WL_HOST_ATOMICS_ANYWHERE && (uintptr_t)memory % 8)
        return wl_atomic_lane_split(memory, operation, data, compare);
    if (bits == 64) {
        uint64_t *word = memory, old = __atomic_load_n(word, __ATOMIC_RELAXED);
        while (
            !__atomic_compare_exchange_n(word, &old, combine(operation, 64, old, data, compare), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            ;
        return old;
    }
    uint32_t *word = memory, old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &old, (uint32_t)combine(operation, 32, old, (uint32_t)data, (uint32_t)compare), true,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
    return old;
}
