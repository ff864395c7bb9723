/* Approximate instructions against MPFR: within AMD's documented error, and rounded correctly in their exact form.
 *
 * Halves: every input. f32 and f64: a grid through all exponents, random inputs, and the neighbours of special points.
 * usage: test_numerics [NAME [STEP]]: one function, f32 at every STEP-th of all 2^32 inputs (1: all), through a quick check in
 * long double that asks MPFR only where the result is near a boundary. docs/NUMERICS.md quotes its results. */
#include "../random_numbers.h"
#include "base/cpu.h"
#include "translate/isa/sem.h"

#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 16, PRECISION = 200 };
typedef void native(void);
typedef void vector_fn(void *d, const void *a);
extern native *const wl_sem_native[]; /* in the order of wl_sem_table */

typedef int mpfr_fn(mpfr_t, const mpfr_t, mpfr_rnd_t);

struct function {
    const char *name;
    mpfr_fn *exact;
    long double (*quick)(long double);
    double ulp;      /* allowed error in ulp, of every host's variant */
    double absolute; /* or this error of a result, relative to 1: sine and cosine */
};

static int sine_of_turns(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) {
    mpfr_t t;
    mpfr_init2(t, PRECISION + 1200);
    mpfr_const_pi(t, MPFR_RNDN);
    mpfr_mul(t, t, x, MPFR_RNDN);
    mpfr_mul_2ui(t, t, 1, MPFR_RNDN);
    int result = mpfr_sin(r, t, round);
    mpfr_clear(t);
    return result;
}

static int cosine_of_turns(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) {
    mpfr_t t;
    mpfr_init2(t, PRECISION + 1200);
    mpfr_const_pi(t, MPFR_RNDN);
    mpfr_mul(t, t, x, MPFR_RNDN);
    mpfr_mul_2ui(t, t, 1, MPFR_RNDN);
    int result = mpfr_cos(r, t, round);
    mpfr_clear(t);
    return result;
}

static int inverse(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) { return mpfr_ui_div(r, 1, x, round); }
/* Of minus zero, minus infinity: as IEEE 754 has it, unlike MPFR. */
static int inverse_root(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) {
    if (!mpfr_zero_p(x))
        return mpfr_rec_sqrt(r, x, round);
    mpfr_set_inf(r, mpfr_signbit(x) ? -1 : 1);
    return 0;
}
static int root(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) { return mpfr_sqrt(r, x, round); }
static int power(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) { return mpfr_exp2(r, x, round); }
/* Of f32: what would be denormal is zero. */
static int power32(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) {
    int inexact = mpfr_exp2(r, x, round);
    if (mpfr_regular_p(r) && mpfr_get_exp(r) <= -126)
        mpfr_set_zero(r, 1);
    return inexact;
}
static int logarithm(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) { return mpfr_log2(r, x, round); }

static long double quick_inverse(long double x) { return 1 / x; }
static long double quick_power32(long double x) { return x < -126 ? 0 : exp2l(x); }
static long double quick_inverse_root(long double x) { return 1 / sqrtl(x); }
static const long double two_pi = 6.283185307179586476925286766559L;
static long double reduced(long double x) { return x - rintl(x); }
static long double quick_sine(long double x) {
    long double t = reduced(x), size = fabsl(t);
    return copysignl(size > 0.375L ? sinl(two_pi * (0.5L - size)) : size > 0.125L ? cosl(two_pi * (0.25L - size)) : sinl(two_pi * size), t);
}
static long double quick_cosine(long double x) {
    long double size = fabsl(reduced(x));
    return size > 0.375L ? -cosl(two_pi * (0.5L - size)) : size > 0.125L ? sinl(two_pi * (0.25L - size)) : cosl(two_pi * size);
}

