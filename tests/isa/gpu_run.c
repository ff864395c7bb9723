/* lift_run.h on an NVIDIA GPU: the code runs as part of a kernel that loads all registers from memory and stores them again. */
#include "../translate/lift_run.h"

#include "../translate/assembler.h"
#include "gpu_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OWN_FIRST = 30, /* s30 to s39 and v250 to v253 are the kernel's */
    OWN_LAST = 39,
    GENERAL = 102, /* SGPRs */
    VCC = 106,
    MODE = 120, /* in memory: bits 31:8 of it */
    M0 = 124,
    SCC = 125,
    EXEC = 126,
    AGPR = 256,
    ROWS = 320, /* in memory */
    MAX_ROWS = 512,
    LDS_BYTES = 4096
};

unsigned lift_wave_size, lift_checks, lift_failures, lift_ignore_row;
uint32_t lift_mode_register = 0xf0;
bool lift_ignore_scalars, lift_any_shape;
enum wl_matrix_sums lift_matrix_sums;
bool lift_exact_math;

/* What the kernel sees. */
static struct state {
    uint32_t s[LIFT_SGPRS];
    uint32_t v[ROWS][64];
} state;
static uint32_t rows[MAX_ROWS * 64], scalars[LIFT_SGPRS];
static uint64_t memory; /* of the device: the state */
static bool matrix, has_agprs, loaded;
static struct gpu_kernel kernel;

bool lift_sums_freely(void) { return !gpu_is_exact(); }

void *lift_memory(size_t size) { return gpu_pinned(size); }

void lift_start(void) {
    gpu_start();
    memory = gpu_allocate(sizeof state);
}

/* Matrix instructions work on the registers from v200 on and on AGPRs, others on the first 120. */
static bool is_loaded(unsigned row) {
    if (row >= AGPR)
        return matrix && has_agprs;
    return row < (matrix ? 96 : 120) || (matrix && row >= 200 && row < 240);
}

bool lift_is_own(unsigned sgpr) { return sgpr >= OWN_FIRST && sgpr <= OWN_LAST; }

/* ---- the kernel ---- */

static void load_scalar(const struct gpu_names *n, const char *to, unsigned index) {
    gpu_line("%s %s, s[34:35], 0x%x", n->scalar_load, to, 4 * index);
}

/* Lets s[36:37] (or s[32:33]) point to each row in turn. */
static void step_rows(unsigned row, unsigned reg) {
    if (row % 8 == 7)
        gpu_line("s_add_u32 s%u, s%u, 0x800\ns_addc_u32 s%u, s%u, 0", reg, reg, reg + 1, reg + 1);
}

static void start_rows(unsigned reg) {
    gpu_line("s_add_u32 s%u, s34, 0x%x\ns_addc_u32 s%u, s35, 0", reg, (unsigned)offsetof(struct state, v), reg + 1);
}

/* s[0:1]: the kernarg segment, which holds the state's address. */
static void write_loads(const struct gpu_names *n) {
    char name[16];
    gpu_line("%s s[34:35], s[0:1], 0x0", n->scalar_load64);
    gpu_line("%s", n->scalar_wait);
    gpu_line("v_lshlrev_b32 v250, 2, v0");
    start_rows(36);
    for (unsigned r = 0; r < ROWS; r++) {
        unsigned offset = r % 8 * 256;
        if (is_loaded(r) && r < AGPR)
            gpu_line("%s v%u, v250, s[36:37] offset:%u", n->load, r, offset);
        else if (is_loaded(r))
            gpu_line("%s v253, v250, s[36:37] offset:%u\n%s\nv_accvgpr_write_b32 a%u, v253", n->load, offset, n->wait, r - AGPR);
        step_rows(r, 36);
    }
    for (unsigned i = 0; i < GENERAL; i++)
        if (!lift_is_own(i)) {
            snprintf(name, sizeof name, "s%u", i);
            load_scalar(n, name, i);
        }
    load_scalar(n, "vcc_lo", VCC);
    load_scalar(n, "vcc_hi", VCC + 1);
    load_scalar(n, "s36", M0);
    gpu_line("%s\n%s", n->scalar_wait, n->wait);
    gpu_line("s_mov_b32 m0, s36");
    load_scalar(n, "s36", MODE);
    gpu_line("%s\ns_setreg_b32 hwreg(HW_REG_MODE, 8, 24), s36", n->scalar_wait);
    load_scalar(n, "s36", EXEC);
    load_scalar(n, "s37", EXEC + 1);
    load_scalar(n, "s38", SCC);
    gpu_line("%s", n->scalar_wait);
    gpu_line("s_cmp_lg_u32 s38, 0");
    gpu_line(lift_wave_size == 64 ? "s_mov_b64 exec, s[36:37]" : "s_mov_b32 exec_lo, s36");
}

static void store_scalar(const struct gpu_names *n, const char *from, unsigned index) {
    gpu_line("v_mov_b32 v251, %s", from);
    gpu_line("%s v252, v251, s[34:35] offset:%u", n->store, 4 * index);
}

