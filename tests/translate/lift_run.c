#include "lift_run.h"

#include "assembler.h"
#include "device/cpu/helpers/helpers.h"
#include "machine/helpers.h"

#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LDS_SIZE = 1 << 16, RETURN_ADDRESS = 0x7ead0000, MAX_UNITS = 32, MAX_EXITS = 10000 };
#if defined(__aarch64__)
#define PLAIN_HOST {"neoverse-n1", "+neon,+fullfp16,+lse"} /* with half-precision arithmetic */
#else
#define PLAIN_HOST {"haswell", "+avx2,+fma,+bmi,+bmi2,+lzcnt,+popcnt,+f16c"} /* without AVX-512 */
#endif
#define IMAGE UINT64_C(0x200000000000)

unsigned lift_wave_size, lift_checks, lift_failures, lift_ignore_row;
uint32_t lift_mode_register = 0xf0;
bool lift_ignore_scalars, lift_any_shape;
enum wl_matrix_sums lift_matrix_sums;
bool lift_exact_math;
unsigned lift_copies_left;

struct host {
    const char *cpu, *features;
};

struct unit {
    uint64_t address;
    LLVMOrcLLJITRef jit[WL_MODE_COUNT];
    wl_unit_code *code[WL_MODE_COUNT];
    struct wl_steps *steps; /* with WL_TEST_STEPS: threaded code, for all modes; NULL: only native code is possible */
    bool asked;             /* whether there are steps */
    const struct wl_unit_info *info;
};

static struct program {
    const char *processor, *text;
    const struct host *host;
    uint8_t *bytes;
    uint64_t size;
    struct unit units[MAX_UNITS];
    unsigned unit_count;
} program;

static struct wl_wave *wave;
static uint8_t *lds;
static uint32_t seed = 7;

static uint32_t random_number(void) {
    seed = seed * 1664525 + 1013904223;
    return seed >> 8 ^ seed << 13;
}

static void die(const char *what) {
    fprintf(stderr, "%s, wave%u: %s\n%s\n", program.processor, lift_wave_size, what, program.text);
    exit(1);
}

uint32_t lift_lds_word(uint32_t offset) { return offset * UINT32_C(2654435761) ^ 0x1234567; }

/* ---- translation ---- */

static bool is_code(void *context, uint64_t address, uint64_t size) { return address + size <= *(uint64_t *)context; }

static void load_object(struct unit *unit, unsigned mode, const struct wl_translate_result *result) {
    LLVMOrcExecutorAddress code = 0, info = 0;
    LLVMErrorRef error = LLVMOrcCreateLLJIT(&unit->jit[mode], NULL);
    if (!error)
        error = LLVMOrcLLJITAddObjectFile(unit->jit[mode], LLVMOrcLLJITGetMainJITDylib(unit->jit[mode]),
                                          LLVMCreateMemoryBufferWithMemoryRangeCopy(result->object, result->size, "unit"));
    if (!error)
        error = LLVMOrcLLJITLookup(unit->jit[mode], &code, "wl_unit");
    if (!error)
        error = LLVMOrcLLJITLookup(unit->jit[mode], &info, "wl_unit_info");
    if (error)
        die(LLVMGetErrorMessage(error));
    unit->code[mode] = (wl_unit_code *)code;
    unit->info = (const struct wl_unit_info *)info;
}

static struct wl_translate_request request_for(const struct unit *unit, unsigned mode) {
    struct wl_translate_request request = {.processor = program.processor,
                                           .wave_size = lift_wave_size,
                                           .image = program.bytes,
                                           .image_size = program.size,
                                           .entry = unit->address,
                                           .name = "case",
                                           .is_kernel = unit->address == 0,
                                           .workitem_id_dimensions = 1,
                                           .shape = lift_any_shape && mode == WL_MODE_MASKED ? WL_SHAPE_ANY : WL_SHAPE_ROWS,
                                           .flushes_f32 = (lift_mode_register & 0x30) != 0x30,
                                           .mode = (enum wl_mode)mode,
                                           .cpu = program.host->cpu,
                                           .features = program.host->features,
                                           .exact_math = lift_exact_math,
                                           .matrix_sums = lift_matrix_sums,
                                           .is_code = is_code,
                                           .context = &program.size,
                                           .dump = getenv("WL_TEST_DUMP")};
    return request;
}

static wl_unit_code *get_code(struct unit *unit, unsigned mode) {
    if (unit->code[mode])
        return unit->code[mode];
    struct wl_translate_request request = request_for(unit, mode);
    struct wl_translate_result result;
    if (wl_translate(&request, &result) != WL_OK)
        die(wl_translate_failure());
    load_object(unit, mode, &result);
    wl_translate_free(&result);
    return unit->code[mode];
}

