/* Every memory mnemonic that the translator takes, on every generation that has it, against the model of memory_model.c.
 *
 * The mnemonics come from the enumeration of the coverage test: one without a row in memory_rows.h, or without a test of its own
 * (test_isa_formats.c, the special ones below, tests/programs for what spans workgroups), is a failure. */
#include "memory_model.h"
#include "translate/interface/coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 6, TEXT = 3000 };

struct target {
    const char *name;
    unsigned generation, wave_size;
};

static const struct target targets[] = {
    {"gfx900", 9, 64},   {"gfx908", 9, 64},   {"gfx90a", 9, 64},   {"gfx942", 9, 64},   {"gfx1010", 10, 32},
    {"gfx1030", 10, 32}, {"gfx1100", 11, 32}, {"gfx1100", 11, 64}, {"gfx1150", 11, 32}, {"gfx1200", 12, 32},
};

/* Once more, for the loads into half a register. */
static const struct target with_sram_ecc = {"gfx90a", 9, 64};

/* A mnemonic on one target, and the instructions that test it. */
struct test {
    const struct target *target;
    char mnemonic[48];
    struct step steps[MAX_STEPS];
    unsigned count;
    char text[TEXT];
};

static bool flushes(const char *processor) { return !strcmp(processor, "gfx908") || !strcmp(processor, "gfx90a"); }

static bool is_float(unsigned op) { return op == FADD || op == FMIN || op == FMAX || op == FCMPSWAP; }

/* ---- texts ---- */

static const char *registers(char kind, unsigned first, unsigned count) {
    static char texts[8][16];
    static unsigned next;
    char *text = texts[next++ % 8];
    if (count == 1)
        snprintf(text, sizeof texts[0], "%c%u", kind, first);
    else
        snprintf(text, sizeof texts[0], "%c[%u:%u]", kind, first, first + count - 1);
    return text;
}

static const char *offset_text(int offset) {
    static char text[24];
    text[0] = '\0';
    if (offset)
        snprintf(text, sizeof text, " offset:%d", offset);
    return text;
}

