/* `wavelift doctor`: what is there and what is missing to run HIP programs, and to compile them. */
#include "doctor.h"

#include "commands.h"
#include "process.h"

#include "base/folder.h"
#include "base/options.h"
#include "device/cuda/cuda_device.h"

#include <hip/hip_runtime_api.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* ---- the report ---------------------------------------------------------------------------------- */

static unsigned problems;

static void print_line(const char *mark, const char *subject, const char *format, va_list list) {
    printf("%-8s %-26s ", mark, subject);
    vprintf(format, list);
    putchar('\n');
}

void wl_doctor_good(const char *subject, const char *format, ...) {
    va_list list;
    va_start(list, format);
    print_line("ok", subject, format, list);
    va_end(list);
}

void wl_doctor_note(const char *subject, const char *format, ...) {
    va_list list;
    va_start(list, format);
    print_line("note", subject, format, list);
    va_end(list);
}

void wl_doctor_bad(const char *subject, const char *remedy, const char *format, ...) {
    va_list list;
    va_start(list, format);
    print_line("PROBLEM", subject, format, list);
    va_end(list);
    printf("%-8s %-26s remedy: %s\n", "", "", remedy);
    problems++;
}

/* ---- other processes ------------------------------------------------------------------------------ */

int wl_doctor_run_self(const char *const *arguments, const char *const *settings, char *text, size_t size) {
    char program[PATH_MAX];
    const char *all[16] = {program};
    size_t count = 1;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    for (; arguments[count - 1] && count < sizeof all / sizeof *all - 1; count++)
        all[count] = arguments[count - 1];
    all[count] = NULL;
    return wl_process_run(all, settings, true, text, size);
}

char *wl_doctor_last_line(char *text) {
    size_t length = strlen(text);
    while (length && strchr(" \n\t", text[length - 1]))
        text[--length] = 0;
    char *last = strrchr(text, '\n');
    return length == 0 ? strcpy(text, "it says nothing") : last ? last + 1 : text;
}

/* ---- libraries ------------------------------------------------------------------------------------- */

/* Where the loader finds a library for a program that has no run path: it tells itself, when it is asked to trace. */
static bool loaders_choice(const char *library, char *path, size_t size) {
    char text[16384], sought[64], preload[64];
    snprintf(sought, sizeof sought, "\t%s => ", library);
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", library);
    (void)wl_process_run((const char *const[]){"/bin/true", NULL}, (const char *const[]){"LD_TRACE_LOADED_OBJECTS=1", preload, NULL}, true,
                         text, sizeof text);
    const char *line = strstr(text, sought);
    if (!line || line[strlen(sought)] != '/')
        return false;
    line += strlen(sought);
    snprintf(path, size, "%.*s", (int)strcspn(line, " \n"), line);
    return true;
}

static void check_loader(const char *folder) {
    static const char *const names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
    char path[PATH_MAX], resolved[PATH_MAX];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!loaders_choice(names[i], path, sizeof path))
            wl_doctor_note("run: loader", "%s is not found without help: run programs by `wavelift run`, or set LD_LIBRARY_PATH=%s",
                           names[i], folder);
        else if (realpath(path, resolved) && strncmp(resolved, folder, strlen(folder)) == 0 && resolved[strlen(folder)] == '/')
            wl_doctor_good("run: loader", "%s is Wavelift's: %s", names[i], path);
        else
            wl_doctor_note("run: loader", "%s is another one, %s: run programs by `wavelift run`, or set LD_LIBRARY_PATH=%s", names[i],
                           path, folder);
    }
}

static void check_part(const char *folder, const char *name, const char *what) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library)
        wl_doctor_good("run: libraries", "%s for %s", name, what);
    else
        wl_doctor_bad("run: libraries", "install Wavelift again, whole; if another library is missing, install that", "no %s: %s", what,
                      dlerror()); /* NOLINT(concurrency-mt-unsafe): one thread */
}

static void check_libraries(void) {
    char folder[PATH_MAX];
    if (!wl_tool_library_folder(folder, sizeof folder)) {
        wl_doctor_bad("run: libraries", "install Wavelift again, whole", "libamdhip64.so.7 is not beside this program");
        return;
    }
    wl_doctor_good("run: libraries", "%s", folder);
    check_part(folder, WL_TOOL_THREADED, "threaded code");
    check_part(folder, WL_TOOL_TRANSLATOR, "native code (LLVM)");
    check_loader(folder);
}

