/* Vector memory instructions, translated and run, against a model that looks at one lane at a time.
 *
 * A case is one memory instruction behind a prelude that computes its addresses. What runs is prelude + instruction; what it
 * must leave behind is found by running the prelude alone and then the model. Every case runs with several address patterns
 * and EXEC masks, in FULL and MASKED form, for the host as it is and for hosts without AVX-512 or AVX2. */
#include "assembler.h"
#include "device/cpu/helpers/helpers.h"
#include "machine/wave.h"
#include "translate/decode/decoder.h"
#include "translate/interface/translate.h"
#include "translate/isa/isa.h"

#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { ROWS = 40, GLOBAL_SIZE = 1 << 16, LDS_SIZE = 1 << 16, SCRATCH_LANE = 4096, SCRATCH_SIZE = SCRATCH_LANE * 64 };

/* Program memory crosses a multiple of 4 GiB, so that carries into the high half happen. The first of these addresses that is
 * free: sanitizers keep their tables at the low one. */
static const uintptr_t middles[] = {0x6000000000, 0x690000000000};

static struct machine {
    uint8_t *global, *lds, *scratch;
    struct wl_wave *wave;
    unsigned wave_size;
} machine;
#define MIDDLE ((uint64_t)(uintptr_t)machine.global + GLOBAL_SIZE / 2)

struct image { /* all that an instruction can change */
    uint8_t global[GLOBAL_SIZE], lds[LDS_SIZE], scratch[SCRATCH_SIZE];
    uint32_t vgpr[ROWS * 64];
};

static void save(struct image *image) {
    memcpy(image->global, machine.global, GLOBAL_SIZE);
    memcpy(image->lds, machine.lds, LDS_SIZE);
    memcpy(image->scratch, machine.scratch, SCRATCH_SIZE);
    memcpy(image->vgpr, machine.wave->vgpr, ROWS * machine.wave_size * 4);
}

static void restore(const struct image *image) {
    memcpy(machine.global, image->global, GLOBAL_SIZE);
    memcpy(machine.lds, image->lds, LDS_SIZE);
    memcpy(machine.scratch, image->scratch, SCRATCH_SIZE);
    memcpy(machine.wave->vgpr, image->vgpr, ROWS * machine.wave_size * 4);
}

static uint32_t *row(unsigned r) { return machine.wave->vgpr + r * machine.wave_size; }

/* ---- the model ---- */

static uint8_t *lane_byte(uint64_t address, unsigned lane, bool scratch, uint64_t scratch_base) {
    if (scratch)
        return machine.scratch + scratch_base + wl_scratch_address((uint32_t)address, lane, machine.wave_size);
    if (address >> 32 == WL_SHARED_APERTURE_HI)
        return machine.lds + (uint32_t)address;
    if (address >> 32 == WL_PRIVATE_APERTURE_HI)
        return machine.scratch + wl_scratch_address((uint32_t)address, lane, machine.wave_size);
    return (uint8_t *)address;
}

struct place { /* one lane's */
    uint64_t address, scratch_base, limit;
    bool scratch;
};

static void get_bytes(const struct place *p, unsigned lane, unsigned at, unsigned count, void *to) {
    memset(to, 0, count);
    for (unsigned i = 0; i < count; i++)
        if (at + count <= p->limit)
            ((uint8_t *)to)[i] = *lane_byte(p->address + at + i, lane, p->scratch, p->scratch_base);
}

static void put_bytes(const struct place *p, unsigned lane, unsigned at, unsigned count, const void *from) {
    for (unsigned i = 0; i < count; i++)
        if (at + count <= p->limit)
            *lane_byte(p->address + at + i, lane, p->scratch, p->scratch_base) = ((const uint8_t *)from)[i];
}

static uint32_t scalar(const struct wl_operand *op, unsigned d) {
    return op->kind == WL_OPERAND_SGPR ? machine.wave->sgpr[op->reg + d] : op->kind == WL_OPERAND_IMM ? (uint32_t)op->bits : 0;
}

