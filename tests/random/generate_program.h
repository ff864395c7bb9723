/* What the programs of generate.py are written in: on the device the builtins of the compiler, on the host their definitions,
 * with a whole workgroup at hand where lanes see each other. */
#ifndef RANDOM_GENERATE_PROGRAM_H
#define RANDOM_GENERATE_PROGRAM_H

typedef unsigned short ushort2 __attribute__((ext_vector_type(2)));
typedef short short2 __attribute__((ext_vector_type(2)));

/* ---- the same text on both sides: bits, conversions ---- */

#define TO_FROM(NAME, TYPE, BITS, QUIET)                                                                                                   \
    static inline TYPE to_##NAME(unsigned bits) {                                                                                          \
        BITS narrow = (BITS)bits;                                                                                                          \
        TYPE value;                                                                                                                        \
        __builtin_memcpy(&value, &narrow, sizeof value);                                                                                   \
        return value != value ? (TYPE)__builtin_nanf("") : value;                                                                          \
    }                                                                                                                                      \
    static inline unsigned bits_##NAME(TYPE value) { /* one NaN stands for all */                                                          \
        BITS bits;                                                                                                                         \
        __builtin_memcpy(&bits, &value, sizeof bits);                                                                                      \
        return value != value ? QUIET : bits;                                                                                              \
    }
TO_FROM(f, float, unsigned, 0x7fc00000)
TO_FROM(h, _Float16, unsigned short, 0x7e00)

static inline unsigned long long to_q(unsigned low, unsigned high) { return (unsigned long long)high << 32 | low; }
static inline double to_d(unsigned low, unsigned high) {
    unsigned long long bits = to_q(low, high);
    double value;
    __builtin_memcpy(&value, &bits, 8);
    return value != value ? __builtin_nan("") : value;
}
static inline unsigned bits_d(double value) {
    unsigned long long bits;
    __builtin_memcpy(&bits, &value, 8);
    return value != value ? 0x7ff80000 : (unsigned)(bits ^ bits >> 32);
}
static inline ushort2 to_p(unsigned bits) { return (ushort2){(unsigned short)bits, (unsigned short)(bits >> 16)}; }
static inline short2 to_g(unsigned bits) { return (short2){(short)bits, (short)(bits >> 16)}; }
static inline unsigned bits_p(ushort2 value) { return value.x | (unsigned)value.y << 16; }
static inline unsigned bits_g(short2 value) { return (unsigned short)value.x | (unsigned)(unsigned short)value.y << 16; }
/* Conversions to integers, where C defines them. */
static inline unsigned to_int(float x) { return x > -2147483000.0f && x < 2147483000.0f ? (unsigned)(int)x : 7; }
static inline unsigned to_unsigned(float x) { return x > -1.0f && x < 4294967000.0f ? (unsigned)x : 9; }
static inline unsigned to_int_d(double x) { return x > -2147483648.0 && x < 2147483647.0 ? (unsigned)(int)x : 11; }
static inline unsigned long long to_long_d(double x) { return x > -0x1p62 && x < 0x1p62 ? (unsigned long long)(long long)x : 13; }
static inline float some(float x) { return x != x ? 1.0f : x; } /* a sign that is defined */

/* A number that the device's compiler knows nothing about: clang 19 takes dividends of unsigned divisions for narrow when they are
 * sign-extended. */
template <class T> static inline T opaque(T x) {
#ifdef DEVICE
    __typeof__(x + 0u) wide = x;
    asm("" : "+v"(wide));
    x = (T)wide;
#endif
    return x;
}

static inline unsigned rotate(unsigned x, unsigned n) { return x << n | x >> (32 - n); }
static inline unsigned min_u(unsigned a, unsigned b) { return a < b ? a : b; }
static inline unsigned max_i(unsigned a, unsigned b) { return (int)a > (int)b ? a : b; }
static inline unsigned mul_hi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }

#ifdef DEVICE

#define T_     __builtin_amdgcn_workitem_id_x()
#define BLOCK_ __builtin_amdgcn_workgroup_id_x()
#define LANE_  __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0))

