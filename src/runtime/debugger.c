#include "runtime/debugger.h"

#include "device/debugger.h"

/* Names and layout are gdb's. Another library of the process may have such, LLVM's; gdb reads the descriptor of each. So ours are not to be
 * replaced. */
__attribute__((visibility("protected"))) struct wl_jit_descriptor __jit_debug_descriptor = {
    .version = 1};                    /* NOLINT(bugprone-reserved-identifier) */
void __jit_debug_register_code(void); /* NOLINT(bugprone-reserved-identifier) */

/* gdb has a breakpoint here. */
__attribute__((visibility("protected"), noinline)) void __jit_debug_register_code(void) { /* NOLINT(bugprone-reserved-identifier) */
    __asm__ volatile("" ::: "memory");
}

void wl_debugger_begin(void) {
    static const struct wl_jit_interface interface = {&__jit_debug_descriptor, __jit_debug_register_code};
    wl_jit_interface = &interface;
}