static uint64_t scalar64(const struct wl_operand *op) { return scalar(op, 0) | (uint64_t)scalar(op, 1) << 32; }

static struct place find_place(const struct wl_inst *inst, const struct wl_operand *address, const struct wl_operand *base, unsigned lane,
                               bool second) {
    struct place p = {.limit = UINT64_MAX};
    uint64_t v = address->kind != WL_OPERAND_VGPR ? 0 : row(address->reg)[lane];
    if (address->count >= 2)
        v |= (uint64_t)row(address->reg + 1)[lane] << 32;
    unsigned unit = inst->isa->bits / 8 * (inst->isa->stride64 ? 64 : 1);
    switch ((enum wl_space)inst->isa->space) {
    case WL_SPACE_LDS: {
        uint32_t offset = (uint32_t)(inst->isa->addresses == 2 ? (second ? inst->offset1 : inst->offset0) * (int32_t)unit : inst->offset0);
        p.address = (uint64_t)(machine.lds + (uint32_t)(v + offset));
        break;
    }
    case WL_SPACE_SCRATCH:
        p.scratch = true;
        p.address = (uint32_t)(v + scalar(base, 0) + (uint32_t)inst->offset0);
        break;
    case WL_SPACE_BUFFER: {
        const struct wl_operand *descriptor = address + 1, *soffset = address + 2;
        uint32_t high = scalar(descriptor, 1);
        uint64_t offset = (uint32_t)(v + (uint32_t)inst->offset0);
        if (inst->idxen) {
            p.address = scalar(descriptor, 0) + ((uint64_t)(high & 0xffff) << 32) + scalar(soffset, 0) + v * (high >> 16 & 0x3fff) +
                        (uint32_t)inst->offset0;
            p.limit = v < scalar(descriptor, 2) ? UINT64_MAX : 0;
        } else if (high >> 31) {
            p.scratch = true;
            p.address = offset;
            p.scratch_base = scalar(soffset, 0);
        } else {
            uint64_t start = scalar(soffset, 0), records = scalar(descriptor, 2) > start ? scalar(descriptor, 2) - start : 0;
            p.address = scalar(descriptor, 0) + ((uint64_t)(high & 0xffff) << 32) + start + offset;
            p.limit = records > offset ? records - offset : 0;
        }
        break;
    }
    default:
        p.address = v + (base ? scalar64(base) : 0) + (uint64_t)(int64_t)inst->offset0;
    }
    return p;
}

