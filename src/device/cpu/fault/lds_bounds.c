#include "device/cpu/fault/lds_bounds.h"

#include "device/cpu/memory.h"

#include <string.h>
#include <sys/mman.h>

#define PAGE UINT64_C(4096)
#define SPAN ((size_t)4 << 30) /* of 32-bit addresses */

#if defined(__x86_64__)

enum { WRITES = 2 /* in the error code of a page fault */, TRAPS = 1 << 8 /* in the flags */ };

static bool protect(const void *page, size_t size, int protection) { return mprotect((void *)(uintptr_t)page, size, protection) == 0; }

/* Makes what is not LDS readable, and the LDS, with what is in it, visible behind 4 GiB as well. Runs once for a reservation, in the
 * one thread that uses it. */
static bool open_rest(struct wl_group *group) {
    const int both = PROT_READ | PROT_WRITE;
    uint8_t *lds = group->lds;
    size_t usable = group->lds_usable, again = usable < WL_LDS_RESERVED - SPAN ? usable : WL_LDS_RESERVED - SPAN;
    void *copy = mmap(NULL, usable, both, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return false;
    memcpy(copy, lds, usable);
    bool done = mmap(lds, usable, both, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    if (done) {
        memcpy(lds, copy, usable);
        done = protect(lds + usable, WL_LDS_RESERVED - usable, PROT_READ) &&
               mremap(lds, 0, again, MREMAP_MAYMOVE | MREMAP_FIXED, lds + SPAN) != MAP_FAILED; /* 0: a second mapping of the same */
    }
    munmap(copy, usable);
    return done;
}

bool wl_lds_bounds_fault(struct wl_thread *thread, struct wl_group *group, uint64_t address, ucontext_t *context) {
    struct wl_lds_bounds *lds_bounds = &thread->lds_bounds;
    uint64_t lds = (uint64_t)(uintptr_t)group->lds;
    bool before = address < lds && lds - address <= PAGE;
    if (!lds || (!before && (address - lds < group->lds_usable || address - lds >= WL_LDS_RESERVED)))
        return false;
    lds_bounds->seen = true;
    if (!group->lds_readable && !before) {
        group->lds_readable = open_rest(group);
        return group->lds_readable; /* a store comes back at once */
    }
    if (!(context->uc_mcontext.gregs[REG_ERR] & WRITES) || lds_bounds->count == WL_LDS_BOUNDS_PAGES)
        return false;
    uint8_t *page = group->lds + ((address - lds) & ~(PAGE - 1));
    if (!protect(page, PAGE, PROT_READ | PROT_WRITE))
        return false;
    lds_bounds->pages[lds_bounds->count++] = page;
    context->uc_mcontext.gregs[REG_EFL] |= TRAPS;
    return true;
}

void wl_lds_bounds_leave(struct wl_thread *thread) {
    struct wl_lds_bounds *lds_bounds = &thread->lds_bounds;
    for (; lds_bounds->count; lds_bounds->count--) {
        uint8_t *page = lds_bounds->pages[lds_bounds->count - 1];
        madvise(page, PAGE, MADV_DONTNEED);
        protect(page, PAGE, PROT_READ);
    }
}

bool wl_lds_bounds_trap(struct wl_thread *thread, ucontext_t *context) {
    if (!thread->lds_bounds.count)
        return false;
    wl_lds_bounds_leave(thread);
    context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAPS;
    return true;
}

#else

bool wl_lds_bounds_fault(struct wl_thread *thread, struct wl_group *group, uint64_t address, ucontext_t *context) {
    (void)thread, (void)group, (void)address, (void)context;
    return false;
}

void wl_lds_bounds_leave(struct wl_thread *thread) { (void)thread; }

bool wl_lds_bounds_trap(struct wl_thread *thread, ucontext_t *context) {
    (void)thread, (void)context;
    return false;
}

#endif
