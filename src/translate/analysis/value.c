#include "translate/analysis/value.h"

const struct wl_value wl_value_unknown = {.fact = {.kind = WL_FACT_UNKNOWN}};

static unsigned trailing_zeros(uint32_t x) { return x ? (unsigned)__builtin_ctz(x) : 32; }
static unsigned width(uint32_t x) { return x ? 32 - (unsigned)__builtin_clz(x) : 0; }
static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }
static unsigned most(unsigned a, unsigned b) { return a > b ? a : b; }

struct wl_value wl_value_affine(unsigned lanes, int64_t stride, unsigned zeros, unsigned bits) {
    if (stride > INT32_C(1) << 24 || stride < -(INT32_C(1) << 24))
        return wl_value_unknown; /* 63 strides must stay far below 2^32 */
    return (struct wl_value){.fact = {.kind = WL_FACT_AFFINE,
                                      .stride = (int32_t)stride,
                                      .zeros = (uint8_t)least(zeros, 32),
                                      .bits = (uint8_t)least(bits, 32),
                                      .lanes = lanes}};
}

struct wl_value wl_value_constant(uint32_t x) {
    struct wl_value v = wl_value_affine(WL_ALL_LANES, 0, trailing_zeros(x), width(x));
    v.is_constant = true;
    v.constant = x;
    return v;
}

struct wl_value wl_value_uniform(void) { return wl_value_affine(WL_ALL_LANES, 0, 0, 32); }

struct wl_value wl_value_carried(void) { return (struct wl_value){.fact = {.kind = WL_FACT_CARRY, .lanes = WL_ALL_LANES}}; }

void wl_fact_narrow(struct wl_fact *fact, unsigned lanes) {
    if (lanes >= fact->lanes)
        return;
    fact->lanes = lanes;
    if (fact->stride)
        fact->zeros = (uint8_t)least(fact->zeros, trailing_zeros(lanes) + trailing_zeros((uint32_t)fact->stride));
}

struct wl_fact wl_fact_opened(struct wl_fact fact) {
    if (fact.kind == WL_FACT_GROUPS)
        fact.kind = WL_FACT_AFFINE;
    else if (fact.kind == WL_FACT_GROUPS_CARRY)
        fact.kind = WL_FACT_CARRY;
    return fact;
}

struct wl_fact wl_fact_closed(struct wl_fact fact) {
    if (fact.lanes >= WL_STRIP || fact.kind == WL_FACT_UNKNOWN)
        return fact;
    if (fact.kind == WL_FACT_HALF_LANE || fact.kind == WL_FACT_SHIFTED || fact.kind == WL_FACT_BROKEN)
        return (struct wl_fact){0};
    fact.own = fact.of = 0;
    fact.kind = fact.kind == WL_FACT_AFFINE ? WL_FACT_GROUPS : WL_FACT_GROUPS_CARRY;
    return fact;
}

bool wl_fact_fits(const struct wl_fact *fact) {
    if (fact->kind != WL_FACT_AFFINE)
        return false;
    uint64_t reach = (uint64_t)(fact->lanes - 1) * (uint32_t)fact->stride;
    return fact->stride == 0 || fact->bits < 32 || (fact->stride > 0 && reach < UINT64_C(1) << fact->zeros);
}

bool wl_fact_is_pair(const struct wl_fact *low, const struct wl_fact *high) {
    if (low->kind != WL_FACT_AFFINE || (high->kind != WL_FACT_AFFINE && high->kind != WL_FACT_CARRY))
        return false;
    bool zero = wl_fact_is_uniform(high) && (high->zeros >= 32 || high->bits == 0);
    return (wl_fact_is_uniform(low) && wl_fact_is_uniform(high)) || (low->own && high->of == low->own) || (zero && wl_fact_fits(low));
}

static bool is_exact(struct wl_value_pair p) { return wl_fact_is_pair(&p.low.fact, &p.high.fact); }

/* Low bits that are zero in every lane. */
static unsigned low_zeros(struct wl_value v) { return least(v.fact.zeros, trailing_zeros((uint32_t)v.fact.stride)); }

/* The most that the stride adds over the lanes, if that fits into the base's zero low bits; else 2^32 - 1. */
static uint32_t lane_part(struct wl_value v) {
    uint64_t reach = (uint64_t)(v.fact.lanes - 1) * (uint32_t)v.fact.stride;
    return v.fact.stride >= 0 && v.fact.zeros <= 32 && reach < UINT64_C(1) << v.fact.zeros ? (uint32_t)reach : UINT32_MAX;
}

static bool lane_part_fits(struct wl_value v) { return v.fact.stride == 0 || lane_part(v) != UINT32_MAX; }