static float as_float(uint64_t bits) {
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static double as_double(uint64_t bits) {
    double f;
    memcpy(&f, &bits, 8);
    return f;
}

static uint64_t float_result(double value, unsigned bits) {
    uint64_t result = 0;
    float narrow = (float)value;
    memcpy(&result, bits == 32 ? (void *)&narrow : (void *)&value, bits / 8);
    return result;
}

static uint64_t apply(const struct wl_isa *isa, uint64_t old, uint64_t data, uint64_t second) {
    unsigned bits = isa->bits;
    uint64_t mask = bits == 32 ? UINT32_MAX : UINT64_MAX;
    int64_t so = bits == 32 ? (int32_t)old : (int64_t)old, sd = bits == 32 ? (int32_t)data : (int64_t)data;
    double fo = bits == 32 ? as_float(old) : as_double(old), fd = bits == 32 ? as_float(data) : as_double(data);
    switch ((enum wl_atomic_op)isa->atomic) {
    case WL_ATOMIC_SWAP:
        return data;
    case WL_ATOMIC_CMPSWAP:
        return old == second ? data : old;
    case WL_ATOMIC_ADD:
        return (old + data) & mask;
    case WL_ATOMIC_SUB:
        return (old - data) & mask;
    case WL_ATOMIC_RSUB:
        return (data - old) & mask;
    case WL_ATOMIC_SMIN:
        return so < sd ? old : data;
    case WL_ATOMIC_SMAX:
        return so > sd ? old : data;
    case WL_ATOMIC_UMIN:
        return old < data ? old : data;
    case WL_ATOMIC_UMAX:
        return old > data ? old : data;
    case WL_ATOMIC_AND:
        return old & data;
    case WL_ATOMIC_OR:
        return old | data;
    case WL_ATOMIC_XOR:
        return old ^ data;
    case WL_ATOMIC_INC:
        return old >= data ? 0 : old + 1;
    case WL_ATOMIC_DEC:
        return old == 0 || old > data ? data : old - 1;
    case WL_ATOMIC_FADD:
        return float_result(bits == 32 ? (float)fo + (float)fd : fo + fd, bits);
    case WL_ATOMIC_FMIN:
        return float_result(fmin(fo, fd), bits);
    case WL_ATOMIC_FMAX:
        return float_result(fmax(fo, fd), bits);
    case WL_ATOMIC_CSUB:
        return old < data ? 0 : old - data;
    case WL_ATOMIC_MSKOR:
        return (old & ~data) | second;
    case WL_ATOMIC_WRAP:
        return old >= data ? old - data : (old + second) & mask;
    default:
        fail_msg("no model");
        return 0;
    }
}

static uint64_t data_of(const struct wl_operand *op, unsigned at, unsigned lane, unsigned dwords) {
    uint64_t low = row(op->reg + at)[lane];
    return dwords == 2 ? low | (uint64_t)row(op->reg + at + 1)[lane] << 32 : low;
}

static void model_atomic(const struct wl_inst *inst, const struct place *p, const struct wl_operand *op, unsigned result, unsigned data,
                         unsigned lane) {
    const struct wl_isa *isa = inst->isa;
    unsigned n = isa->dwords;
    uint64_t value = data_of(&op[data], 0, lane, n), second = 0, old = 0;
    bool lds = isa->space == WL_SPACE_LDS;
    if (lds && data + 1 < inst->operand_count && op[data + 1].kind == WL_OPERAND_VGPR)
        second = data_of(&op[data + 1], 0, lane, n);
    else if (op[data].count >= 2 * n)
        second = data_of(&op[data], n, lane, n);
    if (isa->compare_first) {
        uint64_t swap = value;
        value = second;
        second = swap;
    }
    get_bytes(p, lane, 0, n * 4, &old);
    uint64_t next = apply(isa, old, value, second);
    put_bytes(p, lane, 0, n * 4, &next);
    for (unsigned d = 0; inst->returns && d < n; d++)
        row(op[result].reg + d)[lane] = (uint32_t)(old >> (32 * d));
}

static uint32_t merge(const struct wl_isa *isa, uint32_t old, uint32_t value) {
    if (!isa->d16)
        return value;
    return isa->hi ? (old & 0xffff) | value << 16 : (old & 0xffff0000) | (value & 0xffff);
}

static void model_access(const struct wl_inst *inst, const struct place *p, const struct wl_operand *data, unsigned first, unsigned lane,
                         bool load) {
    const struct wl_isa *isa = inst->isa;
    unsigned bytes = isa->bits < 32 ? isa->bits / 8 : 4;
    for (unsigned d = 0; d < isa->dwords; d++) {
        uint32_t *cell = &row(data->reg + first + d)[lane], value = 0;
        if (load) {
            get_bytes(p, lane, 4 * d, bytes, &value);
            if (isa->sign)
                value = bytes == 1 ? (uint32_t)(int8_t)value : (uint32_t)(int16_t)value;
            *cell = merge(isa, *cell, value);
        } else {
            value = isa->hi ? *cell >> 16 : *cell;
            put_bytes(p, lane, 4 * d, bytes, &value);
        }
    }
}

/* A load to LDS: to M0 + instruction offset + lane * 4. */
static void model_load_to_lds(const struct wl_inst *inst, uint64_t exec) {
    const struct wl_isa *isa = inst->isa;
    bool buffer = isa->space == WL_SPACE_BUFFER;
    for (unsigned lane = 0; lane < machine.wave_size; lane++) {
        struct place p = find_place(inst, &inst->operands[0], buffer ? NULL : &inst->operands[1], lane, false);
        uint32_t value = 0;
        get_bytes(&p, lane, 0, isa->bits / 8, &value);
        if (isa->sign)
            value = isa->bits == 8 ? (uint32_t)(int8_t)value : (uint32_t)(int16_t)value;
        if (exec >> lane & 1)
            memcpy(machine.lds + (machine.wave->sgpr[WL_SGPR_M0] & 0xffff) + inst->offset0 + lane * 4, &value, 4);
    }
}

static void model(const struct wl_inst *inst, uint64_t exec) {
    if (inst->lds) {
        model_load_to_lds(inst, exec);
        return;
    }
    const struct wl_isa *isa = inst->isa;
    const struct wl_operand *op = inst->operands;
    bool load = isa->class == WL_ISA_LOAD, buffer = isa->space == WL_SPACE_BUFFER, atomic = isa->class == WL_ISA_ATOMIC;
    unsigned address = load || buffer || (atomic && inst->returns) ? 1 : 0, data = load || buffer ? 0 : address + 1;
    unsigned base = load ? 2 : data + 1;
    const struct wl_operand *scalar_base =
        isa->space != WL_SPACE_LDS && isa->space != WL_SPACE_FLAT && base < inst->operand_count ? &op[base] : NULL;
    struct place places[2][64];
    for (unsigned lane = 0; lane < machine.wave_size; lane++)
        for (unsigned i = 0; i < 2; i++)
            places[i][lane] = find_place(inst, &op[address], scalar_base, lane, i == 1);
    for (unsigned n = 0; n < (isa->addresses == 2 ? 2u : 1u) * machine.wave_size; n++) { /* strip by strip, then address by address */
        unsigned i = isa->addresses == 2 ? n / WL_STRIP % 2 : 0;
        unsigned lane = isa->addresses == 2 ? n / (2 * WL_STRIP) * WL_STRIP + n % WL_STRIP : n;
        if (!(exec >> lane & 1))
            continue;
        if (atomic)
            model_atomic(inst, &places[i][lane], op, 0, data, lane);
        else
            model_access(inst, &places[i][lane], load ? op : &op[data + i], load ? i * isa->dwords : 0, lane, load);
    }
}

/* ---- running ---- */

static bool is_code(void *context, uint64_t address, uint64_t size) { return address + size <= *(uint64_t *)context; }

struct host {
    const char *cpu, *features;
};

struct program {
    LLVMOrcLLJITRef jit[WL_MODE_COUNT];
    wl_unit_code *code[WL_MODE_COUNT];
};

static wl_unit_code *load_object(LLVMOrcLLJITRef *jit, const struct wl_translate_result *result) {
    LLVMOrcLLJITRef j;
    LLVMOrcExecutorAddress address;
    LLVMErrorRef error = LLVMOrcCreateLLJIT(&j, NULL);
    assert_null(error);
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(result->object, result->size, "unit");
    error = LLVMOrcLLJITAddObjectFile(j, LLVMOrcLLJITGetMainJITDylib(j), buffer);
    if (!error)
        error = LLVMOrcLLJITLookup(j, &address, "wl_unit");
    if (error)
        fail_msg("%s", LLVMGetErrorMessage(error));
    *jit = j;
    return (wl_unit_code *)address;
}

static void build(struct program *program, const struct host *host, const char *processor, enum wl_shape shape, const char *prelude,
                  const char *instruction) {
    char text[2048];
    size_t size = 0;
    snprintf(text, sizeof text, "%s\n%s\ns_setpc_b64 s[30:31]\n", prelude, instruction);
    uint8_t *code = test_assemble(processor, machine.wave_size, text, &size);
    if (!code)
        fail_msg("%s: %s", processor, text);
    uint64_t limit = size;
    struct wl_translate_request request = {.processor = processor,
                                           .wave_size = machine.wave_size,
                                           .image = code,
                                           .image_size = size,
                                           .name = *instruction ? "case" : "prelude",
                                           .is_kernel = true,
                                           .workitem_id_dimensions = 1,
                                           .shape = shape,
                                           .cpu = host->cpu,
                                           .features = host->features,
                                           .is_code = is_code,
                                           .context = &limit,
                                           .dump = getenv("WL_TEST_DUMP")};
    for (unsigned mode = 0; mode < WL_MODE_COUNT; mode++) {
        struct wl_translate_result result;
        request.mode = (enum wl_mode)mode;
        if (wl_translate(&request, &result) != WL_OK)
            fail_msg("%s: %s: %s", processor, instruction, wl_translate_failure());
        program->code[mode] = load_object(&program->jit[mode], &result);
        wl_translate_free(&result);
    }
    free(code);
}

static void destroy(struct program *program) {
    for (unsigned mode = 0; mode < WL_MODE_COUNT; mode++)
        LLVMConsumeError(LLVMOrcDisposeLLJIT(program->jit[mode]));
}

static void run(const struct program *program, uint64_t exec) {
    bool full = exec == (machine.wave_size == 64 ? UINT64_MAX : UINT32_MAX);
    machine.wave->sgpr[WL_SGPR_EXEC] = (uint32_t)exec;
    machine.wave->sgpr[WL_SGPR_EXEC + 1] = (uint32_t)(exec >> 32);
    machine.wave->resume = 0;
    assert_int_equal(program->code[full ? WL_MODE_FULL : WL_MODE_MASKED](machine.wave), WL_EXIT_JUMP);
}

/* ---- patterns ---- */

enum pattern { CONSECUTIVE, UNIFORM, REVERSED, RANDOM, MISALIGNED, STRIDED, FOURS, PATTERN_COUNT };
static const char *const pattern_names[] = {"consecutive", "uniform", "reversed", "random", "misaligned", "strided", "fours"};
enum target { MEMORY, SHARED, PRIVATE, MIXED, TARGET_COUNT }; /* where flat addresses point */

static uint32_t seed = 1;

static uint32_t random_number(void) {
    seed = seed * 1664525 + 1013904223;
    return seed >> 8 ^ seed << 13;
}

static uint32_t pattern_offset(enum pattern pattern, unsigned lane, unsigned size) {
    switch (pattern) {
    case CONSECUTIVE:
        return lane * size;
    case UNIFORM:
        return 3 * size;
    case REVERSED:
        return (machine.wave_size - 1 - lane) * size;
    case RANDOM:
        return random_number() % 48 * size;
    case MISALIGNED:
        return random_number() % 1024;
    case FOURS: /* the last ones first */
        return (machine.wave_size - 1 - lane) / 4 * 5 * size + lane % 4 * size;
    default:
        return lane * size * 2;
    }
}

/* Registers: v0 lane, v1 offset, v[2:3] address, v4 and up data. s[0:1] the address of offset 0, s[4:7] a descriptor, s8 = 64. */
static unsigned row_length = 64; /* work items, where v0 begins again */

static void fill(enum pattern pattern, enum target target, unsigned size, bool numbers, uint64_t start) {
    for (unsigned i = 0; i < GLOBAL_SIZE / 4; i++)
        ((uint32_t *)machine.global)[i] = numbers ? 0x3f800000 + random_number() % 0x100000 : random_number();
    for (unsigned i = 0; i < LDS_SIZE / 4; i++)
        ((uint32_t *)machine.lds)[i] = numbers ? 0x3f800000 + random_number() % 0x100000 : random_number();
    for (unsigned i = 0; i < SCRATCH_SIZE / 4; i++)
        ((uint32_t *)machine.scratch)[i] = random_number();
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned lane = 0; lane < machine.wave_size; lane++)
            row(r)[lane] = numbers ? 0x3f800000 + random_number() % 0x100000 : random_number();
    for (unsigned lane = 0; lane < machine.wave_size; lane++) {
        uint32_t offset = pattern_offset(pattern, lane, size);
        enum target t = target == MIXED ? (enum target)(random_number() % 3) : target;
        uint64_t address =
            t == MEMORY ? start + offset : (uint64_t)(t == SHARED ? WL_SHARED_APERTURE_HI : WL_PRIVATE_APERTURE_HI) << 32 | (offset + 64);
        row(0)[lane] = lane % row_length;
        row(1)[lane] = offset;
        row(2)[lane] = (uint32_t)address;
        row(3)[lane] = (uint32_t)(address >> 32);
    }
    uint32_t *s = machine.wave->sgpr;
    s[0] = (uint32_t)start;
    s[1] = (uint32_t)(start >> 32);
    s[8] = 64;
    s[WL_SGPR_M0] = 0x4000;
    s[9] = 3 * size;
}

