#include "hiprtc/rtc.h"

#include "base/array.h"
#include "base/installed.h"
#include "base/options.h"
#include "machine/processor.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <hip/hip_runtime_api.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void wl_rtc_say(struct wl_rtc_bytes *bytes, const char *format, ...) {
    va_list list;
    free(bytes->data);
    va_start(list, format);
    int length = vasprintf(&bytes->data, format, list);
    va_end(list);
    if (length < 0)
        bytes->data = NULL;
    bytes->size = bytes->data ? (size_t)length : 0;
}

/* ---- command lines --------------------------------------------------------------------------- */

void wl_rtc_argument(struct wl_rtc_command *command, const char *format, ...) {
    va_list list;
    char *text = NULL;
    va_start(list, format);
    int length = vasprintf(&text, format, list);
    va_end(list);
    if (length < 0 || !WL_ARRAY_RESERVE_MORE(command->arguments, command->count, 2, command->capacity, 64)) {
        if (length >= 0)
            free(text);
        command->failed = true;
        return;
    }
    command->arguments[command->count++] = text;
    command->arguments[command->count] = NULL;
}

void wl_rtc_command_free(struct wl_rtc_command *command) {
    for (size_t i = 0; i < command->count; i++)
        free(command->arguments[i]);
    free((void *)command->arguments);
    *command = (struct wl_rtc_command){0};
}

/* ---- what is installed ------------------------------------------------------------------------- */

/* The folder of the device libraries that a compiler is to use. False: none is known here, and the compiler has to find them itself. */
static bool find_libraries(const char *compiler, char *folder, size_t size) {
    Dl_info self;
    const char *named = secure_getenv("HIP_DEVICE_LIB_PATH"); /* the compiler's own variable */
    if (named)
        return snprintf(folder, size, "%s", named) < (int)size;
    const bool known = dladdr(__extension__(void *) wl_rtc_device_libraries, &self);
    return wl_find_device_libraries(compiler, known ? self.dli_fname : NULL, folder, size);
}

/* The clang that can read the device libraries takes the place of an older compiler at `path`. */
static void replace_older_compiler(char *path, size_t size) {
    char folder[4096], other[4096];
    if (find_libraries(path, folder, sizeof folder) && wl_find_newer_compiler(path, folder, other, sizeof other))
        snprintf(path, size, "%s", other);
}

/* Distributions that carry ROCm have the one version of clang that it was built with, under its number alone. */
static bool find_compiler(char *path, size_t size, int oldest) {
    enum { NEWEST = 40, OLDEST = 15 };
    static const char *const candidates[] = {"clang++-19", "clang++", "amdclang++", "/opt/rocm/llvm/bin/clang++"};
    for (size_t i = 0; !oldest && i < sizeof candidates / sizeof *candidates; i++)
        if (wl_find_program(candidates[i], path, size)) {
            replace_older_compiler(path, size);
            return true;
        }
    for (int version = NEWEST; version >= (oldest ? oldest : OLDEST); version--) {
        char name[32];
        snprintf(name, sizeof name, "clang++-%d", version);
        if (wl_find_program(name, path, size))
            return true;
    }
    return false;
}

hiprtcResult wl_rtc_compiler(struct wl_rtc_command *command, int oldest, struct wl_rtc_bytes *log) {
    const char *named = wl_options()->clang;
    char path[4096];
    if (named && oldest)
        return HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE; /* it is the one to use, whatever its version */
    if (!(named ? wl_find_program(named, path, sizeof path) : find_compiler(path, sizeof path, oldest))) {
        wl_rtc_say(log, "hiprtc: no compiler: %s is not installed; WAVELIFT_CLANG can name one", named ? named : "clang++-19");
        return HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
    wl_rtc_argument(command, "%s", path);
    return HIPRTC_SUCCESS;
}

/* The part of the device libraries that has the barriers of HIP 5's headers: clang 22 does not link it by itself, as earlier ones do. For
 * those it is there twice, and the second copy has nothing to give. */
static void add_former_library(struct wl_rtc_command *command, const char *folder) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s/hip.bc", folder) >= (int)sizeof path || access(path, R_OK) != 0)
        return;
    wl_rtc_argument(command, "-Xclang");
    wl_rtc_argument(command, "-mlink-builtin-bitcode");
    wl_rtc_argument(command, "-Xclang");
    wl_rtc_argument(command, "%s", path);
}