/* All bits that stride * lane has in some lane. */
static uint32_t lane_bits(struct wl_value v) {
    uint32_t set = 0;
    for (uint32_t i = 0; i < v.fact.lanes; i++)
        set |= (uint32_t)v.fact.stride * i;
    return set;
}

unsigned wl_value_same(struct wl_value v) {
    if (!wl_value_is_affine(v))
        return 0;
    return v.is_constant || (v.fact.stride == 0 && v.fact.lanes >= WL_ALL_LANES) ? 32 : v.fact.same;
}

/* What two facts say together holds where both hold. */
static void level(struct wl_value *a, struct wl_value *b) {
    wl_fact_narrow(&a->fact, b->fact.lanes);
    wl_fact_narrow(&b->fact, a->fact.lanes);
}

struct wl_value wl_value_broken(struct wl_value v) {
    if (!wl_value_is_affine(v))
        return wl_value_unknown;
    return (struct wl_value){.fact = {.kind = WL_FACT_BROKEN, .stride = v.fact.stride, .bits = 32, .lanes = v.fact.lanes}};
}

static bool is_broken(struct wl_value v) { return v.fact.kind == WL_FACT_BROKEN; }

/* What an operation makes of a BROKEN value: it makes an AFFINE one of either part, and both have the same stride. */
static struct wl_value by_parts(struct wl_value (*operation)(struct wl_value, struct wl_value), struct wl_value a, struct wl_value b) {
    struct wl_value *broken = is_broken(a) ? &a : &b;
    if (is_broken(a) && is_broken(b))
        return wl_value_unknown; /* three parts */
    broken->fact.kind = WL_FACT_AFFINE;
    return wl_value_broken(operation(a, b));
}

struct wl_value wl_value_add(struct wl_value a, struct wl_value b) {
    if (is_broken(a) || is_broken(b))
        return by_parts(wl_value_add, a, b);
    level(&a, &b);
    if (a.is_constant && b.is_constant)
        return wl_value_constant(a.constant + b.constant);
    if (wl_value_is_zero(a))
        return b;
    if (wl_value_is_zero(b))
        return a;
    if (!wl_value_is_affine(a) || !wl_value_is_affine(b))
        return wl_value_unknown;
    unsigned bits = most(a.fact.bits, b.fact.bits) + 1;
    return wl_value_affine(a.fact.lanes, (int64_t)a.fact.stride + b.fact.stride, least(a.fact.zeros, b.fact.zeros), bits);
}

struct wl_value wl_value_sub(struct wl_value a, struct wl_value b) {
    if (is_broken(a) || is_broken(b))
        return by_parts(wl_value_sub, a, b);
    level(&a, &b);
    if (a.is_constant && b.is_constant)
        return wl_value_constant(a.constant - b.constant);
    if (wl_value_is_zero(b))
        return a;
    if (!wl_value_is_affine(a) || !wl_value_is_affine(b))
        return wl_value_unknown;
    return wl_value_affine(a.fact.lanes, (int64_t)a.fact.stride - b.fact.stride, least(a.fact.zeros, b.fact.zeros), 32);
}

struct wl_value wl_value_mul(struct wl_value a, struct wl_value b) {
    if (is_broken(a) || is_broken(b))
        return by_parts(wl_value_mul, a, b);
    level(&a, &b);
    if (a.is_constant && b.is_constant)
        return wl_value_constant(a.constant * b.constant);
    if (!wl_value_is_affine(a) || !wl_value_is_affine(b))
        return wl_value_unknown;
    unsigned bits = a.fact.bits + b.fact.bits, zeros = (unsigned)a.fact.zeros + b.fact.zeros;
    if (wl_value_is_uniform(a) && wl_value_is_uniform(b))
        return wl_value_affine(a.fact.lanes, 0, zeros, bits);
    if (b.is_constant && b.constant < 1u << 26)
        return wl_value_affine(a.fact.lanes, (int64_t)a.fact.stride * (int32_t)b.constant, zeros, bits);
    if (a.is_constant && a.constant < 1u << 26)
        return wl_value_affine(b.fact.lanes, (int64_t)b.fact.stride * (int32_t)a.constant, zeros, bits);
    return wl_value_unknown;
}

struct wl_value wl_value_shl(struct wl_value a, struct wl_value count) {
    if (is_broken(a))
        return by_parts(wl_value_shl, a, count);
    if (count.is_constant) {
        unsigned k = count.constant & 31;
        if (a.is_constant)
            return wl_value_constant(a.constant << k);
        if (!wl_value_is_affine(a))
            return wl_value_unknown;
        return wl_value_affine(a.fact.lanes, (int64_t)a.fact.stride * (INT64_C(1) << k), a.fact.zeros + k, a.fact.bits + k);
    }
    return wl_value_is_uniform(a) && wl_value_is_uniform(count) ? wl_value_affine(a.fact.lanes, 0, a.fact.zeros, 32) : wl_value_unknown;
}