static void set_descriptor(bool scratch, uint64_t start, uint32_t records, uint32_t stride) {
    uint32_t *s = machine.wave->sgpr;
    s[4] = (uint32_t)start;
    s[5] = (uint32_t)(start >> 32) | stride << 16 | (scratch ? 1u << 31 : 0);
    s[6] = records;
    s[7] = scratch ? 1u << 23 : 3u << 28; /* ADD_TID; gfx10 and later: raw */
    s[8] = scratch ? 64 * machine.wave_size : 64;
}

/* ---- cases ---- */

struct instruction {
    struct wl_inst inst;
    uint8_t *code;
};

static void decode(struct wl_inst *inst, const char *processor, const char *text) {
    struct wl_decoder *decoder;
    struct wl_inst pair[2];
    size_t size = 0;
    uint8_t *code = test_assemble(processor, machine.wave_size, text, &size);
    if (!code)
        fail_msg("%s: %s", processor, text);
    assert_int_equal(wl_decoder_create(&decoder, processor, machine.wave_size), WL_OK);
    if (wl_decode(decoder, code, size, 0, pair) != 1 || !pair[0].isa)
        fail_msg("%s: %s does not decode", processor, text);
    *inst = pair[0];
    wl_decoder_destroy(decoder);
    free(code);
}

