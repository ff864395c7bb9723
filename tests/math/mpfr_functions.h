/* What MPFR lacks: the functions of a device math library as MPFR would name them. Results have the precision of their first argument and
 * are good to about 100 bits. */
#ifndef WL_TESTS_MPFR_FUNCTIONS_H
#define WL_TESTS_MPFR_FUNCTIONS_H

#include <cmath>
#include <mpfr.h>

[[maybe_unused]] static int mpfr_rint_even(mpfr_t r, const mpfr_t x, mpfr_rnd_t) { return mpfr_rint(r, x, MPFR_RNDN); }

[[maybe_unused]] static int mpfr_rsqrt(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) { /* that of -0 is -inf in IEEE 754, +inf in MPFR */
    int inexact = mpfr_rec_sqrt(r, x, m);
    if (mpfr_zero_p(x))
        mpfr_setsign(r, r, mpfr_signbit(x), m);
    return inexact;
}

[[maybe_unused]] static int mpfr_rcbrt(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) {
    mpfr_cbrt(r, x, m);
    return mpfr_ui_div(r, 1, r, m);
}
[[maybe_unused]] static int mpfr_rhypot(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t m) {
    mpfr_hypot(r, x, y, m);
    return mpfr_ui_div(r, 1, r, m);
}
[[maybe_unused]] static int mpfr_erfcx(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) {
    mpfr_t e;
    mpfr_init2(e, 400);
    mpfr_sqr(e, x, m);
    mpfr_exp(e, e, m);
    mpfr_erfc(r, x, m);
    int inexact = mpfr_mul(r, r, e, m);
    mpfr_clear(e);
    return inexact;
}
/* lngamma is the logarithm of gamma, NaN where gamma is negative; AMD's that of its magnitude. */
[[maybe_unused]] static int mpfr_lngamma_(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) {
    int sign;
    return mpfr_lgamma(r, &sign, x, m);
}

/* The number y > 0 with erfc(y) = x, 0 < x < 1, by Newton's method on the logarithm, which is nearly a parabola. */
[[maybe_unused]] static void mpfr_erfcinv_below_1(mpfr_t y, const mpfr_t x) {
    mpfr_t target, value, slope, t;
    mpfr_inits2(mpfr_get_prec(y), target, value, slope, t, (mpfr_ptr)0);
    mpfr_log(target, x, MPFR_RNDN);
    double l = -mpfr_get_d(target, MPFR_RNDN);
    mpfr_set_d(y, l < 1 ? 0.3 : sqrt(l), MPFR_RNDN);
    for (int i = 0; i < 60; i++) { /* y += (log erfc(y) - log x) * erfc(y) * exp(y^2) * sqrt(pi) / 2 */
        mpfr_erfc(value, y, MPFR_RNDN);
        mpfr_sqr(t, y, MPFR_RNDN);
        mpfr_exp(slope, t, MPFR_RNDN);
        mpfr_mul(slope, slope, value, MPFR_RNDN);
        mpfr_const_pi(t, MPFR_RNDN);
        mpfr_sqrt(t, t, MPFR_RNDN);
        mpfr_mul(slope, slope, t, MPFR_RNDN);
        mpfr_div_2ui(slope, slope, 1, MPFR_RNDN);
        mpfr_log(t, value, MPFR_RNDN);
        mpfr_sub(t, t, target, MPFR_RNDN);
        mpfr_mul(t, t, slope, MPFR_RNDN);
        mpfr_add(y, y, t, MPFR_RNDN);
        if (mpfr_zero_p(t) || mpfr_get_exp(t) < mpfr_get_exp(y) - 120)
            break;
    }
    mpfr_clears(target, value, slope, t, (mpfr_ptr)0);
}

[[maybe_unused]] static int mpfr_erfinv(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) {
    if (mpfr_nan_p(x) || mpfr_cmpabs_ui(x, 1) > 0)
        return mpfr_set_nan(r), 0;
    if (mpfr_zero_p(x))
        return mpfr_set(r, x, m);
    if (mpfr_cmpabs_ui(x, 1) == 0)
        return mpfr_set_inf(r, mpfr_sgn(x)), 0;
    mpfr_t t, slope;
    mpfr_inits2(mpfr_get_prec(r) + 1100, t, slope, (mpfr_ptr)0); /* 1 - |x| is exact */
    if (mpfr_get_exp(x) >= 0) {                                  /* at least 1/2 */
        mpfr_abs(t, x, m);
        mpfr_ui_sub(t, 1, t, m);
        mpfr_erfcinv_below_1(r, t);
        mpfr_setsign(r, r, mpfr_signbit(x), m);
    } else { /* Newton's method on erf itself */
        mpfr_set_prec(t, mpfr_get_prec(r));
        mpfr_set_prec(slope, mpfr_get_prec(r));
        mpfr_mul_d(r, x, 0.886, m);
        for (int i = 0; i < 10; i++) { /* r -= (erf(r) - x) * exp(r^2) * sqrt(pi) / 2 */
            mpfr_const_pi(slope, m);
            mpfr_sqrt(slope, slope, m);
            mpfr_div_2ui(slope, slope, 1, m);
            mpfr_sqr(t, r, m);
            mpfr_exp(t, t, m);
            mpfr_mul(slope, slope, t, m);
            mpfr_erf(t, r, m);
            mpfr_sub(t, t, x, m);
            mpfr_mul(t, t, slope, m);
            mpfr_sub(r, r, t, m);
        }
    }
    mpfr_clears(t, slope, (mpfr_ptr)0);
    return 0;
}

