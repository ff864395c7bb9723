// Kernels in assembly, each with one access whose place the argument `n` (bytes) decides: assembly.hip passes one that is in bounds, or one
// that is not. Assembled for each processor, with line tables.
//
//     s[4:5] p (256 bytes)   s[6:7] q (512 bytes)   s8 n, s9 its sign   v0 the work item   v1 4 * v0   v2 4 * v0 + n   v[4:5] p + v2
//     s[12:15] a buffer at p without a range

#if defined(__gfx90a__) || defined(__gfx906__)
#define GFX9 1
#define WAVE 64
#define VCC vcc
#define NOWHERE vcc
#define WORD3 0x00027000
#define ARGUMENTS s[4:5]
#define ADD v_add_u32
#define WAVE_SCRATCH s9
#else
#define WAVE 32
#define VCC vcc_lo
#define NOWHERE null
#define WORD3 0x31016000
#define ARGUMENTS s[0:1]
#define ADD v_add_nc_u32
#endif
#ifdef __gfx1201__
#define ZERO null
#define WAIT_SCALAR s_wait_kmcnt 0x0
#define WAIT_LDS s_wait_dscnt 0x0
#define WAIT_LOADS s_wait_loadcnt 0x0
#define WAIT_STORES s_wait_storecnt 0x0
#define PAST_CACHE scope:SCOPE_DEV
#define RETURNS th:TH_ATOMIC_RETURN scope:SCOPE_DEV
#define INVALIDATE global_inv scope:SCOPE_DEV
#define WAIT_FOR_FIRST_LOAD s_wait_loadcnt 0x1
#define WAIT_FOR_FIRST_LDS s_wait_dscnt 0x1
#define WAIT_FOR_FIRST_SCALAR s_wait_kmcnt 0x1
#else
#define ZERO 0
#define PAST_CACHE glc
#define RETURNS glc
#ifdef GFX9
#define WAIT_STORES s_waitcnt vmcnt(0)
#define INVALIDATE buffer_wbinvl1_vol
#else
#define WAIT_STORES s_waitcnt_vscnt null, 0x0
#define INVALIDATE buffer_gl1_inv
#endif
#define WAIT_SCALAR s_waitcnt lgkmcnt(0)
#define WAIT_LDS s_waitcnt lgkmcnt(0)
#define WAIT_LOADS s_waitcnt vmcnt(0)
#define WAIT_FOR_FIRST_LOAD s_waitcnt vmcnt(1)
#define WAIT_FOR_FIRST_LDS s_waitcnt lgkmcnt(1)
#define WAIT_FOR_FIRST_SCALAR s_waitcnt lgkmcnt(1)
#endif

// The kernel's beginning, and its descriptor.
.macro kernel name, lds=0, scratch=0
  .text
  .globl \name
  .p2align 8
  .type \name,@function
\name:
#ifdef GFX9
  s_add_u32 flat_scratch_lo, s6, WAVE_SCRATCH
  s_addc_u32 flat_scratch_hi, s7, 0
  s_mov_b64 s[0:1], ARGUMENTS
  s_mov_b32 m0, -1
#endif
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dword s8, s[0:1], 0x10
  v_and_b32 v0, 0x3ff, v0
  v_lshlrev_b32 v1, 2, v0
  WAIT_SCALAR
  s_ashr_i32 s9, s8, 31
  s_add_u32 s10, s4, s8
  s_addc_u32 s11, s5, s9
  ADD v2, s8, v1
  v_mad_u64_u32 v[4:5], NOWHERE, v1, 1, s[10:11]
  s_mov_b32 s12, s4
  s_and_b32 s13, s5, 0xffff
  s_mov_b32 s14, -1
  s_mov_b32 s15, WORD3
  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_group_segment_fixed_size \lds
    .amdhsa_private_segment_fixed_size \scratch
    .amdhsa_kernarg_size 20
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
#ifdef GFX9
    .amdhsa_user_sgpr_private_segment_buffer 1
    .amdhsa_user_sgpr_flat_scratch_init 1
    .amdhsa_system_sgpr_private_segment_wavefront_offset 1
#else
    .amdhsa_wavefront_size32 1
    .amdhsa_enable_private_segment 1
#endif
#ifdef __gfx90a__
    .amdhsa_accum_offset 32