static unsigned checks, failures;

static void compare(const struct image *want, const char *what) {
    struct image *got = malloc(sizeof *got);
    save(got);
    checks++;
    bool rows = memcmp(got->vgpr, want->vgpr, ROWS * machine.wave_size * 4) == 0;
    bool memory = memcmp(got->global, want->global, GLOBAL_SIZE) == 0 && memcmp(got->lds, want->lds, LDS_SIZE) == 0 &&
                  memcmp(got->scratch, want->scratch, SCRATCH_SIZE) == 0;
    if (!rows || !memory) {
        failures++;
        fprintf(stderr, "%s: %s%s\n", what, rows ? "" : " registers differ", memory ? "" : " memory differs");
        for (unsigned i = 0, shown = 0; i < ROWS * machine.wave_size && shown < 4; i++)
            if (got->vgpr[i] != want->vgpr[i]) {
                fprintf(stderr, "    v%u lane %u: %08x, expected %08x\n", i / machine.wave_size, i % machine.wave_size, got->vgpr[i],
                        want->vgpr[i]);
                shown++;
            }
        for (unsigned i = 0, shown = 0; i < SCRATCH_SIZE && shown < 4; i++)
            if (got->scratch[i] != want->scratch[i])
                fprintf(stderr, "    scratch byte %u: %02x, expected %02x\n", i, got->scratch[i], want->scratch[i]), shown++;
        for (unsigned i = 0, shown = 0; i < LDS_SIZE && shown < 4; i++)
            if (got->lds[i] != want->lds[i])
                fprintf(stderr, "    LDS byte %u: %02x, expected %02x\n", i, got->lds[i], want->lds[i]), shown++;
        for (unsigned i = 0, shown = 0; i < GLOBAL_SIZE && shown < 4; i++)
            if (got->global[i] != want->global[i])
                fprintf(stderr, "    memory byte %u: %02x, expected %02x\n", i, got->global[i], want->global[i]), shown++;
    }
    free(got);
}