static uint32_t run_unit(struct unit *unit, unsigned mode) {
    if (!unit->asked && getenv("WL_TEST_STEPS")) {
        struct wl_translate_request request = request_for(unit, WL_MODE_FULL);
        struct wl_steps_result result;
        unit->asked = true;
        if (wl_translate_steps(&request, &result) == WL_OK) {
            unit->steps = result.steps;
            unit->info = result.info;
        } else if (getenv("WL_TEST_STEPS")[0] == '2') { /* says what is left to native code */
            fprintf(stderr, "%s\n", wl_translate_failure());
        }
    }
    return unit->steps ? wl_translate_steps_run(wave, unit->steps) : get_code(unit, mode)(wave);
}

static struct unit *new_unit(uint64_t address) {
    if (program.unit_count == MAX_UNITS)
        die("too many units");
    struct unit *unit = &program.units[program.unit_count++];
    *unit = (struct unit){.address = address};
    return unit;
}

/* Where a jump goes on: behind a call in a unit that is there, or in a unit of its own. */
static struct unit *find_unit(uint64_t address, uint32_t *resume) {
    for (unsigned u = 0; u < program.unit_count; u++) {
        struct unit *unit = &program.units[u];
        *resume = 0;
        if (unit->address == address)
            return unit;
        for (uint32_t i = 0; unit->info && i < unit->info->resume_count; i++)
            if (unit->info->resume[i].is_return && unit->info->resume[i].address == address) {
                *resume = i;
                return unit;
            }
    }
    *resume = 0;
    return new_unit(address);
}

static bool is_full(void) {
    return wave->sgpr[WL_SGPR_EXEC] == UINT32_MAX && (lift_wave_size == 32 || wave->sgpr[WL_SGPR_EXEC + 1] == UINT32_MAX);
}

static void run_exits(void) {
    struct unit *unit = &program.units[0];
    unsigned mode = is_full() ? WL_MODE_FULL : WL_MODE_MASKED;
    wave->resume = 0;
    for (unsigned exits = 0; exits < MAX_EXITS; exits++) {
        switch (run_unit(unit, mode)) {
        case WL_EXIT_MODE:
            lift_copies_left += mode == WL_MODE_FULL;
            mode = is_full() ? WL_MODE_FULL : WL_MODE_MASKED;
            break;
        case WL_EXIT_YIELD:
            wave->fuel = 1000;
            break;
        case WL_EXIT_JUMP:
            if (wave->pc == RETURN_ADDRESS)
                return;
            if (wave->pc >= program.size)
                die("jumps out of the program");
            unit = find_unit(wave->pc, &wave->resume);
            mode = is_full() ? WL_MODE_FULL : WL_MODE_MASKED;
            break;
        default:
            die("leaves in an unexpected way");
        }
    }
    die("runs for ever");
}

static void run(void) {
    uint32_t control = wl_float_enter(wave->mode_register);
    run_exits();
    wl_float_restore(control);
}

/* ---- registers ---- */

static uint32_t two_halves(void) {
    uint32_t value = 0;
    for (unsigned i = 0; i < 2; i++)
        value = value << 16 | (random_number() & 0x83ff) | (8 + random_number() % 14) << 10;
    return value;
}

static void fill(struct lift_state *s, uint64_t exec) {
    for (unsigned r = 0; r < LIFT_ROWS; r++)
        for (unsigned l = 0; l < 64; l++)
            s->v[r][l] = r == 0 ? l : r == 10 || r == 11 ? two_halves() : random_number();
    for (unsigned i = 0; i < LIFT_SGPRS; i++)
        s->s[i] = random_number();
    s->s[9] = random_number() % 64;
    s->s[10] = 0x40404100;
    s->s[28] = 7;
    s->s[30] = (uint32_t)(IMAGE + RETURN_ADDRESS);
    s->s[31] = (uint32_t)((IMAGE + RETURN_ADDRESS) >> 32);
    s->s[WL_SGPR_SCC] &= 1;
    s->s[WL_SGPR_EXEC] = (uint32_t)exec;
    s->s[WL_SGPR_EXEC + 1] = lift_wave_size == 64 ? (uint32_t)(exec >> 32) : 0;
    for (uint32_t i = 0; i < LDS_SIZE; i += 4) {
        uint32_t word = lift_lds_word(i);
        memcpy(lds + i, &word, 4);
    }
}

static void enter(const struct lift_state *s) {
    memcpy(wave->sgpr, s->s, sizeof s->s);
    for (unsigned r = 0; r < LIFT_ROWS; r++)
        memcpy(wave->vgpr + (size_t)r * lift_wave_size, s->v[r], lift_wave_size * 4);
    wave->mode_register = lift_mode_register;
    wave->fuel = 1000;
}

