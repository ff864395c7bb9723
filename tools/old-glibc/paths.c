/* Functions of glibc 2.33 that find files by a path. A file of its own, because libwavelift-topology has functions of these names itself: what it does not call
 * of an archive is not linked into it. */
#include "old.h"

int stat(const char *path, struct stat *status) { return __xstat(STAT_VERSION, path, status); }
int lstat(const char *path, struct stat *status) { return __lxstat(STAT_VERSION, path, status); }
int fstatat(int folder, const char *path, struct stat *status, int flags) { return __fxstatat(STAT_VERSION, folder, path, status, flags); }

/* As C++ libraries call them. */
int stat64(const char *path, struct stat64 *status) { return __xstat(STAT_VERSION, path, (struct stat *)status); }
int lstat64(const char *path, struct stat64 *status) { return __lxstat(STAT_VERSION, path, (struct stat *)status); }
int fstatat64(int folder, const char *path, struct stat64 *status, int flags) {
    return __fxstatat(STAT_VERSION, folder, path, (struct stat *)status, flags);
}
