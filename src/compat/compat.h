/* compat/: libraries that AMD builds under names of its own for what every Linux system has, and that wheels of PyPI are linked with.
 *
 *   in    calls of libdrm's and libnuma's functions under AMD's names of libraries and versions (TheRock's "system dependencies")
 *   out   the system's libdrm and libnuma, opened at the first call; where there is none, the error that each function has for that
 *
 * They lie in a folder of their own, `compat` beside the other libraries, which only `wavelift run` puts on the path. */
#ifndef WL_COMPAT_H
#define WL_COMPAT_H

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#define WL_COMPAT_API __attribute__((visibility("default")))

/* A function of the system's library; NULL: there is no such library, or it has no such function. `opened` is kept by the caller, and is 0
 * at first. Thread-safe. */
static inline void *wl_compat_find(_Atomic(void *) *opened, const char *library, const char *symbol) {
    void *handle = atomic_load(opened);
    if (!handle) {
        handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
        atomic_store(opened, handle);
    }
    return handle ? dlsym(handle, symbol) : NULL;
}

#endif
