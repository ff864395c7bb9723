/* Accesses of up to 16 bytes that no other thread sees half done, if the address is aligned.
 *
 * One instruction of a device moves 1 to 16 bytes for a lane. Lanes of other threads may look at that memory at the same time. The
 * functions here move such an element by one access of the host, so that others see all of it or nothing of it. (Vector loads and stores
 * of 16 bytes do so on every x86-64 with AVX and on AArch64 with LSE2. A memcpy does not: the compiler may split it.) Addresses need not
 * be aligned. */
#ifndef WL_BASE_WHOLE_H
#define WL_BASE_WHOLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint16_t wl_whole_2 __attribute__((aligned(1), may_alias));
typedef uint32_t wl_whole_4 __attribute__((aligned(1), may_alias));
typedef uint64_t wl_whole_8 __attribute__((aligned(1), may_alias));
typedef uint32_t wl_whole_16 __attribute__((vector_size(16), aligned(1), may_alias));

#if defined(__NVPTX__) /* where an access has to be aligned */
static inline void wl_whole_copy(void *to, const void *from, uint32_t bytes) {
    typedef uint32_t aligned_16 __attribute__((vector_size(16), may_alias));
    typedef uint64_t aligned_8 __attribute__((may_alias));
    typedef uint32_t aligned_4 __attribute__((may_alias));
    const uintptr_t odd = ((uintptr_t)to | (uintptr_t)from) & (bytes - 1);
    if (bytes == 16 && !odd)
        *(aligned_16 *)to = *(const aligned_16 *)from;
    else if (bytes == 8 && !odd)
        *(aligned_8 *)to = *(const aligned_8 *)from;
    else if (bytes == 4 && !odd)
        *(aligned_4 *)to = *(const aligned_4 *)from;
    else
        memcpy(to, from, bytes);
}
#else
/* Copies `bytes` bytes; what is no power of two, or more than 16, in the largest such parts from the start on. One of both places is
 * the caller's own. */
static inline void wl_whole_copy(void *to, const void *from, uint32_t bytes) {
    char *t = to;
    const char *f = from;
    for (; bytes >= 16; bytes -= 16, t += 16, f += 16)
        *(volatile wl_whole_16 *)(void *)t = *(const volatile wl_whole_16 *)(const void *)f;
    if (bytes & 8) {
        *(volatile wl_whole_8 *)(void *)t = *(const volatile wl_whole_8 *)(const void *)f;
        t += 8;
        f += 8;
    }
    if (bytes & 4) {
        *(volatile wl_whole_4 *)(void *)t = *(const volatile wl_whole_4 *)(const void *)f;
        t += 4;
        f += 4;
    }
    if (bytes & 2) {
        *(volatile wl_whole_2 *)(void *)t = *(const volatile wl_whole_2 *)(const void *)f;
        t += 2;
        f += 2;
    }
    if (bytes & 1)
        *(volatile char *)t = *(const volatile char *)f;
}
#endif

#endif
