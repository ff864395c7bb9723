/* One name for every instruction, whatever the generation calls it.
 *
 * Each generation has mnemonics of its own. wl_isa_canonical gives the one name under which semantics/ and isa.c know the
 * meaning. The rules, applied by the decoder in this order:
 *
 *   1. The encoding's suffix goes: _e32 _e64 _dpp _dpp8 _e64_dpp _e64_dpp8 _sdwa, and LLVM's _t16 and _fake16.
 *   2. Each half of a VOPD pair, v_dual_X, is v_X (v_dual_cndmask_b32 gets its implicit VCC as an operand).
 *   3. `_rtn` of a DS mnemonic goes and sets wl_inst.returns.
 *   4. The tables below. In general the newest LLVM name is canonical:
 *        memory      global_load_b32, s_load_b128, ds_load_2addr_stride64_b32, buffer_load_d16_hi_u8, flat_atomic_add_u32,
 *                    global_atomic_cmpswap_b64, global_atomic_min_f64 ...
 *        SALU logic  s_and_not1_b32/b64, s_or_not1_*, s_and_not0_saveexec_*, s_clz_i32_u32, s_clz_i32_u64, s_cls_i32, s_cls_i32_i64,
 *                    s_ctz_i32_b32, s_ctz_i32_b64
 *        VALU        v_add_nc_u32, v_sub_nc_u32, v_subrev_nc_u32, v_add_nc_i32, v_sub_nc_i32, v_add_nc_u16, v_sub_nc_u16,
 *                    v_add_nc_i16, v_sub_nc_i16, v_add_co_u32, v_sub_co_u32, v_subrev_co_u32, v_add_co_ci_u32, v_sub_co_ci_u32,
 *                    v_subrev_co_ci_u32, v_clz_i32_u32, v_cls_i32, v_ctz_i32_b32, v_cvt_pk_rtz_f16_f32, v_cvt_pk_norm_{i,u}16_{f32,f16},
 *                    v_cvt_nearest_i32_f32, v_cvt_floor_i32_f32, v_mul_dx9_zero_f32, v_fma_dx9_zero_f32, v_fmac_dx9_zero_f32,
 *                    v_cmp_t_*, v_cmpx_t_*, v_mfma_f32_16x16x16_f16 (gfx94x spelling)
 *      but the older, better known name where the newest is one generation's whim:
 *                    s_add_u32, s_addc_u32, s_sub_u32, s_subb_u32, s_add_i32, s_sub_i32 (gfx12: s_add_co_u32 ...),
 *                    v_min_f32, v_max_f32, v_min3_f32, v_med3_f32, v_maxmin_f32, v_pk_max_f16, s_min_f32 (gfx12: *_num_*),
 *                    v_mad_u64_u32, v_mad_i64_i32 (gfx12: v_mad_co_*), v_mul_lo_u32 (gfx9's v_mul_lo_i32 is the same),
 *                    v_dot2c_f32_f16 (gfx11: v_dot2acc_f32_f16)
 *   5. Forms that are another instruction in disguise: s_movk_i32 -> s_mov_b32, s_cmovk_i32 -> s_cmov_b32, s_cmpk_X -> s_cmp_X,
 *      s_addk_i32 d, k -> s_add_i32 d, d, k, s_mulk_i32 d, k -> s_mul_i32 d, d, k (k extended to 32 bits, the destination
 *      repeated as a source by the decoder), v_accvgpr_{read,write,mov}_b32 -> v_mov_b32 (AGPRs are VGPR rows from 256),
 *      X_load_lds_dword -> X_load_b32 with wl_inst.lds.
 *
 * Meanings that differ stay apart: v_mac_* and v_mad_* (two roundings) against v_fmac_* and v_fma_*, v_mad_mix against v_fma_mix,
 * v_minimum_* and v_maximum_* (NaN propagates) against v_min_* and v_max_*, ds_cmpst_* (compare value first) against
 * ds_cmpstore_* (data first). Aliases with a generation hold for that generation only. */
#include "translate/isa/isa.h"
#include "translate/isa/name_slots.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct alias {
    const char *name, *canonical;
};

