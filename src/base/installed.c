#include "base/installed.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool wl_find_program(const char *name, char *path, size_t size) {
    const char *search = secure_getenv("PATH");
    if (strchr(name, '/'))
        return snprintf(path, size, "%s", name) < (int)size && access(path, X_OK) == 0;
    for (const char *start = search ? search : "/usr/local/bin:/usr/bin:/bin", *end; start; start = *end ? end + 1 : NULL) {
        end = strchrnul(start, ':');
        const char *folder = end > start ? start : "."; /* an empty part is the current folder */
        if (snprintf(path, size, "%.*s/%s", end > start ? (int)(end - start) : 1, folder, name) < (int)size && access(path, X_OK) == 0)
            return true;
    }
    return false;
}

/* The length of the name of the folder in which a file lies, its last slash not counted. */
static int folder_length(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash ? (int)(slash - file) : 0;
}

/* Whether the first `length` characters of `base`, and `place`, name a folder that has the file; `folder` gets its name. */
static bool has(const char *base, int length, const char *place, const char *file, char *folder, size_t size) {
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%.*s%s/%s", length, base, place, file) < (int)sizeof path && access(path, R_OK) == 0 &&
           snprintf(folder, size, "%.*s%s", length, base, place) < (int)size;
}

/* The first folder that a pattern with the file's name matches. */
static bool matches(const char *pattern, char *folder, size_t size) {
    glob_t found;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): it asks for users' names only where a pattern has a tilde */
    if (glob(pattern, 0, NULL, &found) != 0)
        return false;
    const char *file = found.gl_pathv[0];
    bool fits = snprintf(folder, size, "%.*s", folder_length(file), file) < (int)size;
    globfree(&found);
    return fits;
}

static bool compilers_own(const char *compiler, char *folder, size_t size) {
    static const char *const places[] = {"amdgcn/bitcode", "lib/amdgcn/bitcode"};
    char *program = realpath(compiler, NULL), pattern[PATH_MAX];
    bool found = false;
    for (size_t i = 0; program && !found && i < sizeof places / sizeof *places; i++)
        found = snprintf(pattern, sizeof pattern, "%.*s/../lib/clang/*/%s/ockl.bc", folder_length(program), program, places[i]) <
                    (int)sizeof pattern &&
                matches(pattern, folder, size);
    free(program);
    return found;
}

static bool beside(const char *library, char *folder, size_t size) {
    int length = folder_length(library);
    return has(library, length, "/wavelift/device-libs", "ockl.bc", folder, size) ||
           has(library, length, "/../device-libs", "ockl.bc", folder, size);
}

/* In the folder that a variable of the environment names. */
static bool in_named(const char *variable, const char *place, const char *file, char *folder, size_t size) {
    const char *base = secure_getenv(variable);
    return base && *base && has(base, (int)strlen(base), place, file, folder, size);
}

static bool systems(char *folder, size_t size) {
    return in_named("ROCM_PATH", "/amdgcn/bitcode", "ockl.bc", folder, size) || matches("/opt/rocm/amdgcn/bitcode/ockl.bc", folder, size) ||
           matches("/usr/lib/*-linux-gnu/amdgcn/bitcode/ockl.bc", folder, size) ||
           matches("/usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode/ockl.bc", folder, size) ||
           matches("/usr/lib/llvm-*/lib/clang/*/lib/amdgcn/bitcode/ockl.bc", folder, size);
}

bool wl_find_device_libraries(const char *compiler, const char *library, char *folder, size_t size) {
    return (compiler && compilers_own(compiler, folder, size)) || (library && beside(library, folder, size)) || systems(folder, size);
}

/* N, of a file in Debian's folder /usr/lib/llvm-N, when links are followed; 0: it lies in no such folder. */
static long llvm_of(const char *path) {
    char *real = realpath(path, NULL);
    const char *at = real ? strstr(real, "/llvm-") : NULL;
    const long version = at ? strtol(at + strlen("/llvm-"), NULL, 10) : 0;
    free(real);
    return version;
}

bool wl_find_newer_compiler(const char *compiler, const char *device_libraries, char *path, size_t size) {
    char file[4096], name[32];
    if (snprintf(file, sizeof file, "%s/ocml.bc", device_libraries) >= (int)sizeof file)
        return false;
    const long version = llvm_of(file), own = llvm_of(compiler);
    snprintf(name, sizeof name, "clang++-%ld", version);
    return own && version > own && wl_find_program(name, path, size);
}

static const char device_header[] = "hip/amd_detail/amd_hip_runtime.h";

bool wl_find_named_headers(char *folder, size_t size) {
    return in_named("HIP_PATH", "/include", device_header, folder, size) || in_named("ROCM_PATH", "/include", device_header, folder, size);
}

bool wl_find_device_headers(char *folder, size_t size) {
    return wl_find_named_headers(folder, size) || has("/usr/include", (int)strlen("/usr/include"), "", device_header, folder, size) ||
           has("/opt/rocm/include", (int)strlen("/opt/rocm/include"), "", device_header, folder, size);
}
