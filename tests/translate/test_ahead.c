/* Which loops ask for what their next round will load: prefetches in the lifted code, 4 for each 16 lanes of a load of four dwords. */
#include "assembled.h"
#include "translate/lift/lift.h"
#include "translate/native/emit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static unsigned prefetches(const char *text, enum wl_mode mode) {
    struct assembled made;
    const struct wl_translate_request request = {
        .processor = "gfx90a", .wave_size = 64, .name = "test", .mode = mode, .cpu = "x86-64-v3", .features = ""};
    assembled_build(&made, request, text);
    LLVMTargetMachineRef machine = wl_emit_machine(request.cpu, request.features, true);
    assert_non_null(machine);
    wl_unit_liveness(&made.unit);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("unit", context);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(module, layout);
    assert_int_equal(wl_lift_unit(&made.unit, NULL, WL_LIFT_LOOPS, module), WL_OK);
    char *ir = LLVMPrintModuleToString(module);
    unsigned count = 0;
    for (const char *at = ir; (at = strstr(at, "call void @llvm.prefetch")); at++)
        count++;
    LLVMDisposeMessage(ir);
    LLVMDisposeTargetData(layout);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    LLVMDisposeTargetMachine(machine);
    assembled_free(&made);
    return count;
}

/* A loop that copies a tile to LDS: `step` advances the base, `rest` is whatever else. */
#define LOOP(step, load, rest)                                                                                                             \
    "s_mov_b32 s0, 8\n 1:\n " step load "s_waitcnt vmcnt(0)\n ds_write_b128 v2, v[4:7]\n" rest                                             \
    "s_sub_u32 s0, s0, 1\n s_cmp_lg_u32 s0, 0\n s_cbranch_scc1 1b\n s_endpgm"
#define STEP    "s_add_u32 s8, s8, s4\n s_addc_u32 s9, s9, 0\n "
#define LOAD    "buffer_load_dwordx4 v[4:7], v1, s[8:11], 0 offen\n "
#define BARRIER "s_barrier\n "

static const struct loop {
    const char *title, *text;
    unsigned count;
} loops[] = {
    {"a base that is advanced", LOOP(STEP, LOAD, BARRIER), 16},
    {"behind the load as well", LOOP("", LOAD STEP, BARRIER), 16},
    {"two loads", LOOP(STEP, LOAD "buffer_load_dword v8, v3, s[8:11], 0 offen offset:16\n ", BARRIER), 20},
    {"no barrier", LOOP(STEP, LOAD, ""), 0},
    {"another base", LOOP("s_add_u32 s12, s12, s4\n s_addc_u32 s13, s13, 0\n ", LOAD, BARRIER), 0},
    {"a base that is set", LOOP("s_mov_b32 s8, s5\n " STEP, LOAD, BARRIER), 0},
    {"an offset that changes", LOOP(STEP "v_add_u32 v1, 16, v1\n ", LOAD, BARRIER), 0},
    {"a step that is gone", LOOP("s_add_u32 s8, s8, s4\n s_mov_b32 s4, s5\n s_addc_u32 s9, s9, 0\n ", LOAD, BARRIER), 0},
    {"the halves of different sums", LOOP("s_add_u32 s7, s8, s4\n s_addc_u32 s9, s9, 0\n ", LOAD, BARRIER), 0},
    {"a load that others must see", LOOP(STEP, "buffer_load_dwordx4 v[4:7], v1, s[8:11], 0 offen glc\n ", BARRIER), 0},
    {"outside a loop", STEP LOAD BARRIER "ds_write_b128 v2, v[4:7]\n s_endpgm", 0},
};

static void test_loops(void **state) {
    (void)state;
    unsigned bad = 0;
    for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++) {
        const unsigned count = prefetches(loops[i].text, WL_MODE_FULL);
        if (count == loops[i].count)
            continue;
        fprintf(stderr, "%s: %u, not %u\n", loops[i].title, count, loops[i].count);
        bad++;
    }
    assert_int_equal(bad, 0);
}

static void test_masked(void **state) {
    (void)state;
    assert_int_equal(prefetches(loops[0].text, WL_MODE_MASKED), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loops), cmocka_unit_test(test_masked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
