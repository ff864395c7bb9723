/* The global wave sync unit (ds_gws_*): records in device memory, which a launch brings along. One thread of the warp does the work,
 * the others wait for it. What the operations do: device/cpu/run/gws.h and enum wl_gws_op. */
#include "translate/lift/values.h"
#include "translate/nvptx/inst.h"
#include "translate/nvptx/memory.h"
#include "translate/nvptx/ptx.h"

#include <stdio.h>

/* A record, 16 bytes: the counter, the barrier's phase, the waves that wait at the semaphore. $0: its address, $1: the operand. The
 * counter and the phase change together. */
static const char *const operations[] = {
    [WL_GWS_INIT] = "st.relaxed.gpu.global.u32 [$0], $1;\n",
    [WL_GWS_BARRIER] = ("AGAIN: ld.relaxed.gpu.global.u64 o, [$0];\n"
                        "cvt.u32.u64 t, o;\n"
                        "setp.eq.u32 q, t, 0;\n"
                        "@q bra OPEN;\n"
                        "sub.s64 n, o, 1;\n"
                        "atom.relaxed.gpu.global.cas.b64 s, [$0], o, n;\n"
                        "setp.ne.b64 q, s, o;\n"
                        "@q bra AGAIN;\n"
                        "shr.u64 o, o, 32;\n"
                        "WAIT: nanosleep.u32 100;\n"
                        "ld.relaxed.gpu.global.u64 s, [$0];\n"
                        "shr.u64 s, s, 32;\n"
                        "setp.eq.u64 q, s, o;\n"
                        "@q bra WAIT;\n"
                        "bra LEAVE;\n"
                        "OPEN: shr.u64 n, o, 32;\n" /* the last one leaves its operand as the next barrier's count */
                        "add.u64 n, n, 1;\n"
                        "shl.b64 n, n, 32;\n"
                        "cvt.u64.u32 s, $1;\n"
                        "or.b64 n, n, s;\n"
                        "atom.relaxed.gpu.global.cas.b64 s, [$0], o, n;\n"
                        "setp.ne.b64 q, s, o;\n"
                        "@q bra AGAIN;\n"
                        "LEAVE:\n"),
    [WL_GWS_SEMA_V] = "red.relaxed.gpu.global.add.u32 [$0], 1;\n",
    [WL_GWS_SEMA_BR] = "red.relaxed.gpu.global.add.u32 [$0], $1;\n",
    [WL_GWS_SEMA_P] = ("red.relaxed.gpu.global.add.u32 [$0+8], 1;\n"
                       "TAKE: nanosleep.u32 20;\n"
                       "ld.relaxed.gpu.global.u32 t, [$0];\n"
                       "setp.eq.u32 q, t, 0;\n"
                       "@q bra TAKE;\n"
                       "sub.u32 v, t, 1;\n"
                       "atom.relaxed.gpu.global.cas.b32 v, [$0], t, v;\n"
                       "setp.ne.u32 q, v, t;\n"
                       "@q bra TAKE;\n"
                       "red.relaxed.gpu.global.add.u32 [$0+8], -1;\n"),
    [WL_GWS_SEMA_RELEASE_ALL] = ("ld.relaxed.gpu.global.u32 t, [$0+8];\n"
                                 "st.relaxed.gpu.global.u32 [$0], t;\n"),
};

/* i64: the record that the instruction names. */
static LLVMValueRef record_address(struct wl_lift *l, const struct wl_inst *inst) {
    LLVMValueRef base = LLVMBuildLShr(l->b, wl_lift_sgpr(l, WL_SGPR_M0), wl_lift_int(l, l->i32, 16), "");
    LLVMValueRef resource = LLVMBuildAdd(l->b, base, wl_lift_int(l, l->i32, (uint32_t)inst->offset0), "");
    resource = LLVMBuildAnd(l->b, resource, wl_lift_int(l, l->i32, WL_GWS_RESOURCES - 1), "");
    LLVMValueRef offset = LLVMBuildShl(l->b, LLVMBuildZExt(l->b, resource, l->i64, ""), wl_lift_int(l, l->i64, 4), "");
    return LLVMBuildAdd(l->b, wl_ptx_launch_field(l, offsetof(struct wl_ptx_launch, gws), l->i64), offset, "");
}

/* i32: the operand, of the first active lane. */
static LLVMValueRef operand(struct wl_lift *l, const struct wl_inst *inst) {
    LLVMValueRef values[2] = {NULL, NULL};
    if (!inst->operand_count || inst->operands[0].kind != WL_OPERAND_VGPR)
        return wl_lift_int(l, l->i32, 0);
    for (unsigned strip = 0; strip < l->wave_size / 32; strip++) {
        wl_ptx_enter_strip(l, strip);
        values[strip] = wl_ptx_dword(l, inst->operands[0].reg);
    }
    return wl_ptx_read_lane(l, values, wl_ptx_first_lane(l));
}

void wl_ptx_lift_gws(struct wl_lift *l, const struct wl_inst *inst) {
    unsigned operation = (unsigned)inst->isa->detail - 1;
    char text[2048];
    LLVMValueRef arguments[] = {record_address(l, inst), operand(l, inst)};
    /* The braces make registers and labels local. */
    snprintf(text, sizeof text,
             "{\n.reg .pred p, q;\n.reg .b32 t, v;\n.reg .b64 o, n, s;\n"
             "fence.acq_rel.gpu;\nbar.warp.sync 0xffffffff;\nmov.u32 t, %%laneid;\nsetp.ne.u32 p, t, 0;\n@p bra DONE;\n"
             "%sfence.acq_rel.gpu;\nDONE: bar.warp.sync 0xffffffff;\n}",
             operations[operation]);
    wl_ptx_asm(l, text, "l,r,~{memory}", l->void_type, arguments, 2, true);
    l->ptx->info->needs_gws = true;
}
