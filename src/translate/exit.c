/* LLVM's static objects live until the process is gone, and a thread that is translating can be stopped.
 *
 * exit() calls the destructors of static objects, those that were made last first, and with them those of LLVM, long before other
 * threads stop: one that is translating at this moment would crash. Nothing that LLVM has to release outlives the process, so
 * their registrations are dropped.
 *
 * LLVM cannot be asked to give up. It allocates memory all the time, though, and a thread that is about to do so holds nothing that
 * others need, but what LLVM makes once: there it can be kept for ever, when all others are there as well.
 *
 * For both, LLVM's calls of a few functions of the C and C++ libraries lead here. Where LLVM is a part of this shared object the linker
 * sees to it: it resolves __cxa_atexit to the one below, and --wrap leads allocations here. Where LLVM is a shared object of its own,
 * the addresses through which it calls them are replaced (exit_shared.c). */
#include "translate/exit.h"
#include "translate/interface/translate.h"

#include <stdatomic.h>

static _Atomic(wl_translate_pause_fn *) pause_function;

__attribute__((visibility("default"))) void wl_translate_pause_with(wl_translate_pause_fn *function) {
    atomic_store(&pause_function, function);
}

void wl_exit_pause(void) {
    wl_translate_pause_fn *function = atomic_load_explicit(&pause_function, memory_order_relaxed);
    if (__builtin_expect(function != NULL, 0))
        function();
}

#ifdef WL_STATIC_LLVM
/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's names */
#define WRAP(symbol, parameters, arguments)                                                                                                \
    void *__real_##symbol parameters;                                                                                                      \
    __attribute__((visibility("hidden"))) void *__wrap_##symbol parameters;                                                                \
    void *__wrap_##symbol parameters {                                                                                                     \
        wl_exit_pause();                                                                                                                   \
        return __real_##symbol arguments;                                                                                                  \
    }
WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *memory, size_t size), (memory, size))
WRAP(_Znwm, (size_t size), (size)) /* operator new */
WRAP(_Znam, (size_t size), (size))

int __cxa_atexit(void (*destroy)(void *), void *object, void *library);
__attribute__((visibility("hidden"))) int __cxa_atexit(void (*destroy)(void *), void *object, void *library) {
    (void)destroy;
    (void)object;
    (void)library;
    return 0;
}
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#endif