static unsigned lane_size(const struct wl_inst *inst) {
    const struct wl_isa *isa = inst->isa;
    unsigned size = isa->class != WL_ISA_ATOMIC && isa->bits < 32 ? isa->bits / 8 : isa->dwords * 4;
    return isa->addresses == 2 && !isa->stride64 ? 2 * size : size;
}

static void check(const struct program *whole, const struct program *prelude, const struct wl_inst *inst, const char *text,
                  enum pattern pattern, enum target target, bool swizzled) {
    static const uint64_t masks[] = {UINT64_MAX, UINT64_C(0x7ffffffffffffff0), UINT64_C(0x8000a5a5ffff0010), UINT64_C(0x400)};
    struct image *start = malloc(sizeof *start), *want = malloc(sizeof *want);
    const struct wl_isa *isa = inst->isa;
    bool numbers = isa->atomic == WL_ATOMIC_FADD || isa->atomic == WL_ATOMIC_FMIN || isa->atomic == WL_ATOMIC_FMAX;
    uint64_t address = isa->space == WL_SPACE_GLOBAL && pattern == CONSECUTIVE ? MIDDLE - 6 * lane_size(inst) : MIDDLE + 64;
    char what[256];
    for (unsigned m = 0; m < sizeof masks / sizeof *masks; m++) {
        uint64_t exec = machine.wave_size == 64 ? masks[m] : (uint32_t)masks[m] | (m == 2 ? 0xa5000000 : 0);
        fill(pattern, target, lane_size(inst), numbers, address);
        if (isa->space == WL_SPACE_BUFFER)
            set_descriptor(swizzled, address, inst->idxen ? 50 : 200, inst->idxen ? 8 : 0);
        save(start);
        run(prelude, exec);
        model(inst, exec);
        save(want);
        restore(start);
        run(whole, exec);
        snprintf(what, sizeof what, "%s: %s, target %u, exec %#llx%s", text, pattern_names[pattern], target, (unsigned long long)exec,
                 swizzled ? ", swizzled" : "");
        compare(want, what);
    }
    free(start);
    free(want);
}

