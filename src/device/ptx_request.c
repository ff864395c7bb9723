#include "device/ptx_request.h"

#include "device/cpu/abi.h"

static bool is_code(void *object, uint64_t address, uint64_t size) { return wl_codeobject_is_code(object, address, size); }

static bool flushes_f32(const struct wl_codeobject *object) {
    enum { F32_DENORMALS = 3 << 4 };
    for (size_t i = 0; i < wl_codeobject_kernel_count(object); i++)
        if (!(wl_codeobject_kernel(object, i)->float_mode & F32_DENORMALS))
            return true;
    return false;
}

static uint32_t kernarg_size(const struct wl_kernel *kernel) {
    uint32_t size = kernel->kernarg_size;
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        uint32_t end = kernel->arguments[i].offset + kernel->arguments[i].size;
        size = end > size ? end : size;
    }
    return size;
}

void wl_ptx_request_fill(struct wl_ptx_request *request, const struct wl_codeobject *object, const struct wl_kernel *kernel,
                         const uint64_t *functions, uint32_t stack) {
    struct wl_abi abi;
    uint32_t scratch = (kernel->scratch_size + 15) & ~15u;
    wl_abi_init(&abi, kernel, wl_codeobject_target(object));
    *request = (struct wl_ptx_request){
        .code = {.processor = wl_codeobject_target(object)->processor,
                 .wave_size = kernel->wave_size,
                 .image = wl_codeobject_image(object),
                 .image_size = wl_codeobject_image_size(object),
                 .entry = kernel->entry,
                 .name = kernel->name,
                 .is_kernel = true,
                 .workitem_id_dimensions = kernel->workitem_id_dimensions,
                 .packed_workitem_ids = abi.packed_ids,
                 .flushes_f32 = flushes_f32(object),
                 .sram_ecc = wl_target_has_sram_ecc(wl_codeobject_target(object)),
                 .is_code = is_code,
                 .context = (void *)(uintptr_t)object,
                 .functions = functions,
                 .function_count = wl_codeobject_function_count(object)},
        .registers = {.private_buffer = abi.private_buffer,
                      .dispatch_ptr = abi.dispatch_ptr,
                      .queue_ptr = abi.queue_ptr,
                      .kernarg_ptr = abi.kernarg_ptr,
                      .dispatch_id = abi.dispatch_id,
                      .flat_scratch = abi.flat_scratch,
                      .private_size = abi.private_size,
                      .preload = abi.preload,
                      .group_x = abi.group_x,
                      .group_y = abi.group_y,
                      .group_z = abi.group_z,
                      .group_info = abi.group_info,
                      .wave_offset = abi.wave_offset,
                      .preload_length = kernel->kernarg_preload_length,
                      .preload_offset = kernel->kernarg_preload_offset,
                      .ttmp_groups = abi.ttmp_groups,
                      .packed_ids = abi.packed_ids,
                      .id_rows = abi.id_rows},
        .static_lds = kernel->lds_size,
        .scratch_size = kernel->dynamic_stack && scratch < stack ? stack : scratch,
        .kernarg_size = kernarg_size(kernel),
        .float_mode = kernel->float_mode,
    };
}
