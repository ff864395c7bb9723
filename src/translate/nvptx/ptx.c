/* The door: a kernel and what it can reach, decoded, lifted, as PTX. */
#include "translate/nvptx/ptx.h"
#include "base/array.h"
#include "base/options.h"
#include "machine/processor.h"
#include "translate/decode/decoder.h"
#include "translate/nvptx/analysis.h"
#include "translate/nvptx/passes.h"
#include "translate/rewrite/rewrite.h"

#include <llvm-c/Analysis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { MAX_KERNARG = 4000 }; /* both parameters together stay below the 4352 bytes that every GPU takes */

/* ---- the units ---- */

struct entry {
    uint64_t address;
    bool called; /* by name: not through pointers alone */
};

struct program {
    struct wl_unit *units;
    struct entry *entries; /* of the units, then of those that are to be built */
    unsigned count, unit_capacity, entry_capacity;
    bool indirect;
};

static enum wl_status add_unit(struct program *program, uint64_t entry, bool called, const char *name) {
    for (unsigned i = 0; i < program->count; i++)
        if (program->entries[i].address == entry) {
            program->entries[i].called |= called;
            return WL_OK;
        }
    if (program->count == WL_PTX_FUNCTIONS)
        return wl_fail(WL_UNSUPPORTED, "%s reaches more than %d device functions, too many for one module of PTX", name, WL_PTX_FUNCTIONS);
    if (!WL_ARRAY_RESERVE(program->units, program->count, program->unit_capacity, 16) ||
        !WL_ARRAY_RESERVE(program->entries, program->count, program->entry_capacity, 16))
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %u device functions", program->count + 1);
    program->entries[program->count++] = (struct entry){entry, called};
    return WL_OK;
}

static enum wl_status add_functions(struct program *program, const struct wl_ptx_request *request, bool all) {
    const struct wl_translate_request *code = &request->code;
    enum wl_status status = WL_OK;
    for (size_t i = 0; i < code->function_count && !status; i++)
        if (all || !request->in_data || request->in_data(code->context, code->functions[i]))
            status = add_unit(program, code->functions[i], false, code->name);
    return status;
}