/* The documented errors: f32 1 ulp, f16 0.51 ulp, f64 2^29 ulp. For sines AMD states none: absolute errors, measured here. */
static const struct function functions[] = {
    {"v_rcp_f32", inverse, quick_inverse, 1, 0},
    {"v_rcp_iflag_f32", inverse, quick_inverse, 1, 0},
    {"v_sqrt_f32", root, sqrtl, 1, 0},
    {"v_rsq_f32", inverse_root, quick_inverse_root, 1, 0},
    {"v_exp_f32", power32, quick_power32, 1, 0},
    {"v_log_f32", logarithm, log2l, 1, 0},
    {"v_exp_legacy_f32", power32, quick_power32, 1, 0},
    {"v_log_legacy_f32", logarithm, log2l, 1, 0},
    {"v_sin_f32", sine_of_turns, quick_sine, 0, 0x1.4p-23},
    {"v_cos_f32", cosine_of_turns, quick_cosine, 0, 0x1.4p-23},
    {"v_s_rcp_f32", inverse, quick_inverse, 1, 0},
    {"v_s_sqrt_f32", root, sqrtl, 1, 0},
    {"v_s_rsq_f32", inverse_root, quick_inverse_root, 1, 0},
    {"v_s_exp_f32", power32, quick_power32, 1, 0},
    {"v_s_log_f32", logarithm, log2l, 1, 0},
    {"v_rcp_f16", inverse, quick_inverse, 0.51, 0},
    {"v_sqrt_f16", root, sqrtl, 0.51, 0},
    {"v_rsq_f16", inverse_root, quick_inverse_root, 0.51, 0},
    {"v_exp_f16", power, exp2l, 0.51, 0},
    {"v_log_f16", logarithm, log2l, 0.51, 0},
    {"v_sin_f16", sine_of_turns, quick_sine, 0.51, 0},
    {"v_cos_f16", cosine_of_turns, quick_cosine, 0.51, 0},
    {"v_s_rcp_f16", inverse, quick_inverse, 0.51, 0},
    {"v_s_sqrt_f16", root, sqrtl, 0.51, 0},
    {"v_s_rsq_f16", inverse_root, quick_inverse_root, 0.51, 0},
    {"v_s_exp_f16", power, exp2l, 0.51, 0},
    {"v_s_log_f16", logarithm, log2l, 0.51, 0},
    {"v_rcp_f64", inverse, NULL, 0x1p29, 0},
    {"v_sqrt_f64", root, NULL, 0x1p29, 0},
    {"v_rsq_f64", inverse_root, NULL, 0x1p29, 0},
};

static unsigned failures;
static uint64_t checks;

/* A format by its width. */
struct format {
    int fraction, least, most; /* fraction bits, exponent of the smallest and the largest normal number */
};
static struct format format_of(unsigned bits) {
    return bits == 16 ? (struct format){10, -14, 15} : bits == 32 ? (struct format){23, -126, 127} : (struct format){52, -1022, 1023};
}

static double decode(uint64_t bits, unsigned width) {
    if (width == 64) {
        double d;
        memcpy(&d, &bits, 8);
        return d;
    }
    if (width == 32) {
        uint32_t low = (uint32_t)bits;
        float f;
        memcpy(&f, &low, 4);
        return f;
    }
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 0x3ff), sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31)
        return fraction != 0 ? NAN : sign * INFINITY;
    return exponent ? sign * ldexp(fraction + 1024, exponent - 25) : sign * ldexp(fraction, -24);
}

/* One unit of the last place of a result. */
static double unit_of(const mpfr_t exact, struct format f) {
    long e = mpfr_zero_p(exact) ? f.least : mpfr_get_exp(exact) - 1;
    if (e < f.least)
        e = f.least;
    return ldexp(1, (int)e - f.fraction);
}