static bool starts(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

static const char *return_flag(const struct target *target) {
    return target->generation == 12 ? " th:TH_ATOMIC_RETURN" : starts(target->name, "gfx94") ? " sc0" : " glc";
}

static unsigned data_dwords(const struct row *row) { return row->dwords * (row->op == CMPSWAP || row->op == FCMPSWAP ? 2 : 1); }

static void append(struct test *t, const char *line) {
    size_t used = strlen(t->text);
    snprintf(t->text + used, TEXT - used, "%s\n", line);
}

static void write_vector(struct test *t, const struct step *s) {
    const struct row *row = s->row;
    bool flat = s->family == FLAT, scratch = s->family == SCRATCH, lds = row->flags & TO_LDS;
    const char *address = scratch ? (s->form == VECTOR ? "v1" : "off") : s->form == VECTOR ? "v[2:3]" : "v1";
    const char *base = flat ? "" : scratch ? (s->form == VECTOR ? ", off" : ", s8") : s->form == VECTOR ? ", off" : ", s[0:1]";
    const char *flag = row->kind == ATOMIC && s->returns ? return_flag(t->target) : "";
    const char *data = registers('v', s->data, data_dwords(row)), *result = registers('v', s->result, row->dwords);
    char line[160];
    if (lds)
        snprintf(line, sizeof line, "%s %s%s%s", t->mnemonic, address, base, offset_text(s->offset));
    else if (row->kind == LOAD)
        snprintf(line, sizeof line, "%s %s, %s%s%s", t->mnemonic, result, address, base, offset_text(s->offset));
    else if (s->returns)
        snprintf(line, sizeof line, "%s %s, %s, %s%s%s%s", t->mnemonic, result, address, data, base, offset_text(s->offset), flag);
    else
        snprintf(line, sizeof line, "%s %s, %s%s%s", t->mnemonic, address, data, base, offset_text(s->offset));
    append(t, line);
}

static void write_buffer(struct test *t, const struct step *s) {
    static const char *const addresses[] = {"v1", "off", "v5", "v[6:7]"}, *const modes[] = {" offen", "", " idxen", " idxen offen"};
    const struct row *row = s->row;
    bool lds = row->flags & TO_LDS;
    const char *soffset = s->scale ? "s8" : t->target->generation == 12 ? "null" : "0";
    const char *flag = row->kind == ATOMIC && s->returns ? return_flag(t->target) : "";
    char data[24] = "", line[160];
    unsigned first = row->kind == LOAD || row->kind == ATOMIC ? s->result : s->data;
    if (!lds)
        snprintf(data, sizeof data, "%s, ", registers('v', first, row->kind == ATOMIC ? data_dwords(row) : row->dwords));
    if (lds && row->kind == STORE)
        snprintf(line, sizeof line, "%s s[4:7], %s%s lds", t->mnemonic, soffset, offset_text(s->offset));
    else
        snprintf(line, sizeof line, "%s %s%s, s[4:7], %s%s%s%s%s", t->mnemonic, data, addresses[s->form], soffset, modes[s->form],
                 offset_text(s->offset), flag, lds && !strstr(t->mnemonic, "_lds_") ? " lds" : "");
    append(t, line);
}

static void write_lds(struct test *t, const struct step *s) {
    const struct row *row = s->row;
    bool two = row->kind >= TWO_LOAD && row->kind <= TWO_SWAP;
    bool second =
        row->kind == TWO_STORE || row->kind == TWO_SWAP || row->op == CMPSWAP || row->op == FCMPSWAP || row->op == MSKOR || row->op == WRAP;
    char line[160], offsets[40], result[24] = "", data[48] = "";
    if (two)
        snprintf(offsets, sizeof offsets, " offset0:%d offset1:%d", s->offset, s->second);
    else
        snprintf(offsets, sizeof offsets, "%s", offset_text(s->offset));
    if (row->kind == LOAD || row->kind == TWO_LOAD || s->returns)
        snprintf(result, sizeof result, "%s, ", registers('v', s->result, row->dwords * (two ? 2 : 1)));
    if (second)
        snprintf(data, sizeof data, ", %s, %s", registers('v', s->data, row->dwords), registers('v', s->data1, row->dwords));
    else if (row->kind != LOAD && row->kind != TWO_LOAD)
        snprintf(data, sizeof data, ", %s", registers('v', s->data, row->dwords));
    snprintf(line, sizeof line, "%s %sv1%s%s", t->mnemonic, result, data, offsets);
    append(t, line);
}

static void write_scalar(struct test *t, const struct step *s) {
    const struct row *row = s->row;
    const char *base = s->family == SCALAR_BUFFER ? "s[4:7]" : "s[0:1]", *flag = row->kind == ATOMIC && s->returns ? " glc" : "";
    const char *data = row->kind == LOAD ? registers('s', s->result, row->dwords)
                                         : registers('s', s->data, row->kind == ATOMIC ? data_dwords(row) : row->dwords);
    char line[160];
    if (s->form == VECTOR)
        snprintf(line, sizeof line, "%s %s, %s, %d%s", t->mnemonic, data, base, s->offset, flag);
    else if (t->target->generation == 12)
        snprintf(line, sizeof line, "%s %s, %s, s12 offset:%d", t->mnemonic, data, base, s->offset);
    else
        snprintf(line, sizeof line, "%s %s, %s, s12%s", t->mnemonic, data, base, flag);
    append(t, line);
}

static void add_step(struct test *t, struct step step) {
    t->steps[t->count++] = step;
    const struct step *s = &t->steps[t->count - 1];
    if (s->family < BUFFER)
        write_vector(t, s);
    else if (s->family == BUFFER)
        write_buffer(t, s);
    else if (s->family == LDS)
        write_lds(t, s);
    else
        write_scalar(t, s);
}

/* ---- forms ---- */

/* gfx908 has float atomics in memory without results only. */
static bool can_return(const struct test *t, const struct row *row) {
    return strcmp(t->target->name, "gfx908") != 0 || (row->op != FADD && row->op != PK_F16);
}

static void add_vector(struct test *t, const struct row *row, enum family family) {
    bool flat_offset = family != FLAT || t->target->generation != 10, atomic = row->kind == ATOMIC, always = row->flags & RETURNS;
    int negative = family == GLOBAL && t->target->generation != 11 ? -16 : 16;
    add_step(t, (struct step){.row = row,
                              .family = family,
                              .form = VECTOR,
                              .offset = flat_offset ? negative : 0,
                              .data = 20,
                              .result = 40,
                              .returns = atomic && always});
    if (family != FLAT)
        add_step(t, (struct step){
                        .row = row, .family = family, .form = UNIFORM, .offset = 8, .data = 24, .result = 44, .returns = atomic && always});
    if (atomic && !always && can_return(t, row))
        add_step(t, (struct step){.row = row,
                                  .family = family,
                                  .form = family == FLAT ? VECTOR : UNIFORM,
                                  .offset = flat_offset ? 24 : 0,
                                  .data = 28,
                                  .result = 48,
                                  .returns = true});
}

static void add_buffer(struct test *t, const struct row *row) {
    bool atomic = row->kind == ATOMIC, lds = row->flags & TO_LDS;
    if (lds && row->kind == STORE) {
        add_step(t, (struct step){.row = row, .family = BUFFER, .form = UNIFORM, .offset = 8, .scale = 1});
        return;
    }
    static struct row to_lds; /* the same load with the lds modifier */
    bool has_modifier = row->kind == LOAD && row->dwords == 1 && !row->flags && t->target->generation < 11;
    if (has_modifier) {
        to_lds = *row;
        to_lds.flags |= TO_LDS;
        add_step(t, (struct step){.row = &to_lds, .family = BUFFER, .form = VECTOR, .offset = 512, .scale = 1});
    }
    for (unsigned form = VECTOR; form <= INDEXED_OFFSET; form++) {
        unsigned data = 20 + 4 * form, result = atomic ? data : 40 + 4 * form;
        bool returns = atomic && (row->flags & RETURNS || (form % 2 && can_return(t, row)));
        add_step(t, (struct step){.row = row,
                                  .family = BUFFER,
                                  .form = (enum form)form,
                                  .offset = (row->bytes == 8 ? 8 : 4) * (int)form,
                                  .data = data,
                                  .result = result,
                                  .scale = form % 2 ^ 1,
                                  .returns = returns});
    }
}

static void add_lds(struct test *t, const struct row *row) {
    bool two = row->kind >= TWO_LOAD && row->kind <= TWO_SWAP, returns = row->flags & RETURNS;
    struct step step = {
        .row = row, .family = LDS, .offset = two ? 1 : 16, .second = 2, .data = 20, .data1 = 24, .result = 40, .returns = returns};
    add_step(t, step);
    step.offset = two ? 5 : 0;
    step.second = 4;
    step.data = 28;
    step.data1 = 32;
    step.result = 44;
    add_step(t, step);
}

static void add_scalar(struct test *t, const struct row *row, enum family family) {
    bool atomic = row->kind == ATOMIC;
    int first = atomic && row->bytes == 8 && !mem_is_strict ? 16 : 20; /* a GPU's atomics have to be aligned */
    add_step(t, (struct step){.row = row, .family = family, .form = VECTOR, .offset = first, .data = 16, .result = 36});
    add_step(t, (struct step){.row = row,
                              .family = family,
                              .form = UNIFORM,
                              .offset = t->target->generation == 12 ? 8 : 0,
                              .data = 20,
                              .result = 52,
                              .returns = atomic});
    if (atomic)
        add_step(t, (struct step){.row = row, .family = family, .form = VECTOR, .offset = 40, .data = 24, .returns = true});
}

/* ---- states ---- */

enum pattern { CONSECUTIVE, STRIDED, SAME, REVERSED, RANDOM, MISALIGNED, PATTERNS };
static const char *const pattern_names[] = {"consecutive", "strided", "same", "reversed", "random", "misaligned"};

static uint32_t offset_of(enum pattern pattern, unsigned lane, unsigned lanes, unsigned size) {
    switch (pattern) {
    case CONSECUTIVE:
        return lane * size;
    case STRIDED:
        return lane * size * 2;
    case SAME:
        return 5 * size;
    case REVERSED:
        return (lanes - 1 - lane) * size;
    case RANDOM:
        return mem_random() % 40 * size;
    default:
        return mem_random() % 700;
    }
}

static const uint32_t odd_floats[] = {0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc01234,
                                      1, 0x807fffff, 0x00400000, 0x7f7fffff, 0x00800000, 0x80800001, 0x40490fdb, 0xc2f60000};
static const uint16_t odd_halves[] = {0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x0001,
                                      0x83ff, 0x7bff, 0x0400, 0x3555, 0xc8d2, 0x3f80, 0x7f80, 0x7fc1};

static void fill_floats(uint32_t *words, size_t count, const struct row *row) {
    for (size_t i = 0; i < count; i++) {
        uint32_t pick = mem_random();
        if (row->op == PK_F16 || row->op == PK_BF16)
            words[i] = pick & 0x800000 ? mem_random() : odd_halves[pick % 16] | (uint32_t)odd_halves[pick >> 8 & 15] << 16;
        else if (row->bytes == 4)
            words[i] = pick & 0x800000 ? 0x3f000000 + mem_random() % 0x2000000 : odd_floats[pick % 16];
        else if (i % 2 == 0) { /* doubles: numbers, or an odd float's bits in the upper half */
            words[i] = 0;
            words[i + 1] = pick & 0x800000                       ? 0x3fe00000 + mem_random() % 0x400000
                           : odd_floats[pick % 16] == 0x7fc00000 ? 0x7ff80000
                                                                 : odd_floats[pick % 16];
        }
    }
}

/* Values that compare with memory now and then. */
static void fill_for(struct mem_state *s, const struct row *row) {
    mem_fill(s);
    if (is_float(row->op) || row->op == PK_F16 || row->op == PK_BF16) {
        fill_floats((uint32_t *)(void *)s->memory, MEM_MEMORY / 4, row);
        fill_floats((uint32_t *)(void *)s->lds, MEM_LDS / 4, row);
        for (unsigned r = 20; r < 40; r++)
            fill_floats(s->v[r], 64, row);
        if (row->bytes == 8)
            for (unsigned r = 20; r < 40; r += 2)
                for (unsigned l = 0; l < 64; l++) {
                    uint32_t both[2];
                    fill_floats(both, 2, row);
                    s->v[r][l] = both[0];
                    s->v[r + 1][l] = both[1];
                }
    } else if (row->op == CMPSWAP || row->op == INC || row->op == DEC || row->op == ORDERED) {
        for (size_t i = 0; i < MEM_MEMORY / 4; i++) {
            ((uint32_t *)(void *)s->memory)[i] = mem_random() % 4;
            ((uint32_t *)(void *)s->lds)[i] = mem_random() % 4;
        }
        for (unsigned r = 20; r < 40; r++)
            for (unsigned l = 0; l < 64; l++)
                s->v[r][l] = mem_random() % 4;
        for (unsigned r = 16; r < 28; r++)
            s->s[r] = mem_random() % 4;
    }
}

enum place { IN_MEMORY, IN_LDS, IN_SCRATCH, MIXED };

static void set_addresses(struct mem_state *s, const struct target *target, enum pattern pattern, unsigned size, enum place place,
                          uint64_t start) {
    for (unsigned lane = 0; lane < target->wave_size; lane++) {
        uint32_t offset = offset_of(pattern, lane, target->wave_size, size) + 32;
        enum place here = place == MIXED ? (enum place)(mem_random() % 3) : place;
        uint64_t address = here == IN_MEMORY ? start + offset : (uint64_t)(here == IN_LDS ? 0x10000 : 0x20000) << 32 | offset;
        s->v[0][lane] = lane;
        s->v[1][lane] = offset;
        s->v[2][lane] = (uint32_t)address;
        s->v[3][lane] = (uint32_t)(address >> 32);
    }
    s->s[0] = (uint32_t)start;
    s->s[1] = (uint32_t)(start >> 32);
    s->s[8] = 64;
    s->s[12] = 24;
    s->s[MEM_M0] = 0x1c00;
}

/* Where the order of lanes is any, one of them stores. */
static void set_exec(struct mem_state *s, unsigned wave_size, const struct row *row, unsigned which) {
    static const uint64_t masks[] = {UINT64_MAX, UINT64_C(0x8000a5a5f0ff0310), UINT64_C(0x400)};
    bool loads = row->kind == LOAD || row->kind == TWO_LOAD;
    uint64_t mask = mem_is_strict || loads ? masks[which] : UINT64_C(1) << (5 + 23 * which) % wave_size;
    s->s[MEM_EXEC] = (uint32_t)mask;
    s->s[MEM_EXEC + 1] = wave_size == 64 ? (uint32_t)(mask >> 32) : 0;
}

/* ---- runs ---- */

static struct mem_state start_state, want_state;

static void run_once(const struct test *t, const struct mem_program *program, const char *what) {
    const struct row *row = t->steps[t->count - 1].row;
    struct model model = {.state = &want_state,
                          .wave_size = t->target->wave_size,
                          .generation = t->target->generation,
                          .flushes = flushes(t->target->name) || (!mem_is_strict && t->steps[0].family != LDS)};
    char name[256];
    unsigned width = is_float(row->op) ? row->bytes * 8u : row->op == PK_F16 ? 16 : row->op == PK_BF16 ? 17 : 0;
    want_state = start_state;
    for (unsigned i = 0; i < t->count; i++)
        model_step(&model, &t->steps[i]);
    mem_run(program, &start_state);
    snprintf(name, sizeof name, "%s wave%u: %s, %s, exec %#x", t->target->name, t->target->wave_size, t->mnemonic, what,
             want_state.s[MEM_EXEC]);
    want_state.s[30] = start_state.s[30];
    want_state.s[31] = start_state.s[31];
    mem_compare(&start_state, &want_state, t->target->wave_size, width, name);
}

static unsigned element_size(const struct row *row) {
    return row->kind == ATOMIC ? row->bytes : row->bytes < 4 ? row->bytes : 4u * row->dwords;
}

static void run_patterns(const struct test *t, const struct mem_program *program) {
    const struct row *row = t->steps[0].row;
    bool flat = t->steps[0].family == FLAT, two = row->kind >= TWO_STORE && row->kind <= TWO_SWAP;
    char what[64];
    for (unsigned pattern = 0; pattern < PATTERNS; pattern++) {
        if (pattern == MISALIGNED && !mem_is_strict)
            continue;
        if ((row->kind == ATOMIC && pattern == MISALIGNED) || (two && pattern >= RANDOM) || (two && pattern == SAME))
            continue;
        for (unsigned place = 0; place < (flat && (mem_is_strict || row->op != FADD) ? 4u : 1u); place++)
            for (unsigned exec = 0; exec < 3; exec++) {
                unsigned size = element_size(row) * (row->kind >= TWO_LOAD && !(row->flags & FAR) ? 2 : 1);
                fill_for(&start_state, row);
                set_addresses(&start_state, t->target, (enum pattern)pattern, size, (enum place)place,
                              pattern % 2 ? MEM_MIDDLE + 64 : MEM_MIDDLE - 96);
                set_exec(&start_state, t->target->wave_size, row, exec);
                snprintf(what, sizeof what, "%s, place %u", pattern_names[pattern], place);
                run_once(t, program, what);
            }
    }
}

/* Descriptors: what makes addresses, and what ends them. */
static const struct descriptor {
    unsigned generations; /* bits */
    uint32_t high, records, word3;
    bool small; /* offsets stay small, as swizzles spread them */
} descriptors[] = {
    {0x1e00, 0, 1u << 14, 3u << 28, false},              /* bytes, all in range */
    {0x1e00, 0, 300, 3u << 28, false},                   /* bytes, some out of range */
    {0x1e00, 20 << 16, 20, 3u << 28, false},             /* a stride and a check by bytes (gfx9: by index where there is one) */
    {0x1c00, 16 << 16, 30, 0, false},                    /* records, and offsets within them */
    {0x1c00, 16 << 16, 30, 1u << 28, false},             /* records alone */
    {0x1c00, 16 << 16, 0, 2u << 28, false},              /* none at all */
    {0x1e00, 24 << 16, 40, 1u << 28 | 1u << 23, true},   /* the thread's number counts */
    {0x0200, 0, 40, 1u << 23 | 1u << 15, true},          /* gfx9: a stride of 16 KiB */
    {0x0600, 1u << 31 | 32 << 16, 4000, 3u << 28, true}, /* swizzles of 4 bytes among 8 records */
    {0x0600, 1u << 31 | 32 << 16, 25, 0, true},
    {0x0600, 1u << 31 | 32 << 16, 25, 2u << 21 | 1u << 28, true}, /* among 32 */
    {0x1800, 1u << 30 | 32 << 16, 40, 3u << 28 | 1u << 21, true}, /* gfx11: of 4, 8, 16 bytes */
    {0x1800, 2u << 30 | 32 << 16, 40, 0, true},
    {0x1800, 3u << 30 | 32 << 16, 40, 1u << 28 | 3u << 21, true},
    {0x1800, 3u << 30 | 48 << 16, 64, 1u << 23, true},
};

/* gfx9 and gfx10 take a swizzled descriptor with thread ids for scratch; gfx9's 16 KiB stride leaves the machine's memory. */
static bool is_usable(const struct test *t, const struct descriptor *d) {
    const struct row *row = t->steps[0].row;
    if (row->kind == ATOMIC && row->bytes == 8 && (d->high >> 16 & 7))
        return false; /* atomics have to be aligned */
    bool wide_stride = d->generations == 0x0200 && d->word3 & 1u << 23;
    return (d->generations >> t->target->generation & 1) && !wide_stride &&
           !(row->kind == ATOMIC && row->bytes == 8 && d->high >> 30 && d->high >> 30 != 3);
}

static void set_descriptor(struct mem_state *s, const struct descriptor *d, unsigned lanes, unsigned pattern, unsigned size) {
    uint64_t base = MEM_MIDDLE - 1024;
    s->s[4] = (uint32_t)base;
    s->s[5] = (uint32_t)(base >> 32) | d->high;
    s->s[6] = d->records;
    s->s[7] = d->word3;
    for (unsigned lane = 0; lane < lanes; lane++) {
        if (d->small)
            s->v[1][lane] = pattern == MISALIGNED ? s->v[1][lane] % 47 : s->v[1][lane] / size * size % 48;
        s->v[5][lane] = pattern == SAME ? 7 : pattern == RANDOM ? mem_random() % 48 : lane;
        s->v[6][lane] = pattern == REVERSED ? lanes - 1 - lane : mem_random() % 48;
        s->v[7][lane] = mem_random() % 4 * size;
    }
}

static void run_descriptors(const struct test *t, const struct mem_program *program) {
    const struct row *row = t->steps[0].row;
    unsigned size = element_size(row);
    char what[64];
    for (unsigned d = 0; d < sizeof descriptors / sizeof *descriptors; d++)
        for (unsigned pattern = 0; is_usable(t, &descriptors[d]) && pattern < PATTERNS; pattern++) {
            if (pattern == MISALIGNED && !mem_is_strict)
                continue;
            if (pattern == MISALIGNED && row->kind == ATOMIC)
                continue;
            fill_for(&start_state, row);
            set_addresses(&start_state, t->target, (enum pattern)pattern, size, IN_MEMORY, MEM_MIDDLE);
            set_exec(&start_state, t->target->wave_size, row, (pattern + d) % 3);
            set_descriptor(&start_state, &descriptors[d], t->target->wave_size, pattern, size);
            snprintf(what, sizeof what, "%s, descriptor %u", pattern_names[pattern], d);
            run_once(t, program, what);
        }
}

static void run_scalar(const struct test *t, const struct mem_program *program) {
    static const uint32_t sizes[][2] = {{4096, 0}, {30, 0}, {60, 0}, {3, 16 << 16}}; /* records, stride */
    for (unsigned i = 0; i < 4; i++) {
        fill_for(&start_state, t->steps[0].row);
        set_addresses(&start_state, t->target, SAME, 4, IN_MEMORY, MEM_MIDDLE - 128);
        set_exec(&start_state, t->target->wave_size, t->steps[0].row, i % 3);
        uint64_t base = MEM_MIDDLE - 64;
        start_state.s[4] = (uint32_t)base;
        start_state.s[5] = (uint32_t)(base >> 32) | sizes[i][1];
        start_state.s[6] = sizes[i][0];
        run_once(t, program, "scalar");
    }
}

static void run_test(const struct test *t) {
    struct mem_program program;
    if (!mem_build(&program, t->target->name, t->target->wave_size, t->text)) {
        mem_failures++;
        return;
    }
    if (t->steps[0].family >= SCALAR)
        run_scalar(t, &program);
    else if (t->steps[0].family == BUFFER)
        run_descriptors(t, &program);
    else
        run_patterns(t, &program);
    mem_destroy(&program);
}

/* ---- mnemonics ---- */

static bool is_named(const char *names, const char *name) {
    size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at += length)
        if ((at == names || at[-1] == '|') && (at[length] == '|' || !at[length]))
            return true;
    return false;
}