struct wl_value wl_value_shr(struct wl_value a, struct wl_value count, bool arithmetic) {
    if (wl_value_is_uniform(a) && wl_value_is_uniform(count) && !count.is_constant)
        return wl_value_affine(a.fact.lanes, 0, 0, arithmetic && a.fact.bits == 32 ? 32 : a.fact.bits);
    if (!count.is_constant || !wl_value_is_affine(a))
        return wl_value_unknown;
    unsigned k = count.constant & 31;
    bool negative = arithmetic && a.fact.bits == 32; /* the sign may be set */
    unsigned bits = negative ? 32 : a.fact.bits > k ? a.fact.bits - k : 0;
    if (a.is_constant)
        return wl_value_constant(arithmetic ? (uint32_t)((int32_t)a.constant >> k) : a.constant >> k);
    if (!arithmetic)
        bits = a.fact.bits > k ? a.fact.bits - k : 0;
    if (wl_value_is_uniform(a))
        return wl_value_affine(a.fact.lanes, 0, a.fact.zeros > k ? a.fact.zeros - k : 0, bits);
    if (lane_part_fits(a)) {
        if (lane_part(a) >> k == 0)
            return wl_value_affine(a.fact.lanes, 0, a.fact.zeros > k ? a.fact.zeros - k : 0, bits);
        if ((a.fact.stride & ((INT32_C(1) << k) - 1)) == 0)
            return wl_value_affine(a.fact.lanes, a.fact.stride >> k, a.fact.zeros - k, bits);
    }
    if (bits == 0)
        return wl_value_constant(0);
    if (k >= 16)
        return wl_value_carried(); /* steps at most once over the lanes */
    if (negative || !k)
        return wl_value_unknown;
    a.fact.kind = WL_FACT_SHIFTED;
    a.fact.shift = (uint8_t)k;
    a.fact.own = a.fact.of = 0;
    return a;
}

struct wl_value wl_value_or(struct wl_value a, struct wl_value b) {
    level(&a, &b);
    if (a.is_constant && b.is_constant)
        return wl_value_constant(a.constant | b.constant);
    if (!wl_value_is_affine(a) || !wl_value_is_affine(b))
        return wl_value_unknown;
    if (wl_value_is_uniform(a) && wl_value_is_uniform(b))
        return wl_value_affine(a.fact.lanes, 0, least(a.fact.zeros, b.fact.zeros), most(a.fact.bits, b.fact.bits));
    if (low_zeros(a) >= b.fact.bits || low_zeros(b) >= a.fact.bits) { /* disjoint: a sum */
        struct wl_value sum = wl_value_add(a, b);
        sum.fact.bits = (uint8_t)most(a.fact.bits, b.fact.bits);
        return sum;
    }
    if (wl_value_is_uniform(a)) {
        struct wl_value swap = a;
        a = b;
        b = swap;
    }
    /* Only bits of the base change. */
    if (wl_value_is_uniform(b) && lane_part_fits(a) && b.fact.zeros >= width(lane_part(a)))
        return wl_value_affine(a.fact.lanes, a.fact.stride, least(a.fact.zeros, b.fact.zeros), most(a.fact.bits, b.fact.bits));
    if (wl_value_is_uniform(b) && b.is_constant && lane_part_fits(a) && (b.constant & lane_bits(a)) == 0 &&
        (b.constant & lane_part(a)) == 0)
        return wl_value_affine(a.fact.lanes, a.fact.stride, least(a.fact.zeros, width(lane_part(a))), most(a.fact.bits, b.fact.bits));
    return wl_value_unknown;
}

struct wl_value wl_value_xor(struct wl_value a, struct wl_value b) {
    if (a.is_constant && b.is_constant)
        return wl_value_constant(a.constant ^ b.constant);
    return wl_value_or(a, b); /* the same conditions: no common bits, or base bits only */
}

/* Bits of a shifted value are the value's, shifted. */
static struct wl_value and_shifted(struct wl_value a, uint32_t mask) {
    unsigned k = a.fact.shift;
    if (!k && mask > 0xffff)
        return wl_value_unknown;
    a.fact.kind = WL_FACT_AFFINE;
    struct wl_value bits = wl_value_and(a, wl_value_constant(mask << k));
    return wl_value_is_affine(bits) ? wl_value_shr(bits, wl_value_constant(k), false) : wl_value_unknown;
}

