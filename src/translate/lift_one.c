/* One instruction alone, lifted: what tests compare the list of instructions with. */
#include "translate/decode/decoder.h"
#include "translate/interface/coverage.h"
#include "translate/interface/translate.h"
#include "translate/lift/lift.h"
#include "translate/rewrite/rewrite.h"

enum wl_status wl_coverage_lift(const char *processor, uint32_t wave_size, const uint8_t *bytes, unsigned size) {
    struct wl_coverage_program program;
    struct wl_decoder *decoder = NULL;
    struct wl_unit unit;
    enum wl_status status = wl_coverage_make(&program, processor, wave_size, bytes, size);
    if (!status)
        status = wl_decoder_create(&decoder, processor, wave_size);
    if (!status)
        status = wl_unit_build(&unit, decoder, &program.request, 0);
    if (!status) {
        LLVMContextRef context = LLVMContextCreate();
        LLVMModuleRef module = LLVMModuleCreateWithNameInContext("coverage", context);
        wl_unit_liveness(&unit);
        status = wl_lift_unit(&unit, NULL, WL_LIFT_LOOPS, module);
        LLVMDisposeModule(module);
        LLVMContextDispose(context);
        wl_unit_destroy(&unit);
    }
    wl_decoder_destroy(decoder);
    return status;
}
