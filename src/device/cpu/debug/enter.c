/* Assembly: it has no lines, so that gdb steps over it. */
#include "device/cpu/debug/debug.h"

#include "debug/frame.h"

#ifdef __x86_64__
_Static_assert(offsetof(struct wl_debug_context, kernel) == 8 && offsetof(struct wl_debug_context, slot) == 16 &&
                   offsetof(struct wl_debug_context, result) == 24 && offsetof(struct wl_debug_context, exit) == 32 &&
                   offsetof(struct wl_debug_context, within) == 40,
               "known to the assembly");
_Static_assert(WL_EXIT_END == 0, "the same");
_Static_assert(offsetof(struct wl_debug_frame, rsp) == 64 && offsetof(struct wl_debug_frame, r15) == 104, "the same");

/* wl_debug_enter(rdi: context, rsi: kernel's frame, rdx: frame at hand, rcx: shadow, r8: stack, r9: what the shadow's jump goes to) */
__asm__(".text\n"
        ".globl wl_debug_enter\n"
        ".hidden wl_debug_enter\n"
        ".type wl_debug_enter, @function\n"
        "wl_debug_enter:\n"
        ".cfi_startproc\n"
        "    subq $8, %rsp\n"
        ".cfi_adjust_cfa_offset 8\n"
        "    call 2f\n"
        "    nop\n"           /* the kernel's return address: a wave that has ended comes here */
        "    addq $8, %rsp\n" /* one that leaves its code for a while: that must not look like a return */
        ".cfi_adjust_cfa_offset -8\n"
        "    ret\n"
        ".cfi_adjust_cfa_offset 16\n"
        "2:  movq (%rsp), %rax\n"
        "    movq %r12, 0(%rsi)\n"
        "    movq %rax, 8(%rsi)\n"
        "    leaq 8(%rsp), %rax\n"
        "    movq %rax, 64(%rsi)\n"
        "    movq %rbx, 72(%rsi)\n"
        "    movq %rbp, 80(%rsi)\n"
        "    movq %r13, 88(%rsi)\n"
        "    movq %r14, 96(%rsi)\n"
        "    movq %r15, 104(%rsi)\n"
        "    movq %rdi, %rbx\n"
        "    movq %rdx, %r12\n"
        "    movq %r8, %rsp\n"
        "    movq %r9, %rdx\n"
        "    movq 24(%rbx), %rax\n"
        "    movq %rax, %xmm0\n"
        "    jmp *%rcx\n"
        ".cfi_endproc\n"
        ".size wl_debug_enter, . - wl_debug_enter\n"
        ".globl wl_debug_trampoline\n"
        ".hidden wl_debug_trampoline\n"
        ".type wl_debug_trampoline, @function\n"
        "wl_debug_trampoline:\n"
        ".cfi_startproc\n"
        ".cfi_escape 0x10, 12, 2, 0x73, 40\n" /* DW_CFA_expression: r12 is at DW_OP_breg3 + 40 */
        "    movq %rsp, 16(%rbx)\n"
        "    subq $8, %rsp\n"
        ".cfi_adjust_cfa_offset 8\n"
        "    movq %rbx, %rdi\n"
        "    call wl_debug_step\n"
        "    addq $8, %rsp\n"
        ".cfi_adjust_cfa_offset -8\n"
        "    testq %rax, %rax\n"
        "    je 1f\n"
        "    movq %rax, %rdx\n"
        "    ret\n"
        "1:  movq 8(%rbx), %rsi\n"
        "    movl 32(%rbx), %eax\n"
        "    movq 64(%rsi), %rsp\n"
        "    movq 80(%rsi), %rbp\n"
        "    movq 88(%rsi), %r13\n"
        "    movq 96(%rsi), %r14\n"
        "    movq 104(%rsi), %r15\n"
        "    movq 8(%rsi), %rcx\n"
        "    cmpl $1, %eax\n"
        "    sbbq $-1, %rcx\n" /* 1 is added unless it has ended, which is 0 */
        "    movq 72(%rsi), %rbx\n"
        "    movq 0(%rsi), %r12\n"
        "    jmp *%rcx\n"
        ".cfi_endproc\n"
        ".size wl_debug_trampoline, . - wl_debug_trampoline\n");
#else
uint32_t wl_debug_enter(struct wl_debug_context *context, struct wl_debug_frame *kernel, struct wl_debug_frame *inner, uint64_t shadow,
                        uint64_t stack, uint64_t next) {
    (void)kernel, (void)inner, (void)shadow, (void)stack, (void)next;
    return context->exit = WL_EXIT_ILLEGAL; /* no module has shadows here */
}

void wl_debug_trampoline(void) {}
#endif
