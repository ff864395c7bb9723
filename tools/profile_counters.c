/* Counters of kernels, by rocprof's names: sums of what waves did, and what follows from them. */
#include "profile.h"

#include "machine/count.h"
#include "sanitize/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- sums -------------------------------------------------------------------------------------- */

static struct wl_profile_counts *counts_of(struct wl_profile_counters *counters, const struct wl_profile *profile, uint32_t name) {
    const uint32_t number = wl_profile_number(profile, name);
    for (size_t i = 0; i < counters->count; i++)
        if (counters->kernels[i].number == number)
            return &counters->kernels[i];
    struct wl_profile_counts *kernels = realloc(counters->kernels, (counters->count + 1) * sizeof *kernels);
    if (!kernels)
        return NULL;
    counters->kernels = kernels;
    kernels[counters->count] = (struct wl_profile_counts){.number = number, .name = wl_profile_name(profile, name)};
    return &kernels[counters->count++];
}

/* What is counted of a source line of a kernel. NULL: there is no memory. */
static struct wl_profile_counts *line_of(struct wl_profile_counters *counters, const struct wl_profile *profile, uint32_t kernel,
                                         uint32_t name) {
    const uint32_t number = wl_profile_number(profile, name);
    const uint64_t key = ((uint64_t)kernel << 32 | number) * 0x9e3779b97f4a7c15u;
    struct wl_profile_line *line;
    size_t at = 0;
    while ((line = wl_table_next(&counters->lines, key, &at)))
        if (line->kernel == kernel && line->counts.number == number)
            return &line->counts;
    if (!(line = wl_table_make(&counters->lines, key, sizeof *line)))
        return NULL;
    line->kernel = kernel;
    line->counts.number = number;
    line->counts.name = number ? wl_profile_name(profile, number) : "(no line)";
    return &line->counts;
}

static void add_instruction(struct wl_profile_counts *counts, const struct wl_trace_record *block, const struct wl_trace_record *inst) {
    const uint64_t runs = block->block.runs, lanes = block->block.lanes;
    const unsigned operation = inst->instruction.operation, type = inst->instruction.type;
    counts->flops += (operation == WL_COUNT_MATRIX ? runs : lanes) * inst->instruction.flops;
    if (operation && operation != WL_COUNT_MATRIX && type < WL_COUNT_OTHER_TYPE)
        counts->floats[operation][type] += runs;
    if (inst->instruction.second)
        return;
    counts->instructions += runs;
    counts->units[inst->instruction.unit] += runs;
    counts->matrices += operation == WL_COUNT_MATRIX ? runs : 0;
    counts->flat += inst->instruction.flat ? runs : 0;
    counts->valu_lanes += inst->instruction.unit == WL_COUNT_VALU ? lanes : 0;
}

static void add_access(struct wl_profile_counts *counts, const struct wl_trace_record *access) {
    const bool load = access->device == WL_TRACE_LOAD;
    if (access->detail == WL_TRACE_LDS) {
        counts->lds_cycles += access->access.pieces + access->access.conflicts;
        counts->lds_conflicts += access->access.conflicts;
        return;
    }
    *(load ? &counts->loaded : &counts->stored) += access->end;
    *(load ? &counts->pieces_loaded : &counts->pieces_stored) += access->access.pieces;
    counts->accesses += access->correlation;
    counts->scattered += access->access.scattered;
}

/* By code object, basic block and instruction; those of one instruction that does two things in their order. */
static int by_place(const void *a, const void *b) {
    const struct wl_trace_record *x = ((const struct wl_event *)a)->record, *y = ((const struct wl_event *)b)->record;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return (x->instruction.second > y->instruction.second) - (x->instruction.second < y->instruction.second);
}

/* Whether an earlier process, or a shorter basic block, has told the same. */
static bool is_repeated(const struct wl_events *list, size_t i) { return i > 0 && by_place(&list->events[i - 1], &list->events[i]) == 0; }