static inline _Float16 half_add(_Float16 a, _Float16 b) { return a + b; }
static inline _Float16 half_sub(_Float16 a, _Float16 b) { return a - b; }
static inline _Float16 half_mul(_Float16 a, _Float16 b) { return a * b; }
/* + 0: which zero min and max return is open */
static inline float min_f(float a, float b) { return __builtin_fminf(a, b) + 0.0f; }
static inline float max_f(float a, float b) { return __builtin_fmaxf(a, b) + 0.0f; }
static inline double min_d(double a, double b) { return __builtin_fmin(a, b) + 0.0; }
static inline double max_d(double a, double b) { return __builtin_fmax(a, b) + 0.0; }
static inline float fract_f(float x) { return __builtin_isfinite(x) ? __builtin_amdgcn_fractf(x) + 0.0f : 0.0f; }
static inline double fract_d(double x) { return __builtin_isfinite(x) ? __builtin_amdgcn_fract(x) + 0.0 : 0.0; }
static inline float frexp_f(float x) {
    return __builtin_isfinite(x) ? __builtin_amdgcn_frexp_mantf(x) + (float)__builtin_amdgcn_frexp_expf(x) : 0.0f;
}
static inline double frexp_d(double x) {
    return __builtin_isfinite(x) ? __builtin_amdgcn_frexp_mant(x) + (double)__builtin_amdgcn_frexp_exp(x) : 0.0;
}

static inline unsigned bfe_u(unsigned x, unsigned at, unsigned width) { return __builtin_amdgcn_ubfe(x, at & 31, width & 31); }
static inline unsigned bfe_i(unsigned x, unsigned at, unsigned width) {
    return (unsigned)__builtin_amdgcn_sbfe((int)x, at & 31, width & 31);
}
static inline unsigned permute_bytes(unsigned a, unsigned b, unsigned selector) { return __builtin_amdgcn_perm(a, b, selector); }
static inline unsigned align_bit(unsigned a, unsigned b, unsigned n) { return __builtin_amdgcn_alignbit(a, b, n); }
static inline unsigned align_byte(unsigned a, unsigned b, unsigned n) { return __builtin_amdgcn_alignbyte(a, b, n); }
static inline unsigned sad_u8(unsigned a, unsigned b, unsigned c) { return __builtin_amdgcn_sad_u8(a, b, c); }
static inline unsigned lerp(unsigned a, unsigned b, unsigned c) { return __builtin_amdgcn_lerp(a, b, c); }

static inline void barrier(void) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#define ATOMIC(NAME, BUILTIN)                                                                                                              \
    template <class T> static inline T atomic_##NAME(T *at, T value) {                                                                     \
        return BUILTIN(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);                                                             \
    }
ATOMIC(add, __hip_atomic_fetch_add)
ATOMIC(xor, __hip_atomic_fetch_xor)
ATOMIC(or, __hip_atomic_fetch_or)
ATOMIC(max, __hip_atomic_fetch_max)
ATOMIC(swap, __hip_atomic_exchange)

#if __AMDGCN_WAVEFRONT_SIZE == 64 || defined __GFX9__ // clang 22 does not tell the wave's size; gfx9 has but one
#define BALLOT __builtin_amdgcn_ballot_w64
#else
#define BALLOT __builtin_amdgcn_ballot_w32
#endif
static inline unsigned ballot(bool c) {
    unsigned long long lanes = BALLOT(c);
    return (unsigned)(lanes ^ lanes >> 32);
}
static inline unsigned rank(bool c) {
    unsigned long long lanes = BALLOT(c);
    return __builtin_amdgcn_mbcnt_hi((unsigned)(lanes >> 32), __builtin_amdgcn_mbcnt_lo((unsigned)lanes, 0));
}
static inline unsigned any_lane(bool c) { return BALLOT(c) != 0; }
static inline unsigned all_lanes(bool c) { return BALLOT(c) == BALLOT(true); }
static inline unsigned bpermute(unsigned i, unsigned v) {
    return (unsigned)__builtin_amdgcn_ds_bpermute((int)((LANE_ & ~31u) | (i & 31)) * 4, (int)v);
}
static inline unsigned permute_xor(unsigned c, unsigned v) { return (unsigned)__builtin_amdgcn_ds_permute((int)(LANE_ ^ c) * 4, (int)v); }
static inline unsigned first_lane(unsigned v) { return (unsigned)__builtin_amdgcn_readfirstlane((int)v); }
static inline unsigned read_lane(unsigned v, unsigned lane) { return (unsigned)__builtin_amdgcn_readlane((int)v, (int)lane); }
#define swizzle(V, PATTERN)                      (unsigned)__builtin_amdgcn_ds_swizzle((int)(V), PATTERN)
#define dpp(OLD, V, CONTROL, ROWS, BANKS, BOUND) (unsigned)__builtin_amdgcn_update_dpp((int)(OLD), (int)(V), CONTROL, ROWS, BANKS, BOUND)

