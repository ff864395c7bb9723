/* HIP reference: Memory management, device variables by symbol. */
#include "api/checked.h"
#include "api/copy.h"
#include "runtime/context.h"
#include "runtime/program.h"
#include "runtime/stream.h"
#include "runtime/work.h"

/* The variable behind a symbol; an error of `function` if there is none, or if the range does not lie in it. */
static hipError_t find_range(const char *function, const void *symbol, size_t offset, size_t size, bool write, void **address) {
    struct wl_context *context = wl_context_current();
    size_t whole = 0;
    if (!context)
        return wl_api_fail(function, hipErrorNoDevice, wl_failure());
    if (!symbol)
        return wl_api_fail(function, hipErrorInvalidSymbol, "the symbol is NULL");
    enum wl_status status = wl_symbol_variable(symbol, context, address, &whole);
    if (status == WL_NOT_FOUND)
        return wl_api_fail(function, hipErrorInvalidSymbol, wl_failure());
    if (status != WL_OK)
        return wl_api_status(function, status);
    if (offset > whole || size > whole - offset) {
        wl_checked_outside(function, *address, write, "%zu bytes from byte %zu of a variable of %zu bytes on", size, offset, whole);
        return wl_api_fail(function, hipErrorInvalidValue, "the range does not lie in the variable");
    }
    *address = (char *)*address + offset;
    return wl_api_success();
}

hipError_t hipGetSymbolAddress(void **devPtr, const void *symbol) {
    API_REQUIRE(devPtr != NULL, hipErrorInvalidValue);
    return find_range(__func__, symbol, 0, 0, false, devPtr);
}

hipError_t hipGetSymbolSize(size_t *size, const void *symbol) {
    void *address = NULL;
    API_REQUIRE(size != NULL, hipErrorInvalidValue);
    API_REQUIRE(symbol != NULL, hipErrorInvalidSymbol);
    API_CONTEXT(context);
    enum wl_status status = wl_symbol_variable(symbol, context, &address, size);
    API_REQUIRE(status != WL_NOT_FOUND, hipErrorInvalidSymbol);
    API_RETURN(status);
}

hipError_t wl_api_copy_symbol(const char *function, const void *symbol, bool to, void *other, size_t size, size_t offset,
                              hipMemcpyKind kind, hipStream_t handle, bool async) {
    void *address = NULL;
    hipError_t error = find_range(function, symbol, offset, size, to, &address);
    if (error != hipSuccess)
        return error;
    struct wl_stream *stream = wl_api_stream(handle);
    if (!stream)
        return wl_api_fail(function, hipErrorContextIsDestroyed, "not a stream");
    if (kind == hipMemcpyHostToHost || kind == (to ? hipMemcpyDeviceToHost : hipMemcpyHostToDevice))
        return wl_api_fail(function, hipErrorInvalidMemcpyDirection, "the kind does not fit the symbol's side");
    struct wl_copy copy = {.target = to ? address : other,
                           .source = to ? other : address,
                           .width = size,
                           .rows = 1,
                           .slices = 1,
                           .target_pitch = size,
                           .source_pitch = size};
    return wl_api_copy(function, &copy, kind, stream, async);
}

hipError_t hipMemcpyToSymbol(const void *symbol, const void *src, size_t size, size_t offset, hipMemcpyKind kind) {
    return wl_api_copy_symbol(__func__, symbol, true, (void *)(uintptr_t)src, size, offset, kind, NULL, false);
}

hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *src, size_t size, size_t offset, hipMemcpyKind kind, hipStream_t stream) {
    return wl_api_copy_symbol(__func__, symbol, true, (void *)(uintptr_t)src, size, offset, kind, stream, true);
}

hipError_t hipMemcpyFromSymbol(void *dst, const void *symbol, size_t size, size_t offset, hipMemcpyKind kind) {
    return wl_api_copy_symbol(__func__, symbol, false, dst, size, offset, kind, NULL, false);
}

hipError_t hipMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t size, size_t offset, hipMemcpyKind kind, hipStream_t stream) {
    return wl_api_copy_symbol(__func__, symbol, false, dst, size, offset, kind, stream, true);
}
