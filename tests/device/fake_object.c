#include "fake_object.h"
#include "codeobject/dwarf.h"

#include <stdio.h>
#include <string.h>

void fake_object(struct wl_codeobject *object, const char *processor, unsigned major, unsigned minor, unsigned stepping,
                 uint32_t wave_size) {
    memset(object, 0, sizeof *object);
    snprintf(object->target.processor, sizeof object->target.processor, "%s", processor);
    object->target.major = major;
    object->target.minor = minor;
    object->target.stepping = stepping;
    object->kernel_count = 1;
    object->hash[0] = 0x1234;
    struct wl_kernel *kernel = &object->kernels[0];
    kernel->name = "test";
    kernel->entry = 4096;
    kernel->wave_size = wave_size;
    kernel->kernarg_size = 8;
    kernel->kernarg_align = 8;
    kernel->vgprs = 8;
    kernel->max_workgroup_size = 1024;
    kernel->float_mode = 0xf0;
    kernel->user_kernarg_ptr = true;
    kernel->user_sgprs = 2;
    kernel->system_workgroup_id_x = true;
    kernel->workitem_id_dimensions = 1;
}

const struct wl_target *wl_codeobject_target(const struct wl_codeobject *object) { return &object->target; }

void wl_codeobject_hash(const struct wl_codeobject *object, uint64_t hash[2]) { memcpy(hash, object->hash, sizeof object->hash); }

void wl_codeobject_share(struct wl_codeobject *object) { (void)object; }

void wl_codeobject_close(struct wl_codeobject *object) { (void)object; }

size_t wl_codeobject_kernel_count(const struct wl_codeobject *object) { return object->kernel_count; }

const struct wl_kernel *wl_codeobject_kernel(const struct wl_codeobject *object, size_t index) { return &object->kernels[index]; }

size_t wl_codeobject_function_count(const struct wl_codeobject *object) { return object->function_count; }

const struct wl_function *wl_codeobject_function(const struct wl_codeobject *object, size_t index) { return &object->functions[index]; }

size_t wl_codeobject_variable_count(const struct wl_codeobject *object) {
    (void)object;
    return 0;
}

const struct wl_variable *wl_codeobject_variable(const struct wl_codeobject *object, size_t index) {
    (void)object, (void)index;
    return NULL;
}

uint64_t wl_codeobject_image_size(const struct wl_codeobject *object) {
    (void)object;
    return FAKE_IMAGE;
}

enum wl_status wl_codeobject_load(const struct wl_codeobject *object, void *target, uint64_t base) {
    (void)base;
    return wl_codeobject_load_pages(object, target);
}

enum wl_status wl_codeobject_load_pages(const struct wl_codeobject *object, void *pages) {
    memcpy(pages, object->image, FAKE_IMAGE);
    return WL_OK;
}

const void *wl_codeobject_elf(const struct wl_codeobject *object, size_t *size) {
    (void)object;
    *size = 0;
    return NULL;
}

const uint8_t *wl_codeobject_image(const struct wl_codeobject *object) { return object->image; }

bool wl_codeobject_is_code(const struct wl_codeobject *object, uint64_t address, uint64_t size) {
    (void)object;
    return address >= 4096 && address <= FAKE_IMAGE && size <= FAKE_IMAGE - address;
}

bool wl_codeobject_function_in_data(const struct wl_codeobject *object, uint64_t address) {
    (void)object;
    (void)address;
    return false;
}

bool wl_codeobject_inlined_at(const struct wl_codeobject *object, uint64_t address, unsigned depth, char *text, size_t size) {
    (void)object, (void)address, (void)depth, (void)text, (void)size;
    return false;
}

const struct wl_dwarf *wl_dwarf(void) { return NULL; }

unsigned wl_dwarf_inlined(Dwarf_Die *unit, Dwarf_Addr address, struct wl_inlined *calls, unsigned most) {
    (void)unit, (void)address, (void)calls, (void)most;
    return 0;
}

bool wl_codeobject_source_line(const struct wl_codeobject *object, uint64_t address, char *text, size_t size) {
    (void)object;
    snprintf(text, size, "test.hip:%llu", (unsigned long long)(address - 4096) / 4 + 1);
    return true;
}

bool wl_target_has_sram_ecc(const struct wl_target *code) {
    (void)code;
    return false;
}

const char *wl_codeobject_print_format(const struct wl_codeobject *object, uint64_t hash) {
    (void)object;
    (void)hash;
    return NULL;
}
