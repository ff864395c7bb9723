/* What compiles HIP on this machine: an installed clang, AMD's headers and device libraries, and what Wavelift itself brings. */
#ifndef WL_TOOLS_TOOLCHAIN_H
#define WL_TOOLS_TOOLCHAIN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { WL_OLDEST_CLANG = 17, WL_NEWEST_CLANG = 22 };

/* A name is empty where nothing was found. */
struct wl_toolchain {
    char prefix[PATH_MAX];    /* where Wavelift is installed or built: it has bin/ */
    char libraries[PATH_MAX]; /* of the runtime */
    char include[PATH_MAX];   /* of our headers */
    char clang[PATH_MAX];     /* a clang++; the file itself, not a link to it, so that its folder has all of its tools */
    int clang_version;        /* its first number; 0: unknown */
    char device_libs[PATH_MAX];
    char headers[PATH_MAX]; /* the folder of AMD's hip/amd_detail */
    int headers_version;    /* the first number of their HIP version; 0: unknown */
};

/* The compiler is what $WAVELIFT_CLANG names, else clang++ in $HIP_CLANG_PATH, else one of WL_OLDEST_CLANG to WL_NEWEST_CLANG along PATH. */
void wl_toolchain_find(struct wl_toolchain *t);

/* A sentence about the first thing that is missing to compile device code, and where to get it; NULL: nothing is. */
const char *wl_toolchain_missing(const struct wl_toolchain *t);

/* Whether the device libraries have what code for this architecture needs ("gfx90a", perhaps with features behind a colon). */
bool wl_toolchain_has_arch(const struct wl_toolchain *t, const char *arch);

/* The architectures to compile for if nobody names any, separated by commas: $HCC_AMDGPU_TARGET; that of the first device, if the device
 * libraries have it; else gfx90a. */
void wl_toolchain_default_arch(const struct wl_toolchain *t, char *text, size_t size);

/* The architecture that a device presents, without features, as in wl_toolchain_default_arch; false: there is no such device. */
bool wl_toolchain_device_arch(int device, char *text, size_t size);

/* Where a compiler of HIP finds what it includes: device libraries, headers. NULL-terminated, good until the next call. */
const char *const *wl_toolchain_file_options(const struct wl_toolchain *t);

/* What links a program to the runtime, NULL-terminated: at most WL_LINK_OPTIONS options, good until the next call. Programs that are
 * compiled with headers of HIP 5 get that version's functions too. */
enum { WL_LINK_OPTIONS = 8 };
const char *const *wl_toolchain_link_options(const struct wl_toolchain *t);

#endif
