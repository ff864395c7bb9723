/* Units of single waves that would be too much for LLVM with their strips unrolled: lifting them so ends early, and with strips in loops they have fewer blocks. */
#include "assembled.h"
#include "translate/lift/lift.h"
#include "translate/native/emit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* `rounds` accesses of LDS, each lane at a place of its own. */
static enum wl_status lifted(unsigned rounds, enum wl_mode mode, enum wl_lift_size size, unsigned *blocks) {
    char text[256];
    struct assembled made;
    const struct wl_translate_request request = {
        .processor = "gfx90a", .wave_size = 64, .name = "test", .mode = mode, .cpu = "x86-64-v3", .features = ""};
    snprintf(text, sizeof text,
             "v_lshlrev_b32 v1, 2, v0\nv_xor_b32 v1, 0x7c, v1\n.rept %u\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nds_write_b32 v1, v2 "
             "offset:4\n"
             ".endr\ns_endpgm",
             rounds);
    assembled_build(&made, request, text);
    LLVMTargetMachineRef machine = wl_emit_machine(request.cpu, request.features, true);
    assert_non_null(machine);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("unit", context);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(module, layout);
    const enum wl_status status = wl_lift_unit(&made.unit, NULL, size, module);
    if (status == WL_OK)
        *blocks = LLVMCountBasicBlocks(LLVMGetNamedFunction(module, "wl_unit"));
    LLVMDisposeTargetData(layout);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    LLVMDisposeTargetMachine(machine);
    assembled_free(&made);
    return status;
}

static void too_much_unrolled(void **state) {
    (void)state;
    enum { MANY = 3000 };
    static const enum wl_mode modes[] = {WL_MODE_FULL, WL_MODE_MASKED};
    for (unsigned i = 0; i < 2; i++) {
        unsigned blocks = 0;
        assert_int_equal(lifted(MANY, modes[i], WL_LIFT_UNROLLED, &blocks), WL_OUT_OF_RESOURCES);
        assert_int_equal(lifted(MANY, modes[i], WL_LIFT_COMPACT, &blocks), WL_OK);
    }
}

static void smaller_in_loops(void **state) {
    (void)state;
    enum { FEW = 100 };
    static const enum wl_mode modes[] = {WL_MODE_FULL, WL_MODE_MASKED};
    for (unsigned i = 0; i < 2; i++) {
        unsigned unrolled = 0, compact = 0;
        assert_int_equal(lifted(FEW, modes[i], WL_LIFT_UNROLLED, &unrolled), WL_OK);
        assert_int_equal(lifted(FEW, modes[i], WL_LIFT_COMPACT, &compact), WL_OK);
        print_message("%u blocks unrolled, %u in loops\n", unrolled, compact);
        assert_true(compact < unrolled);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(too_much_unrolled), cmocka_unit_test(smaller_in_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
