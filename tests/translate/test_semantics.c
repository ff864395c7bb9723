/* Runs every semantics function, as packed for the lifter and compiled for this machine, on edge and random values, and compares
 * with references; checks every packed module against its row; divides by the sequences that compilers emit. */
#include "test_semantics.h"
#include "../random_numbers.h"

#include "base/cpu.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define LANES  16
#define ROUNDS 600

typedef void native(void);
extern native *const wl_sem_native[]; /* in the order of wl_sem_table */

union strip {
    _Alignas(64) uint8_t bytes[LANES * 16];
    uint16_t u16[LANES];
    uint32_t u32[LANES];
    uint64_t u64[LANES];
};

static uint64_t random_state = 88172645463325252u;

static uint64_t random_bits(void) { return next_random(&random_state) * 0x2545f4914f6cdd1du; }

static const uint32_t edges32[] = {
    0,        1,          2,          3,          7,          8,          15,         16,         24,         31,        32,       33,
    63,       64,         0x7f,       0x80,       0xff,       0x100,      0x7fff,     0x8000,     0xffff,     0x10000,   0x7fffff, 0x800000,
    0xffffff, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x01010101, 0xdeadbeef, 0x04050607, 0x0c0d0b0a};
static const uint32_t edges_f32[] = {
    0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x00800001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
    0x7fc00000, 0xffc00001, 0x7f800001, 0xffa00000, 0x3f800000, 0xbf800000, 0x3f000000, 0x3effffff, 0xbf000000, 0x3f7fffff, 0x40000000,
    0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x33000000, 0x33800000, 0x387fe000, 0x477fe000, 0x477ff000,
    0x47800000, 0x7e800000, 0x7e800001, 0x3fc90fdb, 0x42fe0000, 0x43000000, 0xc2fc0000, 0xc3150000, 0x3f3504f3, 0x3fb504f3};
static const uint16_t edges_f16[] = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x0401, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01,
                                     0x3c00, 0xbc00, 0x3800, 0x3bff, 0x4000, 0x63ff, 0x6400, 0x77ff, 0x7800, 0xf800, 0x0c00, 0x1400};
static const uint64_t edges_f64[] = {0,
                                     0x8000000000000000,
                                     1,
                                     0x000fffffffffffff,
                                     0x0010000000000000,
                                     0x7fefffffffffffff,
                                     0xffefffffffffffff,
                                     0x7ff0000000000000,
                                     0xfff0000000000000,
                                     0x7ff8000000000000,
                                     0x7ff0000000000001,
                                     0x3ff0000000000000,
                                     0xbff0000000000000,
                                     0x3fe0000000000000,
                                     0x3fdfffffffffffff,
                                     0x41dfffffffc00000,
                                     0x41e0000000000000,
                                     0xc1e0000000000000,
                                     0xc1e0000000200000,
                                     0x41efffffffe00000,
                                     0x41f0000000000000,
                                     0x7fd0000000000001,
                                     0x0350000000000000,
                                     0x3ff921fb54442d18};

#define PICK(edges) ((edges)[random_bits() % (sizeof(edges) / sizeof((edges)[0]))])

static uint64_t random_input(unsigned type) {
    const unsigned kind = random_bits() % 4;

    switch (type) {
    case WL_F32:
        return kind == 0   ? PICK(edges_f32)
               : kind == 1 ? (uint32_t)random_bits()
                           : (0x3f800000 ^ (random_bits() & 0x83ffffff)) - (random_bits() % 16 << 23);
    case WL_F64:
        return kind == 0   ? PICK(edges_f64)
               : kind == 1 ? random_bits()
               : kind == 2 ? f64_bits(as_f32(random_input(WL_F32)))
                           : 0x3ff0000000000000 ^ (random_bits() & 0x803fffffffffffff);
    case WL_F16:
        return kind == 0 ? PICK(edges_f16) : random_bits() & 0xffff;
    case WL_PKF16:
        return random_input(WL_F16) | random_input(WL_F16) << 16;
    case WL_PKF32:
        return random_input(WL_F32) | random_input(WL_F32) << 32;
    case WL_U16:
    case WL_I16:
    case WL_BF16:
        return (kind == 0 ? PICK(edges32) : random_bits()) & 0xffff;
    case WL_PKU16:
    case WL_PKI16:
        return (random_input(WL_U16) | random_input(WL_U16) << 16);
    case WL_U64:
    case WL_I64:
        return kind == 0   ? PICK(edges32)
               : kind == 1 ? (uint64_t)PICK(edges32) << 32 | PICK(edges32)
               : kind == 2 ? 0 - (uint64_t)PICK(edges32)
                           : random_bits();
    case WL_MASK:
        return random_bits() & 1 ? 0xffffffff : 0;
    case WL_SCC:
        return random_bits() & 1;
    default:
        return kind == 0 ? PICK(edges32) : kind == 1 ? random_bits() % 64 : (uint32_t)random_bits();
    }
}

