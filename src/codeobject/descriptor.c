/* The 64-byte kernel descriptor, as the hardware's packet processor reads it.
 *
 *   0 u32 LDS bytes  4 u32 scratch bytes per lane  8 u32 kernarg bytes  16 i64 entry, relative to the descriptor
 *   44 u32 RSRC3  48 u32 RSRC1  52 u32 RSRC2  56 u16 code properties  58 u16 kernarg preload */
#include "codeobject/internal.h"

#include "machine/processor.h"

/* Bytes at the entry of a kernel with preloaded arguments, for firmware that cannot preload: they load the arguments, or trap. */
enum { DESCRIPTOR_SIZE = 64, DESCRIPTOR_ALIGN = 64, PRELOAD_PROLOGUE = 256 };

static uint32_t bits(uint32_t word, unsigned shift, unsigned width) { return word >> shift & ((1u << width) - 1); }

static void decode_registers(const struct wl_target *target, struct wl_kernel *kernel, uint32_t rsrc1, uint32_t rsrc3) {
    /* Granules that the counts are encoded in; metadata, where there is some, has the exact numbers. */
    unsigned vgpr_granule = wl_target_has(target, WL_HAS_1024_VGPRS)                                     ? 16
                            : wl_target_has(target, WL_HAS_UNIFIED_REGISTERS) || kernel->wave_size == 32 ? 8
                                                                                                         : 4;
    kernel->vgprs = (bits(rsrc1, 0, 6) + 1) * vgpr_granule;
    kernel->sgprs = target->major >= 10 ? 106 : (bits(rsrc1, 6, 4) / 2 + 1) * 16;
    if (wl_target_has(target, WL_HAS_UNIFIED_REGISTERS)) {
        kernel->accum_offset = (bits(rsrc3, 0, 6) + 1) * 4;
        kernel->agprs = kernel->vgprs > kernel->accum_offset ? kernel->vgprs - kernel->accum_offset : 0;
    }
    if (wl_target_has(target, WL_HAS_NAMED_BARRIERS))
        kernel->named_barriers = bits(rsrc3, 14, 3) * 4;
}

static void decode_modes(const struct wl_target *target, struct wl_kernel *kernel, uint32_t rsrc1) {
    bool old = target->major < 12; /* gfx12 gave these two bits away: it always clamps and never quiets */
    kernel->float_mode = bits(rsrc1, 12, 8);
    kernel->dx10_clamp = old ? bits(rsrc1, 21, 1) : true;
    kernel->ieee_mode = old ? bits(rsrc1, 23, 1) : false;
    kernel->fp16_overflow = bits(rsrc1, 26, 1);
    kernel->float_mode |= (uint32_t)kernel->fp16_overflow << 23;
    kernel->wgp_mode = target->major >= 10 && bits(rsrc1, 29, 1);
    kernel->mem_ordered = target->major >= 10 && bits(rsrc1, 30, 1);
}

static void decode_initial_state(const struct wl_target *target, struct wl_kernel *kernel, uint32_t rsrc2, uint32_t properties,
                                 uint32_t preload) {
    kernel->user_private_segment_buffer = bits(properties, 0, 1);
    kernel->user_dispatch_ptr = bits(properties, 1, 1);
    kernel->user_queue_ptr = bits(properties, 2, 1);
    kernel->user_kernarg_ptr = bits(properties, 3, 1);
    kernel->user_dispatch_id = bits(properties, 4, 1);
    kernel->user_flat_scratch_init = bits(properties, 5, 1);
    kernel->user_private_segment_size = bits(properties, 6, 1);
    if (wl_target_has(target, WL_HAS_PRELOAD)) { /* reserved on the others */
        kernel->kernarg_preload_length = bits(preload, 0, 7);
        kernel->kernarg_preload_offset = bits(preload, 7, 9);
    }
    kernel->user_sgprs = bits(rsrc2, 1, wl_target_has(target, WL_HAS_64_USER_SGPRS) ? 6 : 5);
    kernel->system_private_segment_wave_offset = bits(rsrc2, 0, 1) && !wl_target_has(target, WL_HAS_ARCHITECTED_SCRATCH);
    kernel->system_workgroup_id_x = bits(rsrc2, 7, 1);
    kernel->system_workgroup_id_y = bits(rsrc2, 8, 1);
    kernel->system_workgroup_id_z = bits(rsrc2, 9, 1);
    kernel->system_workgroup_info = bits(rsrc2, 10, 1);
    kernel->workitem_id_dimensions = bits(rsrc2, 11, 2) + 1;
}

