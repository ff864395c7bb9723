/* The functions of libc through which programs find files, taken over: names of files of AMD's driver that the system does not have become
 * those of the tree. All other names go to libc as they are, after a look at their first letters. */
#include "base/text.h"
#include "topology/tree.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TAKEN __attribute__((visibility("default")))

/* ---- names ------------------------------------------------------------------------------------------------ */

/* Whether it may be a file of AMD's driver. */
static bool is_ours(const char *path) {
    static const char *const places[] = {
        "/sys/class/kfd",     "/sys/class/drm", "/sys/class/pci_bus/", "/sys/bus/pci/devices/", "/sys/devices/wavelift",
        "/sys/module/amdgpu", "/dev/kfd"};
    if (!path || path[0] != '/' || (path[1] != 's' && path[1] != 'd'))
        return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (wl_starts_with(path, places[i]))
            return true;
    return false;
}

/* The path to use instead: in `room`, or `path` itself. The errno that the caller sees is the call's. */
static const char *instead(const char *path, char room[PATH_MAX]) {
    struct stat info;
    if (!is_ours(path))
        return path;
    const int before = errno;
    const bool systems = syscall(SYS_newfstatat, AT_FDCWD, path, &info, 0) == 0;
    const char *folder = systems ? NULL : wl_tree();
    if (folder && snprintf(room, PATH_MAX, "%s%s", folder, path) < PATH_MAX)
        path = room;
    errno = before;
    return path;
}

/* ---- /proc/modules ------------------------------------------------------------------------------------------ */

/* lsmod reads it, and older programs read lsmod: the system's list, with AMD's driver behind. -1: nothing to add, or it cannot be made. */
static int modules(const char *path) {
    if (!path || strcmp(path, "/proc/modules") != 0 || access("/sys/module/amdgpu", F_OK) != 0 || !wl_tree())
        return -1;
    static const char line[] = "amdgpu 0 0 - Live 0x0000000000000000\n";
    char buffer[4096];
    const int memory = memfd_create("modules", MFD_CLOEXEC), file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    bool there = false;
    for (ssize_t got; file >= 0 && memory >= 0 && (got = read(file, buffer, sizeof buffer)) > 0;) {
        there |= memmem(buffer, (size_t)got, "amdgpu ", 7) != NULL;
        if (write(memory, buffer, (size_t)got) != got)
            break;
    }
    if (file >= 0)
        close(file);
    if (memory >= 0 && !there && (write(memory, line, sizeof line - 1) < 0 || lseek(memory, 0, SEEK_SET) != 0))
        there = true;
    if (memory >= 0 && there)
        close(memory);
    return there ? -1 : memory;
}

/* ---- libc's functions ------------------------------------------------------------------------------------------ */

/* libc's own function of that name. */
#define LIBC(name)                                                                                                                         \
    static __typeof__(name) *libc;                                                                                                         \
    if (!libc)                                                                                                                             \
        libc = (__typeof__(name) *)(uintptr_t)dlsym(RTLD_NEXT, #name);                                                                     \
    if (!libc) {                                                                                                                           \
        errno = ENOSYS;                                                                                                                    \
        return FAILED;                                                                                                                     \
    }                                                                                                                                      \
    char room[PATH_MAX];

#define MODE(flags)                                                                                                                        \
    mode_t mode = 0;                                                                                                                       \
    if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) {                                                                         \
        va_list arguments;                                                                                                                 \
        va_start(arguments, flags);                                                                                                        \
        mode = va_arg(arguments, mode_t);                                                                                                  \
        va_end(arguments);                                                                                                                 \
    }

#define FAILED (-1)

#define OPEN(name)                                                                                                                         \
    TAKEN int name(const char *path, int flags, ...) {                                                                                     \
        MODE(flags)                                                                                                                        \
        LIBC(name)                                                                                                                         \
        const int list = modules(path);                                                                                                    \
        return list >= 0 ? list : libc(instead(path, room), flags, mode);                                                                  \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                                                       \
    TAKEN int name(int folder, const char *path, int flags, ...) {                                                                         \
        MODE(flags)                                                                                                                        \
        LIBC(name)                                                                                                                         \
        return libc(folder, instead(path, room), flags, mode);                                                                             \
    }
OPENAT(openat)
OPENAT(openat64)

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);
char *__realpath_chk(const char *path, char *resolved, size_t size);
#define OPEN_2(name)                                                                                                                       \
    TAKEN int name(const char *path, int flags) {                                                                                          \
        LIBC(name)                                                                                                                         \
        return libc(instead(path, room), flags);                                                                                           \
    }
