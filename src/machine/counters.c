#include "machine/counters.h"

#include <string.h>

void wl_counts_add_instruction(struct wl_counts *counts, const struct wl_count_inst *inst, uint64_t runs, uint64_t lanes) {
    counts->flops += (inst->operation == WL_COUNT_MATRIX ? runs : lanes) * inst->flops;
    if (inst->operation && inst->operation != WL_COUNT_MATRIX && inst->type < WL_COUNT_OTHER_TYPE)
        counts->floats[inst->operation][inst->type] += runs;
    if (inst->second)
        return;
    counts->instructions += runs;
    counts->units[inst->unit] += runs;
    counts->matrices += inst->operation == WL_COUNT_MATRIX ? runs : 0;
    counts->flat += inst->flat ? runs : 0;
    counts->valu_lanes += inst->unit == WL_COUNT_VALU ? lanes : 0;
}

void wl_counts_add_accesses(struct wl_counts *counts, const struct wl_count_accesses *accesses) {
    if (accesses->lds) {
        counts->lds_cycles += accesses->pieces + accesses->conflicts;
        counts->lds_conflicts += accesses->conflicts;
        return;
    }
    *(accesses->load ? &counts->loaded : &counts->stored) += accesses->bytes;
    *(accesses->load ? &counts->pieces_loaded : &counts->pieces_stored) += accesses->pieces;
    counts->accesses += accesses->waves;
    counts->scattered += accesses->scattered;
}

void wl_counts_add(struct wl_counts *counts, const struct wl_counts *more) {
    _Static_assert(sizeof *counts % sizeof(uint64_t) == 0 && offsetof(struct wl_counts, waves) == sizeof(uint64_t),
                   "all members are sums but the first");
    uint64_t *to = (uint64_t *)(void *)counts;
    const uint64_t *from = (const uint64_t *)(const void *)more;
    for (size_t i = 1; i < sizeof *counts / sizeof *to; i++)
        to[i] += from[i];
}

/* ---- names --------------------------------------------------------------------------------------- */

static double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

