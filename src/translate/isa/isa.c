/* The instructions that the lifter emits itself, one row a canonical name (see alias.c for the names). */
#include "translate/isa/isa.h"

#include "machine/matrix.h"
#include "machine/wave.h"
#include "translate/isa/image_rows.h"
#include "translate/isa/inst.h"
#include "translate/isa/lane.h"
#include "translate/isa/name_slots.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One row without memory fields, and one with a `detail`. */
#define PLAIN(CLASS, NAME)         {.name = #NAME, .class = WL_ISA_##CLASS}
#define DETAIL(CLASS, NAME, VALUE) {.name = #NAME, .class = WL_ISA_##CLASS, .detail = (VALUE)}
#define OTHER(CLASS, NAME, VALUE)  {.name = (NAME), .class = WL_ISA_##CLASS, .detail = (VALUE)}

/* ---- scalar memory ---- */
#define SMEM_SIZE(NAME, W, N, BUFFER) {.name = #NAME "_load_b" #W, .class = WL_ISA_SMEM_LOAD, .detail = (BUFFER), .bits = 32, .dwords = (N)}
#define SMEM_PART(NAME, T, W, SIGN, BUFFER)                                                                                                \
    {.name = #NAME "_load_" #T #W, .class = WL_ISA_SMEM_LOAD, .detail = (BUFFER), .bits = (W), .dwords = 1, .sign = (SIGN)}
#define SMEM_STORE(NAME, W, N, BUFFER)                                                                                                     \
    {.name = #NAME "_store_b" #W, .class = WL_ISA_SMEM_STORE, .detail = (BUFFER), .bits = 32, .dwords = (N)}
#define SMEM(NAME, BUFFER)                                                                                                                 \
    SMEM_SIZE(NAME, 32, 1, BUFFER), SMEM_SIZE(NAME, 64, 2, BUFFER), SMEM_SIZE(NAME, 96, 3, BUFFER), SMEM_SIZE(NAME, 128, 4, BUFFER),       \
        SMEM_SIZE(NAME, 256, 8, BUFFER), SMEM_SIZE(NAME, 512, 16, BUFFER), SMEM_PART(NAME, u, 8, false, BUFFER),                           \
        SMEM_PART(NAME, i, 8, true, BUFFER), SMEM_PART(NAME, u, 16, false, BUFFER), SMEM_PART(NAME, i, 16, true, BUFFER),                  \
        SMEM_STORE(NAME, 32, 1, BUFFER), SMEM_STORE(NAME, 64, 2, BUFFER), SMEM_STORE(NAME, 128, 4, BUFFER)
#define SMEM_SCRATCH(W, N) SMEM_SIZE(s_scratch, W, N, WL_SMEM_SCRATCH), SMEM_STORE(s_scratch, W, N, WL_SMEM_SCRATCH)
#define SMEM_ATOMIC(NAME, KIND, T, OP, OPERATION)                                                                                          \
    {.name = #NAME "_" #OP "_" #T "32", .class = WL_ISA_SMEM_ATOMIC, .detail = (KIND), .bits = 32, .dwords = 1, .atomic = (OPERATION)}, {  \
        .name = #NAME "_" #OP "_" #T "64", .class = WL_ISA_SMEM_ATOMIC, .detail = (KIND), .bits = 64, .dwords = 2, .atomic = (OPERATION)   \
    }
#define SMEM_ATOMICS(NAME, KIND)                                                                                                           \
    SMEM_ATOMIC(NAME, KIND, b, swap, WL_ATOMIC_SWAP), SMEM_ATOMIC(NAME, KIND, b, cmpswap, WL_ATOMIC_CMPSWAP),                              \
        SMEM_ATOMIC(NAME, KIND, u, add, WL_ATOMIC_ADD), SMEM_ATOMIC(NAME, KIND, u, sub, WL_ATOMIC_SUB),                                    \
        SMEM_ATOMIC(NAME, KIND, i, min, WL_ATOMIC_SMIN), SMEM_ATOMIC(NAME, KIND, u, min, WL_ATOMIC_UMIN),                                  \
        SMEM_ATOMIC(NAME, KIND, i, max, WL_ATOMIC_SMAX), SMEM_ATOMIC(NAME, KIND, u, max, WL_ATOMIC_UMAX),                                  \
        SMEM_ATOMIC(NAME, KIND, b, and, WL_ATOMIC_AND), SMEM_ATOMIC(NAME, KIND, b, or, WL_ATOMIC_OR),                                      \
        SMEM_ATOMIC(NAME, KIND, b, xor, WL_ATOMIC_XOR), SMEM_ATOMIC(NAME, KIND, u, inc, WL_ATOMIC_INC),                                    \
        SMEM_ATOMIC(NAME, KIND, u, dec, WL_ATOMIC_DEC)

/* ---- vector memory ---- */
#define WIDE(NAME, CLASS, SPACE, N) {.name = (NAME), .class = WL_ISA_##CLASS, .space = WL_SPACE_##SPACE, .bits = 32, .dwords = (N)}
#define PART(NAME, CLASS, SPACE, W, SIGN)                                                                                                  \
    {.name = (NAME), .class = WL_ISA_##CLASS, .space = WL_SPACE_##SPACE, .bits = (W), .dwords = 1, .sign = (SIGN)}
#define HALF(NAME, CLASS, SPACE, W, SIGN, HIGH)                                                                                            \
    {.name = (NAME),                                                                                                                       \
     .class = WL_ISA_##CLASS,                                                                                                              \
     .space = WL_SPACE_##SPACE,                                                                                                            \
     .bits = (W),                                                                                                                          \
     .dwords = 1,                                                                                                                          \
     .sign = (SIGN),                                                                                                                       \
     .d16 = true,                                                                                                                          \
     .hi = (HIGH)}
#define MEMORY(S, SPACE)                                                                                                                   \
    WIDE(#S "_load_b32", LOAD, SPACE, 1), WIDE(#S "_load_b64", LOAD, SPACE, 2), WIDE(#S "_load_b96", LOAD, SPACE, 3),                      \
        WIDE(#S "_load_b128", LOAD, SPACE, 4), WIDE(#S "_store_b32", STORE, SPACE, 1), WIDE(#S "_store_b64", STORE, SPACE, 2),             \
        WIDE(#S "_store_b96", STORE, SPACE, 3), WIDE(#S "_store_b128", STORE, SPACE, 4), PART(#S "_load_u8", LOAD, SPACE, 8, false),       \
        PART(#S "_load_i8", LOAD, SPACE, 8, true), PART(#S "_load_u16", LOAD, SPACE, 16, false),                                           \
        PART(#S "_load_i16", LOAD, SPACE, 16, true), PART(#S "_store_b8", STORE, SPACE, 8, false),                                         \
        PART(#S "_store_b16", STORE, SPACE, 16, false)
#define MEMORY_D16(S, SPACE)                                                                                                               \
    HALF(#S "_load_d16_u8", LOAD, SPACE, 8, false, false), HALF(#S "_load_d16_i8", LOAD, SPACE, 8, true, false),                           \
        HALF(#S "_load_d16_b16", LOAD, SPACE, 16, false, false), HALF(#S "_load_d16_hi_u8", LOAD, SPACE, 8, false, true),                  \
        HALF(#S "_load_d16_hi_i8", LOAD, SPACE, 8, true, true), HALF(#S "_load_d16_hi_b16", LOAD, SPACE, 16, false, true),                 \
        HALF(#S "_store_d16_hi_b8", STORE, SPACE, 8, false, true), HALF(#S "_store_d16_hi_b16", STORE, SPACE, 16, false, true)

/* Typed and format-converting buffer accesses: `detail` counts the components. */
#define FORMAT(S, SPACE, X, COMPONENTS)                                                                                                    \
    {.name = #S "_load_format_" #X,                                                                                                        \
     .class = WL_ISA_LOAD,                                                                                                                 \
     .space = WL_SPACE_##SPACE,                                                                                                            \
     .detail = (COMPONENTS),                                                                                                               \
     .bits = 32,                                                                                                                           \
     .dwords = (COMPONENTS)},                                                                                                              \
        {.name = #S "_store_format_" #X,                                                                                                   \
         .class = WL_ISA_STORE,                                                                                                            \
         .space = WL_SPACE_##SPACE,                                                                                                        \
         .detail = (COMPONENTS),                                                                                                           \
         .bits = 32,                                                                                                                       \
         .dwords = (COMPONENTS)},                                                                                                          \
        {.name = #S "_load_d16_format_" #X,                                                                                                \
         .class = WL_ISA_LOAD,                                                                                                             \
         .space = WL_SPACE_##SPACE,                                                                                                        \
         .detail = (COMPONENTS),                                                                                                           \
         .bits = 16,                                                                                                                       \
         .dwords = ((COMPONENTS) + 1) / 2,                                                                                                 \
         .d16 = true},                                                                                                                     \
    {                                                                                                                                      \
        .name = #S "_store_d16_format_" #X, .class = WL_ISA_STORE, .space = WL_SPACE_##SPACE, .detail = (COMPONENTS), .bits = 16,          \
        .dwords = ((COMPONENTS) + 1) / 2, .d16 = true                                                                                      \
    }
#define FORMATS(S, SPACE) FORMAT(S, SPACE, x, 1), FORMAT(S, SPACE, xy, 2), FORMAT(S, SPACE, xyz, 3), FORMAT(S, SPACE, xyzw, 4)

/* ---- atomics ---- */
#define ATOMIC(NAME, SPACE, W, OP)                                                                                                         \
    {.name = (NAME), .class = WL_ISA_ATOMIC, .space = WL_SPACE_##SPACE, .bits = (W), .dwords = (W) / 32, .atomic = WL_ATOMIC_##OP}
#define ATOMIC_BOTH(S, NAME, T, SPACE, OP) ATOMIC(#S "_" #NAME "_" #T "32", SPACE, 32, OP), ATOMIC(#S "_" #NAME "_" #T "64", SPACE, 64, OP)
#define COMMON_ATOMICS(S, SPACE)                                                                                                           \
    ATOMIC_BOTH(S, add, u, SPACE, ADD), ATOMIC_BOTH(S, sub, u, SPACE, SUB), ATOMIC_BOTH(S, min, i, SPACE, SMIN),                           \
        ATOMIC_BOTH(S, min, u, SPACE, UMIN), ATOMIC_BOTH(S, max, i, SPACE, SMAX), ATOMIC_BOTH(S, max, u, SPACE, UMAX),                     \
        ATOMIC_BOTH(S, and, b, SPACE, AND), ATOMIC_BOTH(S, or, b, SPACE, OR), ATOMIC_BOTH(S, xor, b, SPACE, XOR),                          \
        ATOMIC_BOTH(S, inc, u, SPACE, INC), ATOMIC_BOTH(S, dec, u, SPACE, DEC), ATOMIC_BOTH(S, add, f, SPACE, FADD),                       \
        ATOMIC_BOTH(S, min, f, SPACE, FMIN), ATOMIC_BOTH(S, max, f, SPACE, FMAX), ATOMIC(#S "_pk_add_f16", SPACE, 32, PK_ADD_F16),         \
        ATOMIC(#S "_pk_add_bf16", SPACE, 32, PK_ADD_BF16), ATOMIC(#S "_cond_sub_u32", SPACE, 32, COND_SUB)
#define VECTOR_ATOMICS(S, SPACE)                                                                                                           \
    COMMON_ATOMICS(S##_atomic, SPACE), ATOMIC_BOTH(S##_atomic, swap, b, SPACE, SWAP), ATOMIC_BOTH(S##_atomic, cmpswap, b, SPACE, CMPSWAP), \
        ATOMIC_BOTH(S##_atomic, cmpswap, f, SPACE, FCMPSWAP), ATOMIC(#S "_atomic_csub_u32", SPACE, 32, CSUB)

/* ---- LDS ---- */
#define LDS_TWO(NAME, CLASS, W, FAR)                                                                                                       \
    {.name = (NAME), .class = WL_ISA_##CLASS, .space = WL_SPACE_LDS, .bits = (W), .dwords = (W) / 32, .addresses = 2, .stride64 = (FAR)}
#define LDS_EXCHANGE_TWO(NAME, W, FAR)                                                                                                     \
    {.name = (NAME),                                                                                                                       \
     .class = WL_ISA_ATOMIC,                                                                                                               \
     .space = WL_SPACE_LDS,                                                                                                                \
     .bits = (W),                                                                                                                          \
     .dwords = (W) / 32,                                                                                                                   \
     .atomic = WL_ATOMIC_SWAP,                                                                                                             \
     .addresses = 2,                                                                                                                       \
     .stride64 = (FAR)}
#define LDS_COMPARE(NAME, W, OP, FIRST)                                                                                                    \
    {.name = (NAME),                                                                                                                       \
     .class = WL_ISA_ATOMIC,                                                                                                               \
     .space = WL_SPACE_LDS,                                                                                                                \
     .bits = (W),                                                                                                                          \
     .dwords = (W) / 32,                                                                                                                   \
     .atomic = WL_ATOMIC_##OP,                                                                                                             \
     .compare_first = (FIRST)}

#define SRC2(OP, T, W, OPERATION)                                                                                                          \
    {.name = "ds_" #OP "_src2_" #T #W, .class = WL_ISA_LANE, .detail = WL_LANE_LDS_SRC2, .bits = (W), .atomic = WL_ATOMIC_##OPERATION}
#define SRC2_BOTH(OP, T, OPERATION) SRC2(OP, T, 32, OPERATION), SRC2(OP, T, 64, OPERATION)

/* ---- the rest ---- */
#define SAVEEXEC(NAME, OP)                                                                                                                 \
    {.name = #NAME "_b32", .class = WL_ISA_SAVEEXEC, .detail = (OP), .bits = 32},                                                          \
        {.name = #NAME "_b64", .class = WL_ISA_SAVEEXEC, .detail = (OP), .bits = 64}
#define CMPX_TYPES_INT(OP)                                                                                                                 \
    PLAIN(CMPX, v_cmpx_##OP##_i16), PLAIN(CMPX, v_cmpx_##OP##_u16), PLAIN(CMPX, v_cmpx_##OP##_i32), PLAIN(CMPX, v_cmpx_##OP##_u32),        \
        PLAIN(CMPX, v_cmpx_##OP##_i64), PLAIN(CMPX, v_cmpx_##OP##_u64)
#define CMPX_TYPES_FLOAT(OP) PLAIN(CMPX, v_cmpx_##OP##_f16), PLAIN(CMPX, v_cmpx_##OP##_f32), PLAIN(CMPX, v_cmpx_##OP##_f64)

static const struct wl_isa table[] = {
    /* No effect here: order and caches are those of the host. */
    PLAIN(NOP, s_nop),
    PLAIN(NOP, v_nop),
    PLAIN(NOP, ds_nop),
    PLAIN(NOP, s_waitcnt),
    PLAIN(NOP, s_waitcnt_vscnt),
    PLAIN(NOP, s_waitcnt_vmcnt),
    PLAIN(NOP, s_waitcnt_expcnt),
    PLAIN(NOP, s_waitcnt_lgkmcnt),
    PLAIN(NOP, s_wait_alu),
    PLAIN(NOP, s_wait_idle),
    PLAIN(NOP, s_wait_event),
    PLAIN(NOP, s_wait_loadcnt),
    PLAIN(NOP, s_wait_storecnt),
    PLAIN(NOP, s_wait_samplecnt),
    PLAIN(NOP, s_wait_bvhcnt),
    PLAIN(NOP, s_wait_expcnt),
    PLAIN(NOP, s_wait_dscnt),
    PLAIN(NOP, s_wait_kmcnt),
    PLAIN(NOP, s_wait_loadcnt_dscnt),
    PLAIN(NOP, s_wait_storecnt_dscnt),
    PLAIN(NOP, s_wait_xcnt),
    PLAIN(NOP, s_wait_asynccnt),
    PLAIN(NOP, s_wait_tensorcnt),
    PLAIN(NOP, s_set_vgpr_msb), /* done while code is read (unit/banks.h) */
    PLAIN(NOP, s_setprio_inc_wg),
    PLAIN(NOP, s_clause),
    PLAIN(NOP, s_delay_alu),
    PLAIN(NOP, s_inst_prefetch),
    PLAIN(NOP, s_setprio),
    PLAIN(NOP, s_icache_inv),
    DETAIL(NOP, s_dcache_inv, WL_CACHE_EMPTIES | WL_CACHE_SCALAR | WL_CACHE_DEVICE),
    DETAIL(NOP, s_dcache_inv_vol, WL_CACHE_EMPTIES | WL_CACHE_SCALAR | WL_CACHE_DEVICE),
    DETAIL(NOP, s_dcache_wb, WL_CACHE_WRITES),
    DETAIL(NOP, s_dcache_wb_vol, WL_CACHE_WRITES),
    PLAIN(NOP, s_dcache_discard),
    PLAIN(NOP, s_dcache_discard_x2),
    DETAIL(NOP, s_gl1_inv, WL_CACHE_EMPTIES),
    PLAIN(NOP, s_atc_probe),
    PLAIN(NOP, s_atc_probe_buffer),
    PLAIN(NOP, s_prefetch_data),
    PLAIN(NOP, s_prefetch_data_pc_rel),
    PLAIN(NOP, s_prefetch_inst),
    PLAIN(NOP, s_prefetch_inst_pc_rel),
    PLAIN(NOP, s_buffer_prefetch_data),
    PLAIN(NOP, flat_prefetch_b8),
    PLAIN(NOP, global_prefetch_b8),
    DETAIL(NOP, buffer_wbinvl1, WL_CACHE_EMPTIES | WL_CACHE_WRITES | WL_CACHE_DEVICE),
    DETAIL(NOP, buffer_wbinvl1_vol, WL_CACHE_EMPTIES | WL_CACHE_WRITES | WL_CACHE_DEVICE),
    DETAIL(NOP, buffer_wbinvl1_sc, WL_CACHE_EMPTIES | WL_CACHE_WRITES | WL_CACHE_DEVICE),
    DETAIL(NOP, buffer_wbl2, WL_CACHE_WRITES),
    DETAIL(NOP, buffer_invl2, WL_CACHE_EMPTIES),
    DETAIL(NOP, buffer_inv, WL_CACHE_EMPTIES | WL_CACHE_SCOPED),
    DETAIL(NOP, buffer_gl0_inv, WL_CACHE_EMPTIES),
    DETAIL(NOP, buffer_gl1_inv, WL_CACHE_EMPTIES | WL_CACHE_DEVICE),
    DETAIL(NOP, global_inv, WL_CACHE_EMPTIES | WL_CACHE_SCOPED),
    DETAIL(NOP, global_wb, WL_CACHE_WRITES),
    DETAIL(NOP, global_wbinv, WL_CACHE_EMPTIES | WL_CACHE_WRITES | WL_CACHE_SCOPED),
    PLAIN(NOP, s_ttracedata),
    PLAIN(NOP, s_ttracedata_imm),
    PLAIN(NOP, s_incperflevel),
    PLAIN(NOP, s_decperflevel),
    PLAIN(NOP, s_version),
    PLAIN(NOP, s_singleuse_vdst),
    PLAIN(NOP, s_wakeup),
    PLAIN(NOP, v_clrexcp),
    PLAIN(NOP, v_pipeflush),

    /* Control. */
    PLAIN(END, s_endpgm),
    PLAIN(END, s_endpgm_saved),
    PLAIN(END, s_endpgm_ordered_ps_done),
    PLAIN(BRANCH, s_branch),
    DETAIL(CBRANCH, s_cbranch_scc0, WL_IF_SCC0),
    DETAIL(CBRANCH, s_cbranch_scc1, WL_IF_SCC1),
    DETAIL(CBRANCH, s_cbranch_vccz, WL_IF_VCCZ),
    DETAIL(CBRANCH, s_cbranch_vccnz, WL_IF_VCCNZ),
    DETAIL(CBRANCH, s_cbranch_execz, WL_IF_EXECZ),
    DETAIL(CBRANCH, s_cbranch_execnz, WL_IF_EXECNZ),
    /* Taken only if a debugger says so. */
    PLAIN(NOP, s_cbranch_cdbgsys),
    PLAIN(NOP, s_cbranch_cdbguser),
    PLAIN(NOP, s_cbranch_cdbgsys_or_user),
    PLAIN(NOP, s_cbranch_cdbgsys_and_user),
    PLAIN(GETPC, s_getpc_b64),
    PLAIN(SETPC, s_setpc_b64),
    DETAIL(SETPC, s_add_pc_i64, 1),
    PLAIN(TENSOR, tensor_load_to_lds),
    DETAIL(TENSOR, tensor_store_from_lds, 1),
    PLAIN(SWAPPC, s_swappc_b64),
    PLAIN(CALL, s_call_b64),
    /* The workgroup's split barrier waits at its second half, and the signal alone has no effect. In code that has other barriers, and for
     * these, the rows with a star are taken (wl_isa_other_barrier). */
    PLAIN(BARRIER, s_barrier),
    PLAIN(BARRIER, s_barrier_wait),
    PLAIN(NOP, s_barrier_signal),
    PLAIN(SIGNAL_FIRST, s_barrier_signal_isfirst),
    OTHER(BARRIER_WAIT, "s_barrier_wait*", 0),
    OTHER(SPLIT_BARRIER, "s_barrier_signal*", WL_BARRIER_SIGNAL),
    OTHER(SPLIT_BARRIER, "s_barrier_signal_isfirst*", WL_BARRIER_FIRST),
    DETAIL(SPLIT_BARRIER, s_barrier_init, WL_BARRIER_INIT),
    DETAIL(SPLIT_BARRIER, s_barrier_join, WL_BARRIER_JOIN),
    DETAIL(SPLIT_BARRIER, s_barrier_leave, WL_BARRIER_LEAVE),
    DETAIL(SPLIT_BARRIER, s_get_barrier_state, WL_BARRIER_STATE),
    PLAIN(NOP, s_wakeup_barrier), /* sleeping waves look by themselves */
    PLAIN(SLEEP, s_sleep),
    PLAIN(SLEEP, s_sleep_var),
    PLAIN(SLEEP, s_monitor_sleep),
    PLAIN(MESSAGE, s_sendmsg),
    PLAIN(MESSAGE, s_sendmsghalt),
    DETAIL(MESSAGE, ds_gws_init, WL_GWS_INIT + 1),
    DETAIL(MESSAGE, ds_gws_barrier, WL_GWS_BARRIER + 1),
    DETAIL(MESSAGE, ds_gws_sema_v, WL_GWS_SEMA_V + 1),
    DETAIL(MESSAGE, ds_gws_sema_br, WL_GWS_SEMA_BR + 1),
    DETAIL(MESSAGE, ds_gws_sema_p, WL_GWS_SEMA_P + 1),
    DETAIL(MESSAGE, ds_gws_sema_release_all, WL_GWS_SEMA_RELEASE_ALL + 1),
    PLAIN(MESSAGE_RETURN, s_sendmsg_rtn_b32),
    PLAIN(MESSAGE_RETURN, s_sendmsg_rtn_b64),
    PLAIN(TRAP, s_trap),
    PLAIN(TRAP, s_code_end),
    PLAIN(HALT, s_sethalt),
    PLAIN(HALT, s_setkill),
    DETAIL(GETREG, s_getreg_b32, WL_REG_GET),
    DETAIL(SETREG, s_setreg_b32, WL_REG_SET),
    DETAIL(SETREG, s_setreg_imm32_b32, WL_REG_SET),
    DETAIL(SETREG, s_round_mode, WL_REG_ROUND_MODE),
    DETAIL(SETREG, s_denorm_mode, WL_REG_DENORM_MODE),
    PLAIN(TIME, s_memtime),
    PLAIN(TIME, s_memrealtime),
    PLAIN(TIME, s_get_shader_cycles_u64),
    PLAIN(TIME, s_get_waveid_in_workgroup),

    /* EXEC. */
    SAVEEXEC(s_and_saveexec, WL_SAVE_AND),
    SAVEEXEC(s_or_saveexec, WL_SAVE_OR),
    SAVEEXEC(s_xor_saveexec, WL_SAVE_XOR),
    SAVEEXEC(s_and_not0_saveexec, WL_SAVE_ANDN1),
    SAVEEXEC(s_and_not1_saveexec, WL_SAVE_ANDN2),
    SAVEEXEC(s_or_not0_saveexec, WL_SAVE_ORN1),
    SAVEEXEC(s_or_not1_saveexec, WL_SAVE_ORN2),
    SAVEEXEC(s_nand_saveexec, WL_SAVE_NAND),
    SAVEEXEC(s_nor_saveexec, WL_SAVE_NOR),
    SAVEEXEC(s_xnor_saveexec, WL_SAVE_XNOR),
    SAVEEXEC(s_and_not0_wrexec, WL_WREXEC_ANDN1),
    SAVEEXEC(s_and_not1_wrexec, WL_WREXEC_ANDN2),
    CMPX_TYPES_INT(f),
    CMPX_TYPES_INT(lt),
    CMPX_TYPES_INT(eq),
    CMPX_TYPES_INT(le),
    CMPX_TYPES_INT(gt),
    CMPX_TYPES_INT(ne),
    CMPX_TYPES_INT(ge),
    CMPX_TYPES_INT(t),
    CMPX_TYPES_FLOAT(f),
    CMPX_TYPES_FLOAT(lt),
    CMPX_TYPES_FLOAT(eq),
    CMPX_TYPES_FLOAT(le),
    CMPX_TYPES_FLOAT(gt),
    CMPX_TYPES_FLOAT(lg),
    CMPX_TYPES_FLOAT(ge),
    CMPX_TYPES_FLOAT(o),
    CMPX_TYPES_FLOAT(u),
    CMPX_TYPES_FLOAT(nge),
    CMPX_TYPES_FLOAT(nlg),
    CMPX_TYPES_FLOAT(ngt),
    CMPX_TYPES_FLOAT(nle),
    CMPX_TYPES_FLOAT(neq),
    CMPX_TYPES_FLOAT(nlt),
    CMPX_TYPES_FLOAT(t),
    CMPX_TYPES_FLOAT(class),

/* Conversions of 8, 16 and 32 numbers. */
#define NARROWS(NAME, BITS, RANDOM, SOURCES)                                                                                               \
    {.name = (NAME), .class = WL_ISA_PIECES, .bits = (BITS), .sign = true, .hi = (RANDOM), .detail = (SOURCES)}
#define WIDENS(NAME, BITS) {.name = (NAME), .class = WL_ISA_PIECES, .bits = (BITS), .detail = 1}
#define WIDE_CONVERSIONS(T)                                                                                                                \
    NARROWS("v_cvt_scalef32_2xpk16_" #T "_f32", 32, false, 2), NARROWS("v_cvt_scalef32_pk32_" #T "_f16", 16, false, 1),                    \
        NARROWS("v_cvt_scalef32_pk32_" #T "_bf16", 16, false, 1), NARROWS("v_cvt_scalef32_sr_pk32_" #T "_f32", 32, true, 1),               \
        NARROWS("v_cvt_scalef32_sr_pk32_" #T "_f16", 16, true, 1), NARROWS("v_cvt_scalef32_sr_pk32_" #T "_bf16", 16, true, 1),             \
        WIDENS("v_cvt_scalef32_pk32_f32_" #T, 32), WIDENS("v_cvt_scalef32_pk32_f16_" #T, 16), WIDENS("v_cvt_scalef32_pk32_bf16_" #T, 16)
    WIDE_CONVERSIONS(fp6),
    WIDE_CONVERSIONS(bf6),
#define CONVERSIONS(COUNT, T)                                                                                                              \
    NARROWS("v_cvt_scalef32_" #COUNT "_" #T "_f32", 32, false, 1), NARROWS("v_cvt_scalef32_" #COUNT "_" #T "_f16", 16, false, 1),          \
        NARROWS("v_cvt_scalef32_" #COUNT "_" #T "_bf16", 16, false, 1), NARROWS("v_cvt_scalef32_sr_" #COUNT "_" #T "_f32", 32, true, 1),   \
        NARROWS("v_cvt_scalef32_sr_" #COUNT "_" #T "_f16", 16, true, 1), NARROWS("v_cvt_scalef32_sr_" #COUNT "_" #T "_bf16", 16, true, 1), \
        WIDENS("v_cvt_scale_" #COUNT "_f32_" #T, 32), WIDENS("v_cvt_scale_" #COUNT "_f16_" #T, 16),                                        \
        WIDENS("v_cvt_scale_" #COUNT "_bf16_" #T, 16)
    CONVERSIONS(pk8, fp4),
    CONVERSIONS(pk8, fp8),
    CONVERSIONS(pk8, bf8),
    CONVERSIONS(pk16, fp6),
    CONVERSIONS(pk16, bf6),
    {.name = "v_perm_pk16_b4_u4", .class = WL_ISA_PIECES},
    {.name = "v_perm_pk16_b6_u4", .class = WL_ISA_PIECES},
    {.name = "v_perm_pk16_b8_u4", .class = WL_ISA_PIECES},
/* Products of 32 rows, and without scales: `bits` is the block of K that shares one. */
#define PRODUCT(NAME, BLOCK) {.name = #NAME, .class = WL_ISA_PIECES, .bits = (BLOCK)}
    PRODUCT(v_wmma_f32_16x16x128_f8f6f4, 32),
    PRODUCT(v_wmma_f32_32x16x128_f4, 32),
    PRODUCT(v_wmma_scale_f32_32x16x128_f4, 32),
    PRODUCT(v_wmma_scale16_f32_32x16x128_f4, 16),

/* Lanes. */
#define LANE(MNEMONIC, OPERATION, ...) DETAIL(LANE, MNEMONIC, WL_LANE_##OPERATION),
#define LANE_KIND(OPERATION, ...)
#define TRANSPOSED(NAME, BITS, SPACE)                                                                                                      \
    {.name = #NAME, .class = WL_ISA_LANE, .detail = WL_LANE_LOAD_TRANSPOSED, .bits = (BITS), .space = WL_SPACE_##SPACE}
/* A load for several workgroups of a cluster is one by each of them. To LDS it brings nothing to a workgroup that M0 does not name. */
#define COPY(BITS)                                                                                                                         \
    {.name = "global_load_async_to_lds_b" #BITS, .class = WL_ISA_LANE, .detail = WL_LANE_LOAD_ASYNC, .bits = (BITS)},                      \
        {.name = "cluster_load_async_to_lds_b" #BITS, .class = WL_ISA_LANE, .detail = WL_LANE_LOAD_CLUSTER, .bits = (BITS)}, {             \
        .name = "global_store_async_from_lds_b" #BITS, .class = WL_ISA_LANE, .detail = WL_LANE_STORE_ASYNC, .bits = (BITS)                 \
    }
#include "translate/isa/lane_rows.inc"
    {.name = "ds_read_b64_tr_b16", .class = WL_ISA_LANE, .detail = WL_LANE_LDS_TRANSPOSED, .bits = 16},
    {.name = "ds_read_b64_tr_b8", .class = WL_ISA_LANE, .detail = WL_LANE_LDS_TRANSPOSED, .bits = 8},
    {.name = "ds_read_b96_tr_b6", .class = WL_ISA_LANE, .detail = WL_LANE_LDS_TRANSPOSED, .bits = 6},
    {.name = "ds_read_b64_tr_b4", .class = WL_ISA_LANE, .detail = WL_LANE_LDS_TRANSPOSED, .bits = 4},
    TRANSPOSED(global_load_tr_b64, 8, GLOBAL),
    TRANSPOSED(global_load_tr_b128, 16, GLOBAL),
    TRANSPOSED(global_load_tr4_b64, 4, GLOBAL),
    TRANSPOSED(global_load_tr6_b96, 6, GLOBAL),
    TRANSPOSED(global_load_tr8_b64, 8, GLOBAL),
    TRANSPOSED(global_load_tr16_b128, 16, GLOBAL),
    TRANSPOSED(ds_load_tr4_b64, 4, LDS),
    TRANSPOSED(ds_load_tr6_b96, 6, LDS),
    TRANSPOSED(ds_load_tr8_b64, 8, LDS),
    TRANSPOSED(ds_load_tr16_b128, 16, LDS),
    COPY(8),
    COPY(32),
    COPY(64),
    COPY(128),
    DETAIL(LANE, global_load_block, WL_LANE_LOAD_BLOCK),
    DETAIL(LANE, global_store_block, WL_LANE_STORE_BLOCK),
    {.name = "scratch_load_block", .class = WL_ISA_LANE, .detail = WL_LANE_LOAD_BLOCK, .space = WL_SPACE_SCRATCH},
    {.name = "scratch_store_block", .class = WL_ISA_LANE, .detail = WL_LANE_STORE_BLOCK, .space = WL_SPACE_SCRATCH},
    SRC2_BOTH(add, u, ADD),
    SRC2_BOTH(sub, u, SUB),
    SRC2_BOTH(rsub, u, RSUB),
    SRC2_BOTH(inc, u, INC),
    SRC2_BOTH(dec, u, DEC),
    SRC2_BOTH(min, i, SMIN),
    SRC2_BOTH(max, i, SMAX),
    SRC2_BOTH(min, u, UMIN),
    SRC2_BOTH(max, u, UMAX),
    SRC2_BOTH(and, b, AND),
    SRC2_BOTH(or, b, OR),
    SRC2_BOTH(xor, b, XOR),
    SRC2_BOTH(write, b, SWAP),
    SRC2_BOTH(min, f, FMIN),
    SRC2_BOTH(max, f, FMAX),
    SRC2(add, f, 32, FADD),

#define MATRIX(NAME, ...) {.name = #NAME, .class = WL_ISA_MATRIX, .matrix = &wl_matrices[WL_MATRIX_ROW_##NAME]},
#define MATRIX_GFX11(NAME, ...)
#include "machine/matrix_rows.inc"
    IMAGE_ROWS,

    /* Indexed registers. */
    DETAIL(MOVREL, v_movreld_b32, WL_MOVREL_VGPR_TO),
    DETAIL(MOVREL, v_movrels_b32, WL_MOVREL_VGPR_FROM),
    DETAIL(MOVREL, v_movrelsd_b32, WL_MOVREL_VGPR_BOTH),
    DETAIL(MOVREL, v_movrelsd_2_b32, WL_MOVREL_VGPR_BOTH_2),
    DETAIL(MOVREL, v_swaprel_b32, WL_MOVREL_VGPR_SWAP),
    {.name = "s_movreld_b32", .class = WL_ISA_MOVREL, .detail = WL_MOVREL_SGPR_TO, .bits = 32},
    {.name = "s_movreld_b64", .class = WL_ISA_MOVREL, .detail = WL_MOVREL_SGPR_TO, .bits = 64},
    {.name = "s_movrels_b32", .class = WL_ISA_MOVREL, .detail = WL_MOVREL_SGPR_FROM, .bits = 32},
    {.name = "s_movrels_b64", .class = WL_ISA_MOVREL, .detail = WL_MOVREL_SGPR_FROM, .bits = 64},
    {.name = "s_movrelsd_2_b32", .class = WL_ISA_MOVREL, .detail = WL_MOVREL_SGPR_BOTH_2, .bits = 32},
    DETAIL(MOVREL, s_set_gpr_idx_on, WL_MOVREL_INDEX_ON),
    DETAIL(MOVREL, s_set_gpr_idx_off, WL_MOVREL_INDEX_OFF),
    DETAIL(MOVREL, s_set_gpr_idx_idx, WL_MOVREL_INDEX_SET),
    DETAIL(MOVREL, s_set_gpr_idx_mode, WL_MOVREL_INDEX_MODE),

    /* Memory. */
    SMEM(s, WL_SMEM_MEMORY),
    SMEM(s_buffer, WL_SMEM_BUFFER),
    SMEM_SCRATCH(32, 1),
    SMEM_SCRATCH(64, 2),
    SMEM_SCRATCH(128, 4),
    SMEM_ATOMICS(s_atomic, WL_SMEM_MEMORY),
    SMEM_ATOMICS(s_buffer_atomic, WL_SMEM_BUFFER),
    MEMORY(global, GLOBAL),
    MEMORY_D16(global, GLOBAL),
    MEMORY(flat, FLAT),
    MEMORY_D16(flat, FLAT),
    MEMORY(scratch, SCRATCH),
    MEMORY_D16(scratch, SCRATCH),
    MEMORY(buffer, BUFFER),
    MEMORY_D16(buffer, BUFFER),
    FORMATS(buffer, BUFFER),
    {.name = "buffer_load_d16_hi_format_x",
     .class = WL_ISA_LOAD,
     .space = WL_SPACE_BUFFER,
     .detail = 1,
     .bits = 16,
     .dwords = 1,
     .d16 = true,
     .hi = true},
    {.name = "buffer_store_d16_hi_format_x",
     .class = WL_ISA_STORE,
     .space = WL_SPACE_BUFFER,
     .detail = 1,
     .bits = 16,
     .dwords = 1,
     .d16 = true,
     .hi = true},
    WIDE("buffer_store_lds_dword", STORE, BUFFER, 1),
    FORMATS(tbuffer, TBUFFER),
    {.name = "global_load_addtid_b32", .class = WL_ISA_LOAD, .space = WL_SPACE_GLOBAL, .bits = 32, .dwords = 1, .by_lane = true},
    {.name = "global_store_addtid_b32", .class = WL_ISA_STORE, .space = WL_SPACE_GLOBAL, .bits = 32, .dwords = 1, .by_lane = true},
    VECTOR_ATOMICS(global, GLOBAL),
    ATOMIC("global_atomic_ordered_add_b64", GLOBAL, 64, ORDERED_ADD),
    VECTOR_ATOMICS(flat, FLAT),
    VECTOR_ATOMICS(buffer, BUFFER),
    MEMORY(ds, LDS),
    HALF("ds_load_u8_d16", LOAD, LDS, 8, false, false),
    HALF("ds_load_u8_d16_hi", LOAD, LDS, 8, false, true),
    HALF("ds_load_i8_d16", LOAD, LDS, 8, true, false),
    HALF("ds_load_i8_d16_hi", LOAD, LDS, 8, true, true),
    HALF("ds_load_u16_d16", LOAD, LDS, 16, false, false),
    HALF("ds_load_u16_d16_hi", LOAD, LDS, 16, false, true),
    HALF("ds_store_b8_d16_hi", STORE, LDS, 8, false, true),
    HALF("ds_store_b16_d16_hi", STORE, LDS, 16, false, true),
    LDS_TWO("ds_load_2addr_b32", LOAD, 32, false),
    LDS_TWO("ds_load_2addr_b64", LOAD, 64, false),
    LDS_TWO("ds_load_2addr_stride64_b32", LOAD, 32, true),
    LDS_TWO("ds_load_2addr_stride64_b64", LOAD, 64, true),
    LDS_TWO("ds_store_2addr_b32", STORE, 32, false),
    LDS_TWO("ds_store_2addr_b64", STORE, 64, false),
    LDS_TWO("ds_store_2addr_stride64_b32", STORE, 32, true),
    LDS_TWO("ds_store_2addr_stride64_b64", STORE, 64, true),
    COMMON_ATOMICS(ds, LDS),
    ATOMIC_BOTH(ds, rsub, u, LDS, RSUB),
    ATOMIC_BOTH(ds, mskor, b, LDS, MSKOR),
    ATOMIC_BOTH(ds, storexchg, b, LDS, SWAP),
    ATOMIC("ds_sub_clamp_u32", LDS, 32, CSUB),
    ATOMIC("ds_wrap_b32", LDS, 32, WRAP),
    LDS_EXCHANGE_TWO("ds_storexchg_2addr_b32", 32, false),
    LDS_EXCHANGE_TWO("ds_storexchg_2addr_b64", 64, false),
    LDS_EXCHANGE_TWO("ds_storexchg_2addr_stride64_b32", 32, true),
    LDS_EXCHANGE_TWO("ds_storexchg_2addr_stride64_b64", 64, true),
    LDS_COMPARE("ds_cmpst_b32", 32, CMPSWAP, true),
    LDS_COMPARE("ds_cmpst_b64", 64, CMPSWAP, true),
    LDS_COMPARE("ds_cmpst_f32", 32, FCMPSWAP, true),
    LDS_COMPARE("ds_cmpst_f64", 64, FCMPSWAP, true),
    LDS_COMPARE("ds_cmpstore_b32", 32, CMPSWAP, false),
    LDS_COMPARE("ds_cmpstore_b64", 64, CMPSWAP, false),
    LDS_COMPARE("ds_cmpstore_f32", 32, FCMPSWAP, false),
    LDS_COMPARE("ds_cmpstore_f64", 64, FCMPSWAP, false),
};

#define ROWS (sizeof(table) / sizeof(table[0]))

enum { SLOTS = 4096 };
_Static_assert(2 * ROWS <= SLOTS, "rows have room");

static uint16_t by_name[SLOTS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void index_table(void) {
    for (size_t i = 0; i < ROWS; i++)
        wl_name_put(by_name, SLOTS, table[i].name, (uint32_t)i);
}

const struct wl_isa *wl_isa_find(const char *mnemonic) {
    pthread_once(&once, index_table);
    return wl_name_find(by_name, SLOTS, mnemonic, table, sizeof table[0]);
}

bool wl_inst_is_of_lane(const struct wl_inst *inst) {
    return inst->is_private ||
           (inst->isa && inst->isa->space == WL_SPACE_SCRATCH && (inst->isa->class == WL_ISA_LOAD || inst->isa->class == WL_ISA_STORE));
}

bool wl_inst_needs_descriptor(const struct wl_inst *inst) {
    return inst->isa->space == WL_SPACE_TBUFFER || inst->isa->detail || inst->idxen || inst->addr64 || inst->lds || inst->tfe;
}

unsigned wl_isa_caches(const struct wl_inst *inst) {
    const unsigned work = inst->isa && inst->isa->class == WL_ISA_NOP ? inst->isa->detail : 0;
    return work & WL_CACHE_SCOPED && inst->sc1 ? work | WL_CACHE_DEVICE : work;
}

const struct wl_isa *wl_isa_other_barrier(const char *mnemonic) {
    char name[32];

    snprintf(name, sizeof name, "%s*", mnemonic);
    return wl_isa_find(name);
}

const struct wl_isa *wl_isa_table(size_t *count) {
    *count = ROWS;
    return table;
}