OPEN_2(__open_2)
OPEN_2(__open64_2)
#define OPENAT_2(name)                                                                                                                     \
    TAKEN int name(int folder, const char *path, int flags) {                                                                              \
        LIBC(name)                                                                                                                         \
        return libc(folder, instead(path, room), flags);                                                                                   \
    }
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)

#undef FAILED
#define FAILED NULL
#define FOPEN(name)                                                                                                                        \
    TAKEN FILE *name(const char *path, const char *how) {                                                                                  \
        LIBC(name)                                                                                                                         \
        const int list = modules(path);                                                                                                    \
        return list >= 0 ? fdopen(list, "r") : libc(instead(path, room), how);                                                             \
    }
FOPEN(fopen)
FOPEN(fopen64)

TAKEN DIR *opendir(const char *path) {
    LIBC(opendir)
    return libc(instead(path, room));
}

#undef FAILED
#define FAILED (-1)
TAKEN int access(const char *path, int mode) {
    LIBC(access)
    return libc(instead(path, room), mode);
}

TAKEN int euidaccess(const char *path, int mode) {
    LIBC(euidaccess)
    return libc(instead(path, room), mode);
}

TAKEN int faccessat(int folder, const char *path, int mode, int flags) {
    LIBC(faccessat)
    return libc(folder, instead(path, room), mode, flags);
}

#define STAT(name, type)                                                                                                                   \
    TAKEN int name(const char *restrict path, struct type *restrict info) {                                                                \
        LIBC(name)                                                                                                                         \
        return libc(instead(path, room), info);                                                                                            \
    }
STAT(stat, stat)
STAT(stat64, stat64)
STAT(lstat, stat)
STAT(lstat64, stat64)

#define STATAT(name, type)                                                                                                                 \
    TAKEN int name(int folder, const char *restrict path, struct type *restrict info, int flags) {                                         \
        LIBC(name)                                                                                                                         \
        return libc(folder, instead(path, room), info, flags);                                                                             \
    }
STATAT(fstatat, stat)
STATAT(fstatat64, stat64)

TAKEN int statx(int folder, const char *restrict path, int flags, unsigned mask, struct statx *restrict info) {
    LIBC(statx)
    return libc(folder, instead(path, room), flags, mask, info);
}

/* Under these names programs that were linked against glibc before 2.33 ask. */
int __xstat(int version, const char *path, struct stat *info);
int __xstat64(int version, const char *path, struct stat64 *info);
int __lxstat(int version, const char *path, struct stat *info);
int __lxstat64(int version, const char *path, struct stat64 *info);
#define XSTAT(name, type)                                                                                                                  \
    TAKEN int name(int version, const char *path, struct type *info) {                                                                     \
        LIBC(name)                                                                                                                         \
        return libc(version, instead(path, room), info);                                                                                   \
    }
XSTAT(__xstat, stat)
XSTAT(__xstat64, stat64)
XSTAT(__lxstat, stat)
XSTAT(__lxstat64, stat64)

TAKEN ssize_t readlink(const char *restrict path, char *restrict text, size_t size) {
    LIBC(readlink)
    return libc(instead(path, room), text, size);
}

TAKEN ssize_t readlinkat(int folder, const char *restrict path, char *restrict text, size_t size) {
    LIBC(readlinkat)
    return libc(folder, instead(path, room), text, size);
}

#undef FAILED
#define FAILED NULL

/* A path that was resolved within the tree, as the program is to see it: without the tree's folder. `resolved` NULL: from malloc. */
static char *resolve(const char *path, char *resolved, char *(*libc)(const char *, char *)) {
    char room[PATH_MAX], whole[PATH_MAX];
    const char *found = instead(path, room);
    if (found == path)
        return libc(path, resolved);
    if (!libc(found, whole))
        return NULL;
    char real[PATH_MAX];
    const char *folder = libc(wl_tree(), real);
    const char *tail = folder && wl_starts_with(whole, folder) ? whole + strlen(folder) : whole;
    return resolved ? strcpy(resolved, tail) : strdup(tail);
}

TAKEN char *realpath(const char *restrict path, char *restrict resolved) {
    LIBC(realpath)
    (void)room;
    return resolve(path, resolved, libc);
}

TAKEN char *canonicalize_file_name(const char *path) { return realpath(path, NULL); }

TAKEN char *__realpath_chk(const char *path, char *resolved, size_t size) {
    (void)size; /* PATH_MAX at least, as the compiler has seen to */
    return realpath(path, resolved);
}
