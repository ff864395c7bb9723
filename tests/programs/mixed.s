// Two kernels, for waves of 32 and of 64 lanes, that call one function: out[work item] = 3 * work item + 7.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1030"
	.text

	.p2align 8
	.type f,@function
f:
	v_mul_u32_u24_e32 v2, 3, v0
	v_add_nc_u32_e32 v2, 7, v2
	s_setpc_b64 s[30:31]
.Lf_end:
	.size f, .Lf_end-f

	.macro kernel name
	.globl \name
	.p2align 8
	.type \name,@function
\name:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, f@rel32@lo+4
	s_addc_u32 s5, s5, f@rel32@hi+12
	s_swappc_b64 s[30:31], s[4:5]
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v2, s[2:3]
	s_endpgm
.L\name\()_end:
	.size \name, .L\name\()_end-\name
	.endm
	kernel k32
	kernel k64

	.rodata
	.p2align 6
	.amdhsa_kernel k32
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 8
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 32
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
	.p2align 6
	.amdhsa_kernel k64
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 8
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 32
		.amdhsa_wavefront_size32 0
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1030
amdhsa.kernels:
  - .name: k32
    .symbol: k32.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 32
    .vgpr_count: 4
    .max_flat_workgroup_size: 1024
    .args: [{.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}]
  - .name: k64
    .symbol: k64.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 4
    .max_flat_workgroup_size: 1024
    .args: [{.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}]
...
	.end_amdgpu_metadata
