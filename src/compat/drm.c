/* libdrm's functions that clients import under AMD's name: calls of the kernel's direct rendering manager on an open device. */
#include "compat/compat.h"

#include <errno.h>
#include <stdint.h>

static void *find(const char *symbol) {
    static _Atomic(void *) opened;
    return wl_compat_find(&opened, "libdrm.so.2", symbol);
}

WL_COMPAT_API int drmIoctl(int fd, unsigned long request, void *arg) {
    int (*function)(int, unsigned long, void *) = (int (*)(int, unsigned long, void *))(uintptr_t)find("drmIoctl");
    if (function)
        return function(fd, request, arg);
    errno = ENOSYS;
    return -1;
}

WL_COMPAT_API int drmCommandWriteRead(int fd, unsigned long index, void *data, unsigned long size) {
    int (*function)(int, unsigned long, void *, unsigned long) =
        (int (*)(int, unsigned long, void *, unsigned long))(uintptr_t)find("drmCommandWriteRead");
    return function ? function(fd, index, data, size) : -ENOSYS;
}

WL_COMPAT_API int drmSyncobjCreate(int fd, uint32_t flags, uint32_t *handle) {
    int (*function)(int, uint32_t, uint32_t *) = (int (*)(int, uint32_t, uint32_t *))(uintptr_t)find("drmSyncobjCreate");
    return function ? function(fd, flags, handle) : -ENOSYS;
}

WL_COMPAT_API int drmSyncobjDestroy(int fd, uint32_t handle) {
    int (*function)(int, uint32_t) = (int (*)(int, uint32_t))(uintptr_t)find("drmSyncobjDestroy");
    return function ? function(fd, handle) : -ENOSYS;
}
