/* memory_run.h on an NVIDIA GPU: the instructions run as part of a kernel that loads registers, LDS and scratch from memory and stores
 * them again. s[30:31], the state's address, and registers from v100 on are its own. */
#include "memory_run.h"

#include "../translate/assembler.h"
#include "gpu_driver.h"
#include "translate/interface/translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SGPRS = 102, BASE = 30, MODE = 0xf0 };

/* In device memory. */
struct image {
    uint32_t s[MEM_SGPRS], v[MEM_ROWS][64];
    uint8_t lds[MEM_LDS], scratch[MEM_SCRATCH];
};

struct built {
    struct gpu_kernel kernel;
    bool lds, scratch;
    char *text;
};

const bool mem_is_strict = false;
const unsigned mem_wave_number = 0;

static uint64_t device;

void mem_start(void) {
    gpu_start();
    device = gpu_allocate(sizeof(struct image));
    mem_base = gpu_allocate_crossing() - 4096;
}

/* ---- the kernel ---- */

/* s[32:33] points to a part of the state. */
static void point(size_t offset) { gpu_line("s_add_u32 s32, s30, 0x%zx\ns_addc_u32 s33, s31, 0", offset); }

/* Copies LDS or scratch, dword by dword: s34 counts bytes of the state, s35 those of a lane. */
static void copy_memory(const struct gpu_names *n, const char *name, bool scratch, bool in, unsigned wave_size) {
    unsigned end = scratch ? MEM_LANE * wave_size : MEM_LDS;
    const char *place = scratch ? "v107, v105, off" : "v106, v105", *from = scratch ? "v105, v107, off" : "v105, v106";
    point(scratch ? offsetof(struct image, scratch) : offsetof(struct image, lds));
    gpu_line("s_mov_b32 s34, 0\ns_mov_b32 s35, 0\n%s:", name);
    gpu_line("v_lshl_add_u32 v106, s34, 0, v104\nv_mov_b32 v107, s35");
    if (in) {
        gpu_line("%s v105, v106, s[32:33]\n%s", n->load, n->wait);
        gpu_line("%s %s", scratch ? n->scratch_store : n->lds_store, place);
    } else {
        gpu_line("%s %s\n%s", scratch ? n->scratch_load : n->lds_load, from, scratch ? n->wait : n->lds_wait);
        gpu_line("%s v106, v105, s[32:33]", n->store);
    }
    gpu_line("s_add_u32 s34, s34, %u\ns_add_u32 s35, s35, 4\ns_cmp_lt_u32 s34, 0x%x\ns_cbranch_scc1 %s", 4 * wave_size, end, name);
}

static void copy_rows(const char *instruction, bool in) {
    point(offsetof(struct image, v));
    for (unsigned r = 0; r < MEM_ROWS; r++) {
        if (in)
            gpu_line("%s v%u, v104, s[32:33] offset:%u", instruction, r, r % 8 * 256);
        else
            gpu_line("%s v104, v%u, s[32:33] offset:%u", instruction, r, r % 8 * 256);
        if (r % 8 == 7)
            gpu_line("s_add_u32 s32, s32, 0x800\ns_addc_u32 s33, s33, 0");
    }
}

static void write_start(const struct gpu_names *n, const struct built *built, unsigned wave_size) {
    gpu_line("%s s[30:31], s[0:1], 0x0\n%s", n->scalar_load64, n->scalar_wait);
    gpu_line("v_lshlrev_b32 v104, 2, v0");
    if (built->lds)
        copy_memory(n, "lds_in", false, true, wave_size);
    if (built->scratch)
        copy_memory(n, "scratch_in", true, true, wave_size);
    copy_rows(n->load, true);
    gpu_line("%s", n->wait);
    gpu_line("%s s32, s[30:31], 0x%x\n%s\ns_mov_b32 m0, s32", n->scalar_load, 4 * MEM_M0, n->scalar_wait);
    gpu_line("%s s[32:33], s[30:31], 0x%x\n%s", n->scalar_load64, 4 * MEM_EXEC, n->scalar_wait);
    gpu_line(wave_size == 64 ? "s_mov_b64 exec, s[32:33]" : "s_mov_b32 exec_lo, s32");
    for (unsigned i = 0; i < SGPRS; i++)
        if (i != BASE && i != BASE + 1)
            gpu_line("%s s%u, s[30:31], 0x%x", n->scalar_load, i, 4 * i);
    gpu_line("%s", n->scalar_wait);
}