/* prelude "": addresses come from the registers, all patterns; else the prelude makes them of v0. */
static void run_case(const struct host *host, const char *processor, enum wl_shape shape, const char *prelude, const char *text) {
    struct program whole, bare;
    struct wl_inst inst;
    decode(&inst, processor, text);
    build(&whole, host, processor, shape, prelude, text);
    build(&bare, host, processor, shape, prelude, "");
    bool flat = inst.isa->space == WL_SPACE_FLAT, buffer = inst.isa->space == WL_SPACE_BUFFER;
    for (unsigned pattern = 0; pattern < (*prelude ? 2u : PATTERN_COUNT); pattern++) {
        bool overlapping = inst.isa->addresses == 2 && inst.isa->class == WL_ISA_STORE && (pattern == RANDOM || pattern == MISALIGNED);
        if (overlapping || (inst.isa->class == WL_ISA_ATOMIC && pattern == MISALIGNED))
            continue;
        for (unsigned target = 0; target < (flat ? TARGET_COUNT : 1u); target++)
            check(&whole, &bare, &inst, text, (enum pattern)pattern, (enum target)target, false);
        if (buffer && !inst.idxen && (!strcmp(processor, "gfx906") || !strcmp(processor, "gfx1030")))
            check(&whole, &bare, &inst, text, (enum pattern)pattern, MEMORY, true);
    }
    destroy(&whole);
    destroy(&bare);
}

struct test_case {
    const char *processor;
    unsigned wave_size;
    const char *prelude, *text;
};

