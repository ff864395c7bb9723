/* The types of operands. Most follow from the mnemonic: its last type is that of the sources, a type before it that of the
 * destination. The table has the others. */
#include "machine.h"

#include <string.h>

static const struct {
    const char *name, *results, *inputs;
} exceptions[] = {
    {"v_cndmask_b32", "i", "iim"},
    {"v_cndmask_b16", "w", "wwm"},
    {"v_add_co_u32", "im", "ii"},
    {"v_sub_co_u32", "im", "ii"},
    {"v_subrev_co_u32", "im", "ii"},
    {"v_add_co_ci_u32", "im", "iim"},
    {"v_sub_co_ci_u32", "im", "iim"},
    {"v_subrev_co_ci_u32", "im", "iim"},
    {"v_mad_u64_u32", "qm", "iiq"},
    {"v_mad_i64_i32", "qm", "iiq"},
    {"v_div_fmas_f32", "f", "fffV"},
    {"v_div_fmas_f64", "d", "dddV"},
    {"v_ldexp_f32", "f", "fi"},
    {"v_ldexp_f64", "d", "di"},
    {"v_ldexp_f16", "h", "hw"},
    {"v_trig_preop_f64", "d", "di"},
    {"v_cmp_class_f16", "m", "hi"},
    {"v_cmp_class_f32", "m", "fi"},
    {"v_cmp_class_f64", "m", "di"},
    {"v_lshlrev_b64", "q", "iq"},
    {"v_lshrrev_b64", "q", "iq"},
    {"v_ashrrev_i64", "q", "iq"},
    {"v_lshl_add_u64", "q", "qiq"},
    {"v_cvt_pk_rtz_f16_f32", "H", "ff"},
    {"v_cvt_pk_f16_f32", "H", "ff"},
    {"v_cvt_pk_norm_i16_f32", "i", "ff"},
    {"v_cvt_pk_norm_u16_f32", "i", "ff"},
    {"v_cvt_pk_norm_i16_f16", "i", "hh"},
    {"v_cvt_pk_norm_u16_f16", "i", "hh"},
    {"v_cvt_pk_i16_f32", "i", "ff"},
    {"v_cvt_pk_u16_f32", "i", "ff"},
    {"v_cvt_pk_u16_u32", "i", "ii"},
    {"v_cvt_pk_i16_i32", "i", "ii"},
    {"v_cvt_pk_bf16_f32", "i", "ff"},
    {"v_cvt_pk_u8_f32", "i", "fii"},
    {"v_cvt_pkaccum_u8_f32", "i", "fio"},
    {"v_cvt_f32_ubyte0", "f", "i"},
    {"v_cvt_f32_ubyte1", "f", "i"},
    {"v_cvt_f32_ubyte2", "f", "i"},
    {"v_cvt_f32_ubyte3", "f", "i"},
    {"v_cvt_off_f32_i4", "f", "i"},
    {"v_sat_pk_u8_i16", "w", "i"},
    {"v_pack_b32_f16", "i", "hh"},
    {"v_mad_u32_u16", "i", "wwi"},
    {"v_mad_i32_i16", "i", "wwi"},
    {"v_mad_u32_u24", "i", "iii"},
    {"v_mad_i32_i24", "i", "iii"},
    {"v_mul_u32_u24", "i", "ii"},
    {"v_mul_i32_i24", "i", "ii"},
    {"v_mul_hi_u32_u24", "i", "ii"},
    {"v_mul_hi_i32_i24", "i", "ii"},
    {"v_sad_u8", "i", "iii"},
    {"v_sad_hi_u8", "i", "iii"},
    {"v_sad_u16", "i", "iii"},
    {"v_msad_u8", "i", "iii"},
    {"v_lerp_u8", "i", "iii"},
    {"v_qsad_pk_u16_u8", "q", "qiq"},
    {"v_mqsad_pk_u16_u8", "q", "qiq"},
    {"v_mqsad_u32_u8", "x", "qix"},
    {"v_dot2_f32_f16", "f", "HHf"},
    {"v_dot2c_f32_f16", "f", "HHo"},
    {"v_dot2_f16_f16", "h", "HHh"},
    {"v_dot2_f32_bf16", "f", "PPf"},
    {"v_dot2c_f32_bf16", "f", "PPo"},
    {"v_dot2_bf16_bf16", "B", "PPB"},
    {"v_dot2_u32_u16", "i", "PPi"},
    {"v_dot2_i32_i16", "i", "PPi"},
    {"v_dot2c_i32_i16", "i", "PPo"},
    {"v_dot4_u32_u8", "i", "iii"},
    {"v_dot4_i32_i8", "i", "iii"},
    {"v_dot4c_i32_i8", "i", "iio"},
    {"v_dot8_u32_u4", "i", "iii"},
    {"v_dot8_i32_i4", "i", "iii"},
    {"v_dot8c_i32_i4", "i", "iio"},
    {"v_dot4_i32_iu8", "i", "iii"},
    {"v_dot8_i32_iu4", "i", "iii"},
    {"v_pk_mov_b32", "q", "FF"},
    {"v_pk_fmac_f16", "H", "HHo"},
    {"v_fmac_f32", "f", "ffo"},
    {"v_fmac_f16", "h", "hho"},
    {"v_fmac_f64", "d", "ddo"},
    {"v_fmac_dx9_zero_f32", "f", "ffo"},
    {"v_mac_f32", "f", "ffo"},
    {"v_mac_f16", "h", "hho"},
    {"v_mac_legacy_f32", "f", "ffo"},
    {"v_fma_mix_f32", "f", "fff"},
    {"v_fma_mixlo_f16", "h", "fff"},
    {"v_fma_mixhi_f16", "h", "fff"},
    {"v_mad_mix_f32", "f", "fff"},
    {"v_mad_mixlo_f16", "h", "fff"},
    {"v_mad_mixhi_f16", "h", "fff"},
    {"s_cselect_b32", "i", "iiC"},
    {"s_cselect_b64", "q", "qqC"},
    {"s_cmov_b32", "i", "ioC"},
    {"s_cmov_b64", "q", "qoC"},
    {"s_addc_u32", "i", "iiC"},
    {"s_subb_u32", "i", "iiC"},
    {"s_bfm_b64", "q", "ii"},
    {"s_bfe_u64", "q", "qi"},
    {"s_bfe_i64", "q", "qi"},
    {"s_lshl_b64", "q", "qi"},
    {"s_lshr_b64", "q", "qi"},
    {"s_ashr_i64", "q", "qi"},
    {"s_bitset0_b32", "i", "io"},
    {"s_bitset1_b32", "i", "io"},
    {"s_bitset0_b64", "q", "io"},
    {"s_bitset1_b64", "q", "io"},
    {"s_bitcmp0_b64", "", "qi"},
    {"s_bitcmp1_b64", "", "qi"},
    {"s_bitcmp0_b32", "", "ii"},
    {"s_bitcmp1_b32", "", "ii"},
    {"s_sext_i32_i8", "i", "i"},
    {"s_sext_i32_i16", "i", "i"},
    {"s_pack_ll_b32_b16", "i", "ii"},
    {"s_pack_lh_b32_b16", "i", "ii"},
    {"s_pack_hl_b32_b16", "i", "ii"},
    {"s_pack_hh_b32_b16", "i", "ii"},
    {"s_fmac_f32", "f", "ffo"},
    {"s_fmac_f16", "h", "hho"},
    {"s_cvt_pk_rtz_f16_f32", "H", "ff"},
    {"s_cvt_hi_f32_f16", "f", "i"},
};

