#include "device/translate_request.h"

#include "device/cpu/abi.h"

#include <stdlib.h>

static int compare_addresses(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

uint64_t *wl_translate_functions(const struct wl_codeobject *object, size_t *count) {
    size_t all = wl_codeobject_function_count(object);
    uint64_t *functions = calloc(all + 1, sizeof *functions);
    *count = 0;
    if (!functions) {
        wl_fail(WL_OUT_OF_MEMORY, "no memory for %zu functions", all);
        return NULL;
    }
    for (size_t i = 0; i < all; i++)
        if (wl_codeobject_function(object, i)->address_taken)
            functions[(*count)++] = wl_codeobject_function(object, i)->address;
    qsort(functions, *count, sizeof *functions, compare_addresses);
    return functions;
}

static bool is_code(void *object, uint64_t address, uint64_t size) { return wl_codeobject_is_code(object, address, size); }

static bool flushes_f32(const struct wl_codeobject *object) {
    enum { KEPT = 3 << 4 }; /* f32 denormals, in and out */
    for (size_t i = 0; i < wl_codeobject_kernel_count(object); i++)
        if ((wl_codeobject_kernel(object, i)->float_mode & KEPT) != KEPT)
            return true;
    return false;
}

void wl_translate_request_fill(struct wl_translate_request *request, const struct wl_codeobject *object, const struct wl_kernel *kernel,
                               const uint64_t *functions, size_t function_count) {
    *request = (struct wl_translate_request){
        .processor = wl_codeobject_target(object)->processor,
        .image = wl_codeobject_image(object),
        .image_size = wl_codeobject_image_size(object),
        .flushes_f32 = flushes_f32(object),
        .sram_ecc = wl_target_has_sram_ecc(wl_codeobject_target(object)),
        .is_code = is_code,
        .context = (void *)(uintptr_t)object,
        .functions = functions,
        .function_count = function_count,
    };
    if (!kernel)
        return;
    struct wl_abi abi;
    wl_abi_init(&abi, kernel, wl_codeobject_target(object));
    request->wave_size = kernel->wave_size;
    request->entry = kernel->entry;
    request->name = kernel->name;
    request->is_kernel = true;
    request->workitem_id_dimensions = kernel->workitem_id_dimensions;
    request->packed_workitem_ids = abi.packed_ids;
    request->has_private_register = abi.private_buffer >= 0;
    request->private_register = (uint8_t)abi.private_buffer;
}