struct wl_value wl_value_and(struct wl_value a, struct wl_value b) {
    level(&a, &b);
    if (a.fact.kind == WL_FACT_SHIFTED && b.is_constant)
        return and_shifted(a, b.constant);
    if (b.fact.kind == WL_FACT_SHIFTED && a.is_constant)
        return and_shifted(b, a.constant);
    if (a.is_constant && b.is_constant)
        return wl_value_constant(a.constant & b.constant);
    if (!wl_value_is_affine(a) || !wl_value_is_affine(b))
        return wl_value_unknown;
    unsigned bits = least(a.fact.bits, b.fact.bits), zeros = most(low_zeros(a), low_zeros(b));
    if (wl_value_is_uniform(a) && wl_value_is_uniform(b))
        return wl_value_affine(a.fact.lanes, 0, zeros, bits);
    struct wl_value x = wl_value_is_uniform(a) ? b : a, mask = wl_value_is_uniform(a) ? a : b;
    if (!mask.is_constant || !lane_part_fits(x))
        return wl_value_unknown;
    uint32_t moving = lane_bits(x);
    struct wl_value masked = wl_value_unknown;
    if ((mask.constant & moving) == 0)
        masked = wl_value_affine(x.fact.lanes, 0, most(zeros, trailing_zeros(mask.constant)), bits);
    else if ((mask.constant & moving) == moving)
        masked = wl_value_affine(x.fact.lanes, x.fact.stride, x.fact.zeros, bits);
    if (wl_value_is_affine(masked) && width(mask.constant) <= wl_value_same(x))
        masked.fact.same = 32;
    return masked;
}

/* ---- register pairs ---- */

struct wl_value_pair wl_value_pair_add(struct wl_value_pair a, struct wl_value_pair b) {
    struct wl_value_pair sum = {wl_value_add(a.low, b.low), wl_value_unknown, is_exact(a) && is_exact(b)};
    sum.exact &= wl_value_is_affine(sum.low);
    if (wl_value_is_uniform(a.low) && wl_value_is_uniform(b.low) && wl_value_is_uniform(a.high) && wl_value_is_uniform(b.high))
        sum.high = wl_value_uniform();
    else if (sum.exact || (wl_value_is_affine(sum.low) && wl_value_is_flat(a.high) && wl_value_is_flat(b.high) &&
                           (wl_value_is_uniform(a.high) || wl_value_is_uniform(b.high))))
        sum.high =
            wl_value_is_zero(a.high) && wl_value_is_zero(b.high) && sum.low.fact.bits < 32 ? wl_value_constant(0) : wl_value_carried();
    return sum;
}

struct wl_value_pair wl_value_pair_shl(struct wl_value_pair a, struct wl_value count) {
    struct wl_value_pair r = {wl_value_unknown, wl_value_unknown, false};
    if (wl_value_is_uniform(a.low) && wl_value_is_uniform(a.high) && wl_value_is_uniform(count)) {
        r.low = count.is_constant && count.constant < 32 ? wl_value_shl(a.low, count) : wl_value_uniform();
        r.high = wl_value_uniform();
        if (count.is_constant && wl_value_is_zero(a.high) && count.constant < 32 && a.low.fact.bits + count.constant <= 32)
            r.high = wl_value_constant(0);
        return r;
    }
    if (!count.is_constant)
        return r;
    unsigned k = count.constant & 63;
    if (k == 0)
        return a;
    if (k >= 32) {
        r.low = wl_value_constant(0);
        r.high = wl_value_shl(a.low, wl_value_constant(k - 32));
        return r;
    }
    r.low = wl_value_shl(a.low, count);
    r.exact = is_exact(a) && wl_value_is_affine(r.low);
    struct wl_value out = wl_value_shr(a.low, wl_value_constant(32 - k), false); /* what moves to the high half */
    if (wl_value_is_affine(r.low) && wl_value_is_uniform(a.high) && wl_value_is_uniform(out))
        r.high = wl_value_is_zero(a.high) && wl_value_is_zero(out) ? wl_value_constant(0) : wl_value_uniform();
    else if (wl_value_is_affine(r.low) && wl_value_is_flat(a.high))
        r.high = wl_value_carried();
    return r;
}

struct wl_value_pair wl_value_pair_mul(struct wl_value a, struct wl_value b) {
    struct wl_value_pair r = {wl_value_mul(a, b), wl_value_unknown, wl_fact_fits(&a.fact) && wl_fact_fits(&b.fact)};
    r.exact &= wl_value_is_affine(r.low);
    if (wl_value_is_uniform(a) && wl_value_is_uniform(b))
        r.high = a.fact.bits + b.fact.bits <= 32 ? wl_value_constant(0) : wl_value_uniform();
    else if (wl_value_is_affine(r.low))
        r.high = a.fact.bits + b.fact.bits <= 32 ? wl_value_constant(0) : wl_value_carried();
    return r;
}
