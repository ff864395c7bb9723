/* What programs tell the sanitizers: the functions behind include/wavelift/sanitize.h, which says what they do. */
#include "api/api.h"
#include "base/options.h"
#include "runtime/stream.h"
#include "runtime/stream_run.h"
#include "runtime/work.h"
#include "sanitize/allocations.h"
#include "sanitize/user.h"

#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED unsigned waveliftSanitizeTools(void);
EXPORTED uint64_t waveliftSanitizeFindings(void);
EXPORTED int waveliftSanitizePool(const void *memory, size_t size);
EXPORTED int waveliftSanitizePoolEnd(const void *memory);
EXPORTED int waveliftSanitizeAllocated(const void *memory, size_t size, const char *name);
EXPORTED int waveliftSanitizeFreed(const void *memory);
EXPORTED int waveliftSanitizeAllocatedIn(const void *memory, size_t size, const char *name, void *stream);
EXPORTED int waveliftSanitizeFreedIn(const void *memory, void *stream);
EXPORTED void waveliftSanitizeIgnore(unsigned tools, int on);
EXPORTED int waveliftSanitizeBenign(const void *memory, size_t size, unsigned tools);

static int result(enum wl_status status) {
    if (status == WL_OK)
        return 0;
    wl_log(2, "an annotation: %s", wl_failure());
    return status == WL_OUT_OF_MEMORY ? 2 : 1;
}

static uint64_t address_of(const void *memory) { return (uint64_t)(uintptr_t)memory; }

unsigned waveliftSanitizeTools(void) { return wl_san_tools(); }

uint64_t waveliftSanitizeFindings(void) { return wl_san_tools() ? wl_san_finding_count() : 0; }

int waveliftSanitizePool(const void *memory, size_t size) {
    return wl_san_tools() ? result(wl_san_user_pool(address_of(memory), size)) : 0;
}

int waveliftSanitizePoolEnd(const void *memory) { return wl_san_tools() ? result(wl_san_user_pool_end(address_of(memory))) : 0; }

int waveliftSanitizeAllocated(const void *memory, size_t size, const char *name) {
    return wl_san_tools() ? result(wl_san_user_allocated(address_of(memory), size, name)) : 0;
}

int waveliftSanitizeFreed(const void *memory) { return wl_san_tools() ? result(wl_san_user_freed(address_of(memory))) : 0; }

/* ---- in the order of a stream ---------------------------------------------------------------- */

struct told {
    uint64_t address, size; /* size 0: freed */
    char name[];            /* "": none */
};

static void tell(void *argument, enum wl_status fault) {
    struct told *told = argument;
    (void)fault;
    (void)result(told->size ? wl_san_user_allocated(told->address, told->size, *told->name ? told->name : NULL)
                            : wl_san_user_freed(told->address));
    free(told);
}

static int tell_in(const void *memory, size_t size, const char *name, void *handle) {
    if (!wl_san_tools())
        return 0;
    struct wl_stream *stream = wl_api_stream(handle);
    if (!stream)
        return result(wl_fail(WL_INVALID_VALUE, "not a stream"));
    struct told *told = malloc(sizeof *told + (name ? strlen(name) : 0) + 1);
    if (!told)
        return result(wl_fail(WL_OUT_OF_MEMORY, "out of host memory"));
    told->address = address_of(memory);
    told->size = size;
    strcpy(told->name, name ? name : "");
    enum wl_status status = wl_command_host(stream, tell, told, true);
    if (status != WL_OK)
        free(told);
    return result(status);
}

int waveliftSanitizeAllocatedIn(const void *memory, size_t size, const char *name, void *stream) {
    if (size == 0 && wl_san_tools())
        return result(wl_fail(WL_INVALID_VALUE, "a block has no bytes"));
    return tell_in(memory, size, name, stream);
}

int waveliftSanitizeFreedIn(const void *memory, void *stream) { return tell_in(memory, 0, NULL, stream); }

/* ---- what is benign -------------------------------------------------------------------------- */

void waveliftSanitizeIgnore(unsigned tools, int on) {
    if (!wl_san_tools())
        return;
    if (wl_runtime_started() && !wl_stream_inside_command())
        wl_runtime_drain();
    wl_san_ignore(tools, on != 0);
}

int waveliftSanitizeBenign(const void *memory, size_t size, unsigned tools) {
    if (!wl_san_tools() || wl_san_benign(address_of(memory), size, tools))
        return 0;
    return result(wl_fail(WL_OUT_OF_MEMORY, "out of host memory"));
}
