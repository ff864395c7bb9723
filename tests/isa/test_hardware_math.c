/* WAVELIFT_MATH=hardware: approximate instructions and dot products where AMD documents what they give, assembled, translated and run.
 *
 * The points are AMD's own examples (the ISA documents of RDNA), and what their notes say of denormals: flushed, arguments and results, by
 * f32's reciprocal, roots, logarithm and exponential. Between the points results are compared with the C library's, in double. docs/NUMERICS.md.
 *
 * Argument: processors that begin like this. */
#include "../random_numbers.h"
#include "base/float_bits.h"
#include "translate/lift_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENT = 11, RESULT = 12 };

static unsigned checks, failures, lanes;

static void open_code(const char *processor, const char *text) {
    lanes = processor[3] == '9' ? 64 : 32;
    lift_open(processor, lanes, text);
}

/* ---- points ---- */

static const struct point {
    const char *instruction, *processors; /* the processors whose names begin so; NULL: all that have it */
    uint32_t argument, result;
} points[] = {
    {"v_rcp_f32", NULL, 0xff800000, 0x80000000},
    {"v_rcp_f32", NULL, 0xc0000000, 0xbf000000},
    {"v_rcp_f32", NULL, 0x80000000, 0xff800000},
    {"v_rcp_f32", NULL, 0x00000000, 0x7f800000},
    {"v_rcp_f32", NULL, 0x7f800000, 0x00000000},
    {"v_rcp_f32", NULL, 0x00000001, 0x7f800000},
    {"v_rcp_f32", NULL, 0x807fffff, 0xff800000},
    {"v_rcp_f32", NULL, 0x7f7fffff, 0x00000000},
    {"v_rcp_f32", NULL, 0xfe800001, 0x80000000},
    {"v_rcp_f32", NULL, 0x7e800000, 0x00800000},
    {"v_rcp_f32", NULL, 0x7fa00000, 0x7fe00000},
    {"v_rcp_iflag_f32", NULL, 0x00000001, 0x7f800000},
    {"v_rcp_iflag_f32", NULL, 0x40000000, 0x3f000000},
    {"v_rsq_f32", NULL, 0xff800000, 0xffc00000},
    {"v_rsq_f32", NULL, 0xbf800000, 0xffc00000},
    {"v_rsq_f32", NULL, 0x80000000, 0xff800000},
    {"v_rsq_f32", NULL, 0x00000000, 0x7f800000},
    {"v_rsq_f32", NULL, 0x40800000, 0x3f000000},
    {"v_rsq_f32", NULL, 0x7f800000, 0x00000000},
    {"v_rsq_f32", NULL, 0x00000001, 0x7f800000},
    {"v_rsq_f32", NULL, 0x80000001, 0xff800000},
    {"v_sqrt_f32", NULL, 0xff800000, 0xffc00000},
    {"v_sqrt_f32", NULL, 0xbf800000, 0xffc00000},
    {"v_sqrt_f32", NULL, 0x80000000, 0x80000000},
    {"v_sqrt_f32", NULL, 0x00000000, 0x00000000},
    {"v_sqrt_f32", NULL, 0x40800000, 0x40000000},
    {"v_sqrt_f32", NULL, 0x7f800000, 0x7f800000},
    {"v_sqrt_f32", NULL, 0x00000001, 0x00000000},
    {"v_sqrt_f32", NULL, 0x807fffff, 0x80000000},
    {"v_log_f32", NULL, 0xff800000, 0xffc00000},
    {"v_log_f32", NULL, 0xbf800000, 0xffc00000},
    {"v_log_f32", NULL, 0x80000000, 0xff800000},
    {"v_log_f32", NULL, 0x00000000, 0xff800000},
    {"v_log_f32", NULL, 0x3f800000, 0x00000000},
    {"v_log_f32", NULL, 0x7f800000, 0x7f800000},
    {"v_log_f32", NULL, 0x007fffff, 0xff800000},
    {"v_log_f32", NULL, 0x807fffff, 0xff800000},
    {"v_log_legacy_f32", "gfx9", 0x007fffff, 0xff800000},
    {"v_exp_f32", NULL, 0xff800000, 0x00000000},
    {"v_exp_f32", NULL, 0x80000000, 0x3f800000},
    {"v_exp_f32", NULL, 0x7f800000, 0x7f800000},
    {"v_exp_f32", NULL, 0xc3000000, 0x00000000},
    {"v_exp_f32", NULL, 0xc2fc0000, 0x00800000},
    {"v_exp_f32", NULL, 0x7fa00000, 0x7fe00000},
    {"v_exp_legacy_f32", "gfx9", 0xc3000000, 0x00000000},
    {"v_sin_f32", NULL, 0xff800000, 0xffc00000},
    {"v_sin_f32", NULL, 0xff7fffff, 0x00000000},
    {"v_sin_f32", NULL, 0x80000000, 0x80000000},
    {"v_sin_f32", NULL, 0x3e800000, 0x3f800000},
    {"v_sin_f32", NULL, 0x7f800000, 0xffc00000},
    {"v_cos_f32", NULL, 0xff800000, 0xffc00000},
    {"v_cos_f32", NULL, 0xff7fffff, 0x3f800000},
    {"v_cos_f32", NULL, 0x80000000, 0x3f800000},
    {"v_cos_f32", NULL, 0x3e800000, 0x00000000},
    {"v_cos_f32", NULL, 0x7f800000, 0xffc00000},
    /* 256.25 turns; 256 turns and less are in gfx9's domain */
    {"v_sin_f32", "gfx9", 0x43802000, 0x00000000},
    {"v_sin_f32", "gfx1", 0x43802000, 0x3f800000},
    {"v_sin_f32", "gfx9", 0x437f4000, 0x3f800000},
    {"v_cos_f32", "gfx9", 0x43802000, 0x3f800000},
    {"v_cos_f32", "gfx1", 0x43802000, 0x00000000},
    {"v_sin_f16", NULL, 0x8000, 0x8000},
    {"v_sin_f16", "gfx9", 0x5c01, 0x0000},
    {"v_sin_f16", "gfx1", 0x5c01, 0x3c00},
    {"v_cos_f16", "gfx9", 0x5c01, 0x3c00},
    {"v_s_rcp_f32", "gfx12", 0x00000001, 0x7f800000},
    {"v_s_rsq_f32", "gfx12", 0x807fffff, 0xff800000},
    {"v_s_sqrt_f32", "gfx12", 0x807fffff, 0x80000000},
    {"v_s_log_f32", "gfx12", 0x007fffff, 0xff800000},
    {"v_s_exp_f32", "gfx12", 0xc3000000, 0x00000000},
};