static bool compared(unsigned reg) {
    if (lift_ignore_scalars)
        return reg == WL_SGPR_EXEC || (reg == WL_SGPR_EXEC + 1 && lift_wave_size == 64);
    return reg < WL_SGPR_TTMP || (reg >= WL_SGPR_M0 && (reg != WL_SGPR_EXEC + 1 || lift_wave_size == 64));
}

static bool same_registers(const struct lift_state *want, const char *what) {
    unsigned shown = 0;
    for (unsigned r = 0; r < LIFT_ROWS; r++)
        for (unsigned l = 0; l < lift_wave_size; l++) {
            uint32_t got = wave->vgpr[(size_t)r * lift_wave_size + l];
            if (got != want->v[r][l] && !(r == lift_ignore_row && r) && shown++ < 4)
                fprintf(stderr, "%s: v%u lane %u: %08x, expected %08x\n", what, r, l, got, want->v[r][l]);
        }
    for (unsigned i = 0; i < LIFT_SGPRS; i++)
        if (compared(i) && wave->sgpr[i] != want->s[i] && shown++ < 8)
            fprintf(stderr, "%s: s%u: %08x, expected %08x\n", what, i, wave->sgpr[i], want->s[i]);
    return shown == 0;
}

/* ---- texts ---- */

static void append(char *text, size_t size, const char *from, size_t length) {
    size_t used = strlen(text);
    if (used + length + 1 > size)
        die("a text is too long");
    memcpy(text + used, from, length);
    text[used + length] = 0;
}

static void expand(char *text, size_t size, const char *from) {
    bool old = !strncmp(program.processor, "gfx9", 4), wide = lift_wave_size == 64;
    const struct {
        const char *name, *meaning;
    } words[] = {{"ADD", old ? "v_add_u32" : "v_add_nc_u32"},
                 {"SUB", old ? "v_sub_u32" : "v_sub_nc_u32"},
                 {"MBCNT_HI", "v_mbcnt_hi_u32_b32"},
                 {"BN", wide ? "b64" : "b32"},
                 {"exec_N", wide ? "exec" : "exec_lo"},
                 {"VCC", wide ? "vcc" : "vcc_lo"},
                 {"S4", wide ? "s[4:5]" : "s4"},
                 {"S20", wide ? "s[20:21]" : "s20"},
                 {"S22", wide ? "s[22:23]" : "s22"},
                 {"S24", wide ? "s[24:25]" : "s24"},
                 {"S6", wide ? "s[6:7]" : "s6"},
                 {"s_waitcnt0", !strncmp(program.processor, "gfx12", 5) ? "s_wait_dscnt 0x0" : "s_waitcnt lgkmcnt(0)"}};
    text[0] = 0;
    while (*from) {
        size_t i = 0;
        while (i < sizeof words / sizeof *words && strncmp(from, words[i].name, strlen(words[i].name)) != 0)
            i++;
        if (i < sizeof words / sizeof *words) {
            append(text, size, words[i].meaning, strlen(words[i].meaning));
            from += strlen(words[i].name);
        } else {
            append(text, size, from++, 1);
        }
    }
    append(text, size, "s_setpc_b64 s[30:31]\n", 21);
}

static void check_masks(void (*reference)(struct lift_state *)) {
    static const uint64_t masks[] = {UINT64_MAX, UINT64_C(0x7ffffffffffffff0), UINT64_C(0x8000a5a5f0ff0310), UINT64_C(0x400), 0};
    static struct lift_state state;
    char what[128];
    for (unsigned m = 0; m < sizeof masks / sizeof *masks; m++) {
        uint64_t exec = lift_wave_size == 64 ? masks[m] : (uint32_t)masks[m];
        fill(&state, exec);
        enter(&state);
        run();
        lift_ignore_scalars = false;
        lift_ignore_row = 0;
        reference(&state);
        snprintf(what, sizeof what, "%s wave%u %s exec %#llx", program.processor, lift_wave_size, program.host->cpu,
                 (unsigned long long)exec);
        lift_checks++;
        if (!same_registers(&state, what)) {
            if (lift_failures++ < 20)
                fprintf(stderr, "%s\n", program.text);
        }
    }
}

static void prepare_wave(unsigned wave_size) {
    memset(wave, 0, sizeof *wave);
    wave->wave_size = wave_size;
    wave->vgprs = WL_VGPR_COUNT;
    wave->helpers = &wl_helpers_table;
    wave->image = IMAGE;
    wave->lds = lds;
    wave->lds_size = LDS_SIZE;
    new_unit(0);
}

