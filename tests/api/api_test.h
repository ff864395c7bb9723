/* Common to the API tests. Each test file is one program; the same source is linked with the fake device (API_FAKE defined)
 * and with the library and its CPU device. API_TEST_OBJECT is the path of kernels.hip as a code object. */
#ifndef WL_TEST_API_TEST_H
#define WL_TEST_API_TEST_H

#include "../hip_calls.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds after which what should come by itself counts as never coming: a limit for hangs, not for slow machines. */
enum { PATIENCE = 300 };

/* Whether device 0 is a GPU: its memory is not the host's, and what hipMemGetInfo says counts other programs' memory, too. */
static inline bool on_gpu(void) {
    static int reached = -1; /* by the host */
    if (reached < 0)
        ok(hipDeviceGetAttribute(&reached, hipDeviceAttributeIsLargeBar, 0));
    return !reached;
}

/* The bytes that hipMemGetInfo says are free; on a GPU 0, since they change by themselves. */
static inline size_t memory_left(void) {
    size_t bytes = 0;
    ok(hipMemGetInfo(&bytes, NULL));
    return on_gpu() ? 0 : bytes;
}

/* The host's access to memory of any kind. */
static inline void peek(void *to, const void *device, size_t size) { ok(hipMemcpy(to, device, size, hipMemcpyDefault)); }
static inline void poke(void *device, const void *from, size_t size) { ok(hipMemcpy(device, from, size, hipMemcpyDefault)); }
static inline int byte_at(const void *device) {
    unsigned char byte;
    peek(&byte, device, 1);
    return byte;
}
static inline int int_at(const void *device) {
    int value;
    peek(&value, device, sizeof value);
    return value;
}

/* The module of kernels.hip, loaded once, and one of its kernels. */
static inline hipModule_t test_module(void) {
    static hipModule_t module;
    if (!module)
        ok(hipModuleLoad(&module, API_TEST_OBJECT));
    return module;
}

static inline hipFunction_t test_kernel(const char *name) {
    hipFunction_t function = NULL;
    ok(hipModuleGetFunction(&function, test_module(), name));
    return function;
}

static inline hipError_t try_launch(const char *name, hipStream_t stream, unsigned grid, unsigned block, void **arguments) {
    return hipModuleLaunchKernel(test_kernel(name), grid, 1, 1, block, 1, 1, 0, stream, arguments, NULL);
}

/* launch(name, stream, grid, block, &argument...) */
#define launch(name, stream, grid, block, ...) ok(try_launch(name, stream, grid, block, (void *[]){__VA_ARGS__}))

static inline void *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

#endif