/* ---- devices -------------------------------------------------------------------------------------- */

static bool wants_gpus(void) {
    for (unsigned i = 0; i < wl_options()->device_wishes; i++)
        if (wl_options()->devices[i].cuda)
            return true;
    return false;
}

static void check_gpus(void) {
    struct wl_device *device = NULL;
    if (access("/dev/kfd", F_OK) == 0)
        wl_doctor_note("run: AMD GPUs", "there is an AMD GPU, which Wavelift does not use; AMD's own libamdhip64 does");
    if (!wants_gpus()) {
        wl_doctor_note("run: NVIDIA GPUs", "WAVELIFT_DEVICES leaves them out");
        return;
    }
    enum wl_status status = wl_cuda_device_create(&device, 0, 0);
    if (status == WL_OK) {
        struct wl_device_info info;
        device->ops->info(device, &info);
        wl_doctor_good("run: NVIDIA GPUs", "%s is used", info.name);
        device->ops->destroy(device);
    } else if (wl_cuda_driver_opened()) {
        wl_doctor_bad("run: NVIDIA GPUs", "see that nvidia-smi works here, or leave GPUs out with WAVELIFT_DEVICES=cpu",
                      "the driver is there, and no GPU can be used: %s", wl_failure());
    } else if (access("/dev/nvidiactl", F_OK) == 0) {
        wl_doctor_bad("run: NVIDIA GPUs",
                      "install the driver's libraries; containers get them from NVIDIA's container toolkit (--gpus all)",
                      "there is a GPU, and %s", wl_failure());
    } else {
        wl_doctor_note("run: NVIDIA GPUs", "none: %s", wl_failure());
    }
}

static void check_memory(int device) {
    size_t rest = 0, total = 0;
    hipError_t error = hipSetDevice(device);
    if (error == hipSuccess)
        error = hipMemGetInfo(&rest, &total);
    if (error != hipSuccess)
        wl_doctor_bad("run: memory", "see the other problems", "device %d: %s", device, hipGetErrorString(error));
    else if (rest < (size_t)256 << 20)
        wl_doctor_bad("run: memory", "raise the limits (ulimit -v, the container's), or end other programs", "device %d: %zu MiB are left",
                      device, rest >> 20);
    else
        wl_doctor_good("run: memory", "device %d: %.1f GiB of %.1f GiB are left", device, (double)rest / (1 << 30),
                       (double)total / (1 << 30));
}

static void check_devices(void) {
    hipDeviceProp_t properties;
    int count = 0;
    hipError_t error = hipGetDeviceCount(&count);
    if (error != hipSuccess || count == 0)
        wl_doctor_bad("run: devices", "unset WAVELIFT_DEVICES, ROCR_VISIBLE_DEVICES, HIP_VISIBLE_DEVICES and CUDA_VISIBLE_DEVICES",
                      "programs see no device: %s", hipGetErrorString(error));
    for (int i = 0; i < count && hipGetDeviceProperties(&properties, i) == hipSuccess; i++) {
        wl_doctor_good("run: devices", "device %d: %s presents itself as %s%s", i, properties.name, properties.gcnArchName,
                       wl_options()->arch ? " (WAVELIFT_ARCH)" : ", or as what a program's code is for");
        check_memory(i);
    }
}

/* ---- the cache ------------------------------------------------------------------------------------- */

static void check_owner(const char *folder) {
    struct stat found;
    if (stat(folder, &found) != 0)
        return;
    if (found.st_uid != geteuid())
        wl_doctor_note("run: cache", "%s belongs to user %u", folder, (unsigned)found.st_uid);
    if (found.st_mode & (S_IWGRP | S_IWOTH) && !(found.st_mode & S_ISVTX))
        wl_doctor_bad("run: cache", "chmod go-w the folder, or set WAVELIFT_CACHE_DIR to one of your own",
                      "others can write to %s, from which native code is loaded", folder);
}

