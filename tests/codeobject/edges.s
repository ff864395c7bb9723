// What compilers emit rarely: a symbol that nothing defines, dynamic relocations of every kind, a kernel without metadata.
        .amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
        .text
        .globl bare
        .p2align 8
        .type bare,@function
bare:
        s_endpgm
.Lbare_end:
        .size bare, .Lbare_end-bare

        .globl helper
        .p2align 2
        .type helper,@function
helper:
        s_setpc_b64 s[30:31]
        .size helper, 4

        .rodata
        .p2align 6
        .amdhsa_kernel bare
                .amdhsa_next_free_vgpr 24
                .amdhsa_next_free_sgpr 16
                .amdhsa_accum_offset 12
                .amdhsa_group_segment_fixed_size 128
                .amdhsa_private_segment_fixed_size 32
                .amdhsa_kernarg_size 40
                .amdhsa_user_sgpr_dispatch_ptr 1
                .amdhsa_user_sgpr_kernarg_segment_ptr 1
                .amdhsa_system_sgpr_workgroup_id_y 1
                .amdhsa_system_vgpr_workitem_id 1
                .amdhsa_float_round_mode_32 3
                .amdhsa_float_denorm_mode_32 0
                .amdhsa_ieee_mode 0
        .end_amdhsa_kernel

        .data
        .p2align 4
        .globl references
        .type references,@object
references:
        .quad missing_weak        // undefined and weak: 0
        .quad helper              // R_AMDGPU_ABS64 or RELATIVE64
        .quad references + 16     // itself
        .size references, 24
        .weak missing_weak