/* The exact result, rounded to the format. */
static double round_to(const mpfr_t exact, struct format f) {
    mpfr_t r;
    mpfr_init2(r, (mpfr_prec_t)f.fraction + 1);
    long e = mpfr_zero_p(exact) ? 0 : mpfr_get_exp(exact) - 1;
    double result;
    if (!mpfr_regular_p(exact)) {
        result = mpfr_get_d(exact, MPFR_RNDN);
    } else if (e < f.least) {
        mpfr_t scaled;
        mpfr_init2(scaled, PRECISION);
        mpfr_mul_2si(scaled, exact, f.fraction - f.least, MPFR_RNDN);
        mpfr_rint(scaled, scaled, MPFR_RNDN);
        mpfr_mul_2si(scaled, scaled, f.least - f.fraction, MPFR_RNDN);
        result = mpfr_get_d(scaled, MPFR_RNDN);
        mpfr_clear(scaled);
    } else {
        mpfr_set(r, exact, MPFR_RNDN);
        result = mpfr_get_exp(r) - 1 > f.most ? copysign(INFINITY, mpfr_sgn(exact)) : mpfr_get_d(r, MPFR_RNDN);
    }
    mpfr_clear(r);
    return result;
}

struct run {
    const struct function *function;
    const char *name;
    vector_fn *code;
    unsigned width, lanes; /* of an element; lanes: 1 for the scalar unit */
    bool exact;
    double worst, worst_at;
    unsigned complaints;
};

static void complain(struct run *r, double x, double got, double want) {
    failures++;
    if (r->complaints++ < 5)
        fprintf(stderr, "%s(%a) = %a, expected %a\n", r->name, x, got, want);
}

static void check_one(struct run *r, double x, double got) {
    struct format f = format_of(r->width);
    mpfr_t in, exact;
    checks++;
    mpfr_init2(in, 64);
    mpfr_init2(exact, PRECISION);
    mpfr_set_d(in, x, MPFR_RNDN);
    r->function->exact(exact, in, MPFR_RNDN);
    double want = round_to(exact, f);
    if (isnan(want) || isnan(got) || isinf(want) || isinf(got)) {
        bool near = isinf(got) && !r->exact && fabs(want) >= ldexp(2 - ldexp(1, -f.fraction), f.most); /* may round up */
        if (!(isnan(want) && isnan(got)) && got != want && !near)
            complain(r, x, got, want);
    } else if (r->exact) {
        if (got != want)
            complain(r, x, got, want);
    } else {
        mpfr_t error;
        mpfr_init2(error, PRECISION);
        mpfr_sub_d(error, exact, got, MPFR_RNDN);
        double distance = fabs(mpfr_get_d(error, MPFR_RNDN)), ulps = r->function->absolute != 0 ? distance : distance / unit_of(exact, f);
        mpfr_clear(error);
        if (ulps > r->worst) {
            r->worst = ulps;
            r->worst_at = x;
        }
        if (ulps > (r->function->absolute != 0 ? r->function->absolute : r->function->ulp))
            complain(r, x, got, want);
    }
    mpfr_clear(in);
    mpfr_clear(exact);
}

/* Whether a result in long double, good to 2^-60, settles the matter: it is not near a boundary of rounding. */
static bool settled(struct run *r, double x, double got) {
    struct format f = format_of(r->width);
    long double exact = r->function->quick(x);
    if (!isfinite(exact) || exact == 0 || !isfinite(got) || got == 0)
        return false;
    int e = ilogbl(exact) < f.least ? f.least : ilogbl(exact);
    long double unit = ldexpl(1, e - f.fraction), distance = fabsl(exact - got), margin = fabsl(exact) * 0x1p-59L;
    if (r->exact)
        return distance < unit / 2 - margin && fabsl(fmodl(distance, unit) - unit / 2) > margin;
    double error = (double)(r->function->absolute != 0 ? distance : distance / unit);
    if (error > r->worst) {
        r->worst = error;
        r->worst_at = x;
    }
    return error < 0.99 * (r->function->absolute != 0 ? r->function->absolute : r->function->ulp);
}

static uint64_t inputs[LANES];
static unsigned held;

static void flush(struct run *r, bool quickly) {
    _Alignas(64) uint8_t a[LANES * 8] = {0}, d[LANES * 8];
    unsigned bytes = r->width / 8;
    for (unsigned i = 0; i < held; i++)
        memcpy(a + i * bytes, &inputs[i], bytes);
    for (unsigned i = 0; i < held; i += r->lanes)
        r->code(d + i * bytes, a + i * bytes);
    for (unsigned i = 0; i < held; i++) {
        uint64_t bits = 0;
        memcpy(&bits, d + i * bytes, bytes);
        double x = decode(inputs[i], r->width), got = decode(bits, r->width);
        checks += quickly;
        if (!quickly || !settled(r, x, got))
            check_one(r, x, got);
    }
    held = 0;
}

