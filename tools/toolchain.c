#include "toolchain.h"

#include "commands.h"
#include "process.h"

#include "base/installed.h"
#include "base/options.h"

#include <hip/hip_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the compiler ----------------------------------------------------------------------------- */

/* The first number that `clang -dumpversion` prints; 0: it cannot be run. */
static int ask_version(const char *clang) {
    char text[64];
    (void)wl_process_run((const char *const[]){clang, "-dumpversion", NULL}, NULL, false, text, sizeof text);
    return (int)strtol(text, NULL, 10);
}

/* Whether a file is this program, which is there under the name of clang, too. */
static bool is_this_program(const char *path) {
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    return length > 0 && (size_t)length == strlen(path) && memcmp(program, path, (size_t)length) == 0;
}

/* Takes the compiler that a name stands for, if it is of a version that is known to work, or of any if `named`. */
static bool take(struct wl_toolchain *t, const char *name, bool named) {
    char found[PATH_MAX];
    if (!wl_find_program(name, found, sizeof found) || !realpath(found, t->clang))
        return false;
    if (is_this_program(t->clang)) {
        t->clang[0] = 0;
        return false;
    }
    /* It is called by a name that ends in ++, which makes it link the C++ library. */
    char *slash = strrchr(t->clang, '/');
    if (!strstr(slash, "++"))
        snprintf(slash, sizeof t->clang - (size_t)(slash - t->clang), "/clang++");
    if (access(t->clang, X_OK) != 0)
        snprintf(t->clang, sizeof t->clang, "%s", found);
    t->clang_version = ask_version(t->clang);
    if (named || (t->clang_version >= WL_OLDEST_CLANG && t->clang_version <= WL_NEWEST_CLANG))
        return true;
    t->clang[0] = 0;
    t->clang_version = 0;
    return false;
}

/* Returns whether the user has named it. */
static bool find_clang(struct wl_toolchain *t) {
    static const char *const names[] = {"clang++-19", "clang++-20", "clang++-21",
                                        "clang++-22", "clang++-18", "clang++-17",
                                        "clang++",    "amdclang++", "/opt/rocm/llvm/bin/clang++"};
    const char *folder = secure_getenv("HIP_CLANG_PATH");
    char path[PATH_MAX];
    if (wl_options()->clang) {
        (void)take(t, wl_options()->clang, true);
        return true;
    }
    if (folder && snprintf(path, sizeof path, "%s/clang++", folder) < (int)sizeof path && take(t, path, true))
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (take(t, names[i], false))
            break;
    return false;
}

/* ---- AMD's files, and ours ---------------------------------------------------------------------- */

static int headers_version(const char *folder) {
    static const char define[] = "#define HIP_VERSION_MAJOR ";
    char path[PATH_MAX], line[256];
    FILE *file = snprintf(path, sizeof path, "%s/hip/hip_version.h", folder) < (int)sizeof path ? fopen(path, "re") : NULL;
    int version = 0;
    while (file && !version && fgets(line, sizeof line, file))
        if (strncmp(line, define, strlen(define)) == 0)
            version = (int)strtol(line + strlen(define), NULL, 10);
    if (file)
        (void)fclose(file);
    return version;
}

static void find_ours(struct wl_toolchain *t) {
    char path[PATH_MAX];
    if (!wl_tool_library_folder(t->libraries, sizeof t->libraries))
        t->libraries[0] = 0;
    ssize_t length = readlink("/proc/self/exe", t->prefix, sizeof t->prefix - 1);
    t->prefix[length > 0 ? length : 0] = 0;
    for (int up = 0; up < 2 && strrchr(t->prefix, '/'); up++)
        *strrchr(t->prefix, '/') = 0;
    if (snprintf(path, sizeof path, "%s/include", t->prefix) < (int)sizeof path)
        snprintf(t->include, sizeof t->include, "%s", path);
    if (snprintf(path, sizeof path, "%s/include/hip/hip_runtime.h", t->prefix) >= (int)sizeof path || access(path, R_OK) != 0)
        t->include[0] = 0;
}

static void find_device_libraries(struct wl_toolchain *t) {
    char library[PATH_MAX];
    const char *named = secure_getenv("HIP_DEVICE_LIB_PATH");
    bool known = snprintf(library, sizeof library, "%s/libamdhip64.so.7", t->libraries) < (int)sizeof library;
    if (named)
        snprintf(t->device_libs, sizeof t->device_libs, "%s", named);
    else if (!wl_find_device_libraries(*t->clang ? t->clang : NULL, known ? library : NULL, t->device_libs, sizeof t->device_libs))
        t->device_libs[0] = 0;
}

