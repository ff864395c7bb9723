/* HSA: starting and ending, what the system is, the names of results. */
#include "hsa/hsa.h"

#include "base/clock.h"
#include "base/options.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { MAJOR = 1, MINOR = 18 }; /* of the interface, as ROCm 7.2's library says */

static struct {
    pthread_mutex_t lock;
    _Atomic uint32_t count; /* of hsa_init; guarded by the lock, and read without */
    bool made;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Runs with the lock held. */
static hsa_status_t make(void) {
    const hsa_status_t status = state.made ? HSA_STATUS_SUCCESS : wl_hsa_agents_make();
    state.made |= status == HSA_STATUS_SUCCESS;
    return status;
}

/* AMD's HIP library calls hsa_init when it starts, and programs that use HIP rely on that. */
static bool started_by_hip(void) {
    if (!wl_core.started())
        return false;
    pthread_mutex_lock(&state.lock);
    const hsa_status_t status = make();
    pthread_mutex_unlock(&state.lock);
    return status == HSA_STATUS_SUCCESS;
}

bool wl_hsa_started(void) { return atomic_load_explicit(&state.count, memory_order_acquire) > 0 || started_by_hip(); }

HSA hsa_init(void) {
    hsa_status_t status = HSA_STATUS_SUCCESS;
    pthread_mutex_lock(&state.lock);
    if (atomic_load(&state.count) == INT32_MAX)
        status = HSA_STATUS_ERROR_REFCOUNT_OVERFLOW;
    else
        status = make();
    if (status == HSA_STATUS_SUCCESS)
        atomic_fetch_add(&state.count, 1);
    pthread_mutex_unlock(&state.lock);
    return status;
}

HSA hsa_shut_down(void) {
    pthread_mutex_lock(&state.lock);
    const bool was = atomic_load(&state.count) > 0;
    if (was)
        atomic_fetch_sub(&state.count, 1);
    pthread_mutex_unlock(&state.lock);
    return was ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_NOT_INITIALIZED;
}

/* ---- results ---------------------------------------------------------------------------------------- */

hsa_status_t wl_hsa_status(enum wl_status status, const char *function) {
    if (status == WL_OK)
        return HSA_STATUS_SUCCESS;
    wl_log(2, "%s: %s", function, wl_core.failure());
    switch (status) {
    case WL_OUT_OF_MEMORY:
    case WL_OUT_OF_RESOURCES:
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    case WL_INVALID_VALUE:
    case WL_ILLEGAL_STATE:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    case WL_INVALID_IMAGE:
    case WL_NO_BINARY:
        return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    case WL_NOT_FOUND:
        return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
    case WL_UNSUPPORTED:
        return HSA_STATUS_ERROR_NOT_SUPPORTED;
    case WL_ILLEGAL_ADDRESS:
        return HSA_STATUS_ERROR_MEMORY_FAULT;
    case WL_ILLEGAL_INSTRUCTION:
        return HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION;
    case WL_ASSERT:
    case WL_ABORTED:
        return HSA_STATUS_ERROR_EXCEPTION;
    default:
        return HSA_STATUS_ERROR;
    }
}

static const struct {
    int status;
    const char *text;
} results[] = {
    {HSA_STATUS_SUCCESS, "HSA_STATUS_SUCCESS: The function has been executed successfully."},
    {HSA_STATUS_INFO_BREAK, "HSA_STATUS_INFO_BREAK: A callback has ended an iteration early."},
    {HSA_STATUS_ERROR, "HSA_STATUS_ERROR: A generic error has occurred."},
    {HSA_STATUS_ERROR_INVALID_ARGUMENT, "HSA_STATUS_ERROR_INVALID_ARGUMENT: An argument is outside of what is allowed."},
    {HSA_STATUS_ERROR_INVALID_QUEUE_CREATION, "HSA_STATUS_ERROR_INVALID_QUEUE_CREATION: The queue that is asked for is not supported."},
    {HSA_STATUS_ERROR_INVALID_ALLOCATION, "HSA_STATUS_ERROR_INVALID_ALLOCATION: The allocation that is asked for is not possible."},
    {HSA_STATUS_ERROR_INVALID_AGENT, "HSA_STATUS_ERROR_INVALID_AGENT: The agent is invalid."},
    {HSA_STATUS_ERROR_INVALID_REGION, "HSA_STATUS_ERROR_INVALID_REGION: The memory region is invalid."},
    {HSA_STATUS_ERROR_INVALID_SIGNAL, "HSA_STATUS_ERROR_INVALID_SIGNAL: The signal is invalid."},
    {HSA_STATUS_ERROR_INVALID_QUEUE, "HSA_STATUS_ERROR_INVALID_QUEUE: The queue is invalid."},
    {HSA_STATUS_ERROR_OUT_OF_RESOURCES, "HSA_STATUS_ERROR_OUT_OF_RESOURCES: Memory or another resource is exhausted."},
    {HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "HSA_STATUS_ERROR_INVALID_PACKET_FORMAT: The AQL packet is malformed."},
    {HSA_STATUS_ERROR_RESOURCE_FREE, "HSA_STATUS_ERROR_RESOURCE_FREE: A resource could not be released."},
    {HSA_STATUS_ERROR_NOT_INITIALIZED, "HSA_STATUS_ERROR_NOT_INITIALIZED: hsa_init has not been called."},
    {HSA_STATUS_ERROR_REFCOUNT_OVERFLOW, "HSA_STATUS_ERROR_REFCOUNT_OVERFLOW: The object has too many references."},
    {HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, "HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS: The arguments do not go together."},
    {HSA_STATUS_ERROR_INVALID_INDEX, "HSA_STATUS_ERROR_INVALID_INDEX: The index is invalid."},
    {HSA_STATUS_ERROR_INVALID_ISA, "HSA_STATUS_ERROR_INVALID_ISA: The instruction set is invalid."},
    {HSA_STATUS_ERROR_INVALID_ISA_NAME, "HSA_STATUS_ERROR_INVALID_ISA_NAME: The name of the instruction set is invalid."},
    {HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "HSA_STATUS_ERROR_INVALID_CODE_OBJECT: The code object is invalid."},
    {HSA_STATUS_ERROR_INVALID_EXECUTABLE, "HSA_STATUS_ERROR_INVALID_EXECUTABLE: The executable is invalid."},
    {HSA_STATUS_ERROR_FROZEN_EXECUTABLE, "HSA_STATUS_ERROR_FROZEN_EXECUTABLE: The executable is frozen."},
    {HSA_STATUS_ERROR_INVALID_SYMBOL_NAME, "HSA_STATUS_ERROR_INVALID_SYMBOL_NAME: There is no symbol with that name."},
    {HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED, "HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED: The variable is already defined."},
    {HSA_STATUS_ERROR_VARIABLE_UNDEFINED, "HSA_STATUS_ERROR_VARIABLE_UNDEFINED: The variable is undefined."},
    {HSA_STATUS_ERROR_EXCEPTION, "HSA_STATUS_ERROR_EXCEPTION: A kernel has raised a hardware exception."},
    {HSA_STATUS_ERROR_INVALID_CODE_SYMBOL, "HSA_STATUS_ERROR_INVALID_CODE_SYMBOL: The code object symbol is invalid."},
    {HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL, "HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL: The executable symbol is invalid."},
    {HSA_STATUS_ERROR_INVALID_FILE, "HSA_STATUS_ERROR_INVALID_FILE: The file descriptor is invalid."},
    {HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER, "HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER: The code object reader is invalid."},
    {HSA_STATUS_ERROR_INVALID_CACHE, "HSA_STATUS_ERROR_INVALID_CACHE: The cache is invalid."},
    {HSA_STATUS_ERROR_INVALID_WAVEFRONT, "HSA_STATUS_ERROR_INVALID_WAVEFRONT: The wavefront is invalid."},
    {HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP, "HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP: The signal group is invalid."},
    {HSA_STATUS_ERROR_INVALID_RUNTIME_STATE, "HSA_STATUS_ERROR_INVALID_RUNTIME_STATE: The runtime is not in the state that this needs."},
    {HSA_STATUS_ERROR_FATAL, "HSA_STATUS_ERROR_FATAL: The queue has met an error that it cannot go on from."},
    {HSA_STATUS_ERROR_INVALID_MEMORY_POOL, "HSA_STATUS_ERROR_INVALID_MEMORY_POOL: The memory pool is invalid."},
    {HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION, "HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION: A kernel left its memory aperture."},
    {HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION, "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION: A kernel met an illegal instruction."},
    {HSA_STATUS_ERROR_MEMORY_FAULT, "HSA_STATUS_ERROR_MEMORY_FAULT: A kernel touched memory that is not there."},
    {HSA_STATUS_CU_MASK_REDUCED, "HSA_STATUS_CU_MASK_REDUCED: Of the compute units asked for, not all are used."},
    {HSA_STATUS_ERROR_OUT_OF_REGISTERS, "HSA_STATUS_ERROR_OUT_OF_REGISTERS: A kernel needs more registers than there are."},
    {HSA_STATUS_ERROR_RESOURCE_BUSY, "HSA_STATUS_ERROR_RESOURCE_BUSY: The resource is in use."},
    {HSA_STATUS_ERROR_NOT_SUPPORTED, "HSA_STATUS_ERROR_NOT_SUPPORTED: The request is not supported."},
};

HSA hsa_status_string(hsa_status_t status, const char **status_string) {
    HSA_STARTED();
    HSA_REQUIRE(status_string, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (results[i].status == status) {
            *status_string = results[i].text;
            return HSA_STATUS_SUCCESS;
        }
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* ---- the system ------------------------------------------------------------------------------------ */

HSA hsa_system_get_info(int attribute, void *value) {
    HSA_STARTED();
    HSA_REQUIRE(value, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    switch (attribute) {
    case HSA_SYSTEM_INFO_VERSION_MAJOR:
        HSA_SET(uint16_t, MAJOR);
        break;
    case HSA_SYSTEM_INFO_VERSION_MINOR:
        HSA_SET(uint16_t, MINOR);
        break;
    case HSA_AMD_SYSTEM_INFO_EXT_VERSION_MAJOR:
        HSA_SET(uint16_t, 1);
        break;
    case HSA_AMD_SYSTEM_INFO_EXT_VERSION_MINOR:
        HSA_SET(uint16_t, 8);
        break;
    case HSA_SYSTEM_INFO_TIMESTAMP:
        HSA_SET(uint64_t, wl_now());
        break;
    case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY:
        HSA_SET(uint64_t, UINT64_C(1000000000));
        break;
    case HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT:
        HSA_SET(uint64_t, UINT64_MAX);
        break;
    case HSA_SYSTEM_INFO_ENDIANNESS:
        HSA_SET(uint32_t, HSA_ENDIANNESS_LITTLE);
        break;
    case HSA_SYSTEM_INFO_MACHINE_MODEL:
        HSA_SET(uint32_t, HSA_MACHINE_MODEL_LARGE);
        break;
    case HSA_SYSTEM_INFO_EXTENSIONS: { /* a bit for each extension that there is */
        uint8_t *bits = value;
        memset(bits, 0, 128);
        bits[HSA_EXTENSION_IMAGES / 8] |= (uint8_t)(1u << HSA_EXTENSION_IMAGES % 8);
        bits[HSA_EXTENSION_AMD_LOADER / 8] |= (uint8_t)(1u << HSA_EXTENSION_AMD_LOADER % 8);
        break;
    }
    case HSA_AMD_SYSTEM_INFO_BUILD_VERSION:
        HSA_SET(const char *, "Wavelift " WL_VERSION);
        break;
    case HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED:
    case HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT:
    case HSA_AMD_SYSTEM_INFO_XNACK_ENABLED: { /* devices that reach the host's memory need no telling */
        unsigned count = 0;
        const struct wl_hsa_agent *agents = wl_hsa_agents(&count);
        bool all = true;
        for (unsigned i = 1; i < count; i++)
            all &= !agents[i].context->info.discrete;
        HSA_SET(bool, all);
        break;
    }
    case HSA_AMD_SYSTEM_INFO_MWAITX_ENABLED:
    case HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED:
        HSA_SET(bool, false);
        break;
    case HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED:
        HSA_SET(bool, true);
        break;
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

void wl_hsa_text(void *value, const char *text, size_t size) {
    memset(value, 0, size);
    memcpy(value, text, strnlen(text, size - 1));
}

hsa_status_t wl_hsa_thread(void *(*body)(void *), void *argument, const char *name) {
    sigset_t all, before;
    pthread_t thread;
    pthread_attr_t attributes;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV); /* what a kernel or a copy does */
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGTRAP); /* stores behind the LDS (device/cpu/fault) */
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&thread, &attributes, body, argument);
    if (!error)
        (void)pthread_setname_np(thread, name);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : HSA_STATUS_SUCCESS;
}
