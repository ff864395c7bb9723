/* HIP documentation: HIP RTC, linker; hipLink* of the module management page stands on it. */
#include "hiprtc/rtc.h"

#include "base/options.h"
#include "codeobject/codeobject.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

struct ihiprtcLinkState {
    struct wl_rtc_live live; /* first */
    char *folder;            /* the inputs, as files "0", "1", ... */
    unsigned inputs;
    char **options; /* for the compiler; copies */
    size_t option_count;
    struct wl_rtc_bytes binary, log;
};

static struct wl_rtc_live_list states = WL_RTC_LIVE_LIST;

static void state_free(struct ihiprtcLinkState *state) {
    wl_rtc_folder_remove(state->folder);
    for (size_t i = 0; i < state->option_count; i++)
        free(state->options[i]);
    free((void *)state->options);
    free(state->binary.data);
    free(state->log.data);
    free(state);
}

/* The options for the compiler: an array of strings in one option, their number in another. */
static bool take_options(struct ihiprtcLinkState *state, unsigned count, const hiprtcJIT_option *options, void **values) {
    const char **strings = NULL;
    size_t given = 0;
    for (unsigned i = 0; i < count; i++) {
        if (options[i] == hipJitOptionIRtoISAOptExt)
            strings = (const char **)values[i];
        else if (options[i] == hipJitOptionIRtoISAOptCountExt)
            given = (size_t)(uintptr_t)values[i];
    }
    if (!strings || !given)
        return true;
    state->options = (char **)calloc(given, sizeof *state->options);
    for (; state->options && state->option_count < given; state->option_count++)
        if (!(state->options[state->option_count] = strdup(strings[state->option_count])))
            return false;
    return state->options != NULL;
}

PUBLIC hiprtcResult hiprtcLinkCreate(unsigned int numOptions, hiprtcJIT_option *options, void **optionValues, hiprtcLinkState *state) {
    if (!state || (numOptions && (!options || !optionValues)))
        return HIPRTC_ERROR_INVALID_INPUT;
    struct ihiprtcLinkState *made = calloc(1, sizeof *made);
    if (!made || !take_options(made, numOptions, options, optionValues) || !(made->folder = wl_rtc_folder_make())) {
        if (made)
            state_free(made);
        return HIPRTC_ERROR_OUT_OF_MEMORY;
    }
    wl_rtc_live_add(&states, &made->live);
    *state = made;
    return HIPRTC_SUCCESS;
}

PUBLIC hiprtcResult hiprtcLinkDestroy(hiprtcLinkState state) {
    if (!wl_rtc_live_remove(&states, state))
        return HIPRTC_ERROR_INVALID_INPUT;
    state_free(state);
    return HIPRTC_SUCCESS;
}

/* ---- inputs ------------------------------------------------------------------------------------ */

static bool is_bitcode(const void *data, size_t size) {
    return size > 4 && (memcmp(data, "BC\xc0\xde", 4) == 0 || memcmp(data, "\xde\xc0\x17\x0b", 4) == 0);
}

static hiprtcResult add(struct ihiprtcLinkState *state, const void *data, size_t size, const char *name) {
    char file[16];
    if (!is_bitcode(data, size)) {
        wl_log(1, "hiprtcLinkAddData: %s is no LLVM bitcode", name);
        return HIPRTC_ERROR_INVALID_INPUT;
    }
    snprintf(file, sizeof file, "%u.bc", state->inputs);
    if (!wl_rtc_write(state->folder, file, data, size))
        return HIPRTC_ERROR_OUT_OF_MEMORY;
    state->inputs++;
    return HIPRTC_SUCCESS;
}

/* The entry for the current device's architecture. */
static hiprtcResult add_bundle(struct ihiprtcLinkState *state, const void *data, size_t size, const char *name) {
    struct wl_container *container = NULL;
    struct wl_target target;
    struct wl_entry entry;
    char text[256];
    wl_rtc_default_target(text, sizeof text);
    hiprtcResult result = HIPRTC_ERROR_INVALID_INPUT;
    if (wl_target_parse(&target, text) == WL_OK && wl_container_open(&container, data, size) == WL_OK) {
        if (wl_container_select(container, &target, &entry) == WL_OK)
            result = add(state, entry.data, entry.size, name);
        wl_container_close(container);
    }
    if (result != HIPRTC_SUCCESS)
        wl_log(1, "hiprtcLinkAddData: %s holds no bitcode for %s", name, text);
    return result;
}

static bool is_linked_type(hiprtcJITInputType type) { return type == hipJitInputLLVMBitcode || type == hipJitInputLLVMBundledBitcode; }

