/* Runs translated kernels on an NVIDIA GPU for the tests of instructions. Shares nothing with device/cuda but the translator: the
 * driver's few functions are looked up here. One thread uses it. Errors of the driver end the test. */
#ifndef WL_TESTS_GPU_DRIVER_H
#define WL_TESTS_GPU_DRIVER_H

#include "translate/interface/translate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GPU_IMAGE UINT64_C(0x200000000000) /* where the code is said to lie */

struct gpu_code { /* AMD code of one kernel: s[0:1] is the kernarg segment, v0 the lane */
    const char *processor;
    unsigned wave_size;
    const uint8_t *bytes;
    size_t size;
    uint32_t mode, lds, scratch;
    bool sram_ecc, exact_math; /* the latter also if WAVELIFT_MATH says so */
    enum wl_matrix_sums matrix_sums;
};

struct gpu_kernel {
    void *module, *function;
    unsigned wave_size, lds;
};

/* Opens the first GPU; ends the test as skipped if there is none. With WL_TEST_PTX in the environment there is no GPU: PTX is made of
 * every kernel, which does not run; the test passes if none is refused, whatever it says of results. */
void gpu_start(void);
/* Device memory, until the test ends. */
uint64_t gpu_allocate(size_t size);
/* The same, 2 MiB to both sides of the address, which is a multiple of 4 GiB. */
uint64_t gpu_allocate_crossing(void);
/* Zeroed memory that the host and the GPU have at the same address, until the end. */
void *gpu_pinned(size_t size);
void gpu_write(uint64_t address, const void *from, size_t size);
void gpu_read(uint64_t address, void *to, size_t size);
/* WAVELIFT_MATH is "exact". */
bool gpu_is_exact(void);
/* False: the translator refuses the code, wl_translate_failure() tells why. */
bool gpu_load(const struct gpu_code *code, struct gpu_kernel *kernel);
void gpu_unload(struct gpu_kernel *kernel);
/* Runs one wave to its end, with this kernarg segment of 16 bytes. False: the kernel failed, and with it all that follows. */
bool gpu_launch(const struct gpu_kernel *kernel, const uint64_t kernarg[2]);

/* ---- AMD text ---- */

struct gpu_names { /* of a generation */
    const char *load, *store, *scalar_load, *scalar_load64, *scalar_wait, *wait, *lds_load, *lds_store, *scratch_load, *scratch_store,
        *lds_wait;
};
struct gpu_names gpu_names_of(const char *processor);
/* Adds a line to the text at hand. */
__attribute__((format(printf, 1, 2))) void gpu_line(const char *format, ...);
/* Assembles the text at hand and forgets it; the caller frees the bytes. Ends the test if it does not assemble. */
uint8_t *gpu_assemble(const char *processor, unsigned wave_size, size_t *size);

#endif