static void open_program(const struct host *host, const char *processor, unsigned wave_size, const char *text) {
    static char source[4000];
    size_t size = 0;
    lift_wave_size = wave_size;
    program = (struct program){.processor = processor, .text = source, .host = host};
    expand(source, sizeof source, text);
    program.bytes = test_assemble(processor, wave_size, source, &size);
    if (!program.bytes)
        die("does not assemble");
    program.size = size;
    prepare_wave(wave_size);
}

static void close_program(void) {
    for (unsigned u = 0; u < program.unit_count; u++)
        wl_translate_steps_free(program.units[u].steps);
    for (unsigned u = 0; u < program.unit_count; u++)
        for (unsigned mode = 0; mode < WL_MODE_COUNT; mode++)
            if (program.units[u].jit[mode])
                LLVMConsumeError(LLVMOrcDisposeLLJIT(program.units[u].jit[mode]));
    free(program.bytes);
}

void lift_open(const char *processor, unsigned wave_size, const char *text) {
    static struct host host;
    wl_translate_host(&host.cpu, &host.features);
    open_program(&host, processor, wave_size, text);
}

void lift_open_code(const char *processor, unsigned wave_size, const uint8_t *code, size_t size, bool plain_host) {
    static struct host hosts[] = {{NULL, NULL}, PLAIN_HOST};
    wl_translate_host(&hosts[0].cpu, &hosts[0].features);
    lift_wave_size = wave_size;
    program = (struct program){.processor = processor, .text = "code", .host = &hosts[plain_host], .size = size};
    program.bytes = malloc(size);
    if (!program.bytes)
        die("no memory");
    memcpy(program.bytes, code, size);
    prepare_wave(wave_size);
}

uint32_t *lift_row(unsigned row) { return wave->vgpr + (size_t)row * lift_wave_size; }

uint32_t *lift_scalars(void) { return wave->sgpr; }
bool lift_is_own(unsigned sgpr) { return sgpr == 30 || sgpr == 31; }

void lift_execute(uint64_t exec) {
    wave->sgpr[WL_SGPR_EXEC] = (uint32_t)exec;
    wave->sgpr[WL_SGPR_EXEC + 1] = lift_wave_size == 64 ? (uint32_t)(exec >> 32) : 0;
    wave->sgpr[30] = (uint32_t)(IMAGE + RETURN_ADDRESS);
    wave->sgpr[31] = (uint32_t)((IMAGE + RETURN_ADDRESS) >> 32);
    wave->mode_register = lift_mode_register;
    wave->fuel = 1000;
    run();
}

void lift_close(void) { close_program(); }

static void check_on(const struct host *host, const char *processor, unsigned wave_size, const char *text,
                     void (*reference)(struct lift_state *)) {
    open_program(host, processor, wave_size, text);
    check_masks(reference);
    close_program();
}

/* Then PLAIN_HOST would be the same once more. */
static bool this_host_is_plain(void) {
#if defined(__x86_64__)
    return !__builtin_cpu_supports("avx512f");
#else
    return false;
#endif
}

void lift_check(const char *processors, const char *text, void (*reference)(struct lift_state *)) {
    struct host hosts[] = {{NULL, NULL}, PLAIN_HOST};
    wl_translate_host(&hosts[0].cpu, &hosts[0].features);
    char name[16];
    for (const char *p = processors; *p; p += *p == ',') {
        size_t length = strcspn(p, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, p);
        bool pairs = strstr(text, "v_dual_") != NULL; /* wave32 alone has them */
        for (unsigned wave_size = strncmp(name, "gfx9", 4) != 0 ? 32 : 64; wave_size <= (pairs ? 32u : 64u); wave_size *= 2)
            for (unsigned h = 0; h < (this_host_is_plain() ? 1 : 2); h++)
                check_on(&hosts[h], name, wave_size, text, reference);
        p += length;
    }
}

bool lift_sums_freely(void) { return false; }

void *lift_memory(size_t size) {
    void *memory = aligned_alloc(256, (size + 255) & ~(size_t)255);
    if (!memory)
        abort();
    return memset(memory, 0, size);
}

void lift_start(void) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    size_t space = (UINT64_C(1) << 32) + (1 << 16);
    lds = mmap(NULL, space, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    wave = aligned_alloc(64, sizeof(struct wl_wave) + (size_t)WL_VGPR_COUNT * 64 * 4);
    if (lds == MAP_FAILED || !wave || mprotect(lds, LDS_SIZE, PROT_READ | PROT_WRITE))
        exit(1);
    memset(wave, 0, sizeof(struct wl_wave) + (size_t)WL_VGPR_COUNT * 64 * 4);
}