#define UNIT(unit)              ((double)c->units[WL_COUNT_##unit])
#define FLOATS(operation, type) ((double)c->floats[WL_COUNT_##operation][WL_COUNT_##type])
#define WAVES                   ((double)c->waves)
/* clang-format off */
#define COUNTERS(X) \
    X(SQ_WAVES, "waves", WAVES) \
    X(WAVELIFT_ITEMS, "work items", (double)c->items) \
    X(SQ_INSTS, "instructions of all kinds", (double)c->instructions) \
    X(SQ_INSTS_VALU, "vector instructions", UNIT(VALU)) \
    X(SQ_INSTS_MFMA, "vector instructions that multiply matrices", (double)c->matrices) \
    X(SQ_INSTS_SALU, "scalar arithmetic instructions", UNIT(SALU)) \
    X(SQ_INSTS_SMEM, "scalar memory instructions", UNIT(SMEM)) \
    X(SQ_INSTS_VMEM, "accesses to memory by vector instructions", UNIT(VMEM_READ) + UNIT(VMEM_WRITE)) \
    X(SQ_INSTS_VMEM_RD, "loads by vector instructions", UNIT(VMEM_READ)) \
    X(SQ_INSTS_VMEM_WR, "stores and atomics by vector instructions", UNIT(VMEM_WRITE)) \
    X(SQ_INSTS_FLAT, "flat accesses", (double)c->flat) \
    X(SQ_INSTS_LDS, "LDS instructions", UNIT(LDS)) \
    X(SQ_INSTS_GDS, "GDS instructions", UNIT(GDS)) \
    X(SQ_INSTS_BRANCH, "branches, calls and returns", UNIT(BRANCH)) \
    X(SQ_INSTS_SENDMSG, "messages", UNIT(MESSAGE)) \
    X(SQ_INSTS_VALU_ADD_F16, "vector instructions: additions and subtractions of 16 bits", FLOATS(ADD, F16)) \
    X(SQ_INSTS_VALU_ADD_F32, "vector instructions: additions and subtractions of 32 bits", FLOATS(ADD, F32)) \
    X(SQ_INSTS_VALU_ADD_F64, "vector instructions: additions and subtractions of 64 bits", FLOATS(ADD, F64)) \
    X(SQ_INSTS_VALU_MUL_F16, "vector instructions: products of 16 bits", FLOATS(MULTIPLY, F16)) \
    X(SQ_INSTS_VALU_MUL_F32, "vector instructions: products of 32 bits", FLOATS(MULTIPLY, F32)) \
    X(SQ_INSTS_VALU_MUL_F64, "vector instructions: products of 64 bits", FLOATS(MULTIPLY, F64)) \
    X(SQ_INSTS_VALU_FMA_F16, "vector instructions: products with a sum of 16 bits", FLOATS(FMA, F16)) \
    X(SQ_INSTS_VALU_FMA_F32, "vector instructions: products with a sum of 32 bits", FLOATS(FMA, F32)) \
    X(SQ_INSTS_VALU_FMA_F64, "vector instructions: products with a sum of 64 bits", FLOATS(FMA, F64)) \
    X(SQ_INSTS_VALU_TRANS_F16, "vector instructions: transcendental operations of 16 bits", FLOATS(TRANSCENDENTAL, F16)) \
    X(SQ_INSTS_VALU_TRANS_F32, "vector instructions: transcendental operations of 32 bits", FLOATS(TRANSCENDENTAL, F32)) \
    X(SQ_INSTS_VALU_TRANS_F64, "vector instructions: transcendental operations of 64 bits", FLOATS(TRANSCENDENTAL, F64)) \
    X(SQ_THREAD_CYCLES_VALU, "active lanes of all vector instructions", (double)c->valu_lanes) \
    X(SQ_LDS_IDX_ACTIVE, "cycles of LDS", (double)c->lds_cycles) \
    X(SQ_LDS_BANK_CONFLICT, "cycles of LDS for bank conflicts", (double)c->lds_conflicts) \
    X(TCP_TOTAL_READ_sum, "pieces of 64 bytes that loads touch", (double)c->pieces_loaded) \
    X(TCP_TOTAL_WRITE_sum, "pieces of 64 bytes that stores and atomics touch", (double)c->pieces_stored) \
    X(TCP_TOTAL_ACCESSES_sum, "pieces of 64 bytes that accesses touch", (double)(c->pieces_loaded + c->pieces_stored)) \
    X(FETCH_SIZE, "KiB that lanes load", (double)c->loaded / 1024) \
    X(WRITE_SIZE, "KiB that lanes store", (double)c->stored / 1024) \
    X(Wavefronts, "waves", WAVES) \
    X(VALUInsts, "vector instructions a wave", ratio(UNIT(VALU), WAVES)) \
    X(SALUInsts, "scalar arithmetic instructions a wave", ratio(UNIT(SALU), WAVES)) \
    X(SFetchInsts, "scalar memory instructions a wave", ratio(UNIT(SMEM), WAVES)) \
    X(VFetchInsts, "loads by vector instructions a wave", ratio(UNIT(VMEM_READ), WAVES)) \
    X(VWriteInsts, "stores and atomics by vector instructions a wave", ratio(UNIT(VMEM_WRITE), WAVES)) \
    X(LDSInsts, "LDS instructions a wave", ratio(UNIT(LDS), WAVES)) \
    X(VALUUtilization, "active lanes of vector instructions in percent", 100 * ratio((double)c->valu_lanes, UNIT(VALU) * c->wave_size)) \
    X(LDSBankConflict, "cycles of LDS for bank conflicts in percent of its cycles", 100 * ratio((double)c->lds_conflicts, (double)c->lds_cycles)) \
    X(WAVELIFT_FLOPS, "floating-point operations of active lanes", (double)c->flops) \
    X(WAVELIFT_SCATTERED, "accesses whose lanes are neither side by side nor at one place", (double)c->scattered) \
    X(WAVELIFT_DIVERGED, "times that a wave went on with some of its lanes", (double)c->diverged)
/* clang-format on */

#define MEMBER(name, text, value) COUNTER_##name,
enum { COUNTERS(MEMBER) COUNTER_COUNT };
#define NAME(name, text, value) {#name, text},
static const struct {
    const char *name, *text;
} names[] = {COUNTERS(NAME)};
_Static_assert((int)COUNTER_COUNT <= (int)WL_MOST_COUNTERS, "lists of counters have room for all");

unsigned wl_counter_count(void) { return COUNTER_COUNT; }
const char *wl_counter_name(unsigned counter) { return names[counter].name; }
const char *wl_counter_text(unsigned counter) { return names[counter].text; }

double wl_counter_value(const struct wl_counts *c, unsigned counter) {
#define VALUE(name, text, value)                                                                                                           \
    case COUNTER_##name:                                                                                                                   \
        return value;
    switch (counter) {
        COUNTERS(VALUE)
    default:
        return 0;
    }
}

int wl_counter_find(const char *name, size_t length) {
    for (int i = 0; i < COUNTER_COUNT; i++)
        if (strlen(names[i].name) == length && strncmp(names[i].name, name, length) == 0)
            return i;
    return -1;
}