PUBLIC hiprtcResult hiprtcLinkAddData(hiprtcLinkState state, hiprtcJITInputType type, void *image, size_t size, const char *name,
                                      unsigned int numOptions, hiprtcJIT_option *options, void **optionValues) {
    (void)options, (void)optionValues;
    if (!wl_rtc_live_has(&states, state) || !image || !size || (numOptions && !options))
        return HIPRTC_ERROR_INVALID_INPUT;
    name = name ? name : "the data";
    if (type == hipJitInputLLVMBitcode)
        return add(state, image, size, name);
    if (type == hipJitInputLLVMBundledBitcode)
        return add_bundle(state, image, size, name);
    wl_log(1, "hiprtcLinkAddData: %s: only LLVM bitcode, plain or bundled, can be linked, not type %d", name, (int)type);
    return HIPRTC_ERROR_INVALID_INPUT;
}

PUBLIC hiprtcResult hiprtcLinkAddFile(hiprtcLinkState state, hiprtcJITInputType type, const char *path, unsigned int numOptions,
                                      hiprtcJIT_option *options, void **optionValues) {
    struct wl_rtc_bytes bytes;
    if (!wl_rtc_live_has(&states, state) || !path || !is_linked_type(type))
        return HIPRTC_ERROR_INVALID_INPUT;
    if (!wl_rtc_read(path, &bytes))
        return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
    hiprtcResult result = hiprtcLinkAddData(state, type, bytes.data, bytes.size, path, numOptions, options, optionValues);
    free(bytes.data);
    return result;
}

/* ---- linking ----------------------------------------------------------------------------------- */

/* Link-time optimization sees all inputs as one program, which calls across them need. `oldest`: as wl_rtc_compiler() has it. */
static hiprtcResult run_linker(struct ihiprtcLinkState *state, int oldest) {
    struct wl_rtc_command command = {0};
    char target[256];
    hiprtcResult result = wl_rtc_compiler(&command, oldest, &state->log);
    if (result == HIPRTC_SUCCESS) {
        wl_rtc_default_target(target, sizeof target);
        wl_rtc_argument(&command, "--target=amdgcn-amd-amdhsa");
        wl_rtc_argument(&command, "-mcpu=%s", target);
        wl_rtc_argument(&command, "-nogpulib");
        wl_rtc_argument(&command, "-flto");
        wl_rtc_argument(&command, "-O3");
        for (size_t i = 0; i < state->option_count; i++)
            wl_rtc_argument(&command, "%s", state->options[i]);
        for (unsigned i = 0; i < state->inputs; i++)
            wl_rtc_argument(&command, "%s/%u.bc", state->folder, i);
        wl_rtc_argument(&command, "-o%s/result", state->folder);
        result = wl_rtc_run(&command, state->folder, NULL, &state->log);
    }
    wl_rtc_command_free(&command);
    return result;
}

/* The version of LLVM whose bitcode the linker could not read, as its message names it ("Producer: 'LLVM22.1.8' Reader: 'LLVM 19.1.7'"); 0:
 * that is not what was wrong. */
static int unread_version(const struct wl_rtc_bytes *log) {
    static const char producer[] = "Producer: 'LLVM", reader[] = "Reader: 'LLVM";
    const char *made = log->data ? strstr(log->data, producer) : NULL, *read = made ? strstr(made, reader) : NULL;
    const long version = made ? strtol(made + sizeof producer - 1, NULL, 10) : 0;
    return read && version > strtol(read + sizeof reader - 1, NULL, 10) && version < 1000 ? (int)version : 0;
}

/* With the compiler that compiles programs, and where the bitcode is newer than that, with one that is as new. */
static hiprtcResult link_all(struct ihiprtcLinkState *state) {
    hiprtcResult result = run_linker(state, 0);
    const int version = result == HIPRTC_SUCCESS ? 0 : unread_version(&state->log);
    if (!version)
        return result;
    struct wl_rtc_bytes first = state->log;
    state->log = (struct wl_rtc_bytes){0};
    result = run_linker(state, version);
    if (result == HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE)
        wl_rtc_say(&state->log, "the bitcode was made by LLVM %d, newer than the linker, and %s\n%s", version,
                   wl_options()->clang ? "WAVELIFT_CLANG names an older clang" : "no clang++ of that version or a later one is installed",
                   first.data);
    free(first.data);
    return result;
}

PUBLIC hiprtcResult hiprtcLinkComplete(hiprtcLinkState state, void **binary, size_t *size) {
    if (!wl_rtc_live_has(&states, state) || !binary || !size)
        return HIPRTC_ERROR_INVALID_INPUT;
    if (!state->inputs)
        return HIPRTC_ERROR_LINKING;
    if (!state->binary.data) {
        hiprtcResult result = link_all(state);
        char *path = wl_rtc_path(state->folder, "result");
        if (result != HIPRTC_SUCCESS || !path || !wl_rtc_read(path, &state->binary)) {
            wl_log(1, "hiprtcLinkComplete: %s",
                   state->log.size            ? state->log.data
                   : result != HIPRTC_SUCCESS ? hiprtcGetErrorString(result)
                                              : "the compiler wrote no code object, and said nothing");
            free(path);
            return HIPRTC_ERROR_LINKING;
        }
        free(path);
    }
    *binary = state->binary.data;
    *size = state->binary.size;
    return HIPRTC_SUCCESS;
}
