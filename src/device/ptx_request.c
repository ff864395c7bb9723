#include "device/ptx_request.h"

#include "device/cpu/abi.h"
#include "device/translate_request.h"

static bool in_data(void *object, uint64_t address) { return wl_codeobject_function_in_data(object, address); }

/* Where the hidden arguments of a workgroup's shape are, if they are as the ABI has them. */
static uint32_t block_offset(const struct wl_kernel *kernel) {
    uint32_t offsets[3] = {0};
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        const struct wl_argument *argument = &kernel->arguments[i];
        if (argument->kind >= WL_ARG_HIDDEN_GROUP_SIZE_X && argument->kind <= WL_ARG_HIDDEN_GROUP_SIZE_Z && argument->size == 2)
            offsets[argument->kind - WL_ARG_HIDDEN_GROUP_SIZE_X] = argument->offset;
    }
    return offsets[1] == offsets[0] + 2 && offsets[2] == offsets[0] + 4 ? offsets[0] : 0;
}

void wl_ptx_request_fill(struct wl_ptx_request *request, const struct wl_codeobject *object, const struct wl_kernel *kernel,
                         const uint64_t *functions, size_t function_count, uint32_t stack) {
    struct wl_abi abi;
    uint32_t scratch = (kernel->scratch_size + 15) & ~15u;
    wl_abi_init(&abi, kernel, wl_codeobject_target(object));
    *request = (struct wl_ptx_request){
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
        .kernarg_size = kernel->kernarg_size,
        .block_offset = block_offset(kernel),
        .float_mode = kernel->float_mode,
        .in_data = in_data,
    };
    wl_translate_request_fill(&request->code, object, kernel, functions, function_count);
}
