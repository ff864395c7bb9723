/* Image instructions and typed buffers: calls of device code, a lane at a time (device/device.h). */
#include "translate/lift/memory/memory.h"
#include "translate/nvptx/device/device.h"
#include "translate/nvptx/ptx.h"

#include "machine/helpers.h"
#include "machine/image_instruction.h"
#include "translate/isa/helper_words.h"
#include "translate/lift/memory/record.h"
#include "translate/lift/values.h"
#include "translate/nvptx/inst.h"
#include "translate/nvptx/memory.h"

#include <stddef.h>
#include <stdio.h>

#define IMAGE_AT(member, i)  (offsetof(struct wl_device_image, member) + 4 * (size_t)(i))
#define BUFFER_AT(member, i) (offsetof(struct wl_device_buffer, member) + 4 * (size_t)(i))

/* The lanes' own values of `count` rows. */
static void put_rows(struct wl_lift *l, LLVMValueRef record, size_t offset, unsigned row, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        wl_ptx_device_put(l, record, offset + 4 * (size_t)i, wl_ptx_dword(l, row + i));
}

static void get_rows(struct wl_lift *l, LLVMValueRef record, size_t offset, unsigned row, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        wl_ptx_set_dword(l, row + i, wl_ptx_device_get(l, record, offset + 4 * (size_t)i));
}

static void put_scalars(struct wl_lift *l, LLVMValueRef record, size_t offset, const struct wl_operand *operand, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        wl_ptx_device_put(l, record, offset + 4 * (size_t)i, wl_lift_sgpr(l, operand->reg + i));
}

static void put_active(struct wl_lift *l, LLVMValueRef record, size_t offset) {
    wl_ptx_device_put(l, record, offset, LLVMBuildZExt(l->b, wl_ptx_exec(l), l->i32, ""));
}

static unsigned data_count(const struct wl_operand *operand) { return operand->count < WL_DEVICE_DATA ? operand->count : WL_DEVICE_DATA; }

/* ---- images ----------------------------------------------------------------------------------------- */

static void put_image(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef record) {
    const struct wl_operand *op = inst->operands;
    const unsigned count = inst->address_count ? inst->address_count : op[1].count;
    uint64_t rows[2];
    wl_image_rows(inst, rows);
    for (unsigned i = 0; i < count && i < WL_DEVICE_ADDRESSES; i++)
        wl_ptx_device_put(l, record, IMAGE_AT(address, i), wl_ptx_dword(l, rows[i / 8] >> i % 8 * 8 & 255));
    put_rows(l, record, IMAGE_AT(data, 0), op[0].reg, data_count(&op[0]));
    put_scalars(l, record, IMAGE_AT(resource, 0), &op[2], op[2].count);
    if (wl_image_samples(inst)) {
        put_scalars(l, record, IMAGE_AT(sampler, 0), &op[3], 4);
        wl_ptx_device_put(l, record, IMAGE_AT(borders, 0), wl_ptx_launch_field(l, offsetof(struct wl_ptx_launch, borders), l->i64));
        l->ptx->info->needs_borders = true;
    }
    wl_ptx_device_put(l, record, IMAGE_AT(operation, 0), wl_lift_int(l, l->i32, inst->isa->image));
    wl_ptx_device_put(l, record, IMAGE_AT(modifiers, 0), wl_lift_int(l, l->i32, wl_image_modifiers(inst, l->generation)));
    put_active(l, record, IMAGE_AT(active, 0));
}

/* Data of one or two dwords. */
static LLVMValueRef atomic_data(struct wl_lift *l, unsigned reg, unsigned dwords) {
    return dwords == 2 ? wl_ptx_scalar(l, wl_ptx_pair(l, reg)) : wl_ptx_dword(l, reg);
}

static void lift_atomic(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef record) {
    const uint8_t operation = inst->isa->atomic;
    const bool two = operation == WL_ATOMIC_CMPSWAP || operation == WL_ATOMIC_FCMPSWAP;
    const unsigned given = (unsigned)__builtin_popcount(inst->dmask) / (two ? 2 : 1), dwords = given > 1 ? 2 : 1,
                   reg = inst->operands[0].reg;
    LLVMValueRef arguments[2] = {record, wl_lift_int(l, l->i32, dwords * 4)};
    struct wl_ptx_access access = {.inst = inst, .space = WL_PTX_GLOBAL, .wide_scope = true};
    char name[64];
    snprintf(name, sizeof name, "wl_device_image_find_%u", l->generation);
    access.address = wl_ptx_device_call(l, name, l->i64, arguments, 2);
    access.predicate = LLVMBuildICmp(l->b, LLVMIntNE, access.address, LLVMConstNull(l->i64), "");
    LLVMValueRef data = atomic_data(l, reg, dwords), compare = two ? atomic_data(l, reg + dwords, dwords) : NULL;
    LLVMValueRef old = wl_ptx_atomic(l, &access, operation, dwords * 32, data, compare, inst->returns);
    if (!inst->returns)
        return;
    old = LLVMBuildSelect(l->b, access.predicate, old, LLVMConstNull(LLVMTypeOf(old)), "");
    if (dwords == 2)
        wl_ptx_set_pair(l, reg, wl_ptx_vector(l, old));
    else
        wl_ptx_set_dword(l, reg, old);
}