static void add(struct run *r, uint64_t bits) {
    inputs[held++] = bits;
    if (held == LANES)
        flush(r, false);
}

static uint64_t random_bits(void) {
    static uint64_t state = 0xda3e39cb94b95bdbu;
    return next_random(&state);
}

static void sample(struct run *r) {
    unsigned fraction = r->width == 32 ? 23 : 52, exponents = r->width == 32 ? 256 : 2048, each = r->width == 32 ? 24 : 4;
    for (unsigned e = 0; e < exponents; e++)
        for (unsigned i = 0; i < each; i++)
            for (uint64_t sign = 0; sign < 2; sign++) {
                uint64_t bits = i == 0 ? 0 : i == 1 ? UINT64_MAX : i == 2 ? 1 : random_bits();
                add(r, sign << (r->width - 1) | (uint64_t)e << fraction | (bits & ((UINT64_C(1) << fraction) - 1)));
            }
    for (unsigned i = 0; i < 30000 && r->width == 32; i++) { /* where most happens: 2^-12 to 2^8 */
        uint64_t bits = random_bits();
        add(r, (bits & 0x807fffff) | (115 + (bits >> 32) % 20) << 23);
        if (i < 200) /* beside 1 and multiples of 1/8 */
            add(r, 0x3f800000 + (bits >> 40) % 64 - 32);
        if (i < 2000) {
            float x = (float)(int)((bits >> 40) % 64) / 8;
            uint32_t near;
            memcpy(&near, &x, 4);
            add(r, near ? near + (bits >> 50) % 9 - 4 : 0);
        }
    }
}

static void run_one(const struct function *function, const struct wl_sem *sem, vector_fn *code, bool exact, uint64_t step) {
    struct run r = {function, sem->name, code, wl_type_bits(sem->results[0].type), sem->scalar ? 1 : LANES, exact, 0, 0, 0};
    char variant[80];
    snprintf(variant, sizeof variant, "%s%s%s", sem->name, sem->requires ? ", " : "", sem->requires ? sem->requires : "");
    r.name = variant;
    if (r.width == 16) {
        for (uint32_t i = 0; i < 0x10000; i++)
            add(&r, i);
    } else if (step && r.width == 32) {
        for (uint64_t i = 0; i < UINT64_C(1) << 32; i += step) {
            inputs[held++] = i;
            if (held == LANES)
                flush(&r, true);
        }
    } else {
        sample(&r);
    }
    flush(&r, false);
    if (exact)
        printf("%-32s rounded correctly: %s\n", variant, r.complaints ? "no" : "yes");
    else
        printf("%-32s at most %.4g %s, at %a\n", variant, r.worst, function->absolute != 0 ? "absolute" : "ulp", r.worst_at);
}

static bool host_has(const char *features) {
    return !features || wl_cpu_host_level() >= (strstr(features, "avx512") ? WL_CPU_AVX512 : WL_CPU_AVX2);
}

int main(int count, char **arguments) {
    size_t rows;
    const struct wl_sem *table = wl_sem_table(&rows);
    uint64_t step = count > 2 ? strtoull(arguments[2], NULL, 0) : 0;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (size_t i = 0; i < rows; i++) {
            size_t length = strlen(functions[f].name);
            bool exact = !strcmp(table[i].name + (strlen(table[i].name) > length ? length : 0), "_exact");
            if (strncmp(table[i].name, functions[f].name, length) != 0 || (table[i].name[length] && !exact) || !host_has(table[i].requires))
                continue;
            if (count < 2 || !strcmp(arguments[1], table[i].name))
                run_one(&functions[f], &table[i], (vector_fn *)wl_sem_native[i], exact, step);
        }
    mpfr_free_cache();
    printf("%llu checks, %u failures\n", (unsigned long long)checks, failures);
    return failures != 0 || !checks;
}