[[maybe_unused]] static int mpfr_erfcinv(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) {
    if (mpfr_nan_p(x) || mpfr_cmp_ui(x, 0) < 0 || mpfr_cmp_ui(x, 2) > 0)
        return mpfr_set_nan(r), 0;
    if (mpfr_zero_p(x) || mpfr_cmp_ui(x, 2) == 0)
        return mpfr_set_inf(r, mpfr_zero_p(x) ? 1 : -1), 0;
    if (mpfr_get_exp(x) < 0) { /* below 1/2 */
        mpfr_erfcinv_below_1(r, x);
        return 0;
    }
    mpfr_t t;
    mpfr_init2(t, mpfr_get_prec(r));
    mpfr_ui_sub(t, 1, x, m);
    if (mpfr_zero_p(t))
        mpfr_set_zero(r, 1);
    else
        mpfr_erfinv(r, t, m);
    mpfr_clear(t);
    return 0;
}

/* The normal distribution: erfc(-x / sqrt(2)) / 2, and its inverse. */
[[maybe_unused]] static int mpfr_ncdf(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) {
    mpfr_t t;
    mpfr_init2(t, mpfr_get_prec(r));
    mpfr_sqrt_ui(t, 2, m);
    mpfr_div(t, x, t, m);
    mpfr_neg(t, t, m);
    mpfr_erfc(r, t, m);
    mpfr_clear(t);
    return mpfr_div_2ui(r, r, 1, m);
}
[[maybe_unused]] static int mpfr_ncdfinv(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) {
    mpfr_t t;
    mpfr_init2(t, mpfr_get_prec(r));
    mpfr_mul_2ui(t, x, 1, m);
    mpfr_erfcinv(r, t, m);
    mpfr_sqrt_ui(t, 2, m);
    mpfr_mul(r, r, t, m);
    mpfr_clear(t);
    return mpfr_neg(r, r, m);
}

/* The modified Bessel functions of the first kind, of order 0 and 1: the sum of (x/2)^(2k + order) / (k! (k + order)!). */
[[maybe_unused]] static int mpfr_bessel_i(mpfr_t r, const mpfr_t x, int order, mpfr_rnd_t m) {
    if (mpfr_nan_p(x))
        return mpfr_set_nan(r), 0;
    if (mpfr_cmpabs_ui(x, 800) > 0) /* too large for a double */
        return mpfr_set_inf(r, order && mpfr_sgn(x) < 0 ? -1 : 1), 0;
    mpfr_t term, square;
    mpfr_inits2(mpfr_get_prec(r), term, square, (mpfr_ptr)0);
    mpfr_sqr(square, x, m);
    mpfr_div_2ui(square, square, 2, m);
    if (order)
        mpfr_div_2ui(term, x, 1, m);
    else
        mpfr_set_ui(term, 1, m);
    mpfr_set(r, term, m);
    for (unsigned k = 1; !mpfr_zero_p(term); k++) {
        mpfr_mul(term, term, square, m);
        mpfr_div_ui(term, term, k * (k + (unsigned)order), m);
        if (mpfr_zero_p(term) || mpfr_get_exp(term) < mpfr_get_exp(r) - 150)
            break;
        mpfr_add(r, r, term, m);
    }
    mpfr_clears(term, square, (mpfr_ptr)0);
    return 0;
}
[[maybe_unused]] static int mpfr_i0(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) { return mpfr_bessel_i(r, x, 0, m); }
[[maybe_unused]] static int mpfr_i1(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) { return mpfr_bessel_i(r, x, 1, m); }

/* Of two magnitudes, the larger or smaller one; fmax or fmin decides between equal ones. */
[[maybe_unused]] static int mpfr_maxmag(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t m) {
    int order = mpfr_nan_p(x) || mpfr_nan_p(y) ? 0 : mpfr_cmpabs(x, y);
    return order > 0 ? mpfr_set(r, x, m) : order < 0 ? mpfr_set(r, y, m) : mpfr_max(r, x, y, m);
}
[[maybe_unused]] static int mpfr_minmag(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t m) {
    int order = mpfr_nan_p(x) || mpfr_nan_p(y) ? 0 : mpfr_cmpabs(x, y);
    return order < 0 ? mpfr_set(r, x, m) : order > 0 ? mpfr_set(r, y, m) : mpfr_min(r, x, y, m);
}

/* OpenCL's powr: undefined for NaN whatever the other is. */
[[maybe_unused]] static int mpfr_powr_or_nan(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t m) {
    mpfr_powr(r, x, y, m);
    if (mpfr_nan_p(x) || mpfr_nan_p(y))
        mpfr_set_nan(r);
    return 0;
}

#endif