#include "memory_cases.h"

static uint8_t *map_global(void) {
    for (unsigned i = 0; i < sizeof middles / sizeof *middles; i++) {
        void *wanted = (void *)(middles[i] - GLOBAL_SIZE / 2);
        void *found = mmap(wanted, GLOBAL_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (found == wanted)
            return found;
        if (found != MAP_FAILED)
            munmap(found, GLOBAL_SIZE);
    }
    fail_msg("no room around a multiple of 4 GiB");
    return NULL;
}

static void set_up(unsigned wave_size) {
    if (!machine.wave) {
        size_t lds_space = (UINT64_C(1) << 32) + (1 << 16);
        machine.global = map_global();
        machine.lds = mmap(NULL, lds_space, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        assert_int_equal(mprotect(machine.lds, LDS_SIZE, PROT_READ | PROT_WRITE), 0);
        machine.scratch = aligned_alloc(4096, SCRATCH_SIZE);
        machine.wave = aligned_alloc(64, sizeof(struct wl_wave) + WL_VGPR_COUNT * 64 * 4);
    }
    memset(machine.wave, 0, sizeof *machine.wave);
    machine.wave_size = wave_size;
    machine.wave->wave_size = wave_size;
    machine.wave->vgprs = WL_VGPR_COUNT;
    machine.wave->helpers = &wl_helpers_table;
    machine.wave->lds = machine.lds;
    machine.wave->lds_size = LDS_SIZE;
    machine.wave->scratch = machine.scratch;
    machine.wave->scratch_size = SCRATCH_LANE;
}

static const char *only;             /* run cases that contain this */
static unsigned part = 0, parts = 1; /* run each case whose number is part modulo parts */

static void run_all(const struct host *host) {
    failures = checks = 0;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct test_case *c = &cases[i];
        if ((only && !strstr(c->text, only)) || i % parts != part)
            continue;
        set_up(c->wave_size);
        run_case(host, c->processor, WL_SHAPE_ROWS, c->prelude, c->text);
        if (*c->prelude)
            run_case(host, c->processor, WL_SHAPE_LINES, c->prelude, c->text);
        if (*c->prelude && c->wave_size == 64) {
            row_length = 32;
            run_case(host, c->processor, WL_SHAPE_HALVES, c->prelude, c->text);
            row_length = 64;
        }
        if (*c->prelude) {
            row_length = WL_STRIP;
            run_case(host, c->processor, WL_SHAPE_SQUARES, c->prelude, c->text);
            row_length = 64;
        }
    }
    print_message("%u checks\n", checks);
    assert_int_equal(failures, 0);
}

static void test_this_host(void **state) {
    (void)state;
    struct host host;
    wl_translate_host(&host.cpu, &host.features);
    run_all(&host);
}

#if defined(__aarch64__)
#define LESSER_HOST   {"neoverse-n1", "+neon,+fullfp16,+lse"}
#define BASELINE_HOST {"generic", ""}
#else
#define LESSER_HOST   {"haswell", "+avx2,+fma,+bmi,+bmi2,+lzcnt,+popcnt,+f16c"}
#define BASELINE_HOST {"x86-64", ""}
#endif

static void test_lesser(void **state) {
    (void)state;
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx512f")) { /* this host is such a one */
        skip();
        return;
    }
#endif
    const struct host host = LESSER_HOST;
    run_all(&host);
}

static void test_baseline(void **state) {
    (void)state;
    const struct host host = BASELINE_HOST;
    run_all(&host);
}

/* Arguments: a text (cases that contain it; "" or without one: all), a part as in 2/8 (from 0 on, for as many processes beside each other). */
int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_this_host), cmocka_unit_test(test_lesser), cmocka_unit_test(test_baseline)};
    only = argc > 1 ? argv[1] : NULL;
    if (argc > 2 && (sscanf(argv[2], "%u/%u", &part, &parts) != 2 || part >= parts))
        return 2;
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