void wl_toolchain_find(struct wl_toolchain *t) {
    char newer[PATH_MAX];
    *t = (struct wl_toolchain){0};
    find_ours(t);
    const bool named = find_clang(t);
    find_device_libraries(t);
    if (!named && *t->clang && wl_find_newer_compiler(t->clang, t->device_libs, newer, sizeof newer) && take(t, newer, true))
        find_device_libraries(t);
    if (!wl_find_device_headers(t->headers, sizeof t->headers))
        t->headers[0] = 0;
    t->headers_version = headers_version(t->headers);
}

const char *wl_toolchain_missing(const struct wl_toolchain *t) {
    if (!*t->clang)
        return "no clang from 17 to 22 is found along PATH (Debian: apt install clang-19 lld-19 clang-tools-19; on Debian 13 apt install "
               "hipcc brings clang 17); WAVELIFT_CLANG can name one";
    if (!*t->headers)
        return "AMD's HIP headers for device code (hip/amd_detail) are not found (Debian: apt install libamdhip64-dev); HIP_PATH can name "
               "the folder in which include/ lies";
    if (!*t->device_libs)
        return "AMD's device libraries (ockl.bc) are not found (Debian 12: apt install rocm-device-libs; Debian 13: apt install "
               "rocm-device-libs-17; sid: rocm-device-libs-21); HIP_DEVICE_LIB_PATH can name their folder";
    return NULL;
}

/* ---- architectures ------------------------------------------------------------------------------ */

bool wl_toolchain_has_arch(const struct wl_toolchain *t, const char *arch) {
    char path[PATH_MAX + 64];
    return strncmp(arch, "gfx", 3) == 0 &&
           snprintf(path, sizeof path, "%s/oclc_isa_version_%.*s.bc", t->device_libs, (int)strcspn(arch + 3, ":,"), arch + 3) <
               (int)sizeof path &&
           access(path, R_OK) == 0;
}

bool wl_toolchain_device_arch(int device, char *text, size_t size) {
    hipDeviceProp_t properties;
    if (hipGetDeviceProperties(&properties, device) != hipSuccess)
        return false;
    snprintf(text, size, "%.*s", (int)strcspn(properties.gcnArchName, ":"), properties.gcnArchName);
    return true;
}

void wl_toolchain_default_arch(const struct wl_toolchain *t, char *text, size_t size) {
    const char *named = secure_getenv("HCC_AMDGPU_TARGET");
    if (named && *named)
        snprintf(text, size, "%s", named);
    else if (!wl_toolchain_device_arch(0, text, size) || !wl_toolchain_has_arch(t, text))
        snprintf(text, size, "gfx90a");
}

/* ---- options ------------------------------------------------------------------------------------ */

const char *const *wl_toolchain_file_options(const struct wl_toolchain *t) {
    static char libraries[PATH_MAX + 32];
    static const char *options[6];
    const char *const folders[] = {t->include, t->headers};
    size_t count = 0;
    if (*t->device_libs) {
        snprintf(libraries, sizeof libraries, "--rocm-device-lib-path=%s", t->device_libs);
        options[count++] = libraries;
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (*folders[i] && strcmp(folders[i], "/usr/include") != 0) {
            options[count++] = "-isystem";
            options[count++] = folders[i];
        }
    options[count] = NULL;
    return options;
}

const char *const *wl_toolchain_link_options(const struct wl_toolchain *t) {
    static char place[PATH_MAX + 2], run_place[PATH_MAX + 12];
    static const char *options[WL_LINK_OPTIONS + 1];
    size_t count = 0;
    snprintf(place, sizeof place, "-L%s", t->libraries);
    snprintf(run_place, sizeof run_place, "-Wl,-rpath,%s", t->libraries);
    options[count++] = place;
    options[count++] = run_place;
    /* The functions whose meaning has changed since are found in the first library that has them. */
    if (t->headers_version == 5)
        options[count++] = "-l:libamdhip64.so.5";
    options[count++] = "-l:libamdhip64.so.7"; /* not another one of the name without a version, where Wavelift has none */
    options[count] = NULL;
    return options;
}
