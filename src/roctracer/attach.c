#include "roctracer/tracer.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char *failure;

roctracer_status_t wl_roctracer_fail(roctracer_status_t status, const char *why) {
    failure = (char *)(uintptr_t)why;
    return status;
}

WL_ROCTRACER_API const char *roctracer_error_string(void) { return strdup(failure ? failure : ""); }
WL_ROCTRACER_API uint32_t roctracer_version_major(void) { return ROCTRACER_VERSION_MAJOR; }
WL_ROCTRACER_API uint32_t roctracer_version_minor(void) { return ROCTRACER_VERSION_MINOR; }

/* ---- the other libraries ------------------------------------------------------------------------- */

/* Under all names by which programs have them; the first one is opened if the process has none. */
static const char *const libraries[WL_ROCTRACER_LIBRARIES][4] = {
    [WL_ROCTRACER_HIP] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", NULL},
    [WL_ROCTRACER_ROCTX] = {"libroctx64.so.4", NULL},
};
static const char *const registrations[WL_ROCTRACER_LIBRARIES] = {"hipRegisterTracerCallback", "roctxRegisterTracerCallback"};

static void *find(unsigned library, const char *symbol) {
    static _Atomic(void *) known[WL_ROCTRACER_LIBRARIES]; /* opened; none is ever closed */
    void *opened = atomic_load(&known[library]);
    for (unsigned i = 0; !opened && libraries[library][i]; i++)
        opened = dlopen(libraries[library][i], RTLD_LAZY | RTLD_NOLOAD);
    if (!opened)
        opened = dlopen(libraries[library][0], RTLD_LAZY);
    atomic_store(&known[library], opened);
    return opened ? dlsym(opened, symbol) : NULL;
}

bool wl_roctracer_register(unsigned library, wl_roctracer_function function) {
    void (*registration)(wl_roctracer_function) = (void (*)(wl_roctracer_function))(uintptr_t)find(library, registrations[library]);
    if (registration)
        registration(function);
    return registration;
}

const char *wl_roctracer_call_name(uint32_t number) {
    const char *(*name)(uint32_t) = (const char *(*)(uint32_t))(uintptr_t)find(WL_ROCTRACER_HIP, "hipApiName");
    return name ? name(number) : NULL;
}

const char *wl_roctracer_command_name(uint32_t kind) {
    const char *(*name)(unsigned) = (const char *(*)(unsigned))(uintptr_t)find(WL_ROCTRACER_HIP, "hipGetCmdName");
    return name ? name(kind) : NULL;
}
