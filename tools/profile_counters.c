/* Counters of kernels, by rocprof's names: sums of what waves did, and what follows from them. */
#include "profile.h"

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
    const struct wl_count_inst what = {.unit = inst->instruction.unit,
                                       .operation = inst->instruction.operation,
                                       .type = inst->instruction.type,
                                       .flat = inst->instruction.flat,
                                       .second = inst->instruction.second,
                                       .flops = inst->instruction.flops};
    wl_counts_add_instruction(&counts->sum, &what, block->block.runs, block->block.lanes);
}

static void add_access(struct wl_profile_counts *counts, const struct wl_trace_record *access) {
    const struct wl_count_accesses accesses = {.lds = access->detail == WL_TRACE_LDS,
                                               .load = access->device == WL_TRACE_LOAD,
                                               .waves = access->correlation,
                                               .bytes = access->end,
                                               .pieces = access->access.pieces,
                                               .scattered = access->access.scattered,
                                               .conflicts = access->access.conflicts};
    wl_counts_add_accesses(&counts->sum, &accesses);
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
    kernel->sum.diverged += block->block.diverged;
    if (line) /* the change of EXEC is the block's last instruction */
        line->sum.diverged += block->block.diverged;
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
        kernel->sum.waves += record->waves.waves;
        kernel->sum.items += record->waves.lanes;
        kernel->sum.wave_size = record->waves.wave_size;
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
        line->counts.sum.waves = kernel->sum.waves;
        line->counts.sum.items = kernel->sum.items;
        line->counts.sum.wave_size = kernel->sum.wave_size;
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

bool wl_profile_choose(struct wl_profile_choice *choice, const char *list) {
    choice->count = 0;
    for (const char *name = list; *name;) {
        const size_t length = strcspn(name, ",");
        const int found = wl_counter_find(name, length);
        if (found < 0 || choice->count == WL_MOST_COUNTERS) {
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
            fprintf(out, "  %-26s ", wl_counter_name(choice->counters[i]));
            print_value(wl_counter_value(&counters->kernels[k].sum, choice->counters[i]), out);
            putc('\n', out);
        }
    }
}

void wl_profile_write_json_counters(const struct wl_profile_counts *counts, const struct wl_profile_choice *choice, FILE *out) {
    fputs(", \"counters\": {", out);
    for (size_t i = 0; i < choice->count; i++) {
        fprintf(out, "%s\"%s\": ", i ? ", " : "", wl_counter_name(choice->counters[i]));
        print_value(wl_counter_value(&counts->sum, choice->counters[i]), out);
    }
    putc('}', out);
}

void wl_profile_write_csv_counters(const struct wl_profile_counts *counts, const struct wl_profile_choice *choice, FILE *out) {
    for (size_t i = 0; i < choice->count; i++) {
        putc(',', out);
        if (counts)
            print_value(wl_counter_value(&counts->sum, choice->counters[i]), out);
    }
}

void wl_profile_write_csv_names(const struct wl_profile_choice *choice, FILE *out) {
    for (size_t i = 0; i < choice->count; i++)
        fprintf(out, ",%s", wl_counter_name(choice->counters[i]));
}