#endif
    .amdhsa_next_free_vgpr 32
    .amdhsa_next_free_sgpr 32
  .end_amdhsa_kernel
  .text
.endm
.macro end
  s_endpgm
.endm
.macro meet
  WAIT_LDS
#ifdef __gfx1201__
  s_barrier_signal -1
  s_barrier_wait -1
#else
  s_barrier
#endif
.endm
// Each work item writes a dword of LDS.
.macro fill_lds
  ds_write_b32 v1, v0
  meet
.endm

// ---- global memory ----

kernel global_store
  global_store_dword v2, v0, s[4:5]        // FAULT: memcheck out-of-bounds-write
end

kernel global_load_wide
  v_lshlrev_b32 v3, 2, v1
  v_and_b32 v3, 0xf0, v3
  v_mad_u64_u32 v[4:5], NOWHERE, v3, 1, s[10:11]
  global_load_dwordx4 v[8:11], v[4:5], off // FAULT: memcheck out-of-bounds-read
  WAIT_LOADS
  global_store_dword v1, v8, s[6:7]
end

kernel global_half
  global_load_short_d16_hi v8, v2, s[4:5] offset:2 // FAULT: memcheck out-of-bounds-read
  WAIT_LOADS
  global_store_dword v1, v8, s[6:7]
end

kernel flat_store
  flat_store_byte v[4:5], v0               // FAULT: memcheck out-of-bounds-write
end

kernel flat_load
  flat_load_ushort v8, v[4:5]              // FAULT: memcheck out-of-bounds-read
#ifdef __gfx1201__
  s_wait_loadcnt_dscnt 0x0
#else
  s_waitcnt vmcnt(0) lgkmcnt(0)
#endif
  global_store_dword v1, v8, s[6:7]
end

kernel one_lane
  v_cmp_eq_u32 VCC, 5, v0
#ifdef GFX9
  s_and_saveexec_b64 s[10:11], vcc
#else
  s_and_saveexec_b32 s10, vcc_lo
#endif
  global_store_dword v2, v0, s[4:5]        // FAULT: memcheck out-of-bounds-write
end

kernel freed
  global_load_dword v8, v1, s[4:5]         // FAULT: memcheck use-after-free-read
  WAIT_LOADS
  global_store_dword v1, v8, s[6:7]
end

kernel in_a_subroutine
  s_getpc_b64 s[10:11]
  s_add_u32 s10, s10, write_it@rel32@lo + 4
  s_addc_u32 s11, s11, write_it@rel32@hi + 12
  s_swappc_b64 s[30:31], s[10:11]
end

  .p2align 6
  .type write_it,@function
write_it:
  global_store_dword v2, v0, s[4:5]        // FAULT: memcheck out-of-bounds-write
  s_setpc_b64 s[30:31]

// ---- atomics ----

kernel global_add
  global_atomic_add v2, v0, s[4:5]         // FAULT: memcheck out-of-bounds-atomic
end

kernel flat_swap
  flat_atomic_swap v[4:5], v0              // FAULT: memcheck out-of-bounds-atomic
end

kernel exchange_wide
  v_mov_b32 v8, 0
  v_mov_b32 v9, 0
  v_mov_b32 v10, 0
  v_mov_b32 v11, 0
  v_mov_b32 v3, s8
  global_atomic_cmpswap_x2 v3, v[8:11], s[4:5] // FAULT: memcheck out-of-bounds-atomic
end

kernel odd_add
  global_atomic_add v2, v0, s[4:5]         // FAULT: memcheck misaligned-atomic
end

kernel freed_or
  global_atomic_or v1, v0, s[4:5]          // FAULT: memcheck use-after-free-atomic
end

// ---- the scalar unit ----

kernel scalar_load
  s_load_dwordx2 s[16:17], s[4:5], s8      // FAULT: memcheck out-of-bounds-read
  WAIT_SCALAR
  v_mov_b32 v8, s16
  global_store_dword v1, v8, s[6:7]
end

kernel scalar_buffer
  s_buffer_load_dword s16, s[12:15], s8    // FAULT: memcheck out-of-bounds-read
  WAIT_SCALAR
  v_mov_b32 v8, s16
  global_store_dword v1, v8, s[6:7]
