/* Sums of what waves did (machine/count.h), and the counters of AMD's profilers that follow from them. */
#ifndef WL_MACHINE_COUNTERS_H
#define WL_MACHINE_COUNTERS_H

#include "machine/count.h"

#include <stdbool.h>
#include <stddef.h>

struct wl_counts {
    uint64_t wave_size, waves, items;
    uint64_t instructions, units[WL_COUNT_UNITS], matrices, flat, floats[WL_COUNT_MATRIX][WL_COUNT_OTHER_TYPE];
    uint64_t valu_lanes, flops;                            /* of all vector instructions, their active lanes */
    uint64_t loaded, stored, pieces_loaded, pieces_stored; /* of memory: bytes; pieces of 64 bytes that waves touched */
    uint64_t accesses, scattered; /* of waves to memory; those whose lanes were neither side by side nor at one place */
    uint64_t lds_cycles, lds_conflicts, diverged;
};

/* Accesses of waves to memory or LDS, as struct wl_trace_record has them. */
struct wl_count_accesses {
    bool lds, load;
    uint64_t waves, bytes, pieces, scattered, conflicts;
};

/* An instruction that so many waves ran, with so many active lanes in all. */
void wl_counts_add_instruction(struct wl_counts *counts, const struct wl_count_inst *inst, uint64_t runs, uint64_t lanes);
void wl_counts_add_accesses(struct wl_counts *counts, const struct wl_count_accesses *accesses);
/* Adds all sums but the wave's size, which is the same. */
void wl_counts_add(struct wl_counts *counts, const struct wl_counts *more);

/* The counters, by numbers from 0 on. */
enum { WL_MOST_COUNTERS = 64 };
unsigned wl_counter_count(void);
const char *wl_counter_name(unsigned counter);
/* What it counts, in words. */
const char *wl_counter_text(unsigned counter);
/* -1: there is no such counter. */
int wl_counter_find(const char *name, size_t length);
double wl_counter_value(const struct wl_counts *counts, unsigned counter);

#endif
