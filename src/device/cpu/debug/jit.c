#include "device/cpu/debug/jit.h"

#include <pthread.h>

/* Names and layout are gdb's. */
struct jit_descriptor {
    uint32_t version, action_flag;
    struct wl_jit_entry *relevant_entry, *first_entry;
};

enum { JIT_NOACTION, JIT_REGISTER_FN, JIT_UNREGISTER_FN };

/* Another library of the process may have such, LLVM's; gdb reads the descriptor of each. So ours are not to be replaced. */
__attribute__((visibility("protected"))) struct jit_descriptor __jit_debug_descriptor; /* NOLINT(bugprone-reserved-identifier) */
void __jit_debug_register_code(void);                                                  /* NOLINT(bugprone-reserved-identifier) */

/* gdb has a breakpoint here. */
__attribute__((visibility("protected"), noinline)) void __jit_debug_register_code(void) { /* NOLINT(bugprone-reserved-identifier) */
    __asm__ volatile("" ::: "memory");
}

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

void wl_jit_lock(void) { pthread_mutex_lock(&list_lock); }

bool wl_jit_try_lock(void) { return pthread_mutex_trylock(&list_lock) == 0; }

void wl_jit_unlock(void) { pthread_mutex_unlock(&list_lock); }

static void call_debugger(struct wl_jit_entry *entry, uint32_t action) {
    __jit_debug_descriptor.version = 1;
    __jit_debug_descriptor.relevant_entry = entry;
    __jit_debug_descriptor.action_flag = action;
    __jit_debug_register_code();
    __jit_debug_descriptor.action_flag = JIT_NOACTION;
}

void wl_jit_tell(struct wl_jit_entry *entry) {
    entry->previous = NULL;
    entry->next = __jit_debug_descriptor.first_entry;
    if (entry->next)
        entry->next->previous = entry;
    __jit_debug_descriptor.first_entry = entry;
    call_debugger(entry, JIT_REGISTER_FN);
}

void wl_jit_take_back(struct wl_jit_entry *entry) {
    if (entry->next)
        entry->next->previous = entry->previous;
    if (entry->previous)
        entry->previous->next = entry->next;
    else
        __jit_debug_descriptor.first_entry = entry->next;
    call_debugger(entry, JIT_UNREGISTER_FN);
}

#ifdef __x86_64__
bool wl_jit_somebody_listens(void) {
    enum { BREAKPOINT = 0xcc };
    return *(const volatile uint8_t *)(uintptr_t)__jit_debug_register_code == BREAKPOINT;
}
#else
bool wl_jit_somebody_listens(void) { return false; }
#endif