static char type_of(const char *token, size_t length, bool packed) {
    static const struct {
        const char *name;
        char type, pair;
    } types[] = {{"f32", 'f', 'F'}, {"f64", 'd', 0},   {"f16", 'h', 'H'}, {"i32", 'i', 'q'}, {"u32", 'i', 0},
                 {"b32", 'i', 'q'}, {"i64", 'q', 0},   {"u64", 'q', 0},   {"b64", 'q', 0},   {"i16", 'w', 'P'},
                 {"u16", 'w', 'P'}, {"b16", 'w', 'P'}, {"bf16", 'B', 0}};
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, token, length) == 0)
            return packed ? types[i].pair : types[i].type;
    return 0;
}

bool machine_find_signature(const char *name, unsigned operands, struct machine_signature *signature) {
    bool compares = strncmp(name, "v_cmp", 5) == 0, tests = strncmp(name, "s_cmp_", 6) == 0, packed = strncmp(name, "v_pk_", 5) == 0;
    memset(signature, 0, sizeof *signature);
    for (unsigned i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (strcmp(exceptions[i].name, name) == 0) {
            strcpy(signature->results, exceptions[i].results);
            strcpy(signature->inputs, exceptions[i].inputs);
            return true;
        }
    const char *last = strrchr(name, '_'), *before = last;
    while (before && before > name && *--before != '_') {
    }
    char source = last ? type_of(last + 1, strlen(last + 1), packed) : 0;
    char result = last && before > name ? type_of(before + 1, (size_t)(last - before - 1), packed) : 0;
    if (!source || operands < 1 || operands > 5)
        return false;
    signature->results[0] = compares ? 'm' : tests ? 0 : result ? result : source;
    for (unsigned i = 0; i + !tests < operands; i++)
        signature->inputs[i] = source;
    return true;
}
