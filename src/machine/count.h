/* What code that is made for the profiler's counters tells about the instructions that it runs: each basic block once for each wave that runs
 * it, by wl_helpers.count_block, and each access to memory as sanitizers are told of it (machine/sanitize.h). */
#ifndef WL_MACHINE_COUNT_H
#define WL_MACHINE_COUNT_H

#include <stdint.h>

/* Which part of the processor does an instruction. */
enum wl_count_unit {
    WL_COUNT_OTHER, /* waits, barriers, prefetches, cache control, the end */
    WL_COUNT_VALU,
    WL_COUNT_SALU,
    WL_COUNT_VMEM_READ,  /* global, flat, buffer, image and scratch loads */
    WL_COUNT_VMEM_WRITE, /* the same stores, and atomics */
    WL_COUNT_LDS,
    WL_COUNT_GDS,
    WL_COUNT_SMEM,
    WL_COUNT_BRANCH, /* calls and returns, too */
    WL_COUNT_MESSAGE,
    WL_COUNT_UNITS,
};

/* What the vector unit does with floating-point numbers. */
enum wl_count_operation { WL_COUNT_NO_FLOATS, WL_COUNT_ADD, WL_COUNT_MULTIPLY, WL_COUNT_FMA, WL_COUNT_TRANSCENDENTAL, WL_COUNT_MATRIX };
enum wl_count_type { WL_COUNT_F16, WL_COUNT_F32, WL_COUNT_F64, WL_COUNT_OTHER_TYPE };

struct wl_count_inst {
    uint32_t offset;   /* from the basic block's first instruction, in bytes */
    uint8_t unit;      /* enum wl_count_unit */
    uint8_t operation; /* enum wl_count_operation */
    uint8_t type;      /* enum wl_count_type */
    uint8_t flat;      /* a flat access */
    uint32_t second;   /* 1: the second part of an instruction that does two things: no instruction of its own */
    uint32_t flops;    /* floating-point operations of an active lane; of MATRIX: of the whole wave */
};

/* A basic block: a constant of the code. */
struct wl_count_block {
    uint64_t address; /* of its first instruction, in the code object's address space */
    uint32_t count;   /* of instructions */
    uint32_t changes; /* 1: it ends with a change of EXEC */
    struct wl_count_inst inst[];
};

#endif