static uint32_t run(const char *processor, const char *instruction, uint32_t argument) {
    const bool scalar = !strncmp(instruction, "v_s_", 4);
    char text[96];
    snprintf(text, sizeof text, scalar ? "%s s5, s4\n" : "%s v%d, v%d\n", instruction, RESULT, ARGUMENT);
    open_code(processor, text);
    for (unsigned l = 0; l < lanes; l++)
        lift_row(ARGUMENT)[l] = argument;
    lift_scalars()[4] = argument;
    lift_execute(UINT64_MAX);
    const uint32_t all = scalar ? lift_scalars()[5] : lift_row(RESULT)[3], result = strstr(instruction, "_f16") ? all & 0xffff : all;
    lift_close();
    return result;
}

static void check(const char *processor, const char *what, uint32_t argument, uint32_t got, uint32_t want) {
    checks++;
    if (got != want && failures++ < 20)
        fprintf(stderr, "%s %s of %08x: %08x, expected %08x\n", processor, what, argument, got, want);
}

static void check_points(const char *processor) {
    for (const struct point *p = points; p < points + sizeof points / sizeof *points; p++)
        if (!p->processors || !strncmp(processor, p->processors, strlen(p->processors)))
            check(processor, p->instruction, p->argument, run(processor, p->instruction, p->argument), p->result);
}