static uint64_t get_lane(const union strip *strip, unsigned bits, unsigned lane) {
    return bits == 16 ? strip->u16[lane] : bits == 32 ? strip->u32[lane] : strip->u64[lane];
}

static void set_lane(union strip *strip, unsigned bits, unsigned lane, uint64_t value) {
    if (bits == 16)
        strip->u16[lane] = (uint16_t)value;
    else if (bits == 32)
        strip->u32[lane] = (uint32_t)value;
    else
        strip->u64[lane] = value;
}

static void call_native(native *function, void **p, unsigned count) {
    typedef void two(void *, void *);
    typedef void three(void *, void *, void *);
    typedef void four(void *, void *, void *, void *);
    typedef void five(void *, void *, void *, void *, void *);

    switch (count) {
    case 2:
        ((two *)function)(p[0], p[1]);
        break;
    case 3:
        ((three *)function)(p[0], p[1], p[2]);
        break;
    case 4:
        ((four *)function)(p[0], p[1], p[2], p[3]);
        break;
    case 5:
        ((five *)function)(p[0], p[1], p[2], p[3], p[4]);
        break;
    default:
        fail_msg("%u parameters", count);
    }
}

static bool is_nan(uint64_t bits, unsigned type) {
    switch (type) {
    case WL_F64:
        return isnan(as_f64(bits));
    case WL_F32:
        return isnan(as_f32(bits));
    case WL_F16:
        return isnan(as_f16(bits));
    case WL_BF16:
        return isnan(as_f32(bits << 16));
    default:
        return false;
    }
}

/* The distance of two numbers of a floating-point type in units of the last place. */
static double ulps(uint64_t a, uint64_t b, unsigned type) {
    const unsigned width = wl_type_bits(type);
    const uint64_t sign = UINT64_C(1) << (width - 1);
    const double x = (double)(a & ~sign), y = (double)(b & ~sign);

    return (a & sign) == (b & sign) ? fabs(x - y) : x + y;
}

static bool matches_number(uint64_t got, uint64_t expected, unsigned type, double ulp) {
    if (got == expected)
        return true;
    if (is_nan(expected, type))
        return is_nan(got, type);
    return ulp > 0 && !is_nan(got, type) && ulps(got, expected, type) <= ulp;
}

static bool matches(uint64_t got, uint64_t expected, unsigned type, double ulp) {
    if (type == WL_PKF16)
        return matches_number(got & 0xffff, expected & 0xffff, WL_F16, ulp) && matches_number(got >> 16, expected >> 16, WL_F16, ulp);
    if (type == WL_PKF32)
        return matches_number(got & 0xffffffff, expected & 0xffffffff, WL_F32, ulp) &&
               matches_number(got >> 32, expected >> 32, WL_F32, ulp);
    return matches_number(got, expected, type, ulp);
}

static bool host_runs(const struct wl_sem *sem) {
    const char *const features = sem->
                                     requires;

    return !features || wl_cpu_host_level() >= (strstr(features, "avx512") ? WL_CPU_AVX512 : WL_CPU_AVX2);
}

static bool check_lane(const struct wl_sem *sem, const struct reference *reference, union strip *results, const uint64_t *inputs,
                       unsigned lane) {
    uint64_t expected[WL_SEM_SLOTS] = {0};

    reference->compute(expected, inputs);
    for (unsigned r = 0; r < sem->result_count; r++) {
        const unsigned type = sem->results[r].type;
        const uint64_t got = get_lane(&results[r], wl_type_bits(type), lane);

        if (!matches(got, expected[r], type, reference->ulp))
            return print_error("%s%s%s, result %u: 0x%llx, expected 0x%llx from 0x%llx 0x%llx 0x%llx 0x%llx\n", sem->name,
                               sem->requires ? " for " : "", sem->requires ? sem->requires : "", r, (unsigned long long)got,
                               (unsigned long long)expected[r], (unsigned long long)inputs[0], (unsigned long long)inputs[1],
                               (unsigned long long)inputs[2], (unsigned long long)inputs[3]),
                   false;
    }
    return true;
}

