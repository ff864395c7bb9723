/* Runs memory instructions, assembled and translated, on a machine of their own, and compares everything that they can change
 * with what a reference leaves. */
#ifndef WL_TESTS_MEMORY_RUN_H
#define WL_TESTS_MEMORY_RUN_H

#include <stdbool.h>
#include <stdint.h>

enum { MEM_ROWS = 80, MEM_SGPRS = 128, MEM_MEMORY = 1 << 15, MEM_LDS = 1 << 15, MEM_LANE = 4096, MEM_SCRATCH = MEM_LANE * 64 };
/* Scalar registers with a meaning. */
enum { MEM_M0 = 124, MEM_EXEC = 126 };
/* Where program memory lies, once mem_start has run: a multiple of 4 GiB is in its middle. */
extern uint64_t mem_base;
#define MEM_BASE   mem_base
#define MEM_MIDDLE (MEM_BASE + 4096)

struct mem_state {
    uint8_t memory[MEM_MEMORY], lds[MEM_LDS], scratch[MEM_SCRATCH];
    uint32_t v[MEM_ROWS][64], s[MEM_SGPRS];
};

struct mem_program {
    const char *processor;
    unsigned wave_size;
    void *jit[2];
    struct wl_steps *steps; /* with WL_TEST_STEPS: threaded code runs, unless only native code is possible (NULL) */
    uint32_t (*code[2])(void *wave);
    void *gpu; /* the kernel, in tests for NVIDIA GPUs */
};

extern unsigned mem_checks, mem_failures;
/* Lanes that meet at one address do so in the order of their numbers, sums in memory keep denormals, and addresses may be any: not so on
 * NVIDIA GPUs. */
extern const bool mem_is_strict;
/* The number of the wave that runs, within its workgroup. */
extern const unsigned mem_wave_number;
/* Memories have error correction: loads into half a register clear the other half. */
extern bool mem_sram_ecc;

void mem_start(void);
/* False, with a message, if the text does not assemble (on GPUs: or translate); on the CPU ends the test if it does not translate. */
bool mem_build(struct mem_program *program, const char *processor, unsigned wave_size, const char *text);
void mem_destroy(struct mem_program *program);
/* Runs from `state` (EXEC in s[126:127]) and leaves the result there. */
void mem_run(const struct mem_program *program, struct mem_state *state);
/* Counts a failure, with a message, if the states differ; in dwords (pairs: floats of `float_bits` 64, halves: 16) that hold NaNs
 * in both they do not. 0: no floats. */
void mem_compare(const struct mem_state *got, const struct mem_state *want, unsigned wave_size, unsigned float_bits, const char *what);
uint32_t mem_random(void);
/* Random bytes everywhere. */
void mem_fill(struct mem_state *state);
/* Byte `offset` of a lane's scratch. */
uint8_t *mem_scratch(struct mem_state *state, uint32_t offset, unsigned lane, unsigned wave_size);

#endif
