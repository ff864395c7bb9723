// Two MiB of data that no two pages have in common, in a segment that is not written and in one that is; and a pointer to it.
        .amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
        .macro numbers
        .set n, 0
        .rept 65536
        .quad n * 0x9e3779b97f4a7c15
        .set n, n + 1
        .endr
        .endm

        .section .rodata,"a"
        .p2align 4
        .globl constant
        .type constant,@object
constant:
        .rept 2
        numbers
        .endr
        .size constant, . - constant

        .data
        .p2align 4
        .globl variable
        .type variable,@object
variable:
        .rept 2
        numbers
        .endr
        .size variable, . - variable
        .globl pointer
        .type pointer,@object
pointer:
        .quad constant
        .size pointer, 8