static const struct row *find_row(const struct row *rows, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (is_named(rows[i].names, name))
            return &rows[i];
    return NULL;
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool make_test(struct test *t) {
    static const struct {
        const char *prefix;
        uint8_t family;
    } families[] = {{"flat_", FLAT}, {"global_", GLOBAL},          {"scratch_", SCRATCH},          {"buffer_", BUFFER},
                    {"ds_", LDS},    {"s_buffer_", SCALAR_BUFFER}, {"s_scratch_", SCALAR_SCRATCH}, {"s_", SCALAR}};
    for (size_t i = 0; i < COUNT(families); i++) {
        if (!starts(t->mnemonic, families[i].prefix))
            continue;
        const char *rest = t->mnemonic + strlen(families[i].prefix);
        enum family family = (enum family)families[i].family;
        const struct row *row = family == LDS      ? find_row(lds_rows, COUNT(lds_rows), rest)
                                : family >= SCALAR ? find_row(scalar_rows, COUNT(scalar_rows), rest)
                                                   : find_row(vector_rows, COUNT(vector_rows), rest);
        if (!row)
            return false;
        if (family == LDS)
            add_lds(t, row);
        else if (family >= SCALAR)
            add_scalar(t, row, family);
        else if (family == BUFFER)
            add_buffer(t, row);
        else
            add_vector(t, row, family);
        return true;
    }
    return false;
}

static bool is_memory(const char *mnemonic) {
    static const char *const prefixes[] = {"flat_",   "global_",  "scratch_",  "buffer_",    "tbuffer_",  "ds_",         "lds_",
                                           "s_load_", "s_store_", "s_atomic_", "s_scratch_", "s_buffer_", "s_get_waveid"};
    for (size_t i = 0; i < COUNT(prefixes); i++)
        if (starts(mnemonic, prefixes[i]))
            return true;
    return false;
}

/* Tested elsewhere: typed accesses in test_isa_formats.c, the special ones in test_isa_special.c, GWS in tests/programs. */
static bool is_elsewhere(const char *mnemonic) {
    static const char *const parts[] = {"_format_", "ds_gws_", "_addtid", "_block",   "load_tr_",    "permute",     "swizzle",
                                        "append",   "consume", "_src2_",  "condxchg", "direct_load", "s_get_waveid"};
    for (size_t i = 0; i < COUNT(parts); i++)
        if (strstr(mnemonic, parts[i]))
            return true;
    return false;
}

static char (*seen)[80];
static unsigned seen_count;

static bool is_new(const char *mnemonic, const struct target *target) {
    char key[80];
    snprintf(key, sizeof key, "%s %u %u %d %d", mnemonic, target->generation, target->wave_size,
             strstr(mnemonic, "add_f32") && flushes(target->name), mem_sram_ecc);
    for (unsigned i = 0; i < seen_count; i++)
        if (strcmp(seen[i], key) == 0)
            return false;
    seen = realloc(seen, (seen_count + 1) * sizeof *seen);
    memcpy(seen[seen_count++], key, sizeof key);
    return true;
}

/* ---- main ---- */

static void test_target(struct wl_coverage *coverage, const struct target *target, const char *only) {
    const struct wl_coverage_row *rows;
    size_t count;
    if (wl_coverage_list(coverage, target->name, target->wave_size, &rows, &count) != WL_OK) {
        fprintf(stderr, "%s: %s\n", target->name, wl_failure());
        mem_failures++;
        return;
    }
    static struct test test;
    for (size_t i = 0; i < count; i++) {
        const char *mnemonic = rows[i].mnemonic;
        bool supported = rows[i].status == WL_COVERAGE_EXACT || rows[i].status == WL_COVERAGE_ULP;
        if (!supported || !is_memory(mnemonic) || is_elsewhere(mnemonic) || (only && !strstr(mnemonic, only)) || !is_new(mnemonic, target))
            continue;
        memset(&test, 0, sizeof test);
        test.target = target;
        snprintf(test.mnemonic, sizeof test.mnemonic, "%s", mnemonic);
        if (make_test(&test))
            run_test(&test);
        else if (++mem_failures)
            fprintf(stderr, "%s: %s is implemented, but has no test\n", target->name, mnemonic);
    }
}

/* Arguments: a generation (9 to 12; 0: all), and a part of the mnemonics to test. */
int main(int argc, char **argv) {
    unsigned generation = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    struct wl_coverage *coverage = wl_coverage_create();
    mem_start();
    for (size_t i = 0; coverage && i < COUNT(targets); i++)
        if (!generation || targets[i].generation == generation)
            test_target(coverage, &targets[i], argc > 2 ? argv[2] : NULL);
    mem_sram_ecc = true;
    if (!generation || generation == 9)
        test_target(coverage, &with_sram_ecc, "d16");
    wl_coverage_destroy(coverage);
    free(seen);
    printf("%u mnemonics, %u runs, %u failures\n", seen_count, mem_checks, mem_failures);
    return mem_failures != 0 || mem_checks == 0;
}
