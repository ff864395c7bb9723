/* One instruction alone, lifted: what tests compare the list of instructions with. */
#include "translate/decode/decoder.h"
#include "translate/interface/coverage.h"
#include "translate/interface/translate.h"
#include "translate/lift/lift.h"
#include "translate/rewrite/rewrite.h"

static bool is_code(void *context, uint64_t address, uint64_t size) { return address + size <= *(const uint64_t *)context; }

enum wl_status wl_coverage_lift(const char *processor, uint32_t wave_size, const uint8_t *bytes, unsigned size) {
    uint8_t image[WL_COVERAGE_IMAGE];
    uint64_t image_size = sizeof image;
    if (size > 24)
        return wl_fail(WL_INVALID_VALUE, "no instruction has %u bytes", size);
    wl_coverage_image(processor, bytes, size, image);
    struct wl_translate_request request = {.processor = processor,
                                           .wave_size = wave_size,
                                           .image = image,
                                           .image_size = sizeof image,
                                           .name = "coverage",
                                           .workitem_id_dimensions = 1,
                                           .mode = WL_MODE_MASKED,
                                           .cpu = "",
                                           .features = "",
                                           .is_code = is_code,
                                           .context = &image_size};
    struct wl_decoder *decoder = NULL;
    struct wl_unit unit;
    enum wl_status status = wl_decoder_create(&decoder, processor, wave_size);
    if (!status)
        status = wl_unit_build(&unit, decoder, &request, 0);
    if (!status) {
        LLVMContextRef context = LLVMContextCreate();
        LLVMModuleRef module = LLVMModuleCreateWithNameInContext("coverage", context);
        wl_unit_liveness(&unit);
        status = wl_lift_unit(&unit, NULL, false, module);
        LLVMDisposeModule(module);
        LLVMContextDispose(context);
        wl_unit_destroy(&unit);
    }
    wl_decoder_destroy(decoder);
    return status;
}
