/* Windows: LDS and a lane's private memory, at the addresses that stand for them in code that a debugger may stop.
 *
 * A pointer to LDS or to private memory, a reference to a local variable, `this` of a local object: compilers make flat addresses of them, whose
 * high halves are those of apertures. No process can have memory there, so that a debugger could not follow such a pointer. Threaded code with
 * marks uses other high halves (machine/wave.h). What lies there are second mappings of the LDS of the workgroup that has stopped, and of the copy
 * of the private memory of the lane at hand. Only the debugger uses them. */
#include "base/page.h"
#include "device/cpu/debug/debug.h"
#include "device/cpu/memory.h"

#include <pthread.h>
#include <sys/mman.h>

static const uint64_t lds_window = (uint64_t)WL_SHARED_WINDOW_HI << 32, private_window = (uint64_t)WL_PRIVATE_WINDOW_HI << 32;

size_t wl_debug_lane_stride(uint32_t scratch_size) { return wl_page_up(scratch_size); }

void *wl_debug_share(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static bool reserve(uint64_t address) {
    void *const wanted = (void *)(uintptr_t)address;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    return mmap(wanted, (size_t)UINT32_MAX + 1, PROT_NONE, flags, -1, 0) == wanted;
}

static bool reserved;

static void reserve_both(void) { reserved = reserve(lds_window) && reserve(private_window); }

static void map(uint64_t window, void *memory, size_t size) {
    if (size)
        (void)mremap(memory, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)(uintptr_t)window); /* 0: a second mapping of the same */
}

void wl_debug_show_windows(const struct wl_group *group, void *scratch, uint32_t scratch_size) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, reserve_both);
    if (!reserved)
        return;
    if (group->lds_shared)
        map(lds_window, group->lds, group->lds_usable);
    map(private_window, scratch, wl_debug_lane_stride(scratch_size));
}