static bool is_function(const struct wl_translate_request *code, uint64_t address) {
    size_t low = 0, high = code->function_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code->functions[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < code->function_count && code->functions[low] == address;
}

/* The address that code makes, relative to the PC, with the s_getpc at `at`: the sums that follow add constants to the pair. */
static bool find_address(const struct wl_unit *unit, uint32_t at, uint64_t *address) {
    enum { FAR = 64 };
    const struct wl_inst *get = &unit->insts[at];
    unsigned reg = get->operands[0].reg;
    uint64_t low = 0, high = 0;
    bool have_low = false;
    for (uint32_t i = at + 1; i < unit->inst_count && i < at + FAR; i++) {
        const struct wl_inst *inst = &unit->insts[i];
        const struct wl_operand *op = inst->operands;
        bool own = op[0].kind == WL_OPERAND_SGPR && inst->operand_count == 3 && op[2].kind == WL_OPERAND_IMM;
        if (own && op[0].reg == reg && !strcmp(inst->mnemonic, "s_add_nc_u64")) {
            *address = get->address + get->size + (uint64_t)(int64_t)(int32_t)op[2].bits;
            return true;
        }
        if (own && op[0].reg == reg && !strcmp(inst->mnemonic, "s_add_u32")) {
            low = op[2].bits & UINT32_MAX;
            have_low = true;
        } else if (own && op[0].reg == reg + 1 && !strcmp(inst->mnemonic, "s_addc_u32")) {
            high = op[2].bits << 32;
            if (have_low)
                *address = get->address + get->size + low + high;
            return have_low;
        }
    }
    return false;
}

/* What code of a unit may make a pointer to. Where that is not plain, it is any function. */
static enum wl_status add_pointed_at(struct program *program, const struct wl_ptx_request *request, const struct wl_unit *unit) {
    enum wl_status status = WL_OK;
    for (uint32_t i = 0; i < unit->inst_count && !status; i++) {
        uint64_t address;
        if (!unit->insts[i].isa || unit->insts[i].isa->class != WL_ISA_GETPC)
            continue;
        if (!find_address(unit, i, &address))
            status = add_functions(program, request, true);
        else if (is_function(&request->code, address))
            status = add_unit(program, address, false, request->code.name);
    }
    return status;
}

static enum wl_status add_callees(struct program *program, const struct wl_ptx_request *request, const struct wl_unit *unit) {
    enum wl_status status = WL_OK;
    for (uint32_t i = 0; i < unit->callee_count && !status; i++)
        status = add_unit(program, unit->callees[i], true, request->code.name);
    if (unit->indirect && !program->indirect) {
        program->indirect = true;
        if (!status)
            status = add_functions(program, request, false);
    }
    return status;
}

static void close_program(struct program *program, unsigned built) {
    for (unsigned i = 0; i < built; i++)
        wl_unit_destroy(&program->units[i]);
    free(program->units);
    free(program->entries);
}

/* A function that pointers alone lead to may never be called: one that cannot be translated is no part of the module, and a call of it
 * stops the kernel (build_dispatch in frame.c). */
static void leave_out(struct program *program, unsigned entry) {
    wl_log(2, "a call of the function at 0x%llx would stop the kernel: %s", (unsigned long long)program->entries[entry].address,
           wl_failure());
    program->entries[entry] = program->entries[--program->count];
}

static enum wl_status open_program(struct program *program, const struct wl_ptx_request *given) {
    const struct wl_translate_request *request = &given->code;
    struct wl_decoder *decoder = NULL;
    *program = (struct program){0};
    enum wl_status status = wl_decoder_create(&decoder, request->processor, request->wave_size);
    unsigned built = 0, searched = 0;
    if (!status)
        status = add_unit(program, request->entry, true, request->name);
    while (!status && built < program->count) {
        status = wl_unit_build(&program->units[built], decoder, request, program->entries[built].address);
        if (status == WL_UNSUPPORTED && !program->entries[built].called) {
            leave_out(program, built);
            status = WL_OK;
            continue;
        }
        if (status)
            break;
        wl_ptx_share_tails(&program->units[built]);
        wl_ptx_join_divisions(&program->units[built]);
        wl_ptx_find_live(&program->units[built]);
        struct wl_unit unit = program->units[built++]; /* the array may move */
        status = add_callees(program, given, &unit);
        for (; !status && program->indirect && searched < built; searched++) {
            unit = program->units[searched];
            status = add_pointed_at(program, given, &unit);
        }
    }
    wl_decoder_destroy(decoder);
    if (status)
        close_program(program, built);
    return status;
}

/* ---- translation ---- */

static void dump(const struct wl_translate_request *request, LLVMModuleRef module, const char *stage) {
    char path[1024], *message = NULL;
    if (!request->dump)
        return;
    snprintf(path, sizeof path, "%s/%.200s-%llx-nvptx-%s.ll", request->dump, request->name, (unsigned long long)request->entry, stage);
    if (LLVMPrintModuleToFile(module, path, &message)) {
        fprintf(stderr, "wavelift: cannot write %s: %s\n", path, message);
        LLVMDisposeMessage(message);
    }
}

static void dump_text(const struct wl_translate_request *request, const struct wl_ptx_result *result) {
    char path[1024];
    if (!request->dump)
        return;
    snprintf(path, sizeof path, "%s/%.200s-%llx.ptx", request->dump, request->name, (unsigned long long)request->entry);
    FILE *file = fopen(path, "wb");
    if (file) {
        fwrite(result->text, 1, result->size, file);
        fclose(file);
    }
}

static void describe(const struct wl_ptx_request *request, const struct program *program, bool may_have_lane_per_thread,
                     struct wl_ptx_info *info) {
    uint32_t items = request->block[0] * request->block[1] * request->block[2];
    bool lane_per_thread = may_have_lane_per_thread && request->code.wave_size == 64 && program->count == 1 &&
                           wl_ptx_may_have_lane_per_thread(&program->units[0]);
    *info = (struct wl_ptx_info){.static_lds = request->static_lds,
                                 .scratch_size = request->scratch_size,
                                 .kernarg_size = (request->kernarg_size + 15) / 16 * 16,
                                 .wave_threads = lane_per_thread ? 64 : 32};
    info->max_threads = wl_ptx_threads(items ? items : 1024, request->code.wave_size, info->wave_threads);
    if (info->kernarg_size > MAX_KERNARG)
        info->kernarg_size = 0;
    for (unsigned i = 0; i < program->count; i++) {
        info->instructions += program->units[i].inst_count;
        for (uint32_t p = 0; p < program->units[i].block_count; p++)
            info->waits_for_grid |= program->units[i].blocks[p].waits_for_others;
    }
}

static enum wl_status take_text(struct wl_ptx_result *result, LLVMMemoryBufferRef buffer) {
    result->size = LLVMGetBufferSize(buffer);
    result->text = malloc(result->size + 1);
    if (result->text) {
        memcpy(result->text, LLVMGetBufferStart(buffer), result->size);
        result->text[result->size] = 0;
    }
    LLVMDisposeMemoryBuffer(buffer);
    return result->text ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no memory for %zu bytes of PTX", result->size);
}

static enum wl_status generate(const struct wl_ptx_request *request, const struct program *program, struct wl_ptx_result *result) {
    if (wl_processor_has(request->code.processor, WL_HAS_1024_VGPRS))
        return wl_fail(WL_UNSUPPORTED, "%s: code for %s is not implemented for NVIDIA GPUs", request->code.name, request->code.processor);
    LLVMTargetMachineRef machine = wl_ptx_machine(request);
    if (!machine)
        return WL_UNSUPPORTED;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext(request->code.name, context);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetTarget(module, "nvptx64-nvidia-cuda");
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    enum wl_status status = wl_ptx_lift_kernel(request, program->units, program->count, module, &result->info);
    char *message = NULL;
    if (!status)
        dump(&request->code, module, "lifted");
    if (!status && LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
        status = wl_fail(WL_INTERNAL, "%s: lifted code is malformed: %.600s", request->code.name, message);
    LLVMDisposeMessage(message);
    if (!status)
        status = wl_ptx_optimize(request, module, machine, &result->info);
    LLVMMemoryBufferRef text = NULL;
    if (!status) {
        dump(&request->code, module, "optimized");
        status = wl_ptx_text(module, machine, &text);
    }
    if (!status)
        status = take_text(result, text);
    if (!status)
        dump_text(&request->code, result);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    LLVMDisposeTargetMachine(machine);
    return status;
}

/* What the affine analysis may rely on. */
static enum wl_shape find_shape(const struct wl_ptx_request *request) {
    bool line = request->block[1] == 1 && request->block[2] == 1;
    if (!request->block[0] || request->block[0] % WL_STRIP)
        return WL_SHAPE_ANY;
    return line || request->block[0] % request->code.wave_size == 0 ? WL_SHAPE_LINES : WL_SHAPE_ROWS;
}

EXPORT enum wl_status wl_translate_ptx(const struct wl_ptx_request *given, struct wl_ptx_result *result) {
    struct wl_ptx_request request = *given;
    struct program program;
    *result = (struct wl_ptx_result){0};
    request.code.shape = find_shape(given);
    enum wl_status status = open_program(&program, &request);
    if (status)
        return status;
    describe(&request, &program, true, &result->info);
    bool lane_per_thread = result->info.wave_threads == 64;
    status = generate(&request, &program, result);
    if (status && lane_per_thread) { /* some mask is needed as bits */
        describe(&request, &program, false, &result->info);
        status = generate(&request, &program, result);
    }
    close_program(&program, program.count);
    return status;
}

EXPORT void wl_translate_ptx_free(struct wl_ptx_result *result) {
    free(result->text);
    result->text = NULL;
}
