/* Sums of one lane's products with WAVELIFT_MATH=hardware (machine/matrix.h), by the CPU device's rules. */
#include "translate/nvptx/device/device.h"

#include "base/float_bits.h"
#include "lane/matrix_lane.h"

#define DOT_LANES 1
#include "machine/dot_sums.h"

#include <stdbool.h>

enum { DWORDS = 4 };

/* ---- elements as f32 ---- */

static inline float from_half(uint32_t half) {
    const uint32_t size = half & 0x7fff, sign = (half & 0x8000) << 16;
    return size >= 0x7c00 ? wl_bits_float(size << 13 | 0x7f800000 | sign)
                          : wl_bits_float(sign | wl_float_bits(wl_bits_float(size << 13) * 0x1p112f));
}

/* FNUZ: the bias is one more, and of all special values there is one NaN, at minus zero. */
static inline float from_byte(uint32_t byte, unsigned fraction, float unit) {
    const uint32_t sign = (byte & 0x80) << 24;
    return byte == 0x80 ? wl_bits_float(0x7fc00000)
                        : wl_bits_float(sign | wl_float_bits(wl_bits_float((byte & 0x7f) << (23 - fraction)) * unit));
}

static inline unsigned per_dword(unsigned kind) {
    return kind == WL_MATRIX_XF32 ? 1 : kind == WL_MATRIX_FP8 || kind == WL_MATRIX_BF8 ? 4 : 2;
}

static inline float element(uint32_t dword, unsigned e, unsigned kind) {
    switch (kind) {
    case WL_MATRIX_XF32:
        return (dword & 0x7fffffff) > 0x7f800000 ? wl_bits_float(0x7fc00000) : wl_bits_float(dword & ~0x1fffu);
    case WL_MATRIX_F16:
        return from_half(dword >> 16 * e & 0xffff);
    case WL_MATRIX_BF16:
        return wl_bits_float(e ? dword & 0xffff0000 : dword << 16);
    case WL_MATRIX_FP8:
        return from_byte(dword >> 8 * e & 0xff, 3, 0x1p119f);
    default:
        return from_byte(dword >> 8 * e & 0xff, 2, 0x1p111f);
    }
}

static inline uint32_t one_nan(float v) { return v == v ? wl_float_bits(v) : 0x7fc00000; }

/* ---- sums of pairs ---- */

static inline float without_denormals(float v, bool flush, uint32_t least) {
    const uint32_t bits = wl_float_bits(v);
    return flush && (bits & 0x7fffffff) < least ? wl_bits_float(bits & 0x80000000) : v;
}

static inline float flushed(float v, bool flush) { return without_denormals(v, flush, 0x00800000); }

static inline uint32_t sum_pairs(const uint32_t a[DWORDS], const uint32_t b[DWORDS], uint32_t c, unsigned kind, unsigned each, bool flush) {
    const uint32_t least = kind == WL_MATRIX_F16 ? 0x38800000 : 0x00800000;
    float pair[2] = {0};
    for (unsigned d = 0; d < each / 2; d++) {
        float product[2];
        for (unsigned e = 0; e < 2; e++)
            product[e] = flushed(
                without_denormals(element(a[d], e, kind), flush, least) * without_denormals(element(b[d], e, kind), flush, least), flush);
        pair[d] = flushed(product[0] + product[1], flush);
    }
    const float sum = each == 4 ? flushed(pair[0] + pair[1], flush) : pair[0];
    return one_nan(flushed(flushed(wl_bits_float(c), flush) + sum, flush));
}

/* ---- sums of aligned products ---- */

static inline uint32_t sum_aligned(const uint32_t a[DWORDS], const uint32_t b[DWORDS], uint32_t c, unsigned a_kind, unsigned b_kind) {
    enum { MOST = 16 };
    const unsigned each = per_dword(a_kind), terms = DWORDS * each;
    const int least[2] = {wl_matrix_least_exponent(a_kind), wl_matrix_least_exponent(b_kind)};
    float row[MOST], column[MOST];
    for (unsigned k = 0; k < terms; k++) {
        row[k] = element(a[k / each], k % each, a_kind);
        column[k] = element(b[k / each], k % each, b_kind);
    }
    return one_nan(wl_lane_sum_aligned(wl_bits_float(c), row, column, terms, each == 4 ? 2 : 1, least));
}

/* ---- steps of WMMA ---- */

static inline uint32_t sum_dots(const uint32_t a[DWORDS], const uint32_t b[DWORDS], uint32_t c, enum dot_kind kind, enum dot_kind result,
                                bool fours) {
    dot_u32 sum = c, row[2 * DWORDS], column[2 * DWORDS];
    for (unsigned k = 0; k < 2 * DWORDS; k++) {
        row[k] = a[k / 2] >> 16 * (k & 1) & 0xffff;
        column[k] = b[k / 2] >> 16 * (k & 1) & 0xffff;
    }
    for (unsigned k = 0; k < 2 * DWORDS; k += fours ? 4 : 2) {
        sum = dot_widen(sum, result);
        sum =
            fours ? dot_sum_gfx12(sum, row + k, column + k, 4, kind, kind, result) : dot_sum_gfx11(sum, row + k, column + k, kind, result);
    }
    return sum[0];
}

/* ---- what kernels call ---- */

#define SUM(name, call)                                                                                                                    \
    uint32_t wl_device_sum_##name(uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0, uint32_t b1, uint32_t b2, uint32_t b3,  \
                                  uint32_t c) {                                                                                            \
        const uint32_t a[DWORDS] = {a0, a1, a2, a3}, b[DWORDS] = {b0, b1, b2, b3};                                                         \
        return call;                                                                                                                       \
    }
#define PAIRS(name, kind, each, flush)  SUM(name, sum_pairs(a, b, c, kind, each, flush))
#define ALIGNED(name, a_kind, b_kind)   SUM(name, sum_aligned(a, b, c, a_kind, b_kind))
#define DOTS(name, kind, result, fours) SUM(name, sum_dots(a, b, c, kind, result, fours))
WL_DEVICE_SUMS(PAIRS, ALIGNED, DOTS)
