/* Damaged code objects given to hipModuleLoad: an error each time, never a crash, and a good one loads afterwards.
 *     damaged GOOD.co */
#include <hip/hip_runtime_api.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;
static char path[] = "/tmp/wavelift-damaged-XXXXXX";

static void expect(const char *what, hipError_t got, hipError_t want) {
    if (got != want) {
        printf("FAIL damaged: %s: %s instead of %s\n", what, hipGetErrorString(got), hipGetErrorString(want));
        failures++;
    }
}

static void write_file(const uint8_t *data, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
}

/* Loads what is in the file; a module that loads is used a little. */
static hipError_t load(void) {
    hipModule_t module = NULL;
    hipError_t error = hipModuleLoad(&module, path);
    if (error == hipSuccess) {
        hipFunction_t function;
        hipDeviceptr_t address;
        size_t size;
        (void)hipModuleGetFunction(&function, module, "transform");
        (void)hipModuleGetGlobal(&address, &size, module, "offset");
        (void)hipModuleUnload(module);
    }
    (void)hipGetLastError();
    return error;
}

int main(int argc, char **argv) {
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    static uint8_t good[1 << 20], bad[1 << 20];
    size_t size = file ? fread(good, 1, sizeof good, file) : 0;
    if (size == 0 || mkstemp(path) < 0) {
        fprintf(stderr, "usage: damaged GOOD.co\n");
        return 2;
    }
    fclose(file);
    hipModule_t module;
    expect("no such file", hipModuleLoad(&module, "/nonexistent/file.co"), hipErrorFileNotFound);
    (void)hipGetLastError();
    write_file(good, 0);
    if (load() == hipSuccess)
        expect("empty file", hipSuccess, hipErrorInvalidImage);
    write_file((const uint8_t *)"this is not a code object, only some text", 41);
    expect("text", load(), hipErrorInvalidImage);
    memset(bad, 0, 4096);
    write_file(bad, 4096);
    expect("zeros", load(), hipErrorInvalidImage);

    unsigned refused = 0;
    uint32_t state = 1;
    for (int round = 0; round < 400; round++) {
        memcpy(bad, good, size);
        size_t length = size;
        for (int i = 0; i <= round % 4; i++) {
            state = state * 1664525u + 1013904223u;
            size_t place = (state >> 4) % size;
            if (round % 3 == 0)
                place %= 512; /* headers */
            bad[place] = (uint8_t)(state >> 24);
        }
        if (round % 10 == 0)
            length = (state >> 3) % size;
        write_file(bad, length);
        refused += load() != hipSuccess;
    }
    if (refused < 40) {
        printf("FAIL damaged: only %u of 400 damaged files were refused\n", refused);
        failures++;
    }
    write_file(good, size);
    expect("the good file", load(), hipSuccess);
    unlink(path);
    if (!failures)
        printf("PASS damaged\n");
    return failures != 0;
}
