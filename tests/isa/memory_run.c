#include "memory_run.h"

#include "assembler.h"
#include "device/cpu/helpers/helpers.h"
#include "machine/helpers.h"
#include "translate/interface/translate.h"

#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { RETURN_ADDRESS = 0x7ead0000 };
#define IMAGE UINT64_C(0x200000000000)

const bool mem_is_strict = true;
const unsigned mem_wave_number = 5;

static struct {
    uint8_t *memory, *lds, *scratch;
    struct wl_wave *wave;
    const char *cpu, *features;
} machine;

static bool is_code(void *context, uint64_t address, uint64_t size) { return address + size <= *(size_t *)context; }

static void load_object(struct mem_program *program, unsigned mode, const struct wl_translate_result *result) {
    LLVMOrcLLJITRef jit = NULL;
    LLVMOrcExecutorAddress code = 0;
    LLVMErrorRef error = LLVMOrcCreateLLJIT(&jit, NULL);
    if (!error)
        error = LLVMOrcLLJITAddObjectFile(jit, LLVMOrcLLJITGetMainJITDylib(jit),
                                          LLVMCreateMemoryBufferWithMemoryRangeCopy(result->object, result->size, "unit"));
    if (!error)
        error = LLVMOrcLLJITLookup(jit, &code, "wl_unit");
    if (error) {
        fprintf(stderr, "%s\n", LLVMGetErrorMessage(error));
        exit(1);
    }
    program->jit[mode] = jit;
    memcpy(&program->code[mode], &code, sizeof code);
}

bool mem_build(struct mem_program *program, const char *processor, unsigned wave_size, const char *text) {
    char source[4000];
    size_t size = 0;
    *program = (struct mem_program){.processor = processor, .wave_size = wave_size};
    snprintf(source, sizeof source, "%s\ns_setpc_b64 s[30:31]\n", text);
    uint8_t *code = test_assemble(processor, wave_size, source, &size);
    if (!code) {
        fprintf(stderr, "%s wave%u does not take\n%s", processor, wave_size, text);
        return false;
    }
    struct wl_translate_request request = {.processor = processor,
                                           .wave_size = wave_size,
                                           .image = code,
                                           .image_size = size,
                                           .name = "case",
                                           .is_kernel = true,
                                           .workitem_id_dimensions = 1,
                                           .shape = WL_SHAPE_ROWS,
                                           .sram_ecc = mem_sram_ecc,
                                           .cpu = machine.cpu,
                                           .features = machine.features,
                                           .is_code = is_code,
                                           .context = &size,
                                           .dump = getenv("WL_TEST_DUMP")};
    struct wl_steps_result steps;
    if (getenv("WL_TEST_STEPS") && wl_translate_steps(&request, &steps) == WL_OK) {
        program->steps = steps.steps;
        free(code);
        return true;
    }
    for (unsigned mode = 0; mode < WL_MODE_COUNT; mode++) {
        struct wl_translate_result result;
        request.mode = (enum wl_mode)mode;
        if (wl_translate(&request, &result) != WL_OK) {
            fprintf(stderr, "%s wave%u: %s\n%s", processor, wave_size, wl_translate_failure(), source);
            exit(1);
        }
        load_object(program, mode, &result);
        wl_translate_free(&result);
    }
    free(code);
    return true;
}

void mem_destroy(struct mem_program *program) {
    wl_translate_steps_free(program->steps);
    for (unsigned mode = 0; mode < WL_MODE_COUNT; mode++)
        if (program->jit[mode])
            LLVMConsumeError(LLVMOrcDisposeLLJIT(program->jit[mode]));
}

void mem_run(const struct mem_program *program, struct mem_state *state) {
    struct wl_wave *wave = machine.wave;
    unsigned lanes = program->wave_size;
    memset(wave, 0, sizeof *wave);
    *wave = (struct wl_wave){.image = IMAGE,
                             .lds = machine.lds,
                             .scratch = machine.scratch,
                             .helpers = &wl_helpers_table,
                             .lds_size = MEM_LDS,
                             .scratch_size = MEM_LANE,
                             .wave_size = lanes,
                             .vgprs = WL_VGPR_COUNT,
                             .wave_index = mem_wave_number,
                             .mode_register = 0xf0,
                             .fuel = 1000};
    state->s[30] = (uint32_t)(IMAGE + RETURN_ADDRESS);
    state->s[31] = (uint32_t)((IMAGE + RETURN_ADDRESS) >> 32);
    memcpy(wave->sgpr, state->s, sizeof state->s);
    for (unsigned r = 0; r < MEM_ROWS; r++)
        memcpy(wave->vgpr + (size_t)r * lanes, state->v[r], lanes * sizeof(uint32_t));
    memcpy(machine.memory, state->memory, MEM_MEMORY);
    memcpy(machine.lds, state->lds, MEM_LDS);
    memcpy(machine.scratch, state->scratch, MEM_SCRATCH);
    bool full = state->s[MEM_EXEC] == UINT32_MAX && (lanes == 32 || state->s[MEM_EXEC + 1] == UINT32_MAX);
    uint32_t (*code)(void *) = program->code[full ? WL_MODE_FULL : WL_MODE_MASKED];
    uint32_t reason = program->steps ? wl_translate_steps_run(wave, program->steps) : code(wave);
    if (reason != WL_EXIT_JUMP || wave->pc != RETURN_ADDRESS) {
        fprintf(stderr, "%s: the unit does not return\n", program->processor);
        exit(1);
    }
    memcpy(state->s, wave->sgpr, sizeof state->s);
    for (unsigned r = 0; r < MEM_ROWS; r++)
        memcpy(state->v[r], wave->vgpr + (size_t)r * lanes, lanes * sizeof(uint32_t));
    memcpy(state->memory, machine.memory, MEM_MEMORY);
    memcpy(state->lds, machine.lds, MEM_LDS);
    memcpy(state->scratch, machine.scratch, MEM_SCRATCH);
}

void mem_start(void) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    wl_translate_host(&machine.cpu, &machine.features);
    /* The sanitizers leave different room. */
#if defined(__SANITIZE_ADDRESS__)
    mem_base = UINT64_C(0x68fffffff000);
#else
    mem_base = UINT64_C(0x5ffffff000);
#endif
    size_t lds_space = (UINT64_C(1) << 32) + (1 << 16);
    machine.memory =
        mmap((void *)(uintptr_t)MEM_BASE, MEM_MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    machine.lds = mmap(NULL, lds_space, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    machine.scratch = aligned_alloc(4096, MEM_SCRATCH);
    machine.wave = aligned_alloc(64, sizeof(struct wl_wave) + (size_t)WL_VGPR_COUNT * 64 * 4);
    if (machine.memory != (uint8_t *)(uintptr_t)MEM_BASE || machine.lds == MAP_FAILED ||
        mprotect(machine.lds, MEM_LDS, PROT_READ | PROT_WRITE) || !machine.scratch || !machine.wave) {
        fprintf(stderr, "no memory, or none at %#llx\n", (unsigned long long)MEM_BASE);
        exit(1);
    }
    memset(machine.wave, 0, sizeof(struct wl_wave) + (size_t)WL_VGPR_COUNT * 64 * 4);
}
