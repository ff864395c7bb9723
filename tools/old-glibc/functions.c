/* Functions of newer versions of glibc, by what older versions have: for programs that run with both. Libraries of others that are linked in
 * (LLVM's, libstdc++'s, libgcc's) call them too. stubs.py makes an archive of this; what a library does not call is not linked into it. */
#include "old.h"

#include <link.h>
#include <locale.h>
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* ---- 2.30 ------------------------------------------------------------------------------------ */

pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

/* glibc waits by a clock for which the condition is not set up; here the time that is left is added to the condition's own clock, CLOCK_REALTIME. */
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until) {
    struct timespec now, end;
    clock_gettime(clock, &now);
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += until->tv_sec - now.tv_sec;
    end.tv_nsec += until->tv_nsec - now.tv_nsec;
    if (end.tv_nsec < 0) {
        end.tv_sec--;
        end.tv_nsec += 1000000000;
    } else if (end.tv_nsec >= 1000000000) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000;
    }
    return pthread_cond_timedwait(condition, mutex, &end);
}

/* ---- 2.32 ------------------------------------------------------------------------------------ */

/* Unknown numbers have a text here, and none with glibc. The locale "C" takes no memory. */
const char *strerrordesc_np(int error) { return strerror_l(error, newlocale(LC_ALL_MASK, "C", NULL)); }

char __libc_single_threaded; /* libstdc++ counts without atomics where it is set */

/* ---- 2.33 ------------------------------------------------------------------------------------ */

int fstat(int file, struct stat *status) { return __fxstat(STAT_VERSION, file, status); }
int fstat64(int file, struct stat64 *status) { return __fxstat(STAT_VERSION, file, (struct stat *)status); }

struct mallinfo2 mallinfo2(void) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    struct mallinfo old = mallinfo();
#pragma GCC diagnostic pop
    return (struct mallinfo2){.arena = (unsigned)old.arena,
                              .ordblks = (unsigned)old.ordblks,
                              .smblks = (unsigned)old.smblks,
                              .hblks = (unsigned)old.hblks,
                              .hblkhd = (unsigned)old.hblkhd,
                              .usmblks = (unsigned)old.usmblks,
                              .fsmblks = (unsigned)old.fsmblks,
                              .uordblks = (unsigned)old.uordblks,
                              .fordblks = (unsigned)old.fordblks,
                              .keepcost = (unsigned)old.keepcost};
}

/* ---- 2.35 ------------------------------------------------------------------------------------ */

/* How libgcc finds the unwinding table of the code at an address. */
struct search {
    uintptr_t address;
    struct dl_find_object *result;
};

static int look_at(struct dl_phdr_info *object, size_t size, void *context) {
    const struct search *search = context;
    uintptr_t start = UINTPTR_MAX, end = 0;
    void *table = NULL;
    int found = 0;
    (void)size;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        uintptr_t address = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
        if (object->dlpi_phdr[i].p_type == PT_LOAD) {
            uintptr_t last = address + object->dlpi_phdr[i].p_memsz;
            found |= search->address >= address && search->address < last;
            start = address < start ? address : start;
            end = last > end ? last : end;
        } else if (object->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME) {
            table = (void *)address; /* NOLINT(performance-no-int-to-ptr): an address in the object */
        }
    }
    if (found)
        *search->result = (struct dl_find_object){.dlfo_map_start = (void *)start, /* NOLINT(performance-no-int-to-ptr) */
                                                  .dlfo_map_end = (void *)end,     /* NOLINT(performance-no-int-to-ptr) */
                                                  .dlfo_eh_frame = table};
    return found;
}

int _dl_find_object(void *address, struct dl_find_object *result) {
    struct search search = {.address = (uintptr_t)address, .result = result};
    return dl_iterate_phdr(look_at, &search) ? 0 : -1;
}

/* ---- 2.36 ------------------------------------------------------------------------------------ */

uint32_t arc4random(void) {
    uint32_t value;
    while (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value)
        ;
    return value;
}