end

// ---- buffers ----

kernel buffer_load
  buffer_load_dword v8, v2, s[12:15], ZERO offen // FAULT: memcheck out-of-bounds-read
  WAIT_LOADS
  global_store_dword v1, v8, s[6:7]
end

kernel buffer_store
  buffer_store_short v0, v1, s[12:15], s8 offen // FAULT: memcheck out-of-bounds-write
end

kernel buffer_add
  buffer_atomic_add v0, v2, s[12:15], ZERO offen // FAULT: memcheck out-of-bounds-atomic
end

// Four components of 32 bits, of which the last is out of bounds.
kernel buffer_typed
  v_lshlrev_b32 v3, 2, v1
  v_and_b32 v3, 0xf0, v3
#ifdef GFX9
  tbuffer_load_format_xyzw v[8:11], v3, s[12:15], s8 format:[BUF_DATA_FORMAT_32_32_32_32,BUF_NUM_FORMAT_FLOAT] offen // FAULT: memcheck out-of-bounds-read @gfx90a,gfx906
#else
  tbuffer_load_format_xyzw v[8:11], v3, s[12:15], s8 format:[BUF_FMT_32_32_32_32_FLOAT] offen // FAULT: memcheck out-of-bounds-read @gfx1100,gfx1201
#endif
  WAIT_LOADS
  global_store_dword v1, v11, s[6:7]
end

// ---- LDS: 256 bytes ----

kernel lds_write lds=256
  ds_write_b32 v2, v0                      // FAULT: memcheck lds-out-of-bounds-write
end

// The second address alone.
kernel lds_pair lds=256
  fill_lds
#ifdef GFX9
  v_sub_u32 v3, v2, v1
#else
  v_sub_nc_u32 v3, v2, v1
#endif
  ds_read2_b32 v[8:9], v3 offset1:48       // FAULT: memcheck lds-out-of-bounds-read
  WAIT_LDS
  global_store_dword v1, v9, s[6:7]
end

kernel lds_add lds=256
  fill_lds
  ds_add_rtn_u32 v8, v2, v0                // FAULT: memcheck lds-out-of-bounds-atomic
  WAIT_LDS
  global_store_dword v1, v8, s[6:7]
end

kernel lds_wide lds=256
  v_cmp_gt_u32 VCC, 16, v0
#ifdef GFX9
  s_and_saveexec_b64 s[10:11], vcc
#else
  s_and_saveexec_b32 s10, vcc_lo
#endif
  v_mov_b32 v8, 1
  v_mov_b32 v9, 2
  v_mov_b32 v10, 3
  v_mov_b32 v11, 4
  v_lshlrev_b32 v3, 2, v1
#ifdef GFX9
  v_add_u32 v3, s8, v3
#else
  v_add_nc_u32 v3, s8, v3
#endif
  ds_write_b128 v3, v[8:11]                // FAULT: memcheck lds-out-of-bounds-write
end

// Through a flat address.
kernel flat_to_lds lds=256
  s_mov_b64 s[10:11], src_shared_base
  v_mov_b32 v3, s11
  flat_store_dword v[2:3], v0              // FAULT: memcheck lds-out-of-bounds-write
end

// ---- private memory: 64 bytes ----

kernel scratch_write scratch=64
  v_mov_b32 v3, s8
  scratch_store_dword v3, v0, off          // FAULT: memcheck scratch-out-of-bounds-write
end

kernel scratch_read scratch=64
  v_mov_b32 v8, 1
  s_mov_b32 s10, 0
  scratch_store_dword off, v8, s10
  scratch_load_dword v8, off, s8           // FAULT: memcheck scratch-out-of-bounds-read
  WAIT_LOADS
  global_store_dword v1, v8, s[6:7]
end

kernel flat_to_scratch scratch=64
  s_mov_b64 s[10:11], src_private_base
  v_mov_b32 v2, s8
  v_mov_b32 v3, s11
  flat_store_dword v[2:3], v0              // FAULT: memcheck scratch-out-of-bounds-write
end

// ---- of some processors alone ----

#ifdef __gfx90a__
kernel add_doubles
  v_mov_b32 v8, 0
  v_mov_b32 v9, 0
  v_mov_b32 v3, s8
  global_atomic_add_f64 v3, v[8:9], s[4:5] // FAULT: memcheck out-of-bounds-atomic @gfx90a