/* The user SGPRs that the enabled fields occupy. */
static unsigned needed_user_sgprs(const struct wl_kernel *kernel) {
    return 4u * kernel->user_private_segment_buffer + 2u * kernel->user_dispatch_ptr + 2u * kernel->user_queue_ptr +
           2u * kernel->user_kernarg_ptr + 2u * kernel->user_dispatch_id + 2u * kernel->user_flat_scratch_init +
           1u * kernel->user_private_segment_size + kernel->kernarg_preload_length;
}

enum wl_status wl_descriptor_decode(const struct wl_codeobject *object, struct wl_kernel *kernel) {
    const struct wl_target *target = &object->target;
    if (kernel->descriptor % DESCRIPTOR_ALIGN || !wl_codeobject_is_loaded(object, kernel->descriptor, DESCRIPTOR_SIZE))
        return wl_fail(WL_INVALID_IMAGE, "the descriptor of kernel %s is not in a segment", kernel->name);
    const uint8_t *bytes = object->image + kernel->descriptor;
    uint32_t rsrc3 = wl_read32(bytes + 44), rsrc1 = wl_read32(bytes + 48), rsrc2 = wl_read32(bytes + 52);
    uint32_t properties = wl_read16(bytes + 56), preload = wl_read16(bytes + 58);

    kernel->lds_size = wl_read32(bytes);
    kernel->scratch_size = wl_read32(bytes + 4);
    kernel->kernarg_size = wl_read32(bytes + 8);
    kernel->kernarg_align = 16;
    kernel->start = kernel->entry = kernel->descriptor + wl_read64(bytes + 16);
    kernel->wave_size = bits(properties, 10, 1) ? 32 : 64;
    kernel->dynamic_stack = bits(properties, 11, 1);
    kernel->max_workgroup_size = 1024;
    decode_registers(target, kernel, rsrc1, rsrc3);
    decode_modes(target, kernel, rsrc1);
    decode_initial_state(target, kernel, rsrc2, properties, preload);
    if (kernel->kernarg_preload_length && wl_target_has(target, WL_HAS_UNIFIED_REGISTERS)) /* gfx1250's firmware always can */
        kernel->entry += PRELOAD_PROLOGUE;

    if (kernel->entry % 4 || !wl_codeobject_is_code(object, kernel->entry, 4))
        return wl_fail(WL_INVALID_IMAGE, "the entry of kernel %s is not in code", kernel->name);
    if (kernel->wave_size == 32 && target->major < 10)
        return wl_fail(WL_INVALID_IMAGE, "kernel %s has waves of 32 lanes, which %s has not", kernel->name, target->processor);
    if (kernel->wave_size == 64 && wl_target_has(target, WL_HAS_WAVE32_ALONE))
        return wl_fail(WL_INVALID_IMAGE, "kernel %s has waves of 64 lanes, which %s has not", kernel->name, target->processor);
    if (kernel->named_barriers > WL_NAMED_BARRIERS)
        return wl_fail(WL_INVALID_IMAGE, "kernel %s has %u named barriers, %s has %u", kernel->name, kernel->named_barriers,
                       target->processor, (unsigned)WL_NAMED_BARRIERS);
    if (kernel->user_sgprs < needed_user_sgprs(kernel))
        return wl_fail(WL_INVALID_IMAGE, "kernel %s has %u user SGPRs and needs %u", kernel->name, kernel->user_sgprs,
                       needed_user_sgprs(kernel));
    if (kernel->workitem_id_dimensions > 3 || kernel->kernarg_size > WL_KERNARG_MAX)
        return wl_fail(WL_INVALID_IMAGE, "the descriptor of kernel %s is damaged", kernel->name);
    return WL_OK;
}