static void check_cache(void) {
    static const char remedy[] = "make the folder writable, or set WAVELIFT_CACHE_DIR to one that is";
    const char *folder = wl_cache_folder();
    char name[PATH_MAX + 32];
    struct statvfs space;
    if (!folder) {
        wl_doctor_note("run: cache", "it is off (WAVELIFT_CACHE_SIZE=0, or no home folder): native code is made anew in each process");
        return;
    }
    if (!wl_cache_folder_make()) {
        wl_doctor_bad("run: cache", remedy, "%s cannot be made: %m", folder);
        return;
    }
    snprintf(name, sizeof name, "%s/doctor-%d", folder, (int)getpid());
    int file = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0) {
        wl_doctor_bad("run: cache", remedy, "nothing can be written to %s: %m", folder);
        return;
    }
    close(file);
    (void)unlink(name);
    uint64_t rest = statvfs(folder, &space) == 0 ? (uint64_t)space.f_bavail * space.f_frsize : UINT64_MAX;
    if (rest < (uint64_t)64 << 20)
        wl_doctor_bad("run: cache", "make room, or set WAVELIFT_CACHE_DIR to a folder on another file system",
                      "%s: its file system has %" PRIu64 " MiB left", folder, rest >> 20);
    else
        wl_doctor_good("run: cache", "%s", folder);
    check_owner(folder);
}

/* ---- limits ---------------------------------------------------------------------------------------- */

/* A thread that runs kernels reserves address space for LDS, with guards, and for private memory. */
static void check_address_space(void) {
    const uint64_t each = (uint64_t)5 << 30;
    struct rlimit limit;
    long threads = wl_options()->threads ? (long)wl_options()->threads : sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t needed = each * (uint64_t)(threads + 1);
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        wl_doctor_good("run: limits", "address space is not limited");
    else if (limit.rlim_cur < needed)
        wl_doctor_bad("run: limits", "ulimit -v unlimited; fewer threads (WAVELIFT_THREADS) need less",
                      "address space is limited to %.1f GiB (ulimit -v); %ld threads reserve some %.0f GiB, without using it",
                      (double)limit.rlim_cur / (1 << 30), threads, (double)needed / (1 << 30));
    else
        wl_doctor_good("run: limits", "address space is limited to %.0f GiB, which is enough", (double)limit.rlim_cur / (1 << 30));
}

static void check_limits(void) {
    check_address_space();
    if (access("/proc/self/maps", R_OK) == 0)
        wl_doctor_good("run: limits", "/proc is there");
    else
        wl_doctor_bad("run: limits", "mount -t proc proc /proc", "/proc is not mounted: libraries and memory cannot be found");
    if (access("/dev/shm", W_OK) != 0)
        wl_doctor_note("run: limits",
                       "/dev/shm cannot be written: hipMemGetInfo does not count other processes, and memory is not shared with them");
}

/* ---- self-test --------------------------------------------------------------------------------------- */

/* `tier`: a setting of the environment. */
static void check_tier(const char *what, const char *tier) {
    static const char *const arguments[] = {"doctor", "--self-test", NULL};
    /* On a processor, whose tiers they are; nothing of the cache is to answer. */
    const char *const settings[] = {tier, "WAVELIFT_CACHE_SIZE=0", "WAVELIFT_DEVICES=cpu", NULL};
    char text[4096];
    int status = wl_doctor_run_self(arguments, settings, text, sizeof text);
    if (status == 0)
        wl_doctor_good("run: self-test", "a kernel runs in %s", what);
    else if (status > 128)
        wl_doctor_bad("run: self-test", "see the problems above; if there are none, this is a fault of Wavelift: please report it",
                      "a kernel in %s ends with signal %d: %s", what, status - 128, wl_doctor_last_line(text));
    else
        wl_doctor_bad("run: self-test", "see the problems above; if there are none, this is a fault of Wavelift: please report it",
                      "a kernel in %s fails: %s", what, wl_doctor_last_line(text));
}

int wl_command_doctor(char **operands, const char *const *values) {
    const char *only = values[WL_DOCTOR_ONLY];
    (void)operands;
    if (values[WL_DOCTOR_SELF_TEST])
        return wl_doctor_self_test();
    if (only && strcmp(only, "run") != 0 && strcmp(only, "compile") != 0)
        return wl_tool_usage("doctor: --only is run or compile");
    printf("Wavelift %s\n", WL_VERSION);
    if (!only || strcmp(only, "run") == 0) {
        check_libraries();
        check_cache();
        check_limits();
        check_tier("threaded code", "WAVELIFT_TIER=1");
        check_tier("native code", "WAVELIFT_TIER=2");
        check_gpus();
        check_devices();
    }
    if (!only || strcmp(only, "compile") == 0)
        wl_doctor_compile();
    if (problems)
        printf("%u problem%s\n", problems, problems == 1 ? "" : "s");
    else
        puts("no problems");
    return problems != 0;
}