end

kernel add_halves
  global_atomic_pk_add_f16 v2, v0, s[4:5]  // FAULT: memcheck out-of-bounds-atomic @gfx90a
end

kernel lds_add_doubles lds=256
  fill_lds
  v_mov_b32 v8, 0
  v_mov_b32 v9, 0
  v_mov_b32 v3, s8
  ds_add_f64 v3, v[8:9]                    // FAULT: memcheck lds-out-of-bounds-atomic @gfx90a
end
#endif

#ifdef GFX9
kernel scalar_store
  s_mov_b32 s16, 7
  s_store_dword s16, s[4:5], s8            // FAULT: memcheck out-of-bounds-write @gfx90a,gfx906
  s_dcache_wb
end

kernel buffer_to_lds lds=256
  s_mov_b32 m0, 0
  buffer_load_dword v2, s[12:15], 0 offen lds // FAULT: memcheck out-of-bounds-read @gfx90a,gfx906
  s_waitcnt vmcnt(0)
end

// The copy itself is in bounds, its place in LDS is not.
kernel beyond_lds lds=256
  s_mov_b32 m0, s8
  buffer_load_dword v1, s[12:15], 0 offen lds // FAULT: memcheck lds-out-of-bounds-write @gfx90a,gfx906
  s_waitcnt vmcnt(0)
end
#endif

#ifdef __gfx906__
// The second operand is 16 dwords behind the first.
kernel lds_two_sources lds=256
  fill_lds
  v_mov_b32 v3, s8
  ds_add_src2_u32 v3 offset:16             // FAULT: memcheck lds-out-of-bounds-atomic|lds-out-of-bounds-read @gfx906
end

kernel lds_conditional lds=256
  fill_lds
  v_mov_b32 v3, s8
  v_mov_b32 v8, 0
  v_mov_b32 v9, 0
  ds_condxchg32_rtn_b64 v[10:11], v3, v[8:9] // FAULT: memcheck lds-out-of-bounds-atomic @gfx906
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v10, s[6:7]
end
#endif

#ifdef __gfx1100__
kernel add_floats
  global_atomic_add_f32 v2, v0, s[4:5]     // FAULT: memcheck out-of-bounds-atomic @gfx1100
end

kernel by_lane
  s_add_u32 s4, s4, s8
  s_addc_u32 s5, s5, s9
  global_load_addtid_b32 v8, s[4:5]        // FAULT: memcheck out-of-bounds-read @gfx1100
  s_waitcnt vmcnt(0)
  global_store_dword v1, v8, s[6:7]
end
#endif

#ifdef __gfx1201__
// Matrices of 16-bit elements, loaded transposed: a wave reads 512 bytes of q, 16 for each lane.
kernel transposed
  v_and_b32 v3, 31, v0
  v_lshlrev_b32 v3, 4, v3
  v_add_nc_u32 v3, s8, v3
  global_load_tr_b128 v[8:11], v3, s[6:7]  // FAULT: memcheck out-of-bounds-read @gfx1201
  s_wait_loadcnt 0x0
  global_store_dword v1, v8, s[4:5]
end
#endif

// ---- results that are used before they are there: behind the branch the wait is missing ----

kernel early_store
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  global_load_dword v8, v1, s[4:5]
  WAIT_LOADS
  global_store_dword v1, v8, s[6:7]
  s_endpgm
1:
  global_load_dword v8, v1, s[4:5]         // OTHER: #early_store
  global_store_dword v1, v8, s[6:7]        // FAULT: racecheck missing-wait #early_store
end

kernel early_second
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  global_load_dword v8, v1, s[4:5]
  global_load_dword v9, v1, s[6:7]
  WAIT_LOADS
  v_xor_b32 v8, v8, v9
  WAIT_LOADS
  global_store_dword v1, v8, s[6:7]
  s_endpgm
1:
  global_load_dword v8, v1, s[4:5]
  global_load_dword v9, v1, s[6:7]         // OTHER: #early_second
  WAIT_FOR_FIRST_LOAD
  v_xor_b32 v8, v8, v9                     // FAULT: racecheck missing-wait #early_second
  WAIT_LOADS
  global_store_dword v1, v8, s[6:7]