void wl_rtc_device_libraries(struct wl_rtc_command *command) {
    char folder[4096];
    if (!find_libraries(command->count ? command->arguments[0] : NULL, folder, sizeof folder))
        return;
    if (!secure_getenv("HIP_DEVICE_LIB_PATH"))
        wl_rtc_argument(command, "--rocm-device-lib-path=%s", folder);
    add_former_library(command, folder);
}

void wl_rtc_headers(struct wl_rtc_command *command) {
    char folder[PATH_MAX];
    char *real = wl_find_named_headers(folder, sizeof folder) ? realpath(folder, NULL) : NULL;
    /* The C++ library's headers have to come before the host's, as the compiler has it. */
    if (real && strcmp(real, "/usr/include") != 0) {
        wl_rtc_argument(command, "-isystem");
        wl_rtc_argument(command, "%s", real);
    }
    free(real);
}

void wl_rtc_default_target(char *text, size_t size) {
    int device = 0;
    hipDeviceProp_t properties;
    const char *target = wl_processor_at(0)->name;
    if (hipGetDevice(&device) == hipSuccess && hipGetDeviceProperties(&properties, device) == hipSuccess)
        target = properties.gcnArchName;
    snprintf(text, size, "%s", target);
}

/* ---- running ----------------------------------------------------------------------------------- */

/* Takes the folder's name out of messages: it means nothing to the user. */
static void strip_folder(struct wl_rtc_bytes *log, const char *folder) {
    size_t length = strlen(folder);
    char *to = log->data;
    for (char *from = log->data; from && *from;) {
        if (strncmp(from, folder, length) == 0 && from[length] == '/')
            from += length + 1;
        else
            *to++ = *from++;
    }
    if (to)
        *to = 0;
    log->size = to ? (size_t)(to - log->data) : 0;
}

/* How the process ended, as waitpid() tells it: 0 is good. A program that ignores SIGCHLD leaves no status: then the output tells. */
static int status_of(pid_t process) {
    int status = 0;
    pid_t got;
    do
        got = waitpid(process, &status, 0);
    while (got < 0 && errno == EINTR);
    return got < 0 ? 0 : status;
}

/* A compiler that is killed says nothing itself. */
static void say_how(struct wl_rtc_bytes *log, const char *program, int status) {
    if (WIFSIGNALED(status))
        wl_rtc_say(log, "hiprtc: %s was ended by signal %d and said nothing", program, WTERMSIG(status));
    else
        wl_rtc_say(log, "hiprtc: %s ended with status %d and said nothing", program, WEXITSTATUS(status));
}

hiprtcResult wl_rtc_run(const struct wl_rtc_command *command, const char *folder, const char *input, struct wl_rtc_bytes *log) {
    char *messages = wl_rtc_path(folder, "messages");
    posix_spawn_file_actions_t actions;
    pid_t process = 0;
    if (!messages || command->failed) {
        free(messages);
        return HIPRTC_ERROR_OUT_OF_MEMORY;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input ? input : "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    int error = posix_spawn(&process, command->arguments[0], &actions, NULL, command->arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    hiprtcResult result = HIPRTC_SUCCESS;
    if (error) {
        errno = error;
        wl_rtc_say(log, "hiprtc: %s cannot be started: %m", command->arguments[0]);
        result = HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    } else {
        const int status = status_of(process);
        result = status == 0 ? HIPRTC_SUCCESS : HIPRTC_ERROR_COMPILATION;
        free(log->data);
        (void)wl_rtc_read(messages, log);
        strip_folder(log, folder);
        if (status != 0 && !log->size)
            say_how(log, command->arguments[0], status);
    }
    free(messages);
    return result;
}
