/* What older versions of glibc have in place of stat and its like: functions that are told the version of struct stat. On machines of 64 bits struct
 * stat64 is the same structure. */
#pragma once

#include <sys/stat.h>

#ifdef __x86_64__
#define STAT_VERSION 1
#else
#define STAT_VERSION 0
#endif
int __xstat(int version, const char *path, struct stat *status);
int __lxstat(int version, const char *path, struct stat *status);
int __fxstat(int version, int file, struct stat *status);
int __fxstatat(int version, int folder, const char *path, struct stat *status, int flags);