end

kernel early_overwritten
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  global_load_dword v8, v1, s[4:5]
  WAIT_LOADS
  v_mov_b32 v8, v0
  WAIT_LOADS
  global_store_dword v1, v8, s[6:7]
  s_endpgm
1:
  global_load_dword v8, v1, s[4:5]         // OTHER: #early_overwritten
  v_mov_b32 v8, v0                         // FAULT: racecheck missing-wait #early_overwritten
  WAIT_LOADS
  global_store_dword v1, v8, s[6:7]
end

kernel early_lds, 256
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  ds_write_b32 v1, v0
  ds_read_b32 v8, v1
  WAIT_LDS
  v_xor_b32 v8, v8, v0
  WAIT_LDS
  global_store_dword v1, v8, s[6:7]
  s_endpgm
1:
  ds_write_b32 v1, v0
  ds_read_b32 v8, v1                       // OTHER: #early_lds
  WAIT_FOR_FIRST_LDS
  v_xor_b32 v8, v8, v0                     // FAULT: racecheck missing-wait #early_lds
  WAIT_LDS
  global_store_dword v1, v8, s[6:7]
end

kernel early_scalar
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  s_load_dword s16, s[4:5], 0x0
  WAIT_SCALAR
  v_mov_b32 v8, s16
  WAIT_SCALAR
  global_store_dword v1, v8, s[6:7]
  s_endpgm
1:
  s_load_dword s16, s[4:5], 0x0            // OTHER: #early_scalar
  v_mov_b32 v8, s16                        // FAULT: racecheck missing-wait #early_scalar
  WAIT_SCALAR
  global_store_dword v1, v8, s[6:7]
end

kernel early_of_scalars
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  s_load_dword s16, s[4:5], 0x0
  s_load_dword s17, s[4:5], 0x4
  WAIT_SCALAR
  v_mov_b32 v8, s16
  WAIT_SCALAR
  global_store_dword v1, v8, s[6:7]
  s_endpgm
1:
  s_load_dword s16, s[4:5], 0x0            // OTHER: #early_of_scalars
  s_load_dword s17, s[4:5], 0x4
  WAIT_FOR_FIRST_SCALAR
  v_mov_b32 v8, s16                        // FAULT: racecheck missing-wait #early_of_scalars
  WAIT_SCALAR
  global_store_dword v1, v8, s[6:7]
end

kernel early_copy
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  s_load_dword s16, s[4:5], 0x0
  v_mov_b32 v8, 0
  WAIT_SCALAR
  s_mov_b32 s17, s16
  WAIT_SCALAR
  global_store_dword v1, v8, s[6:7]
  s_endpgm
1:
  s_load_dword s16, s[4:5], 0x0            // OTHER: #early_copy
  v_mov_b32 v8, 0
  WAIT_LOADS
  s_mov_b32 s17, s16                       // FAULT: racecheck missing-wait #early_copy
  WAIT_SCALAR
  global_store_dword v1, v8, s[6:7]
end

// ---- the same, where the load or the missing wait is in another basic block ----

kernel early_behind_branch
  global_load_dword v8, v1, s[4:5]         // OTHER: #early_behind_branch
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  WAIT_LOADS
1:
  global_store_dword v1, v8, s[6:7]        // FAULT: racecheck missing-wait #early_behind_branch
end

// Of two loads the second one is not waited for.
kernel early_of_two
  global_load_dword v8, v1, s[4:5]
  global_load_dword v9, v1, s[6:7]         // OTHER: #early_of_two
  WAIT_FOR_FIRST_LOAD
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  WAIT_LOADS
1:
  v_xor_b32 v8, v8, v0
  s_cmp_eq_u32 s8, 2
  s_cbranch_scc1 2f
  v_xor_b32 v8, v8, v9                     // FAULT: racecheck missing-wait #early_of_two
2:
  WAIT_LOADS
  global_store_dword v1, v8, s[6:7]
end

// The next round of the loop uses what this one loads.
kernel early_in_round
  v_mov_b32 v8, 0
  v_mov_b32 v9, 0
  s_mov_b32 s16, 3
1:
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 2f
  WAIT_LOADS