#else

#define T_          t
#define BLOCK_      block
#define LANE_       (t % wave)
#define ALL         for (unsigned t = 0; t < THREADS; t++)
#define LANES(MASK) ALL if (MASK[t])

static inline bool any(const bool *mask, unsigned threads) {
    for (unsigned t = 0; t < threads; t++)
        if (mask[t])
            return true;
    return false;
}

/* Through binary32: products of 11-bit numbers are exact there, and a sum is rounded twice without harm. */
static inline _Float16 half_add(_Float16 a, _Float16 b) { return (_Float16)((float)a + (float)b); }
static inline _Float16 half_sub(_Float16 a, _Float16 b) { return (_Float16)((float)a - (float)b); }
static inline _Float16 half_mul(_Float16 a, _Float16 b) { return (_Float16)((float)a * (float)b); }
#define MINMAX(NAME, TYPE, RELATION)                                                                                                       \
    static inline TYPE NAME(TYPE a, TYPE b) { return (b != b || a RELATION b ? a : b) + 0; }
MINMAX(min_f, float, <)
MINMAX(max_f, float, >)
MINMAX(min_d, double, <)
MINMAX(max_d, double, >)
static inline float fract_f(float x) {
    if (!__builtin_isfinite(x))
        return 0;
    float y = x - __builtin_floorf(x);
    return y < 1 ? y : 0x1.fffffep-1f;
}
static inline double fract_d(double x) {
    if (!__builtin_isfinite(x))
        return 0;
    double y = x - __builtin_floor(x);
    return y < 1 ? y : 0x1.fffffffffffffp-1;
}
static inline float frexp_f(float x) {
    int e;
    float m = __builtin_frexpf(x, &e);
    return __builtin_isfinite(x) ? m + (float)e : 0;
}
static inline double frexp_d(double x) {
    int e;
    double m = __builtin_frexp(x, &e);
    return __builtin_isfinite(x) ? m + (double)e : 0;
}

static inline unsigned bfe_u(unsigned x, unsigned at, unsigned width) { return x >> (at & 31) & ((1u << (width & 31)) - 1); }
static inline unsigned bfe_i(unsigned x, unsigned at, unsigned width) {
    at &= 31;
    width &= 31;
    if (width == 0)
        return 0;
    if (at + width >= 32)
        return (unsigned)((int)x >> at);
    return (unsigned)((int)(x << (32 - at - width)) >> (32 - width));
}
static inline unsigned permute_bytes(unsigned a, unsigned b, unsigned selector) {
    unsigned long long both = (unsigned long long)a << 32 | b;
    unsigned result = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned s = selector >> (8 * i) & 255, byte;
        if (s < 8)
            byte = (unsigned)(both >> (8 * s)) & 255;
        else if (s < 12)
            byte = both >> (16 * (s - 8) + 15) & 1 ? 255 : 0;
        else
            byte = s == 12 ? 0 : 255;
        result |= byte << (8 * i);
    }
    return result;
}
static inline unsigned align_bit(unsigned a, unsigned b, unsigned n) { return (unsigned)(((unsigned long long)a << 32 | b) >> (n & 31)); }
static inline unsigned align_byte(unsigned a, unsigned b, unsigned n) {
    return (unsigned)(((unsigned long long)a << 32 | b) >> (8 * (n & 3)));
}
static inline unsigned sad_u8(unsigned a, unsigned b, unsigned c) {
    for (unsigned i = 0; i < 32; i += 8)
        c += (unsigned)__builtin_abs((int)(a >> i & 255) - (int)(b >> i & 255));
    return c;
}
static inline unsigned lerp(unsigned a, unsigned b, unsigned c) {
    unsigned result = 0;
    for (unsigned i = 0; i < 32; i += 8)
        result |= (((a >> i & 255) + (b >> i & 255) + (c >> i & 1)) >> 1) << i;
    return result;
}

