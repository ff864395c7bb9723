/* LLVM's static objects live until the process is gone.
 *
 * exit() calls the destructors of static objects, those that were made last first, and with them those of LLVM, long before other
 * threads stop: one that is translating at this moment would crash. Nothing that LLVM has to release outlives the process, so
 * their registrations, which the linker resolves to this function where LLVM is a part of this shared object, are dropped. */
#include "translate/translate.h"

#ifdef WL_STATIC_LLVM
__attribute__((visibility("default"))) const bool wl_translate_background = true;
int __cxa_atexit(void (*destroy)(void *), void *object,
                 void *library); /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
__attribute__((visibility("hidden"))) int __cxa_atexit(void (*destroy)(void *), void *object, void *library) {
    (void)destroy;
    (void)object;
    (void)library;
    return 0;
}
#else
__attribute__((visibility("default"))) const bool wl_translate_background = false;
#endif
