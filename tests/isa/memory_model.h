/* What one memory instruction does, lane by lane: the reference of test_isa_memory.c, written from the ISA documents. */
#ifndef WL_TESTS_MEMORY_MODEL_H
#define WL_TESTS_MEMORY_MODEL_H

#include "memory_run.h"

#include <stddef.h>

#include "memory_rows.h"

enum family { FLAT, GLOBAL, SCRATCH, BUFFER, LDS, SCALAR, SCALAR_BUFFER, SCALAR_SCRATCH };
/* Where the address comes from. GLOBAL: v[2:3], or v1 and s[0:1]; SCRATCH: v1 or s8; BUFFER: v1, nothing, index v5, or v[6:7];
 * scalars: a constant, or s12 as well. */
enum form { VECTOR, UNIFORM, INDEXED, INDEXED_OFFSET };

struct step { /* one instruction */
    const struct row *row;
    enum family family;
    enum form form;
    int offset, second;                  /* bytes; LDS with two addresses: elements */
    unsigned data, data1, result, scale; /* registers; LDS: the second operand's. scale: s8's share of a buffer's address */
    bool returns;
};

struct model {
    struct mem_state *state;
    unsigned wave_size, generation;
    bool flushes; /* f32 sums in memory lose denormals */
};

void model_step(const struct model *m, const struct step *step);
/* The operation on 4 or 8 bytes, as atomics do it. */
uint64_t model_operation(const struct model *m, const struct step *step, uint64_t old, uint64_t data, uint64_t second);
bool model_lane_on(const struct model *m, unsigned lane);

#endif