static bool check_row(const struct wl_sem *sem, native *function, const struct reference *reference) {
    union strip results[WL_SEM_SLOTS], inputs[WL_SEM_SLOTS];
    void *pointers[2 * WL_SEM_SLOTS];
    const unsigned lanes = sem->scalar ? 1 : LANES, rounds = sem->scalar ? ROUNDS * 8 : ROUNDS;

    for (unsigned i = 0; i < sem->result_count; i++)
        pointers[i] = &results[i];
    for (unsigned i = 0; i < sem->input_count; i++)
        pointers[sem->result_count + i] = &inputs[i];
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = 0; i < sem->input_count; i++)
            for (unsigned lane = 0; lane < lanes; lane++)
                set_lane(&inputs[i], wl_type_bits(sem->inputs[i].type), lane, random_input(sem->inputs[i].type));
        call_native(function, pointers, sem->result_count + sem->input_count);
        for (unsigned lane = 0; lane < lanes; lane++) {
            uint64_t one[WL_SEM_SLOTS] = {0};

            for (unsigned i = 0; i < sem->input_count; i++)
                one[i] = get_lane(&inputs[i], wl_type_bits(sem->inputs[i].type), lane);
            if (!check_lane(sem, reference, results, one, lane))
                return false;
        }
    }
    return true;
}

static const struct reference *find_reference(const char *name) {
    for (const struct reference *r = integer_references; r->name; r++)
        if (strcmp(r->name, name) == 0)
            return r;
    for (const struct reference *r = float_references; r->name; r++)
        if (strcmp(r->name, name) == 0)
            return r;
    return NULL;
}

static void test_values(void **state) {
    size_t count, tested = 0, failed = 0;
    const struct wl_sem *table = wl_sem_table(&count);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        const struct reference *reference = find_reference(table[i].name);

        if (!reference) {
            print_message("no reference: %s\n", table[i].name);
        } else if (host_runs(&table[i])) {
            failed += !check_row(&table[i], wl_sem_native[i], reference);
            tested++;
        }
    }
    print_message("%zu of %zu rows compared with a reference\n", tested, count);
    assert_int_equal(failed, 0);
}

static LLVMTypeRef expected_type(LLVMContextRef context, const struct wl_sem *sem, struct wl_slot slot) {
    const unsigned bits = wl_type_bits(slot.type);
    LLVMTypeRef element = LLVMIntTypeInContext(context, bits);

    if (wl_type_is_float(slot.type))
        element = bits == 16   ? LLVMHalfTypeInContext(context)
                  : bits == 32 ? LLVMFloatTypeInContext(context)
                               : LLVMDoubleTypeInContext(context);
    return sem->scalar ? element : LLVMVectorType(element, LANES);
}

/* Every module holds just its function, valid, with the types that the row announces; it calls nothing but LLVM's intrinsics. */
static void check_module(const struct wl_sem *sem) {
    const LLVMContextRef context = LLVMContextCreate();
    const LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(sem->bitcode, sem->bitcode_size, sem->name, 0);
    LLVMTypeRef inputs[WL_SEM_SLOTS], results[WL_SEM_SLOTS], type;
    LLVMModuleRef module;
    LLVMValueRef function;
    char *message = NULL;

    if (LLVMParseBitcodeInContext2(context, buffer, &module))
        fail_msg("%s: no bitcode", sem->name);
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
        fail_msg("%s: %s", sem->name, message);
    LLVMDisposeMessage(message);
    function = LLVMGetNamedFunction(module, sem->name);
    assert_non_null(function);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (f != function && strncmp(LLVMGetValueName(f), "llvm.", 5) != 0)
            fail_msg("%s holds %s", sem->name, LLVMGetValueName(f));
    assert_null(LLVMGetFirstGlobal(module));
    for (unsigned i = 0; i < sem->input_count; i++)
        inputs[i] = expected_type(context, sem, sem->inputs[i]);
    for (unsigned i = 0; i < sem->result_count; i++)
        results[i] = expected_type(context, sem, sem->results[i]);
    type = LLVMFunctionType(sem->result_count == 1 ? results[0] : LLVMStructTypeInContext(context, results, sem->result_count, 0), inputs,
                            sem->input_count, 0);
    if (LLVMGlobalGetValueType(function) != type)
        fail_msg("%s: the function's type does not fit the row", sem->name);
    if (!sem->requires)
        for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
            if (strncmp(LLVMGetValueName(f), "llvm.x86", 8) == 0)
                fail_msg("%s runs everywhere, but calls %s", sem->name, LLVMGetValueName(f));
    LLVMDisposeModule(module);
    LLVMDisposeMemoryBuffer(buffer);
    LLVMContextDispose(context);
}

static void test_modules(void **state) {
    size_t count;
    const struct wl_sem *table = wl_sem_table(&count);

    (void)state;
    assert_true(count > 500);
    for (size_t i = 0; i < count; i++)
        check_module(&table[i]);
}

