/* The instructions that test_memory.c runs. v[16:19] is where loads go, v[20:27] are data. */
#define SHIFT(N) "v_lshlrev_b32 v1, " #N ", v0\n"
#define SHIFT_WIDE(N) SHIFT(N) "v_add_co_u32 v2, vcc, s0, v1\nv_mov_b32 v3, s1\nv_addc_co_u32 v3, vcc, 0, v3, vcc\n"
#define THREE "v_mul_u32_u24 v1, 12, v0\n"
#define SAME "v_mov_b32 v1, s9\n"
#define SAME_WIDE "v_mov_b32 v2, s0\nv_mov_b32 v3, s1\n"
#define G9 "gfx906", 64
#define G90 "gfx90a", 64
#define G94 "gfx942", 64
#define G10 "gfx1030", 32
#define G11 "gfx1100", 32
#define G12 "gfx1200", 32

static const struct test_case cases[] = {
    /* Global: addresses from registers, by static facts, uniform; 64-bit and saddr forms. */
    {G9, "", "global_load_dword v16, v[2:3], off offset:-8"}, {G9, SHIFT_WIDE(2), "global_load_dword v16, v[2:3], off"},
    {G9, SHIFT_WIDE(2), "global_load_dword v16, v[2:3], off offset:64"}, {G9, SAME_WIDE, "global_load_dword v16, v[2:3], off offset:16"},
    {G9, "", "global_load_dword v16, v1, s[0:1]"}, {G9, SHIFT(2), "global_load_dword v16, v1, s[0:1] offset:4"},
    {G9, SAME, "global_load_dword v16, v1, s[0:1]"}, {G9, SHIFT_WIDE(3), "global_load_dwordx2 v[16:17], v[2:3], off"},
    {G9, "", "global_load_dwordx2 v[16:17], v[2:3], off"}, {G9, "", "global_load_dwordx3 v[16:18], v[2:3], off"},
    {G9, THREE, "global_load_dwordx3 v[16:18], v1, s[0:1]"}, {G9, SHIFT_WIDE(4), "global_load_dwordx4 v[16:19], v[2:3], off"},
    {G9, SHIFT(4), "global_load_dwordx4 v[16:19], v1, s[0:1]"}, {G9, "", "global_load_dwordx4 v[2:5], v[2:3], off"},
    {G9, SAME_WIDE, "global_load_dwordx4 v[16:19], v[2:3], off"}, {G9, SHIFT_WIDE(3), "global_load_dwordx4 v[16:19], v[2:3], off"},
    {G9, "", "global_load_ubyte v16, v[2:3], off"}, {G9, SHIFT_WIDE(0), "global_load_ubyte v16, v[2:3], off"},
    {G9, "", "global_load_sbyte v16, v[2:3], off"}, {G9, SHIFT(0), "global_load_sbyte v16, v1, s[0:1]"},
    {G9, SAME, "global_load_sbyte v16, v1, s[0:1]"}, {G9, SHIFT(1), "global_load_ushort v16, v1, s[0:1]"},
    {G9, "", "global_load_sshort v16, v[2:3], off"}, {G9, SHIFT(1), "global_load_sshort v16, v1, s[0:1]"},
    {G9, "", "global_load_short_d16 v16, v[2:3], off"}, {G9, SHIFT(1), "global_load_short_d16_hi v16, v1, s[0:1]"},
    {G9, "", "global_load_ubyte_d16_hi v16, v[2:3], off"}, {G9, "", "global_load_sbyte_d16 v16, v[2:3], off"},
    {G9, "", "global_load_dword v16, v[2:3], off glc"}, {G9, SHIFT(2), "global_load_dword v16, v1, s[0:1] glc"},
    {G9, "", "global_store_dword v[2:3], v20, off"}, {G9, SHIFT_WIDE(2), "global_store_dword v[2:3], v20, off offset:8"},
    {G9, SHIFT(2), "global_store_dword v1, v20, s[0:1]"}, {G9, SAME, "global_store_dword v1, v20, s[0:1]"},
    {G9, "", "global_store_dwordx2 v[2:3], v[20:21], off"}, {G9, SHIFT(3), "global_store_dwordx2 v1, v[20:21], s[0:1]"},
    {G9, "", "global_store_dwordx3 v[2:3], v[20:22], off"}, {G9, THREE, "global_store_dwordx3 v1, v[20:22], s[0:1]"},
    {G9, "", "global_store_dwordx4 v[2:3], v[20:23], off"}, {G9, SHIFT_WIDE(4), "global_store_dwordx4 v[2:3], v[20:23], off"},
    {G9, "", "global_store_byte v[2:3], v20, off"}, {G9, SHIFT(0), "global_store_byte v1, v20, s[0:1]"},
    {G9, "", "global_store_short v[2:3], v20, off"}, {G9, SHIFT(1), "global_store_short v1, v20, s[0:1]"},
    {G9, "", "global_store_byte_d16_hi v[2:3], v20, off"}, {G9, SHIFT(1), "global_store_short_d16_hi v1, v20, s[0:1]"},
    {G94, SHIFT(2), "global_load_dword v16, v1, s[0:1] sc0 sc1"}, {G94, "", "global_load_dwordx4 a[4:7], v[2:3], off"},
    {G10, "", "global_load_dword v16, v[2:3], off"}, {G10, SHIFT(2), "global_load_dword v16, v1, s[0:1]"},
    {G11, "", "global_load_b128 v[16:19], v[2:3], off"}, {G11, SHIFT(4), "global_store_b128 v1, v[20:23], s[0:1]"},
    {G11, "", "global_load_d16_hi_b16 v16, v[2:3], off"}, {G12, SHIFT(2), "global_load_b32 v16, v1, s[0:1] offset:-4"},

    /* Flat. */
    {G9, "", "flat_load_dword v16, v[2:3]"}, {G9, SHIFT_WIDE(2), "flat_load_dword v16, v[2:3]"}, {G9, SAME_WIDE, "flat_load_dword v16, v[2:3]"},
    {G9, "", "flat_load_dwordx2 v[16:17], v[2:3]"}, {G9, "", "flat_load_dwordx4 v[16:19], v[2:3]"}, {G9, "", "flat_load_ubyte v16, v[2:3]"},
    {G9, "", "flat_load_sshort v16, v[2:3]"}, {G9, "", "flat_load_short_d16_hi v16, v[2:3]"}, {G9, "", "flat_store_dword v[2:3], v20"},
    {G9, "", "flat_store_dwordx3 v[2:3], v[20:22]"}, {G9, "", "flat_store_byte v[2:3], v20"}, {G9, "", "flat_store_short v[2:3], v20"},
    {G9, "", "flat_load_dword v16, v[2:3] glc"}, {G9, "", "flat_store_dwordx4 v[2:3], v[20:23]"},
    {G9, "v_mov_b32 v2, 64\n v_mov_b32 v3, 0x20000\n", "flat_load_dwordx2 v[16:17], v[2:3]"},
    {G9, "v_mov_b32 v2, 64\n v_mov_b32 v3, 0x20000\n", "flat_store_dword v[2:3], v20"},
    {G11, "", "flat_load_b64 v[16:17], v[2:3] offset:8"}, {G11, "", "flat_store_b96 v[2:3], v[20:22]"},

    /* LDS. */
    {G9, "", "ds_read_b32 v16, v1"}, {G9, SHIFT(2), "ds_read_b32 v16, v1 offset:256"}, {G9, SAME, "ds_read_b32 v16, v1"},
    {G9, "", "ds_read_b64 v[16:17], v1 offset:8"}, {G9, SHIFT(3), "ds_read_b64 v[16:17], v1"}, {G9, THREE, "ds_read_b96 v[16:18], v1"},
    {G9, "", "ds_read_b128 v[16:19], v1"}, {G9, SHIFT(4), "ds_read_b128 v[16:19], v1"}, {G9, SAME, "ds_read_b128 v[16:19], v1"},
    {G9, "", "ds_read_u8 v16, v1"}, {G9, SHIFT(0), "ds_read_i8 v16, v1"}, {G9, "", "ds_read_i16 v16, v1"}, {G9, SHIFT(1), "ds_read_u16_d16_hi v16, v1"},
    {G9, "", "ds_read_u8_d16 v16, v1"}, {G9, "", "ds_read2_b32 v[16:17], v1 offset0:1 offset1:2"}, {G9, SHIFT(2), "ds_read2_b32 v[16:17], v1 offset1:1"},
    {G9, SHIFT(3), "ds_read2_b32 v[16:17], v1 offset1:1"}, {G9, "", "ds_read2_b32 v[16:17], v1 offset0:7 offset1:2"},
    {G9, "", "ds_read2st64_b32 v[16:17], v1 offset0:1 offset1:2"}, {G9, "", "ds_read2_b64 v[16:19], v1 offset1:1"},
    {G9, SHIFT(3), "ds_read2st64_b64 v[16:19], v1 offset1:1"}, {G9, "", "ds_write_b32 v1, v20"}, {G9, SHIFT(2), "ds_write_b32 v1, v20 offset:4"},
    {G9, SAME, "ds_write_b32 v1, v20"}, {G9, "", "ds_write_b64 v1, v[20:21]"}, {G9, SHIFT(4), "ds_write_b128 v1, v[20:23]"},
    {G9, "", "ds_write_b96 v1, v[20:22]"}, {G9, "", "ds_write_b8 v1, v20"}, {G9, SHIFT(1), "ds_write_b16 v1, v20"}, {G9, "", "ds_write_b16_d16_hi v1, v20"},
    {G9, SHIFT(3), "ds_write2_b32 v1, v20, v21 offset1:1"}, {G9, "", "ds_write2_b32 v1, v20, v22 offset0:3 offset1:1"},
    {G9, SHIFT(2), "ds_write2st64_b32 v1, v20, v21 offset1:4"}, {G9, "", "ds_write2_b64 v1, v[20:21], v[24:25] offset0:4 offset1:5"},
    {G11, SHIFT(2), "ds_load_b32 v16, v1"}, {G11, "", "ds_load_2addr_b32 v[1:2], v1 offset1:1"}, {G11, SHIFT(2), "ds_store_b32 v1, v20"},

    /* Scratch instructions. */
    {G9, "", "scratch_load_dword v16, v1, off"}, {G9, SAME, "scratch_load_dword v16, v1, off offset:4"}, {G9, "", "scratch_load_dword v16, off, s8 offset:8"},
    {G9, "", "scratch_load_dwordx4 v[16:19], v1, off"}, {G9, "", "scratch_load_dwordx3 v[16:18], off, s8"}, {G9, "", "scratch_load_ubyte v16, v1, off"},
    {G9, "", "scratch_load_sbyte v16, off, s8 offset:3"}, {G9, "", "scratch_load_sshort v16, v1, off"}, {G9, "", "scratch_load_ushort v16, off, s8 offset:2"},
    {G9, "", "scratch_load_ushort v16, off, s8 offset:1"}, {G9, "", "scratch_load_dword v16, off, s8 offset:3"},
    {G9, "", "scratch_load_short_d16_hi v16, off, s8 offset:2"}, {G9, "", "scratch_store_dword v1, v20, off"},
    {G9, "", "scratch_store_dword off, v20, s8 offset:12"}, {G9, "", "scratch_store_dwordx2 v1, v[20:21], off"},
    {G9, "", "scratch_store_dwordx4 off, v[20:23], s8"}, {G9, "", "scratch_store_byte v1, v20, off"}, {G9, "", "scratch_store_byte off, v20, s8 offset:1"},
    {G9, "", "scratch_store_short off, v20, s8 offset:2"}, {G9, "", "scratch_store_short off, v20, s8 offset:3"},
    {G9, "", "scratch_store_byte_d16_hi off, v20, s8"}, {G9, "", "scratch_load_dword v16, off, s8 glc"}, {G9, "", "scratch_store_short off, v20, s8 offset:2 glc"},
    {G94, "", "scratch_load_dwordx2 v[16:17], v1, s8 offset:16"}, {G11, "", "scratch_load_b32 v16, v1, s8 offset:16"}, {G11, "", "scratch_load_b64 v[16:17], off, off"},
    {G11, "", "scratch_store_b128 v1, v[20:23], off"}, {G11, "", "scratch_store_b32 off, v20, off offset:32"},

    /* Buffers: raw, and scratch through a swizzled descriptor. */
    {G9, "", "buffer_load_dword v16, v1, s[4:7], s8 offen"}, {G9, SHIFT(2), "buffer_load_dword v16, v1, s[4:7], 0 offen offset:4"},
    {G9, SAME, "buffer_load_dword v16, v1, s[4:7], s8 offen"}, {G9, "", "buffer_load_dword v16, off, s[4:7], s8 offset:4"},
    {G9, "", "buffer_load_dwordx4 v[16:19], v1, s[4:7], 0 offen"}, {G9, "", "buffer_load_dwordx2 v[16:17], off, s[4:7], 0 offset:8"},
    {G9, "", "buffer_load_ubyte v16, off, s[4:7], s8 offset:3"}, {G9, "", "buffer_load_sshort v16, v1, s[4:7], 0 offen"},
    {G9, "", "buffer_store_dword v20, v1, s[4:7], s8 offen"}, {G9, "", "buffer_store_dword v20, off, s[4:7], s8 offset:4"},
    {G9, SHIFT(2), "buffer_store_dword v20, v1, s[4:7], 0 offen"}, {G9, "", "buffer_store_dwordx3 v[20:22], v1, s[4:7], 0 offen"},
    {G9, "", "buffer_store_short v20, off, s[4:7], 0 offset:2"}, {G9, "", "buffer_store_byte v20, v1, s[4:7], 0 offen"},
    {G10, "", "buffer_load_dword v16, off, s[4:7], s8 offset:4"}, {G10, "", "buffer_store_dword v20, v1, s[4:7], s8 offen"},
    {G94, "", "buffer_load_dword v16, v1, s[4:7], s8 offen"}, {G94, SHIFT(2), "buffer_load_dword v16, v1, s[4:7], 0 offen offset:4"},
    {G94, SAME, "buffer_load_dwordx2 v[16:17], v1, s[4:7], s8 offen"}, {G94, "", "buffer_load_dword v16, off, s[4:7], s8"},
    {G94, SHIFT(4), "buffer_load_dwordx4 v[16:19], v1, s[4:7], 0 offen"}, {G94, SHIFT(3), "buffer_store_dwordx2 v[20:21], v1, s[4:7], 0 offen"},
    {G94, "", "buffer_store_dword v20, off, s[4:7], 0"}, {G11, "", "buffer_load_b32 v16, v1, s[4:7], null offen"},
    {G11, SHIFT(1), "buffer_load_u16 v16, v1, s[4:7], 0 offen"}, {G11, "", "buffer_store_b64 v[20:21], v1, s[4:7], s8 offen"},
    {G9, "", "buffer_load_short_d16_hi v16, off, s[4:7], s8 offset:4"}, {G9, "", "buffer_store_short_d16_hi v20, v1, s[4:7], 0 offen"},

    /* Through helpers: indexed buffers, loads to LDS. */
    {G9, "v_lshlrev_b32 v20, 1, v0\n", "buffer_load_dword v16, v0, s[4:7], 0 idxen"}, {G9, "", "buffer_load_dwordx2 v[16:17], v0, s[4:7], s8 idxen offset:4"},
    {G9, "v_lshlrev_b32 v20, 1, v0\n", "buffer_store_dword v20, v0, s[4:7], 0 idxen"}, {G9, "", "buffer_atomic_add v20, v0, s[4:7], 0 idxen glc"},
    {G94, SHIFT(2), "buffer_load_dword v1, s[4:7], 0 offen offset:4 lds"}, {G94, SHIFT(2), "global_load_lds_dword v1, s[0:1] offset:4"},
    {G94, "", "global_load_lds_dword v[2:3], off"}, {G94, "", "global_load_lds_sshort v[2:3], off"},

    /* Atomics. */
    {G9, "", "global_atomic_add v[2:3], v20, off"}, {G9, "", "global_atomic_add v16, v[2:3], v20, off glc"}, {G9, SAME, "global_atomic_add v1, v20, s[0:1]"},
    {G9, "", "global_atomic_sub v[2:3], v20, off"}, {G9, "", "global_atomic_smin v[2:3], v20, off"}, {G9, "", "global_atomic_umax v16, v1, v20, s[0:1] glc"},
    {G9, "", "global_atomic_smax v[2:3], v20, off"}, {G9, "", "global_atomic_umin v[2:3], v20, off"}, {G9, "", "global_atomic_and v[2:3], v20, off"},
    {G9, "", "global_atomic_or v[2:3], v20, off"}, {G9, "", "global_atomic_xor v[2:3], v20, off"}, {G9, "", "global_atomic_inc v16, v[2:3], v20, off glc"},
    {G9, "", "global_atomic_dec v16, v[2:3], v20, off glc"}, {G9, "", "global_atomic_swap v16, v[2:3], v20, off glc"},
    {G9, "", "global_atomic_cmpswap v16, v[2:3], v[20:21], off glc"}, {G9, "", "global_atomic_add_x2 v[16:17], v[2:3], v[20:21], off glc"},
    {G9, "", "global_atomic_cmpswap_x2 v[16:17], v[2:3], v[20:23], off glc"}, {G9, "", "global_atomic_umin_x2 v[2:3], v[20:21], off"},
    {G90, "", "global_atomic_add_f32 v[2:3], v20, off"}, {G90, "", "global_atomic_add_f64 v[2:3], v[20:21], off"},
    {G90, "", "global_atomic_max_f64 v[16:17], v[2:3], v[20:21], off glc"}, {G9, "", "flat_atomic_add v16, v[2:3], v20 glc"},
    {G9, "", "flat_atomic_cmpswap v[2:3], v[20:21]"}, {G9, "", "flat_atomic_add_x2 v[16:17], v[2:3], v[20:21] glc"},
    {G9, "", "ds_add_u32 v1, v20"}, {G9, SHIFT(2), "ds_add_u32 v1, v20"}, {G9, SAME, "ds_add_u32 v1, v20"}, {G9, "", "ds_add_rtn_u32 v16, v1, v20"},
    {G9, "", "ds_sub_u32 v1, v20"}, {G9, "", "ds_rsub_rtn_u32 v16, v1, v20"}, {G9, "", "ds_inc_rtn_u32 v16, v1, v20"}, {G9, "", "ds_dec_u32 v1, v20"},
    {G9, "", "ds_min_i32 v1, v20"}, {G9, "", "ds_max_u32 v1, v20"}, {G9, "", "ds_and_b32 v1, v20"}, {G9, "", "ds_or_rtn_b32 v16, v1, v20"},
    {G9, "", "ds_xor_b32 v1, v20"}, {G9, "", "ds_mskor_b32 v1, v20, v21"}, {G9, "", "ds_cmpst_b32 v1, v20, v21"},
    {G9, "", "ds_cmpst_rtn_b32 v16, v1, v20, v21 offset:4"}, {G9, "", "ds_wrxchg_rtn_b32 v16, v1, v20"}, {G9, "", "ds_add_f32 v1, v20"},
    {G9, "", "ds_add_rtn_f32 v16, v1, v20"}, {G9, "", "ds_min_f32 v1, v20"}, {G9, "", "ds_add_u64 v1, v[20:21]"}, {G9, "", "ds_max_i64 v1, v[20:21]"},
    {G9, "", "ds_cmpst_rtn_b64 v[16:17], v1, v[20:21], v[22:23]"}, {G9, "", "ds_max_rtn_f64 v[16:17], v1, v[20:21]"}, {G9, "", "ds_wrap_rtn_b32 v16, v1, v20, v21"},
    {G11, "", "ds_cmpstore_rtn_b32 v16, v1, v20, v21"}, {G11, "", "ds_cmpstore_b64 v1, v[20:21], v[22:23]"},
    {G10, "", "global_atomic_csub v16, v[2:3], v20, off glc"}, {G11, "", "global_atomic_add_f32 v16, v[2:3], v20, off glc"},
    {G12, "", "global_atomic_add_u32 v16, v[2:3], v20, off th:TH_ATOMIC_RETURN"},
    {G94, "", "buffer_atomic_add v20, v1, s[4:7], 0 offen"}, {G94, "", "buffer_atomic_swap v20, v1, s[4:7], 0 offen sc0"},
};