2:
  v_xor_b32 v9, v9, v8                     // FAULT: racecheck missing-wait #early_in_round
  global_load_dword v8, v1, s[4:5]         // OTHER: #early_in_round
  s_sub_u32 s16, s16, 1
  s_cmp_lg_u32 s16, 0
  s_cbranch_scc1 1b
  WAIT_LOADS
  global_store_dword v1, v9, s[6:7]
end

// A loop with two loads under way waits for the older one; in the fault it uses the younger one, too.
kernel early_in_pipeline
  global_load_dword v8, v1, s[4:5]
  s_mov_b32 s16, 3
1:
  global_load_dword v9, v1, s[6:7]         // OTHER: #early_in_pipeline
  WAIT_FOR_FIRST_LOAD
  v_xor_b32 v10, v8, v0
  s_cmp_eq_u32 s8, 0
  s_cbranch_scc1 2f
  v_xor_b32 v10, v10, v9                   // FAULT: racecheck missing-wait #early_in_pipeline
2:
  global_load_dword v8, v1, s[4:5]
  WAIT_FOR_FIRST_LOAD
  v_xor_b32 v10, v10, v9
  s_sub_u32 s16, s16, 1
  s_cmp_lg_u32 s16, 0
  s_cbranch_scc1 1b
  global_store_dword v1, v10, s[6:7]
  WAIT_LOADS
end

kernel early_scalar_behind
  s_load_dword s16, s[4:5], 0x0            // OTHER: #early_scalar_behind
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  WAIT_SCALAR
1:
  s_mov_b32 s17, s16                       // FAULT: racecheck missing-wait #early_scalar_behind
  v_mov_b32 v8, s17
  global_store_dword v1, v8, s[6:7]
end

kernel early_lds_behind, 256
  ds_write_b32 v1, v0
  ds_read_b32 v8, v1                       // OTHER: #early_lds_behind
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  WAIT_LDS
1:
  v_xor_b32 v8, v8, v0                     // FAULT: racecheck missing-wait #early_lds_behind
  global_store_dword v1, v8, s[6:7]
end

#ifdef GFX9
// The global wave sync unit reads the register after the instruction was issued.
kernel early_data
  v_mov_b32 v8, 0
  s_mov_b32 m0, 0
  ds_gws_init v8 gds                       // OTHER: #early_data
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  s_waitcnt expcnt(0)
1:
  v_mov_b32 v8, v0                         // FAULT: racecheck missing-wait #early_data @gfx90a,gfx906
  s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
  global_store_dword v1, v8, s[6:7]
end
#endif

// The first wave stores, and then sets a flag; in the fault without a wait in between. The others wait for the flag.
kernel early_flag
  v_mov_b32 v10, 1
  v_mov_b32 v11, 0
  global_atomic_add v8, v11, v10, s[6:7] offset:400 RETURNS
  WAIT_LOADS
  v_readfirstlane_b32 s16, v8
  s_cmp_lg_u32 s16, 0
  s_cbranch_scc1 2f
  global_store_dword v1, v0, s[6:7]        // OTHER: #early_flag
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  WAIT_STORES
1:
  global_store_dword v11, v10, s[6:7] offset:384
  s_endpgm
2:
  global_load_dword v9, v11, s[6:7] offset:384 PAST_CACHE
  WAIT_LOADS
  INVALIDATE
  v_readfirstlane_b32 s17, v9
  s_cmp_eq_u32 s17, 0
  s_cbranch_scc1 2b
  global_load_dword v9, v1, s[6:7]         // FAULT: racecheck race-workgroups|race-waves #early_flag
  WAIT_LOADS
end

// The second half of the work items sets a flag each. The first half waits for it: it looks once, makes the address anew, and looks in a loop. In
// the fault it looks at the flags without waiting for them.
kernel flags_of_lanes, 512
  v_mov_b32 v10, 1
  v_mov_b32 v11, 0
  ds_write_b32 v1, v11
  meet
  v_readfirstlane_b32 s16, v0
  s_cmp_ge_u32 s16, 64
  s_cbranch_scc1 4f
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 3f
  ds_read_b32 v8, v1 offset:256
  WAIT_LDS
  v_cmp_eq_u32 VCC, 0, v8
  s_cbranch_vccz 2f
  ADD v9, 0x100, v1