static void test_find(void **state) {
    (void)state;
    assert_non_null(wl_sem_find("v_add_f32", NULL));
    assert_null(wl_sem_find("v_no_such_thing", NULL));
    assert_null(wl_sem_find("", NULL));
    assert_null(wl_sem_find("v_rsq_f32", NULL)->requires);
    assert_null(wl_sem_find("v_rsq_f32", "+avx512fp16,-avx512f,+fma")->requires);
    assert_null(wl_sem_find("v_max_f32", "+avx512f")->requires);
#if defined(__x86_64__)
    assert_string_equal(wl_sem_find("v_rsq_f32", "+sse2,+avx512f,+avx512bw")->requires, "avx512f");
    assert_string_equal(wl_sem_find("v_rsq_f32", "+fma,+avx2,+avx512f")->requires, "avx512f");
    assert_string_equal(wl_sem_find("v_rsq_f32", "+sse2,+fma,+avx2")->requires, "avx2,fma");
    assert_string_equal(wl_sem_find("v_max_f32", "+avx512dq,+avx512f")->requires, "avx512f,avx512dq");
#endif
}

/* The native function of a mnemonic: the variant for this host if `variant`, else the general one. */
static native *find_native(const char *name, bool variant) {
    size_t count;
    const struct wl_sem *table = wl_sem_table(&count);
    native *found = NULL;

    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0 && host_runs(&table[i]) && (!found || !variant))
            found = wl_sem_native[i];
    assert_non_null(found);
    return found;
}

#define CALL(function, ...)                                                                                                                \
    do {                                                                                                                                   \
        void *pointers[] = {__VA_ARGS__};                                                                                                  \
        call_native(function, pointers, sizeof(pointers) / sizeof(pointers[0]));                                                           \
    } while (0)

/* Division as LLVM expands it. */
#define DIVIDE(type, name, fma)                                                                                                            \
    static void divide_##name(type *quotient, type *dividend, type *divisor, bool variant) {                                               \
        _Alignas(64) type scaled_divisor[LANES], scaled[LANES], y[LANES], error[LANES], q[LANES], last[LANES];                             \
        _Alignas(64) uint32_t unused[LANES], vcc[LANES];                                                                                   \
        native *const scale = find_native("v_div_scale_" #name, variant);                                                                  \
                                                                                                                                           \
        CALL(scale, scaled_divisor, unused, divisor, divisor, dividend);                                                                   \
        CALL(scale, scaled, vcc, dividend, divisor, dividend);                                                                             \
        CALL(find_native("v_rcp_" #name, variant), y, scaled_divisor);                                                                     \
        for (unsigned i = 0; i < LANES; i++) {                                                                                             \
            y[i] = fma(fma(-scaled_divisor[i], y[i], 1), y[i], y[i]);                                                                      \
            if (sizeof(type) == 8)                                                                                                         \
                y[i] = fma(fma(-scaled_divisor[i], y[i], 1), y[i], y[i]);                                                                  \
            q[i] = scaled[i] * y[i];                                                                                                       \
            if (sizeof(type) == 4)                                                                                                         \
                q[i] = fma(fma(-scaled_divisor[i], q[i], scaled[i]), y[i], q[i]);                                                          \
            error[i] = fma(-scaled_divisor[i], q[i], scaled[i]);                                                                           \
        }                                                                                                                                  \
        CALL(find_native("v_div_fmas_" #name, variant), last, error, y, q, vcc);                                                           \
        CALL(find_native("v_div_fixup_" #name, variant), quotient, last, divisor, dividend);                                               \
    }
DIVIDE(float, f32, fmaf)
DIVIDE(double, f64, fma)

static void check_division(bool variant) {
    _Alignas(64) float a[LANES], b[LANES], q[LANES];
    _Alignas(64) double x[LANES], y[LANES], z[LANES];

    for (unsigned round = 0; round < 20000; round++) {
        for (unsigned i = 0; i < LANES; i++) {
            a[i] = as_f32(random_input(WL_F32));
            b[i] = as_f32(random_input(WL_F32));
            x[i] = as_f64(random_input(WL_F64));
            y[i] = as_f64(random_input(WL_F64));
        }
        divide_f32(q, a, b, variant);
        divide_f64(z, x, y, variant);
        for (unsigned i = 0; i < LANES; i++) {
            if (!matches(f32_bits(q[i]), f32_bits(a[i] / b[i]), WL_F32, 0))
                fail_msg("%a / %a gave %a, expected %a", a[i], b[i], q[i], a[i] / b[i]);
            if (!matches(f64_bits(z[i]), f64_bits(x[i] / y[i]), WL_F64, 0))
                fail_msg("%a / %a gave %a, expected %a", x[i], y[i], z[i], x[i] / y[i]);
        }
    }
}

static void test_division(void **state) {
    (void)state;
    check_division(false);
    check_division(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_modules),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_division),
    };

    return cmocka_run_group_tests_name("semantics", tests, NULL, NULL);
}
