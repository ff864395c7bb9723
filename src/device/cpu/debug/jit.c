#include "device/cpu/debug/jit.h"

#include "device/debugger.h"

#include <pthread.h>

const struct wl_jit_interface *wl_jit_interface;

enum { JIT_NOACTION, JIT_REGISTER_FN, JIT_UNREGISTER_FN };

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

void wl_jit_lock(void) { pthread_mutex_lock(&list_lock); }

bool wl_jit_try_lock(void) { return pthread_mutex_trylock(&list_lock) == 0; }

void wl_jit_unlock(void) { pthread_mutex_unlock(&list_lock); }

static void call_debugger(struct wl_jit_entry *entry, uint32_t action) {
    struct wl_jit_descriptor *descriptor = wl_jit_interface->descriptor;
    descriptor->relevant = entry;
    descriptor->action = action;
    wl_jit_interface->tell();
    descriptor->action = JIT_NOACTION;
}

void wl_jit_tell(struct wl_jit_entry *entry) {
    if (!wl_jit_interface)
        return;
    struct wl_jit_descriptor *descriptor = wl_jit_interface->descriptor;
    entry->previous = NULL;
    entry->next = descriptor->first;
    if (entry->next)
        entry->next->previous = entry;
    descriptor->first = entry;
    call_debugger(entry, JIT_REGISTER_FN);
}

void wl_jit_take_back(struct wl_jit_entry *entry) {
    if (!wl_jit_interface)
        return;
    if (entry->next)
        entry->next->previous = entry->previous;
    if (entry->previous)
        entry->previous->next = entry->next;
    else
        wl_jit_interface->descriptor->first = entry->next;
    call_debugger(entry, JIT_UNREGISTER_FN);
}

#ifdef __x86_64__
bool wl_jit_somebody_listens(void) {
    enum { BREAKPOINT = 0xcc };
    return wl_jit_interface && *(const volatile uint8_t *)(uintptr_t)wl_jit_interface->tell == BREAKPOINT;
}
#else
bool wl_jit_somebody_listens(void) { return false; }
#endif
