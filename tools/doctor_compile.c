/* What `wavelift doctor` says of compiling HIP programs. */
#include "doctor.h"
#include "process.h"
#include "toolchain.h"

#include "base/installed.h"

#include <hip/hip_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A tool of the compiler's, where clang looks for it: in its own folder, then along PATH. */
static bool find_tool(const struct wl_toolchain *t, const char *name, char *path, size_t size) {
    const char *slash = strrchr(t->clang, '/');
    int length = slash ? (int)(slash - t->clang) : 0;
    return (snprintf(path, size, "%.*s/%s", length, t->clang, name) < (int)size && access(path, X_OK) == 0) ||
           wl_find_program(name, path, size);
}

static bool check_tool(const struct wl_toolchain *t, const char *name, const char *package) {
    char path[PATH_MAX], remedy[128];
    if (find_tool(t, name, path, sizeof path)) {
        wl_doctor_good("compile: tools", "%s", path);
        return true;
    }
    snprintf(remedy, sizeof remedy, "install it; Debian: apt install %s-%d", package, t->clang_version);
    wl_doctor_bad("compile: tools", remedy, "%s, which %s calls, is not found", name, t->clang);
    return false;
}

static bool check_clang(const struct wl_toolchain *t) {
    if (!*t->clang) {
        wl_doctor_bad("compile: clang", "Debian: apt install clang-19 lld-19 clang-tools-19; or set WAVELIFT_CLANG to the name of one",
                      "no clang++ from %d to %d is found along PATH", WL_OLDEST_CLANG, WL_NEWEST_CLANG);
        return false;
    }
    if (t->clang_version < WL_OLDEST_CLANG || t->clang_version > WL_NEWEST_CLANG) {
        wl_doctor_bad("compile: clang", "unset WAVELIFT_CLANG and HIP_CLANG_PATH, or let them name another one",
                      "%s is of version %d; known to work are %d to %d", t->clang, t->clang_version, WL_OLDEST_CLANG, WL_NEWEST_CLANG);
        return false;
    }
    wl_doctor_good("compile: clang", "%s, version %d", t->clang, t->clang_version);
    bool links = check_tool(t, "ld.lld", "lld"), bundles = check_tool(t, "clang-offload-bundler", "clang-tools");
    return links && bundles;
}

static bool check_files(const struct wl_toolchain *t) {
    bool headers = *t->headers, libraries = *t->device_libs;
    if (headers)
        wl_doctor_good("compile: headers", "%s, HIP %d", t->headers, t->headers_version);
    else
        wl_doctor_bad("compile: headers",
                      "Debian: apt install libamdhip64-dev; or set HIP_PATH to the folder in which ROCm's include/ lies",
                      "AMD's headers for device code (hip/amd_detail) are not found");
    if (!libraries) {
        wl_doctor_bad("compile: device libraries",
                      "Debian 12: apt install rocm-device-libs; since then: apt install hipcc; or set HIP_DEVICE_LIB_PATH",
                      "AMD's device libraries are not found");
        return false;
    }
    char arch[256];
    wl_doctor_good("compile: device libraries", "%s", t->device_libs);
    if (!wl_toolchain_has_arch(t, "gfx90a")) {
        wl_doctor_bad("compile: device libraries", "set HIP_DEVICE_LIB_PATH to a folder that has ockl.bc and oclc_isa_version_90a.bc",
                      "they are not complete: %s has nothing for gfx90a", t->device_libs);
        return false;
    }
    if (wl_toolchain_device_arch(0, arch, sizeof arch) && !wl_toolchain_has_arch(t, arch))
        wl_doctor_note("compile: device libraries", "they have nothing for %s, which device 0 presents; hipcc compiles for gfx90a instead",
                       arch);
    return headers;
}

/* hipcc, which printed `text`, has not compiled a program. */
static void tell_of_hipcc(char *text) {
    static const char mark[] = "Producer: 'LLVM"; /* in what clang says of bitcode that it does not read */
    const char *found = strstr(text, mark);
    const long made_by = found ? strtol(found + strlen(mark), NULL, 10) : 0;
    char remedy[256];
    if (made_by) {
        snprintf(remedy, sizeof remedy, "install clang %ld with its tools; Debian: apt install clang-%ld lld-%ld clang-tools-%ld", made_by,
                 made_by, made_by, made_by);
        wl_doctor_bad("compile: device libraries", remedy, "they are of LLVM %ld, and this clang does not read them", made_by);
    } else {
        wl_doctor_bad("compile: program", "see what hipcc says with HIPCC_VERBOSE=1", "hipcc fails: %s", wl_doctor_last_line(text));
    }
}

/* A whole program, from its source to its result. */
static void check_program(void) {
    static const char source[] = "#include <hip/hip_runtime.h>\n__global__ void set(int *p) { *p = 42; }\nint main() { int *p; return "
                                 "hipMallocManaged(&p, sizeof *p) || (set<<<1, 1>>>(p), hipDeviceSynchronize()) || *p != 42; }\n";
    const char *base = secure_getenv("TMPDIR");
    char folder[PATH_MAX], name[PATH_MAX + 16], program[PATH_MAX + 16], text[4096];
    snprintf(folder, sizeof folder, "%s/wavelift-doctor-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) {
        wl_doctor_bad("compile: program", "set TMPDIR to a folder that can be written", "%s cannot be made: %m", folder);
        return;
    }
    snprintf(name, sizeof name, "%s/doctor.hip", folder);
    snprintf(program, sizeof program, "%s/doctor", folder);
    FILE *file = fopen(name, "we");
    bool written = file && fputs(source, file) >= 0;
    if (file)
        written &= fclose(file) == 0;
    if (!written)
        wl_doctor_bad("compile: program", "set TMPDIR to a folder that can be written and has space", "%s cannot be written: %m", name);
    else if (wl_doctor_run_self((const char *const[]){"hipcc", "-O1", name, "-o", program, NULL}, NULL, text, sizeof text) != 0)
        tell_of_hipcc(text);
    else if (wl_process_run((const char *const[]){program, NULL}, NULL, true, text, sizeof text) != 0)
        wl_doctor_bad("compile: program", "see the problems above", "what hipcc has made fails: %s", wl_doctor_last_line(text));
    else
        wl_doctor_good("compile: program", "hipcc compiles one, and it runs");
    (void)unlink(name);
    (void)unlink(program);
    (void)rmdir(folder);
}

void wl_doctor_compile(void) {
    static struct wl_toolchain t;
    wl_toolchain_find(&t);
    bool clang = check_clang(&t), files = check_files(&t);
    if (!*t.include)
        wl_doctor_note("compile: headers", "Wavelift's own headers are not in %s/include: host programs take AMD's", t.prefix);
    if (clang && files)
        check_program();
}
