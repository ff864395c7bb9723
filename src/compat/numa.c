/* libnuma's functions that clients import under AMD's name. */
#include "compat/compat.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

struct bitmask; /* libnuma's */

static void *find(const char *symbol) {
    static _Atomic(void *) opened;
    return wl_compat_find(&opened, "libnuma.so.1", symbol);
}

/* -1 is libnuma's own word for "none of the other functions may be called". */
WL_COMPAT_API int numa_available(void) {
    int (*function)(void) = (int (*)(void))(uintptr_t)find("numa_available");
    return function ? function() : -1;
}

WL_COMPAT_API int numa_max_node(void) {
    int (*function)(void) = (int (*)(void))(uintptr_t)find("numa_max_node");
    return function ? function() : 0;
}

WL_COMPAT_API long long numa_node_size64(int node, long long *free_bytes) {
    long long (*function)(int, long long *) = (long long (*)(int, long long *))(uintptr_t)find("numa_node_size64");
    return function ? function(node, free_bytes) : -1;
}

/* A system call alone. */
WL_COMPAT_API long mbind(void *start, unsigned long length, int mode, const unsigned long *nodes, unsigned long most, unsigned flags) {
    return syscall(SYS_mbind, start, length, mode, nodes, most, flags);
}

WL_COMPAT_API struct bitmask *numa_bitmask_alloc(unsigned bits) {
    struct bitmask *(*function)(unsigned) = (struct bitmask * (*)(unsigned))(uintptr_t)find("numa_bitmask_alloc");
    if (function)
        return function(bits);
    errno = ENOSYS;
    return NULL;
}

WL_COMPAT_API struct bitmask *numa_bitmask_setbit(struct bitmask *mask, unsigned bit) {
    struct bitmask *(*function)(struct bitmask *, unsigned) =
        (struct bitmask * (*)(struct bitmask *, unsigned))(uintptr_t)find("numa_bitmask_setbit");
    return function ? function(mask, bit) : mask;
}

WL_COMPAT_API void numa_bitmask_free(struct bitmask *mask) {
    void (*function)(struct bitmask *) = (void (*)(struct bitmask *))(uintptr_t)find("numa_bitmask_free");
    if (function)
        function(mask);
}