/* `name` has room for it. */
static void device_function(const struct wl_lift *l, const struct wl_inst *inst, char *name, size_t size) {
    static const char quad_sample[] = WL_PTX_QUAD "_sample";
    static const char *const names[] = {[WL_IMAGE_LOAD] = "wl_device_image_load",
                                        [WL_IMAGE_STORE] = "wl_device_image_store",
                                        [WL_IMAGE_SAMPLE] = "wl_device_image_sample",
                                        [WL_IMAGE_GATHER] = "wl_device_image_sample",
                                        [WL_IMAGE_LOD] = quad_sample,
                                        [WL_IMAGE_RESINFO] = "wl_device_image_resinfo"};
    const uint32_t image = inst->isa->image, kind = WL_IMAGE_KIND_OF(image);
    const bool implicit = kind == WL_IMAGE_SAMPLE && !(image & (WL_IMAGE_LEVEL | WL_IMAGE_ZERO | WL_IMAGE_GRADIENT));
    if (kind == WL_IMAGE_BVH)
        snprintf(name, size, "wl_device_image_intersect");
    else
        snprintf(name, size, "%s_%u", implicit ? quad_sample : names[kind], l->generation);
}

void wl_ptx_lift_image(struct wl_lift *l, const struct wl_inst *inst) {
    const uint32_t kind = WL_IMAGE_KIND_OF(inst->isa->image);
    const struct wl_operand *data = &inst->operands[0];
    char name[64];
    if (!wl_image_is_known(inst)) {
        wl_ptx_unsupported(l, inst);
        return;
    }
    if (kind == WL_IMAGE_STORE || kind == WL_IMAGE_ATOMIC)
        wl_ptx_publish(l);
    if (kind != WL_IMAGE_ATOMIC)
        device_function(l, inst, name, sizeof name);
    LLVMValueRef record = wl_ptx_device_record(l, sizeof(struct wl_device_image));
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        put_image(l, inst, record);
        if (kind == WL_IMAGE_ATOMIC) {
            lift_atomic(l, inst, record);
            continue;
        }
        (void)wl_ptx_device_call(l, name, l->void_type, &record, 1);
        if (kind != WL_IMAGE_STORE)
            get_rows(l, record, IMAGE_AT(data, 0), data->reg, data_count(data));
    }
}

/* ---- typed buffers ---------------------------------------------------------------------------------- */

void wl_ptx_lift_typed(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_memory_operands op = wl_memory_operands(inst);
    const struct wl_operand *data = inst->isa->class == WL_ISA_LOAD ? op.result : op.data, *address = op.address, *scalar = address + 2;
    const bool loads = inst->isa->class == WL_ISA_LOAD, to_lds = loads && inst->lds;
    if (inst->isa->class == WL_ISA_ATOMIC || (inst->lds && !loads) || inst->addr64 || (!data && !to_lds)) {
        wl_ptx_unsupported(l, inst);
        return;
    }
    if (!loads)
        wl_ptx_publish(l);
    LLVMValueRef soffset = LLVMConstNull(l->i32), record = wl_ptx_device_record(l, sizeof(struct wl_device_buffer));
    if (scalar < inst->operands + inst->operand_count && scalar->kind != WL_OPERAND_OFF)
        soffset = wl_lift_scalar_operand(l, scalar, WL_U32);
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        if (address->kind == WL_OPERAND_VGPR)
            put_rows(l, record, BUFFER_AT(address, 0), address->reg, (inst->idxen ? 1 : 0) + (inst->offen ? 1 : 0));
        if (!to_lds)
            put_rows(l, record, BUFFER_AT(data, 0), data->reg, data_count(data));
        put_scalars(l, record, BUFFER_AT(resource, 0), &address[1], 4);
        wl_ptx_device_put(l, record, BUFFER_AT(soffset, 0), soffset);
        wl_ptx_device_put(l, record, BUFFER_AT(offset, 0), wl_lift_int(l, l->i32, (uint32_t)inst->offset0));
        wl_ptx_device_put(l, record, BUFFER_AT(element, 0), wl_lift_int(l, l->i32, wl_buffer_element(inst, l->generation)));
        LLVMValueRef lane = LLVMBuildAdd(l->b, l->ptx->lane, LLVMBuildTrunc(l->b, l->strip->first_lane, l->i32, ""), "");
        wl_ptx_device_put(l, record, BUFFER_AT(lane, 0), lane);
        put_active(l, record, BUFFER_AT(active, 0));
        (void)wl_ptx_device_call(l, loads ? "wl_device_buffer_load" : "wl_device_buffer_store", l->void_type, &record, 1);
        if (to_lds) {
            LLVMValueRef value = wl_ptx_device_get(l, record, BUFFER_AT(data, 0));
            struct wl_ptx_access slot = wl_ptx_lds_slot(l, inst);
            wl_ptx_meet(l);
            wl_ptx_store(l, &slot, 32, 1, &value);
        } else if (loads) {
            get_rows(l, record, BUFFER_AT(data, 0), data->reg, data_count(data));
        }
    }
}