#define HOST_ATOMIC(NAME, NEW)                                                                                                             \
    template <class T> static inline T host_##NAME(T *at, T value) {                                                                       \
        T old = *at;                                                                                                                       \
        *at = NEW;                                                                                                                         \
        return old;                                                                                                                        \
    }
HOST_ATOMIC(add, old + value)
HOST_ATOMIC(xor, old ^ value)
HOST_ATOMIC(or, old | value)
HOST_ATOMIC(max, old > value ? old : value)
HOST_ATOMIC(swap, value)

/* Lane t of the set `m` in waves of `wave` lanes; `v` is the operand of each lane. A lane that is off gives 0. */
static inline unsigned lane_value(const unsigned *v, const bool *m, unsigned from, unsigned threads) {
    return from < threads && m[from] ? v[from] : 0;
}
static inline unsigned long long lanes_of(const unsigned *v, const bool *m, unsigned t, unsigned wave, unsigned threads) {
    unsigned long long lanes = 0;
    for (unsigned i = 0, first = t / wave * wave; i < wave; i++)
        if (first + i < threads && m[first + i] && (!v || v[first + i]))
            lanes |= 1ull << i;
    return lanes;
}
static inline unsigned ballot(const unsigned *v, const bool *m, unsigned t, unsigned wave, unsigned threads) {
    unsigned long long lanes = lanes_of(v, m, t, wave, threads);
    return (unsigned)(lanes ^ lanes >> 32);
}
static inline unsigned rank(const unsigned *v, const bool *m, unsigned t, unsigned wave, unsigned threads) {
    return (unsigned)__builtin_popcountll(lanes_of(v, m, t, wave, threads) & ((1ull << t % wave) - 1));
}
static inline unsigned all_lanes(const unsigned *v, const bool *m, unsigned t, unsigned wave, unsigned threads) {
    return lanes_of(v, m, t, wave, threads) == lanes_of(nullptr, m, t, wave, threads);
}
static inline unsigned bpermute(unsigned i, const unsigned *v, const bool *m, unsigned t, unsigned wave, unsigned threads) {
    return lane_value(v, m, t / wave * wave + ((t % wave & ~31u) | (i & 31)), threads);
}
static inline unsigned first_of(const bool *m, unsigned t, unsigned wave, unsigned threads) {
    unsigned first = t / wave * wave;
    while (first < threads && !m[first])
        first++;
    return first;
}
static inline unsigned swizzle(const unsigned *v, unsigned pattern, const bool *m, unsigned t, unsigned wave, unsigned threads) {
    unsigned lane = t % wave, from;
    if (pattern & 0x8000)
        from = (lane & ~3u) | (pattern >> (2 * (lane & 3)) & 3);
    else
        from = (lane & ~31u) | ((((lane & pattern) | pattern >> 5) ^ pattern >> 10) & 31);
    return lane_value(v, m, t - lane + from, threads);
}
static inline unsigned dpp(unsigned old, const unsigned *v, unsigned control, unsigned rows, unsigned banks, unsigned bound, const bool *m,
                           unsigned t, unsigned wave, unsigned threads) {
    unsigned lane = t % wave, i = lane % 16, n = control & 15;
    int from;
    if (!(rows >> (lane / 16) & 1) || !(banks >> (i / 4) & 1))
        return old;
    if (control < 0x100)
        from = (int)((i & ~3u) | (control >> (2 * (i & 3)) & 3));
    else if (control < 0x110)
        from = (int)(i + n);
    else if (control < 0x120)
        from = (int)i - (int)n;
    else if (control < 0x130)
        from = (int)((i - n) & 15);
    else if (control == 0x140)
        from = (int)(15 - i);
    else
        from = (int)(i ^ 7);
    unsigned source = t - i + (unsigned)from;
    if (from < 0 || from > 15 || source >= threads || !m[source])
        return bound ? 0 : old;
    return v[source];
}

#endif

#endif