static void write_stores(const struct gpu_names *n) {
    char name[16];
    gpu_line("s_cselect_b32 s36, 1, 0");
    gpu_line("s_mov_b64 s[38:39], exec");
    gpu_line(lift_wave_size == 64 ? "s_mov_b64 exec, -1" : "s_mov_b32 exec_lo, -1");
    start_rows(32);
    for (unsigned r = 0; r < ROWS; r++) {
        unsigned offset = r % 8 * 256;
        if (is_loaded(r) && r < AGPR)
            gpu_line("%s v250, v%u, s[32:33] offset:%u", n->store, r, offset);
        else if (is_loaded(r))
            gpu_line("v_accvgpr_read_b32 v253, a%u\n%s v250, v253, s[32:33] offset:%u", r - AGPR, n->store, offset);
        step_rows(r, 32);
    }
    gpu_line("v_mov_b32 v252, 0");
    for (unsigned i = 0; i < GENERAL; i++)
        if (!lift_is_own(i)) {
            snprintf(name, sizeof name, "s%u", i);
            store_scalar(n, name, i);
        }
    store_scalar(n, "vcc_lo", VCC);
    store_scalar(n, "vcc_hi", VCC + 1);
    store_scalar(n, "m0", M0);
    store_scalar(n, "s36", SCC);
    store_scalar(n, "s38", EXEC);
    store_scalar(n, "s39", EXEC + 1);
    gpu_line("s_endpgm");
}

void lift_open_code(const char *processor, unsigned wave_size, const uint8_t *code, size_t size, bool plain_host) {
    (void)plain_host;
    lift_wave_size = wave_size;
    const struct gpu_names names = gpu_names_of(processor);
    size_t loads_size, stores_size;
    has_agprs =
        !strcmp(processor, "gfx908") || !strcmp(processor, "gfx90a") || !strncmp(processor, "gfx94", 5) || !strcmp(processor, "gfx950");
    write_loads(&names);
    uint8_t *loads = gpu_assemble(processor, wave_size, &loads_size);
    write_stores(&names);
    uint8_t *stores = gpu_assemble(processor, wave_size, &stores_size);
    size -= 4; /* the jump at the end: the stores follow */
    struct gpu_code all = {.processor = processor,
                           .wave_size = wave_size,
                           .size = loads_size + size + stores_size,
                           .lds = LDS_BYTES,
                           .mode = lift_mode_register,
                           .exact_math = lift_exact_math,
                           .matrix_sums = lift_matrix_sums};
    uint8_t *bytes = malloc(all.size);
    if (!bytes)
        exit(1);
    memcpy(bytes, loads, loads_size);
    memcpy(bytes + loads_size, code, size);
    memcpy(bytes + loads_size + size, stores, stores_size);
    all.bytes = bytes;
    loaded = gpu_load(&all, &kernel);
    if (!loaded) /* what is compared then, fails */
        fprintf(stderr, "%s wave%u: %s\n", processor, wave_size, wl_translate_failure());
    free(bytes);
    free(loads);
    free(stores);
}

void lift_open(const char *processor, unsigned wave_size, const char *from) {
    size_t size = 0;
    matrix = strstr(from, "mfma") || strstr(from, "mma") || strstr(from, "smfmac") || strstr(from, "accvgpr");
    gpu_line("%s\ns_setpc_b64 s[30:31]", from);
    uint8_t *code = gpu_assemble(processor, wave_size, &size);
    lift_open_code(processor, wave_size, code, size, false);
    free(code);
}

void lift_close(void) {
    if (loaded)
        gpu_unload(&kernel);
}

/* ---- runs ---- */

uint32_t *lift_row(unsigned row) { return rows + (size_t)row * lift_wave_size; }
uint32_t *lift_scalars(void) { return scalars; }

void lift_execute(uint64_t exec) {
    uint64_t kernarg[2] = {memory, 0};
    if (!loaded)
        return;
    for (unsigned r = 0; r < ROWS; r++)
        memcpy(state.v[r], lift_row(r), lift_wave_size * 4);
    memcpy(state.s, scalars, sizeof scalars);
    state.s[MODE] = lift_mode_register >> 8;
    state.s[EXEC] = (uint32_t)exec;
    state.s[EXEC + 1] = lift_wave_size == 64 ? (uint32_t)(exec >> 32) : 0;
    gpu_write(memory, &state, sizeof state);
    if (!gpu_launch(&kernel, kernarg)) {
        fprintf(stderr, "the kernel failed\n");
        exit(1);
    }
    gpu_read(memory, &state, sizeof state);
    for (unsigned r = 0; r < ROWS; r++)
        memcpy(lift_row(r), state.v[r], lift_wave_size * 4);
    for (unsigned i = 0; i < LIFT_SGPRS; i++)
        if ((i < GENERAL && !lift_is_own(i)) || i == VCC || i == VCC + 1 || (i >= M0 && i <= EXEC) ||
            (i == EXEC + 1 && lift_wave_size == 64))
            scalars[i] = state.s[i];
}
