// A 64-bit reference to something that nothing defines: loading must say so.
        .amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
        .data
        .p2align 4
        .globl reference
        .type reference,@object
reference:
        .quad nowhere
        .size reference, 8