/* The first instruction of a basic block. */
static size_t find(const struct wl_events *list, const struct wl_trace_record *block) {
    size_t low = 0, high = list->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct wl_trace_record *record = list->events[middle].record;
        const bool before = record->stream != block->stream ? record->stream < block->stream : record->begin < block->begin;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

/* Adds to the kernel what a basic block ran, and to its source lines. False: there is no memory. */
static bool add_block(struct wl_profile_counters *counters, const struct wl_profile *profile, const struct wl_trace_record *block) {
    struct wl_profile_counts *kernel = counts_of(counters, profile, block->name), *line = NULL;
    const struct wl_events *list = &profile->instructions;
    if (!kernel)
        return false;
    uint64_t left = block->end;
    for (size_t i = find(list, block); i < list->count && left; i++) {
        const struct wl_trace_record *inst = list->events[i].record;
        if (inst->stream != block->stream || inst->begin != block->begin)
            break;
        if (is_repeated(list, i))
            continue;
        if (!(line = line_of(counters, profile, kernel->number, inst->name)))
            return false;
        add_instruction(kernel, block, inst);
        add_instruction(line, block, inst);
        left--;
    }
    kernel->diverged += block->block.diverged;
    if (line) /* the change of EXEC is the block's last instruction */
        line->diverged += block->block.diverged;
    return true;
}

/* ---- instructions by their addresses ------------------------------------------------------------- */

static uint64_t key_of(uint32_t code, uint64_t address) { return address * 0x9e3779b97f4a7c15u ^ code; }

static bool index_instructions(const struct wl_profile *profile, struct wl_table *places) {
    for (size_t i = 0; i < profile->instructions.count; i++) {
        const struct wl_trace_record *inst = profile->instructions.events[i].record;
        if (!is_repeated(&profile->instructions, i) && !wl_table_add(places, key_of(inst->stream, inst->end), inst))
            return false;
    }
    return true;
}

/* The number of the line of an access's instruction; 0: it has none. */
static uint32_t line_number(const struct wl_table *places, const struct wl_trace_record *access) {
    const struct wl_trace_record *inst;
    size_t at = 0;
    while ((inst = wl_table_next(places, key_of(access->stream, access->begin), &at)))
        if (inst->stream == access->stream && inst->end == access->begin)
            return inst->name;
    return 0;
}

static bool count_record(struct wl_profile_counters *counters, const struct wl_profile *profile, const struct wl_table *places,
                         const struct wl_trace_record *record) {
    if (record->kind == WL_TRACE_BASIC_BLOCK)
        return add_block(counters, profile, record);
    struct wl_profile_counts *kernel = counts_of(counters, profile, record->name);
    if (!kernel)
        return false;
    if (record->kind == WL_TRACE_WAVES) {
        kernel->waves += record->waves.waves;
        kernel->items += record->waves.lanes;
        kernel->wave_size = record->waves.wave_size;
        return true;
    }
    struct wl_profile_counts *line = line_of(counters, profile, kernel->number, line_number(places, record));
    if (!line)
        return false;
    add_access(kernel, record);
    add_access(line, record);
    return true;
}

/* Ratios of a line are by its kernel's waves. */
static void give_waves(struct wl_profile_counters *counters) {
    struct wl_profile_line *line;
    size_t at = 0;
    while ((line = wl_table_each(&counters->lines, &at))) {
        const struct wl_profile_counts *kernel = wl_profile_find_counts(counters, line->kernel);
        line->counts.waves = kernel->waves;
        line->counts.items = kernel->items;
        line->counts.wave_size = kernel->wave_size;
    }
}

bool wl_profile_count(const struct wl_profile *profile, struct wl_profile_counters *counters) {
    struct wl_table places = {0};
    memset(counters, 0, sizeof *counters);
    if (profile->instructions.count)
        qsort(profile->instructions.events, profile->instructions.count, sizeof *profile->instructions.events, by_place);
    bool ok = index_instructions(profile, &places);
    for (size_t i = 0; ok && i < profile->counts.count; i++)
        ok = count_record(counters, profile, &places, profile->counts.events[i].record);
    if (ok)
        give_waves(counters);
    wl_table_free(&places);
    return ok;
}

void wl_profile_counters_free(struct wl_profile_counters *counters) {
    void *line;
    size_t at = 0;
    while ((line = wl_table_each(&counters->lines, &at)))
        free(line);
    wl_table_free(&counters->lines);
    free(counters->kernels);
}

/* ---- names ------------------------------------------------------------------------------------- */

static double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

#define UNIT(unit)              ((double)c->units[WL_COUNT_##unit])
#define FLOATS(operation, type) ((double)c->floats[WL_COUNT_##operation][WL_COUNT_##type])
#define WAVES                   ((double)c->waves)
/* clang-format off */
#define COUNTERS(X) \
    X(SQ_WAVES, WAVES) X(WAVELIFT_ITEMS, (double)c->items) X(SQ_INSTS, (double)c->instructions) \
    X(SQ_INSTS_VALU, UNIT(VALU)) X(SQ_INSTS_MFMA, (double)c->matrices) X(SQ_INSTS_SALU, UNIT(SALU)) X(SQ_INSTS_SMEM, UNIT(SMEM)) \
    X(SQ_INSTS_VMEM, UNIT(VMEM_READ) + UNIT(VMEM_WRITE)) X(SQ_INSTS_VMEM_RD, UNIT(VMEM_READ)) X(SQ_INSTS_VMEM_WR, UNIT(VMEM_WRITE)) \
    X(SQ_INSTS_FLAT, (double)c->flat) X(SQ_INSTS_LDS, UNIT(LDS)) X(SQ_INSTS_GDS, UNIT(GDS)) X(SQ_INSTS_BRANCH, UNIT(BRANCH)) \
    X(SQ_INSTS_SENDMSG, UNIT(MESSAGE)) \
    X(SQ_INSTS_VALU_ADD_F16, FLOATS(ADD, F16)) X(SQ_INSTS_VALU_ADD_F32, FLOATS(ADD, F32)) X(SQ_INSTS_VALU_ADD_F64, FLOATS(ADD, F64)) \
    X(SQ_INSTS_VALU_MUL_F16, FLOATS(MULTIPLY, F16)) X(SQ_INSTS_VALU_MUL_F32, FLOATS(MULTIPLY, F32)) \
    X(SQ_INSTS_VALU_MUL_F64, FLOATS(MULTIPLY, F64)) X(SQ_INSTS_VALU_FMA_F16, FLOATS(FMA, F16)) \
    X(SQ_INSTS_VALU_FMA_F32, FLOATS(FMA, F32)) X(SQ_INSTS_VALU_FMA_F64, FLOATS(FMA, F64)) \
    X(SQ_INSTS_VALU_TRANS_F16, FLOATS(TRANSCENDENTAL, F16)) X(SQ_INSTS_VALU_TRANS_F32, FLOATS(TRANSCENDENTAL, F32)) \
    X(SQ_INSTS_VALU_TRANS_F64, FLOATS(TRANSCENDENTAL, F64)) X(SQ_THREAD_CYCLES_VALU, (double)c->valu_lanes) \
    X(SQ_LDS_IDX_ACTIVE, (double)c->lds_cycles) X(SQ_LDS_BANK_CONFLICT, (double)c->lds_conflicts) \
    X(TCP_TOTAL_READ_sum, (double)c->pieces_loaded) X(TCP_TOTAL_WRITE_sum, (double)c->pieces_stored) \
    X(TCP_TOTAL_ACCESSES_sum, (double)(c->pieces_loaded + c->pieces_stored)) \
    X(FETCH_SIZE, (double)c->loaded / 1024) X(WRITE_SIZE, (double)c->stored / 1024) \
    X(Wavefronts, WAVES) X(VALUInsts, ratio(UNIT(VALU), WAVES)) X(SALUInsts, ratio(UNIT(SALU), WAVES)) X(SFetchInsts, ratio(UNIT(SMEM), WAVES)) \
    X(VFetchInsts, ratio(UNIT(VMEM_READ), WAVES)) X(VWriteInsts, ratio(UNIT(VMEM_WRITE), WAVES)) X(LDSInsts, ratio(UNIT(LDS), WAVES)) \
    X(VALUUtilization, 100 * ratio((double)c->valu_lanes, UNIT(VALU) * c->wave_size)) \
    X(LDSBankConflict, 100 * ratio((double)c->lds_conflicts, (double)c->lds_cycles)) \
    X(WAVELIFT_FLOPS, (double)c->flops) X(WAVELIFT_SCATTERED, (double)c->scattered) X(WAVELIFT_DIVERGED, (double)c->diverged)
/* clang-format on */

#define MEMBER(name, value) COUNTER_##name,
enum { COUNTERS(MEMBER) COUNTER_COUNT };
#define TEXT(name, value) #name,
static const char *const names[] = {COUNTERS(TEXT)};
_Static_assert((int)COUNTER_COUNT <= (int)WL_PROFILE_MOST_COUNTERS, "the list of chosen ones has room for all");

static double value_of(const struct wl_profile_counts *c, unsigned counter) {
#define VALUE(name, value)                                                                                                                 \
    case COUNTER_##name:                                                                                                                   \
        return value;
    switch (counter) {
        COUNTERS(VALUE)
    default:
        return 0;
    }
}

static int find_name(const char *name, size_t length) {
    for (int i = 0; i < COUNTER_COUNT; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return i;
    return -1;
}

bool wl_profile_choose(struct wl_profile_choice *choice, const char *list) {
    choice->count = 0;
    for (const char *name = list; *name;) {
        const size_t length = strcspn(name, ",");
        const int found = find_name(name, length);
        if (found < 0 || choice->count == WL_PROFILE_MOST_COUNTERS) {
            fprintf(stderr,
                    "wavelift: profile: %.*s is no counter here: what depends on clocks, caches and the units of a chip is not counted "
                    "(docs/profiling.md lists those that are)\n",
                    (int)length, name);
            return false;
        }
        choice->counters[choice->count++] = (unsigned)found;
        name += length + (name[length] == ',');
    }
    return true;
}

/* ---- what comes out ------------------------------------------------------------------------------ */

const struct wl_profile_counts *wl_profile_find_counts(const struct wl_profile_counters *counters, uint32_t number) {
    for (size_t i = 0; i < counters->count; i++)
        if (counters->kernels[i].number == number)
            return &counters->kernels[i];
    return NULL;
}

/* Counts are whole numbers, ratios are not. */
static void print_value(double value, FILE *out) { fprintf(out, value == (double)(uint64_t)value ? "%.0f" : "%.6f", value); }

void wl_profile_print_counters(const struct wl_profile_counters *counters, const struct wl_profile_choice *choice, FILE *out) {
    for (size_t k = 0; k < counters->count; k++) {
        fprintf(out, "\ncounters of %s\n", counters->kernels[k].name);
        for (size_t i = 0; i < choice->count; i++) {
            fprintf(out, "  %-26s ", names[choice->counters[i]]);
            print_value(value_of(&counters->kernels[k], choice->counters[i]), out);
            putc('\n', out);
        }
    }
}

void wl_profile_write_json_counters(const struct wl_profile_counts *counts, const struct wl_profile_choice *choice, FILE *out) {
    fputs(", \"counters\": {", out);
    for (size_t i = 0; i < choice->count; i++) {
        fprintf(out, "%s\"%s\": ", i ? ", " : "", names[choice->counters[i]]);
        print_value(value_of(counts, choice->counters[i]), out);
    }
    putc('}', out);
}

void wl_profile_write_csv_counters(const struct wl_profile_counts *counts, const struct wl_profile_choice *choice, FILE *out) {
    for (size_t i = 0; i < choice->count; i++) {
        putc(',', out);
        if (counts)
            print_value(value_of(counts, choice->counters[i]), out);
    }
}

void wl_profile_write_csv_names(const struct wl_profile_choice *choice, FILE *out) {
    for (size_t i = 0; i < choice->count; i++)
        fprintf(out, ",%s", names[choice->counters[i]]);
}