1:
  ds_read_b32 v8, v9
  WAIT_LDS
  v_cmp_eq_u32 VCC, 0, v8
  s_cbranch_vccnz 1b
2:
  global_store_dword v1, v8, s[6:7]
  s_endpgm
3:
  ds_read_b32 v8, v1 offset:256            // FAULT: racecheck race-waves #flags_of_lanes
  WAIT_LDS
  s_branch 2b
4:
  ds_write_b32 v1, v10                     // OTHER: #flags_of_lanes
end

// ---- what the loader knows of them ----

#define POINTER(OFFSET) {.size: 8, .offset: OFFSET, .value_kind: global_buffer, .address_space: global}
#define ENTRY(NAME, LDS, SCRATCH) \
  - {.name: NAME, .symbol: NAME.kd, .kernarg_segment_size: 20, .kernarg_segment_align: 8, .group_segment_fixed_size: LDS, \
     .private_segment_fixed_size: SCRATCH, .wavefront_size: WAVE, .sgpr_count: 40, .vgpr_count: 32, .max_flat_workgroup_size: 1024, \
     .args: [POINTER(0), POINTER(8), {.size: 4, .offset: 16, .value_kind: by_value}]}

  .amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  ENTRY(global_store, 0, 0)
  ENTRY(global_load_wide, 0, 0)
  ENTRY(global_half, 0, 0)
  ENTRY(flat_store, 0, 0)
  ENTRY(flat_load, 0, 0)
  ENTRY(one_lane, 0, 0)
  ENTRY(freed, 0, 0)
  ENTRY(in_a_subroutine, 0, 0)
  ENTRY(global_add, 0, 0)
  ENTRY(flat_swap, 0, 0)
  ENTRY(exchange_wide, 0, 0)
  ENTRY(odd_add, 0, 0)
  ENTRY(freed_or, 0, 0)
  ENTRY(scalar_load, 0, 0)
  ENTRY(scalar_buffer, 0, 0)
  ENTRY(buffer_load, 0, 0)
  ENTRY(buffer_store, 0, 0)
  ENTRY(buffer_add, 0, 0)
  ENTRY(buffer_typed, 0, 0)
  ENTRY(lds_write, 256, 0)
  ENTRY(lds_pair, 256, 0)
  ENTRY(lds_add, 256, 0)
  ENTRY(lds_wide, 256, 0)
  ENTRY(flat_to_lds, 256, 0)
  ENTRY(scratch_write, 0, 64)
  ENTRY(scratch_read, 0, 64)
  ENTRY(flat_to_scratch, 0, 64)
  ENTRY(early_store, 0, 0)
  ENTRY(early_second, 0, 0)
  ENTRY(early_overwritten, 0, 0)
  ENTRY(early_lds, 256, 0)
  ENTRY(early_scalar, 0, 0)
  ENTRY(early_of_scalars, 0, 0)
  ENTRY(early_copy, 0, 0)
  ENTRY(early_behind_branch, 0, 0)
  ENTRY(early_of_two, 0, 0)
  ENTRY(early_in_round, 0, 0)
  ENTRY(early_in_pipeline, 0, 0)
  ENTRY(early_scalar_behind, 0, 0)
  ENTRY(early_lds_behind, 256, 0)
#ifdef GFX9
  ENTRY(early_data, 0, 0)
#endif
  ENTRY(early_flag, 0, 0)
  ENTRY(flags_of_lanes, 512, 0)
#ifdef __gfx90a__
  ENTRY(add_doubles, 0, 0)
  ENTRY(add_halves, 0, 0)
  ENTRY(lds_add_doubles, 256, 0)
#endif
#ifdef GFX9
  ENTRY(scalar_store, 0, 0)
  ENTRY(buffer_to_lds, 256, 0)
  ENTRY(beyond_lds, 256, 0)
#endif
#ifdef __gfx906__
  ENTRY(lds_two_sources, 256, 0)
  ENTRY(lds_conditional, 256, 0)
#endif
#ifdef __gfx1100__
  ENTRY(add_floats, 0, 0)
  ENTRY(by_lane, 0, 0)
#endif
#ifdef __gfx1201__
  ENTRY(transposed, 0, 0)
#endif
  .end_amdgpu_metadata
