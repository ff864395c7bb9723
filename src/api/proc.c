/* HIP reference: Driver entry point access. Addresses of this library's functions by name, version and default stream. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dlvsym, dladdr */
#endif
#include "api/api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LENGTH 120

/* AMD's version nodes, oldest first. exports.map has the same. */
static const struct {
    unsigned version; /* 100 * major + minor */
    const char *node;
} nodes[] = {
    {402, "hip_4.2"}, {403, "hip_4.3"}, {404, "hip_4.4"}, {405, "hip_4.5"}, {500, "hip_5.0"}, {501, "hip_5.1"},
    {502, "hip_5.2"}, {503, "hip_5.3"}, {505, "hip_5.5"}, {506, "hip_5.6"}, {600, "hip_6.0"}, {601, "hip_6.1"},
    {602, "hip_6.2"}, {603, "hip_6.3"}, {604, "hip_6.4"}, {605, "hip_6.5"}, {701, "hip_7.1"}, {702, "hip_7.2"},
};

static void *newest, *of_hip5; /* this library, and the one beside it that has what differs for HIP 5 */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_libraries(void) {
    Dl_info info;
    char path[4096];
    if (!dladdr((void *)(uintptr_t)&find_libraries, &info) || !info.dli_fname)
        return;
    newest = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    const char *slash = strrchr(info.dli_fname, '/');
    int folder = slash ? (int)(slash - info.dli_fname + 1) : 0;
    if (snprintf(path, sizeof path, "%.*slibamdhip64.so.5", folder, info.dli_fname) < (int)sizeof path)
        of_hip5 = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

/* The function, in the form that a version of HIP had, and the version that it came with; NULL if there is none. */
static void *find(const char *name, unsigned wanted, unsigned *version) {
    pthread_once(&once, find_libraries);
    void *library = wanted < 600 && of_hip5 ? of_hip5 : newest; /* the older one passes on what it does not have */
    for (size_t i = 0; library && i < sizeof nodes / sizeof *nodes; i++) {
        void *address = dlvsym(library, name, nodes[i].node);
        if (address) {
            *version = nodes[i].version;
            return address;
        }
    }
    return NULL;
}

/* 60300000 and 603 both mean 6.3. */
static unsigned normalize(int version) {
    if (version < 0)
        return 0;
    return version >= 10000000 ? (unsigned)(version / 10000000 * 100 + version / 100000 % 100) : (unsigned)version;
}

enum outcome { FOUND, MISSING, TOO_NEW };

static enum outcome look_up(const char *symbol, unsigned wanted, bool per_thread, void **function) {
    /* Functions whose structures changed carry the version in the name of the newer one. */
    static const char *const changed[] = {"hipGetDeviceProperties", "hipChooseDevice"};
    char name[NAME_MAX_LENGTH + 8];
    unsigned version = 0;
    *function = NULL;
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
        if (strcmp(symbol, changed[i]) == 0 && wanted >= 600) {
            snprintf(name, sizeof name, "%sR0600", symbol);
            *function = find(name, wanted, &version);
            return *function ? FOUND : MISSING;
        }
    if (strlen(symbol) > NAME_MAX_LENGTH)
        return MISSING;
    void *address = NULL;
    if (per_thread) {
        snprintf(name, sizeof name, "%s_spt", symbol);
        address = find(name, wanted, &version);
    }
    if (!address)
        address = find(symbol, wanted, &version);
    if (!address)
        return MISSING;
    if (version > wanted)
        return TOO_NEW;
    *function = address;
    return FOUND;
}

static hipError_t get(const char *function, const char *symbol, void **pfn, unsigned wanted, bool per_thread, unsigned long long flags,
                      int *status) {
    static const int statuses[] = {[FOUND] = HIP_GET_PROC_ADDRESS_SUCCESS,
                                   [MISSING] = HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND,
                                   [TOO_NEW] = HIP_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT};
    if (!symbol || !*symbol || !pfn || flags > HIP_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
        return wl_api_fail(function, hipErrorInvalidValue, "no name, no place for the address, or unknown flags");
    if (flags)
        per_thread = flags == HIP_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    enum outcome outcome = look_up(symbol, wanted, per_thread, pfn);
    if (status)
        *status = statuses[outcome];
    if (outcome == FOUND)
        return wl_api_success();
    return wl_api_fail(function, hipErrorInvalidValue,
                       outcome == MISSING ? "no function of that name" : "the function came with a later version");
}

hipError_t hipGetProcAddress(const char *symbol, void **pfn, int hipVersion, uint64_t flags,
                             hipDriverProcAddressQueryResult *symbolStatus) {
    return get(__func__, symbol, pfn, normalize(hipVersion), false, flags, (int *)symbolStatus);
}

hipError_t hipGetProcAddress_spt(const char *symbol, void **pfn, int hipVersion, uint64_t flags,
                                 hipDriverProcAddressQueryResult *symbolStatus) {
    return get(__func__, symbol, pfn, normalize(hipVersion), true, flags, (int *)symbolStatus);
}

hipError_t hipGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                                  hipDriverEntryPointQueryResult *driverStatus) {
    return get(__func__, symbol, funcPtr, UINT32_MAX, false, flags, (int *)driverStatus);
}

hipError_t hipGetDriverEntryPoint_spt(const char *symbol, void **funcPtr, unsigned long long flags,
                                      hipDriverEntryPointQueryResult *driverStatus) {
    return get(__func__, symbol, funcPtr, UINT32_MAX, true, flags, (int *)driverStatus);
}
