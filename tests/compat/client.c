/* AMD's names of libdrm and libnuma, as `wavelift run` lets programs find them: versions of functions, and the same results as the system's
 * libraries give. With "none": they are not found. */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DRM    "librocm_sysdeps_drm.so.2"
#define AMDGPU "librocm_sysdeps_drm_amdgpu.so.1"
#define NUMA   "librocm_sysdeps_numa.so.1"

static int failed;

static void check(int condition, const char *what) {
    if (condition)
        return;
    printf("wrong: %s\n", what);
    failed = 1;
}

static void *find(void *library, const char *name, const char *version) {
    void *function = dlvsym(library, name, version);
    check(function != NULL, name);
    return function;
}

int main(int argc, char **argv) {
    void *drm = dlopen(DRM, RTLD_NOW), *amdgpu = dlopen(AMDGPU, RTLD_NOW), *numa = dlopen(NUMA, RTLD_NOW);
    if (argc > 1 && strcmp(argv[1], "none") == 0) {
        check(!drm && !amdgpu && !numa, "a library is found");
        return failed;
    }
    check(drm && amdgpu && numa, "a library is not found");
    if (failed)
        return failed;
    static const char *const functions[] = {"drmIoctl", "drmCommandWriteRead", "drmSyncobjCreate", "drmSyncobjDestroy"};
    for (unsigned i = 0; i < 4; i++)
        (void)find(drm, functions[i], "AMDROCM_SYSDEPS_1.0");
    /* No device is at this descriptor: both the system's library and the lack of one are errors. */
    int (*destroy)(int, uint32_t) = (int (*)(int, uint32_t))(uintptr_t)find(drm, "drmSyncobjDestroy", "AMDROCM_SYSDEPS_1.0");
    int (*control)(int, unsigned long, void *) =
        (int (*)(int, unsigned long, void *))(uintptr_t)find(drm, "drmIoctl", "AMDROCM_SYSDEPS_1.0");
    const int expected = dlopen("libdrm.so.2", RTLD_NOW) ? EBADF : ENOSYS;
    check(control(-1, 0, NULL) == -1 && errno == expected, "drmIoctl of no device");
    check(destroy(-1, 1) < 0, "drmSyncobjDestroy of no device");
    void *system = dlopen("libnuma.so.1", RTLD_NOW);
    int (*available)(void) = (int (*)(void))(uintptr_t)find(numa, "numa_available", "AMDROCM_SYSDEPS_1.0_libnuma_1.1");
    int (*most)(void) = (int (*)(void))(uintptr_t)find(numa, "numa_max_node", "AMDROCM_SYSDEPS_1.0_libnuma_1.1");
    int (*theirs)(void) = system ? (int (*)(void))(uintptr_t)dlsym(system, "numa_available") : NULL;
    int (*their_most)(void) = system ? (int (*)(void))(uintptr_t)dlsym(system, "numa_max_node") : NULL;
    check(available() == (theirs ? theirs() : -1), "numa_available");
    check(most() == (their_most ? their_most() : 0), "numa_max_node");
    void *(*make)(unsigned) = (void *(*)(unsigned))(uintptr_t)find(numa, "numa_bitmask_alloc", "AMDROCM_SYSDEPS_1.0_libnuma_1.2");
    void *(*set)(void *, unsigned) =
        (void *(*)(void *, unsigned))(uintptr_t)find(numa, "numa_bitmask_setbit", "AMDROCM_SYSDEPS_1.0_libnuma_1.2");
    void (*release)(void *) = (void (*)(void *))(uintptr_t)find(numa, "numa_bitmask_free", "AMDROCM_SYSDEPS_1.0_libnuma_1.2");
    int (*isset)(const void *, unsigned) =
        system ? (int (*)(const void *, unsigned))(uintptr_t)dlsym(system, "numa_bitmask_isbitset") : NULL;
    void *mask = make(64);
    check(system ? mask != NULL : mask == NULL && errno == ENOSYS, "numa_bitmask_alloc");
    check(set(mask, 5) == mask, "numa_bitmask_setbit");
    check(!isset || (isset(mask, 5) && !isset(mask, 4)), "a bit that was set");
    if (mask)
        release(mask);
    return failed;
}
