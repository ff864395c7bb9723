// One kernel and its metadata. Two such objects with other NAMEs, linked, make a code object with two notes, as libraries of
// assembled kernels have them.
        .amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
        .text
        .globl NAME
        .p2align 8
        .type NAME,@function
NAME:
        s_endpgm
        .size NAME, 4

        .rodata
        .p2align 6
        .amdhsa_kernel NAME
                .amdhsa_next_free_vgpr 8
                .amdhsa_next_free_sgpr 16
                .amdhsa_accum_offset 8
                .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .end_amdhsa_kernel

        .amdgpu_metadata
        amdhsa.version:
          - 1
          - 1
        amdhsa.kernels:
          - .name: NAME
            .symbol: NAME.kd
            .kernarg_segment_size: 24
            .kernarg_segment_align: 8
            .group_segment_fixed_size: 0
            .private_segment_fixed_size: 0
            .wavefront_size: 64
            .max_flat_workgroup_size: 256
            .sgpr_count: 16
            .vgpr_count: 8
            .args:
              - .offset: 0
                .size: 8
                .value_kind: by_value
              - .offset: 8
                .size: 12
                .value_kind: by_value
        .end_amdgpu_metadata