static void write_end(const struct gpu_names *n, const struct built *built, unsigned wave_size) {
    gpu_line(wave_size == 64 ? "s_mov_b64 exec, -1" : "s_mov_b32 exec_lo, -1");
    gpu_line("v_mov_b32 v103, 0");
    for (unsigned i = 0; i < SGPRS; i++)
        if (i != BASE && i != BASE + 1)
            gpu_line("v_mov_b32 v102, s%u\n%s v103, v102, s[30:31] offset:%u", i, n->store, 4 * i);
    copy_rows(n->store, false);
    if (built->lds)
        copy_memory(n, "lds_out", false, false, wave_size);
    if (built->scratch)
        copy_memory(n, "scratch_out", true, false, wave_size);
    gpu_line("s_endpgm");
}

bool mem_build(struct mem_program *program, const char *processor, unsigned wave_size, const char *text) {
    struct gpu_names names = gpu_names_of(processor);
    struct built *built = calloc(1, sizeof *built);
    *program = (struct mem_program){.processor = processor, .wave_size = wave_size, .gpu = built};
    if (!built)
        exit(1);
    built->text = strdup(text);
    built->lds = strstr(text, "ds_") || strstr(text, "flat_") || strstr(text, "lds");
    built->scratch = strstr(text, "scratch_") || strstr(text, "flat_");
    write_start(&names, built, wave_size);
    gpu_line("%s", text);
    write_end(&names, built, wave_size);
    struct gpu_code code = {.processor = processor,
                            .wave_size = wave_size,
                            .mode = MODE,
                            .lds = built->lds ? MEM_LDS : 0,
                            .scratch = built->scratch ? MEM_LANE : 0,
                            .sram_ecc = mem_sram_ecc};
    uint8_t *bytes = gpu_assemble(processor, wave_size, &code.size);
    code.bytes = bytes;
    bool loaded = gpu_load(&code, &built->kernel);
    if (!loaded)
        fprintf(stderr, "%s wave%u: %s\n%s", processor, wave_size, wl_translate_failure(), text);
    free(bytes);
    if (!loaded) {
        free(built->text);
        free(built);
    }
    return loaded;
}

void mem_destroy(struct mem_program *program) {
    struct built *built = program->gpu;
    gpu_unload(&built->kernel);
    free(built->text);
    free(built);
}

/* ---- runs ---- */

void mem_run(const struct mem_program *program, struct mem_state *state) {
    const struct built *built = program->gpu;
    const uint64_t kernarg[2] = {device, 0};
    uint32_t kept[MEM_SGPRS];
    gpu_write(device, state->s, sizeof state->s);
    gpu_write(device + offsetof(struct image, v), state->v, sizeof state->v);
    gpu_write(MEM_BASE, state->memory, MEM_MEMORY);
    if (built->lds)
        gpu_write(device + offsetof(struct image, lds), state->lds, MEM_LDS);
    if (built->scratch)
        gpu_write(device + offsetof(struct image, scratch), state->scratch, MEM_SCRATCH);
    if (!gpu_launch(&built->kernel, kernarg)) {
        fprintf(stderr, "%s wave%u: the kernel failed with\n%s", program->processor, program->wave_size, built->text);
        exit(1);
    }
    memcpy(kept, state->s, sizeof kept);
    gpu_read(device, state->s, SGPRS * sizeof *state->s);
    memcpy(&state->s[BASE], &kept[BASE], 2 * sizeof *kept);
    gpu_read(device + offsetof(struct image, v), state->v, sizeof state->v);
    gpu_read(MEM_BASE, state->memory, MEM_MEMORY);
    if (built->lds)
        gpu_read(device + offsetof(struct image, lds), state->lds, MEM_LDS);
    if (built->scratch)
        gpu_read(device + offsetof(struct image, scratch), state->scratch, MEM_SCRATCH);
}