#define VECTOR_MEMORY(S)                                                                                                                   \
    {#S "_load_dword", #S "_load_b32"}, {#S "_load_dwordx2", #S "_load_b64"}, {#S "_load_dwordx3", #S "_load_b96"},                        \
        {#S "_load_dwordx4", #S "_load_b128"}, {#S "_load_ubyte", #S "_load_u8"}, {#S "_load_sbyte", #S "_load_i8"},                       \
        {#S "_load_ushort", #S "_load_u16"}, {#S "_load_sshort", #S "_load_i16"}, {#S "_load_ubyte_d16", #S "_load_d16_u8"},               \
        {#S "_load_ubyte_d16_hi", #S "_load_d16_hi_u8"}, {#S "_load_sbyte_d16", #S "_load_d16_i8"},                                        \
        {#S "_load_sbyte_d16_hi", #S "_load_d16_hi_i8"}, {#S "_load_short_d16", #S "_load_d16_b16"},                                       \
        {#S "_load_short_d16_hi", #S "_load_d16_hi_b16"}, {#S "_store_dword", #S "_store_b32"}, {#S "_store_dwordx2", #S "_store_b64"},    \
        {#S "_store_dwordx3", #S "_store_b96"}, {#S "_store_dwordx4", #S "_store_b128"}, {#S "_store_byte", #S "_store_b8"},               \
        {#S "_store_short", #S "_store_b16"}, {#S "_store_byte_d16_hi", #S "_store_d16_hi_b8"},                                            \
        {#S "_store_short_d16_hi", #S "_store_d16_hi_b16"}, {#S "_load_dword_addtid", #S "_load_addtid_b32"},                              \
        {#S "_store_dword_addtid", #S "_store_addtid_b32"}, {#S "_load_lds_dword", #S "_load_b32"}, {#S "_load_lds_b32", #S "_load_b32"},  \
        {#S "_load_lds_dwordx3", #S "_load_b96"}, {#S "_load_lds_dwordx4", #S "_load_b128"}, {#S "_load_lds_ubyte", #S "_load_u8"},        \
        {#S "_load_lds_u8", #S "_load_u8"}, {#S "_load_lds_sbyte", #S "_load_i8"}, {#S "_load_lds_i8", #S "_load_i8"},                     \
        {#S "_load_lds_ushort", #S "_load_u16"}, {#S "_load_lds_u16", #S "_load_u16"}, {#S "_load_lds_sshort", #S "_load_i16"},            \
        {#S "_load_lds_i16", #S "_load_i16"}, {#S "_load_lds_format_x", #S "_load_format_x"}

#define ATOMIC(S, OLD, NEW, TYPE)                                                                                                          \
    {#S "_atomic_" #OLD, #S "_atomic_" #NEW "_" #TYPE "32"}, {#S "_atomic_" #OLD "_x2", #S "_atomic_" #NEW "_" #TYPE "64"}
#define VECTOR_ATOMICS(S)                                                                                                                  \
    ATOMIC(S, swap, swap, b), ATOMIC(S, cmpswap, cmpswap, b), ATOMIC(S, add, add, u), ATOMIC(S, sub, sub, u), ATOMIC(S, smin, min, i),     \
        ATOMIC(S, umin, min, u), ATOMIC(S, smax, max, i), ATOMIC(S, umax, max, u), ATOMIC(S, and, and, b), ATOMIC(S, or, or, b),           \
        ATOMIC(S, xor, xor, b), ATOMIC(S, inc, inc, u), ATOMIC(S, dec, dec, u), ATOMIC(S, fcmpswap, cmpswap, f), ATOMIC(S, fmin, min, f),  \
        ATOMIC(S, fmax, max, f), ATOMIC(S, csub, csub, u), {#S "_atomic_min_num_f32", #S "_atomic_min_f32"},                               \
        {#S "_atomic_max_num_f32", #S "_atomic_max_f32"}, {#S "_atomic_min_num_f64", #S "_atomic_min_f64"},                                \
        {#S "_atomic_max_num_f64", #S "_atomic_max_f64"}, {#S "_atomic_sub_clamp_u32", #S "_atomic_csub_u32"}

#define FORMATS(S, X)                                                                                                                      \
    {#S "_load_format_d16_" #X, #S "_load_d16_format_" #X}, { #S "_store_format_d16_" #X, #S "_store_d16_format_" #X }

#define SCALAR_MEMORY(S)                                                                                                                   \
    {#S "_load_dword", #S "_load_b32"}, {#S "_load_dwordx2", #S "_load_b64"}, {#S "_load_dwordx4", #S "_load_b128"},                       \
        {#S "_load_dwordx8", #S "_load_b256"}, {#S "_load_dwordx16", #S "_load_b512"}, {#S "_store_dword", #S "_store_b32"},               \
        {#S "_store_dwordx2", #S "_store_b64"}, {#S "_store_dwordx4", #S "_store_b128"}

#define SAME_B32_B64(OLD, NEW) {#OLD "_b32", #NEW "_b32"}, {#OLD "_b64", #NEW "_b64"}
#define LDS_BOTH(OLD, NEW, W)                                                                                                              \
    {"ds_read" #OLD #W, "ds_load" #NEW #W}, { "ds_write" #OLD #W, "ds_store" #NEW #W }
#define LDS_D16(T)                                                                                                                         \
    {"ds_read_" #T, "ds_load_" #T}, {"ds_read_" #T "_d16", "ds_load_" #T "_d16"}, {"ds_read_" #T "_d16_hi", "ds_load_" #T "_d16_hi"}
#define MONITORS(S)                                                                                                                        \
    {#S "_load_monitor_b32", #S "_load_b32"}, {#S "_load_monitor_b64", #S "_load_b64"}, {#S "_load_monitor_b128", #S "_load_b128"}
#define NUM(P, T) {#P "_num_" #T, #P "_" #T}
#define CMPK(OP)  {"s_cmpk_" #OP "_i32", "s_cmp_" #OP "_i32"}, {"s_cmpk_" #OP "_u32", "s_cmp_" #OP "_u32"}

static const struct alias aliases[] = {
    /* Memory. */
    SCALAR_MEMORY(s),
    SCALAR_MEMORY(s_buffer),
    SCALAR_MEMORY(s_scratch),
    VECTOR_ATOMICS(s),
    VECTOR_ATOMICS(s_buffer),
    VECTOR_MEMORY(global),
    VECTOR_MEMORY(flat),
    VECTOR_MEMORY(scratch),
    VECTOR_MEMORY(buffer),
    VECTOR_ATOMICS(global),
    VECTOR_ATOMICS(flat),
    VECTOR_ATOMICS(buffer),
    FORMATS(buffer, x),
    FORMATS(buffer, xy),
    FORMATS(buffer, xyz),
    FORMATS(buffer, xyzw),
    FORMATS(tbuffer, x),
    FORMATS(tbuffer, xy),
    FORMATS(tbuffer, xyz),
    FORMATS(tbuffer, xyzw),
    {"buffer_load_format_d16_hi_x", "buffer_load_d16_hi_format_x"},
    {"buffer_store_format_d16_hi_x", "buffer_store_d16_hi_format_x"},
    {"image_atomic_add", "image_atomic_add_uint"},
    {"image_atomic_sub", "image_atomic_sub_uint"},
    {"image_atomic_smin", "image_atomic_min_int"},
    {"image_atomic_umin", "image_atomic_min_uint"},
    {"image_atomic_smax", "image_atomic_max_int"},
    {"image_atomic_umax", "image_atomic_max_uint"},
    {"image_atomic_inc", "image_atomic_inc_uint"},
    {"image_atomic_dec", "image_atomic_dec_uint"},
    {"image_atomic_fmin", "image_atomic_min_flt"},
    {"image_atomic_fmax", "image_atomic_max_flt"},
    LDS_BOTH(, , _b32),
    LDS_BOTH(, , _b64),
    LDS_BOTH(, , _b96),
    LDS_BOTH(, , _b128),
    LDS_BOTH(2, _2addr, _b32),
    LDS_BOTH(2, _2addr, _b64),
    LDS_BOTH(2st64, _2addr_stride64, _b32),
    LDS_BOTH(2st64, _2addr_stride64, _b64),
    LDS_BOTH(_addtid, _addtid, _b32),
    LDS_D16(u8),
    LDS_D16(i8),
    LDS_D16(u16),
    {"ds_read_i16", "ds_load_i16"},
    {"ds_write_b8", "ds_store_b8"},
    {"ds_write_b16", "ds_store_b16"},
    {"ds_write_b8_d16_hi", "ds_store_b8_d16_hi"},
    {"ds_write_b16_d16_hi", "ds_store_b16_d16_hi"},
    SAME_B32_B64(ds_wrxchg, ds_storexchg),
    SAME_B32_B64(ds_wrxchg2, ds_storexchg_2addr),
    SAME_B32_B64(ds_wrxchg2st64, ds_storexchg_2addr_stride64),
    NUM(ds_min, f32),
    NUM(ds_max, f32),
    NUM(ds_min, f64),
    NUM(ds_max, f64),

    /* gfx1250. To watch a place, and to load it for a cluster's workgroups at once, is to load it here. */
    MONITORS(flat),
    MONITORS(global),
    {"cluster_load_b32", "global_load_b32"},
    {"cluster_load_b64", "global_load_b64"},
    {"cluster_load_b128", "global_load_b128"},

    /* SALU. */
    SAME_B32_B64(s_andn2, s_and_not1),
    SAME_B32_B64(s_orn2, s_or_not1),
    SAME_B32_B64(s_andn1_saveexec, s_and_not0_saveexec),
    SAME_B32_B64(s_andn2_saveexec, s_and_not1_saveexec),
    SAME_B32_B64(s_orn1_saveexec, s_or_not0_saveexec),
    SAME_B32_B64(s_orn2_saveexec, s_or_not1_saveexec),
    SAME_B32_B64(s_andn1_wrexec, s_and_not0_wrexec),
    SAME_B32_B64(s_andn2_wrexec, s_and_not1_wrexec),
    {"s_ff1_i32_b32", "s_ctz_i32_b32"},
    {"s_ff1_i32_b64", "s_ctz_i32_b64"},
    {"s_flbit_i32_b32", "s_clz_i32_u32"},
    {"s_flbit_i32_b64", "s_clz_i32_u64"},
    {"s_flbit_i32", "s_cls_i32"},
    {"s_flbit_i32_i64", "s_cls_i32_i64"},
    {"s_add_co_u32", "s_add_u32"},
    {"s_sub_co_u32", "s_sub_u32"},
    {"s_add_co_i32", "s_add_i32"},
    {"s_sub_co_i32", "s_sub_i32"},
    {"s_add_co_ci_u32", "s_addc_u32"},
    {"s_sub_co_ci_u32", "s_subb_u32"},
    {"s_addk_i32", "s_add_i32"},
    {"s_addk_co_i32", "s_add_i32"},
    {"s_mulk_i32", "s_mul_i32"},
    {"s_movk_i32", "s_mov_b32"},
    {"s_cmovk_i32", "s_cmov_b32"},
    CMPK(eq),
    CMPK(lg),
    CMPK(gt),
    CMPK(ge),
    CMPK(lt),
    CMPK(le),
    NUM(s_min, f32),
    NUM(s_max, f32),
    NUM(s_min, f16),
    NUM(s_max, f16),
    {"s_set_inst_prefetch_distance", "s_inst_prefetch"},
    {"s_get_pc_i64", "s_getpc_b64"},
    {"s_set_pc_i64", "s_setpc_b64"},
    {"s_swap_pc_i64", "s_swappc_b64"},
    {"s_call_i64", "s_call_b64"},
    {"s_rfe_i64", "s_rfe_b64"},
    {"s_waitcnt_depctr", "s_wait_alu"},
    {"ds_direct_load", "lds_direct_load"},

    /* VALU. */
    {"v_addc_co_u32", "v_add_co_ci_u32"},
    {"v_subb_co_u32", "v_sub_co_ci_u32"},
    {"v_subbrev_co_u32", "v_subrev_co_ci_u32"},
    {"v_ffbh_u32", "v_clz_i32_u32"},
    {"v_ffbh_i32", "v_cls_i32"},
    {"v_ffbl_b32", "v_ctz_i32_b32"},
    {"v_mul_lo_i32", "v_mul_lo_u32"},
    {"v_mad_co_u64_u32", "v_mad_u64_u32"},
    {"v_mad_co_i64_i32", "v_mad_i64_i32"},
    {"v_cvt_pkrtz_f16_f32", "v_cvt_pk_rtz_f16_f32"},
    {"v_cvt_pknorm_i16_f32", "v_cvt_pk_norm_i16_f32"},
    {"v_cvt_pknorm_u16_f32", "v_cvt_pk_norm_u16_f32"},
    {"v_cvt_pknorm_i16_f16", "v_cvt_pk_norm_i16_f16"},
    {"v_cvt_pknorm_u16_f16", "v_cvt_pk_norm_u16_f16"},
    {"v_cvt_rpi_i32_f32", "v_cvt_nearest_i32_f32"},
    {"v_cvt_flr_i32_f32", "v_cvt_floor_i32_f32"},
    {"v_mul_legacy_f32", "v_mul_dx9_zero_f32"},
    {"v_fma_legacy_f32", "v_fma_dx9_zero_f32"},
    {"v_fmac_legacy_f32", "v_fmac_dx9_zero_f32"},
    {"v_dot2acc_f32_bf16", "v_dot2c_f32_bf16"},
    {"v_dot2acc_f32_f16", "v_dot2c_f32_f16"},
    /* gfx9's first forms, which clear the high half: wl_inst.zero_high tells. */
    {"v_mad_legacy_f16", "v_mad_f16"},
    {"v_mad_legacy_u16", "v_mad_u16"},
    {"v_mad_legacy_i16", "v_mad_i16"},
    {"v_fma_legacy_f16", "v_fma_f16"},
    {"v_div_fixup_legacy_f16", "v_div_fixup_f16"},
    {"v_accvgpr_read_b32", "v_mov_b32"},
    {"v_accvgpr_write_b32", "v_mov_b32"},
    {"v_accvgpr_mov_b32", "v_mov_b32"},
    {"v_accvgpr_write", "v_mov_b32"},
    {"v_accvgpr_read", "v_mov_b32"},
    NUM(v_min, f16),
    NUM(v_max, f16),
    NUM(v_min, f32),
    NUM(v_max, f32),
    NUM(v_min, f64),
    NUM(v_max, f64),
    NUM(v_min3, f16),
    NUM(v_max3, f16),
    NUM(v_med3, f16),
    NUM(v_min3, f32),
    NUM(v_max3, f32),
    NUM(v_med3, f32),
    NUM(v_maxmin, f16),
    NUM(v_minmax, f16),
    NUM(v_maxmin, f32),
    NUM(v_minmax, f32),
    NUM(v_pk_min, f16),
    NUM(v_pk_max, f16),
    NUM(v_pk_min3, f16),
    NUM(v_pk_max3, f16),
    NUM(v_pk_min, bf16),
    NUM(v_pk_max, bf16),
    {"v_cmp_tru_f16", "v_cmp_t_f16"},
    {"v_cmp_tru_f32", "v_cmp_t_f32"},
    {"v_cmp_tru_f64", "v_cmp_t_f64"},
    {"v_cmpx_tru_f16", "v_cmpx_t_f16"},
    {"v_cmpx_tru_f32", "v_cmpx_t_f32"},
    {"v_cmpx_tru_f64", "v_cmpx_t_f64"},

    /* Matrix. */
    {"v_mfma_f32_32x32x1f32", "v_mfma_f32_32x32x1_2b_f32"},
    {"v_mfma_f32_16x16x1f32", "v_mfma_f32_16x16x1_4b_f32"},
    {"v_mfma_f32_4x4x1f32", "v_mfma_f32_4x4x1_16b_f32"},
    {"v_mfma_f32_32x32x2f32", "v_mfma_f32_32x32x2_f32"},
    {"v_mfma_f32_16x16x4f32", "v_mfma_f32_16x16x4_f32"},
    {"v_mfma_f32_32x32x4f16", "v_mfma_f32_32x32x4_2b_f16"},
    {"v_mfma_f32_16x16x4f16", "v_mfma_f32_16x16x4_4b_f16"},
    {"v_mfma_f32_4x4x4f16", "v_mfma_f32_4x4x4_16b_f16"},
    {"v_mfma_f32_32x32x8f16", "v_mfma_f32_32x32x8_f16"},
    {"v_mfma_f32_16x16x16f16", "v_mfma_f32_16x16x16_f16"},
    {"v_mfma_i32_32x32x4i8", "v_mfma_i32_32x32x4_2b_i8"},
    {"v_mfma_i32_16x16x4i8", "v_mfma_i32_16x16x4_4b_i8"},
    {"v_mfma_i32_4x4x4i8", "v_mfma_i32_4x4x4_16b_i8"},
    {"v_mfma_f32_32x32x4bf16_1k", "v_mfma_f32_32x32x4_2b_bf16"},
    {"v_mfma_f32_16x16x4bf16_1k", "v_mfma_f32_16x16x4_4b_bf16"},
    {"v_mfma_f32_4x4x4bf16_1k", "v_mfma_f32_4x4x4_16b_bf16"},
    {"v_mfma_f32_32x32x8bf16_1k", "v_mfma_f32_32x32x8_bf16"},
    {"v_mfma_f32_16x16x16bf16_1k", "v_mfma_f32_16x16x16_bf16"},
    {"v_mfma_f64_16x16x4f64", "v_mfma_f64_16x16x4_f64"},
    {"v_mfma_f64_4x4x4f64", "v_mfma_f64_4x4x4_4b_f64"},
    {"v_mfma_f32_16x16x128_f8f6f4", "v_mfma_scale_f32_16x16x128_f8f6f4"}, /* the decoder adds scales of 1 */
    {"v_mfma_f32_32x32x64_f8f6f4", "v_mfma_scale_f32_32x32x64_f8f6f4"},
};

/* Names that mean something else on other generations: gfx8's v_add_u32 wrote a carry, gfx9's does not; numbers of 8 bits are FNUZ on
 * gfx9. Sorted. */
static const struct alias aliases_gfx9[] = {
    {"v_add_i16", "v_add_nc_i16"},
    {"v_add_i32", "v_add_nc_i32"},
    {"v_add_u16", "v_add_nc_u16"},
    {"v_add_u32", "v_add_nc_u32"},
    {"v_cvt_f32_bf8", "v_cvt_f32_bf8_fnuz"},
    {"v_cvt_f32_fp8", "v_cvt_f32_fp8_fnuz"},
    {"v_cvt_pk_bf8_f32", "v_cvt_pk_bf8_f32_fnuz"},
    {"v_cvt_pk_f32_bf8", "v_cvt_pk_f32_bf8_fnuz"},
    {"v_cvt_pk_f32_fp8", "v_cvt_pk_f32_fp8_fnuz"},
    {"v_cvt_pk_fp8_f32", "v_cvt_pk_fp8_f32_fnuz"},
    {"v_cvt_sr_bf8_f32", "v_cvt_sr_bf8_f32_fnuz"},
    {"v_cvt_sr_fp8_f32", "v_cvt_sr_fp8_f32_fnuz"},
    {"v_sub_i16", "v_sub_nc_i16"},
    {"v_sub_i32", "v_sub_nc_i32"},
    {"v_sub_u16", "v_sub_nc_u16"},
    {"v_sub_u32", "v_sub_nc_u32"},
    {"v_subrev_u32", "v_subrev_nc_u32"},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { SLOTS = 2048 };
_Static_assert(2 * COUNT(aliases) <= SLOTS, "aliases have room");

static uint16_t by_name[SLOTS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int compare(const void *a, const void *b) { return strcmp(((const struct alias *)a)->name, ((const struct alias *)b)->name); }

static void index_aliases(void) {
    for (size_t i = 0; i < COUNT(aliases); i++)
        wl_name_put(by_name, SLOTS, aliases[i].name, (uint32_t)i);
}

const char *wl_isa_canonical(const char *mnemonic, unsigned generation) {
    const struct alias key = {.name = mnemonic};
    const struct alias *found = NULL;

    pthread_once(&once, index_aliases);
    if (generation == 9)
        found = bsearch(&key, aliases_gfx9, COUNT(aliases_gfx9), sizeof(aliases_gfx9[0]), compare);
    if (!found)
        found = wl_name_find(by_name, SLOTS, mnemonic, aliases, sizeof aliases[0]);
    return found ? found->canonical : mnemonic;
}