/* ---- between them ---- */

static double inverse(double x) { return 1 / x; }
static double inverse_root(double x) { return 1 / sqrt(x); }

static const struct function {
    const char *instruction;
    double (*of)(double);
    double ulp;
} functions[] = {{"v_rcp_f32", inverse, 0.5001},
                 {"v_sqrt_f32", sqrt, 0.5001},
                 {"v_rsq_f32", inverse_root, 1},
                 {"v_log_f32", log2, 1},
                 {"v_exp_f32", exp2, 1}};

static uint32_t random_bits(void) {
    static uint64_t state = 0x9e3779b97f4a7c15u;
    return (uint32_t)(next_random(&state) >> 24);
}

/* Normal arguments whose results are normal numbers. */
static void check_function(const char *processor, const struct function *f) {
    enum { RUNS = 8 };
    char text[64];
    snprintf(text, sizeof text, "%s v%d, v%d\n", f->instruction, RESULT, ARGUMENT);
    open_code(processor, text);
    for (unsigned run = 0; run < RUNS; run++) {
        uint32_t arguments[64];
        for (unsigned l = 0; l < lanes; l++)
            lift_row(ARGUMENT)[l] = arguments[l] = f->of == exp2 ? wl_float_bits((float)(int32_t)random_bits() * 0x1p-24f)
                                                                 : (random_bits() & 0x7fffff) | (2 + random_bits() % 250) << 23;
        lift_execute(UINT64_MAX);
        for (unsigned l = 0; l < lanes; l++) {
            const double exact = f->of(wl_bits_float(arguments[l]));
            const float got = wl_bits_float(lift_row(RESULT)[l]);
            int exponent;
            if (fabs(exact) < 0x1p-126 || fabs(exact) > 0x1.fffffep127)
                continue;
            frexp(exact, &exponent);
            checks++;
            if (!(fabs(got - exact) <= f->ulp * ldexp(1, exponent - 24)) && failures++ < 20)
                fprintf(stderr, "%s %s of %a: %a, exactly %a\n", processor, f->instruction, wl_bits_float(arguments[l]), got, exact);
        }
    }
    lift_close();
}

/* ---- dot products ---- */

static void check_dot(const char *processor, uint32_t a, uint32_t b, uint32_t c, uint32_t want) {
    open_code(processor, "v_dot2_f32_f16 v13, v10, v11, v12\n");
    for (unsigned l = 0; l < lanes; l++) {
        lift_row(10)[l] = a;
        lift_row(11)[l] = b;
        lift_row(12)[l] = c;
    }
    lift_execute(UINT64_MAX);
    check(processor, "v_dot2_f32_f16", c, lift_row(13)[3], want);
    lift_close();
}

static void check_dots(const char *processor) {
    const bool flushes_halves = !strcmp(processor, "gfx90a");
    check_dot(processor, 0, 0, 0x00400000, 0);
    check_dot(processor, 0, 0, 0x00800000, 0x00800000);
    check_dot(processor, 0x3c003c00, 0x40003c00, 0x807fffff, 0x40400000);
    check_dot(processor, 0x00000001, 0x00003c00, 0, flushes_halves ? 0 : 0x33800000);
    check_dot(processor, 0x3c000000, 0x83ff0000, 0, flushes_halves ? 0 : 0xb87fc000);
}

int main(int count, char **arguments) {
    static const char *const processors[] = {"gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200"};
    lift_start();
    lift_matrix_sums = WL_SUMS_HARDWARE;
    for (unsigned p = 0; p < sizeof processors / sizeof *processors; p++) {
        if (count > 1 && strncmp(processors[p], arguments[1], strlen(arguments[1])) != 0)
            continue;
        check_points(processors[p]);
        for (unsigned f = 0; f < sizeof functions / sizeof *functions; f++)
            check_function(processors[p], &functions[f]);
        if (processors[p][3] == '9' || processors[p][4] == '0') /* others: test_dot_hardware.c */
            check_dots(processors[p]);
    }
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0 || !checks;
}
