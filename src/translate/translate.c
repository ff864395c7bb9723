#include "translate/interface/translate.h"

#include "base/clock.h"
#include "base/cpu.h"
#include "base/options.h"
#include "translate/analysis/affine.h"
#include "translate/analysis/strip_loop.h"
#include "translate/decode/decoder.h"
#include "translate/isa/isa.h"
#include "translate/lift/lift.h"
#include "translate/native/emit.h"
#include "translate/rewrite/rewrite.h"
#include "translate/unit/unit.h"

#include <llvm-c/Analysis.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* ---- translation ---- */

static const char *const mode_names[WL_COPY_COUNT] = {"full", "masked", "workgroup"};

static void dump(const struct wl_translate_request *request, LLVMModuleRef module, const char *stage) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%.200s-%llx-%s-%s.ll", request->dump, request->name, (unsigned long long)request->entry,
             mode_names[request->mode], stage);
    char *message = NULL;
    if (LLVMPrintModuleToFile(module, path, &message)) {
        fprintf(stderr, "wavelift: cannot write %s: %s\n", path, message);
        LLVMDisposeMessage(message);
    }
}

static void dump_object(const struct wl_translate_request *request, const struct wl_translate_result *result) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%.200s-%llx-%s.o", request->dump, request->name, (unsigned long long)request->entry,
             mode_names[request->mode]);
    FILE *file = fopen(path, "wb");
    if (file) {
        fwrite(result->object, 1, result->size, file);
        fclose(file);
    }
}

static enum wl_status generate_code(const struct wl_unit *unit, LLVMModuleRef module, LLVMTargetMachineRef machine,
                                    LLVMMemoryBufferRef *object) {
    if (wl_emit_can_optimize_code(module))
        return wl_emit_object(module, machine, object);
    LLVMTargetMachineRef quick = wl_emit_machine(unit->request->cpu, unit->request->features, true);
    if (!quick)
        return WL_INTERNAL;
    enum wl_status status = wl_emit_object(module, quick, object);
    LLVMDisposeTargetMachine(quick);
    return status;
}

/* Lifts the unit into an empty module. */
static enum wl_status lift(const struct wl_unit *unit, const struct wl_affine *affine, LLVMTargetMachineRef machine, enum wl_lift_size size,
                           LLVMModuleRef module, struct wl_translate_result *result) {
    const struct wl_translate_request *request = unit->request;
    char *triple = LLVMGetTargetMachineTriple(machine);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetTarget(module, triple);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    LLVMDisposeMessage(triple);

    uint64_t start = wl_now();
    enum wl_status status = wl_lift_unit(unit, affine, size, module);
    if (!status && request->dump)
        dump(request, module, "lifted");
    result->lift_ns += wl_now() - start;
    return status;
}

static enum wl_status optimize(const struct wl_unit *unit, LLVMTargetMachineRef machine, LLVMModuleRef module,
                               struct wl_translate_result *result) {
    const struct wl_translate_request *request = unit->request;
    enum wl_status status = WL_OK;
    uint64_t start = wl_now();
    char *message = NULL;
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message)) /* a message instead of a crash in a pass */
        status = wl_fail(WL_INTERNAL, "%s: lifted code is malformed: %.600s", request->name, message);
    LLVMDisposeMessage(message);
    if (!status)
        status = wl_emit_optimize(module, machine, wl_unit_is_unoptimized(unit));
    if (!status && !wl_unit_is_unoptimized(unit) && request->mode == WL_MODE_FULL && !request->sanitize) {
        bool split = false;
        status = wl_emit_split_by_quotient(module, &split);
        if (!status && split)
            status = wl_emit_clean_copy(module, machine);
    }
    if (!status && !wl_unit_is_unoptimized(unit) && request->mode != WL_MODE_WORKGROUP && wl_emit_promote_rows(module, request->wave_size))
        status = wl_emit_clean_up(module, machine);
    if (!status && !wl_unit_is_unoptimized(unit))
        wl_emit_outline_addresses(module);
    if (!status && request->mode != WL_MODE_WORKGROUP)
        wl_emit_note_kept_wave(module);
    if (!status && request->dump)
        dump(request, module, "optimized");
    result->optimize_ns += wl_now() - start;
    return status;
}

/* Makes the unit's optimized module, which the caller disposes of. */
static enum wl_status build(const struct wl_unit *unit, LLVMTargetMachineRef machine, LLVMContextRef context, LLVMModuleRef *module,
                            struct wl_translate_result *result) {
    const bool workgroup = unit->request->mode == WL_MODE_WORKGROUP;
    enum wl_lift_size size = unit->request->sanitize ? WL_LIFT_LOOPS : WL_LIFT_UNROLLED; /* with checks, LLVM would take many seconds */
    uint64_t start = wl_now();
    struct wl_affine *affine = wl_affine_create(unit);
    result->lift_ns += wl_now() - start;
    enum wl_status status;
    for (;;) {
        *module = LLVMModuleCreateWithNameInContext("unit", context);
        status = lift(unit, affine, machine, size, *module, result);
        if (!status)
            status = optimize(unit, machine, *module, result);
        if (!workgroup && status == WL_OUT_OF_RESOURCES && size != WL_LIFT_COMPACT)
            size = WL_LIFT_COMPACT;
        else if (workgroup && !status && size == WL_LIFT_UNROLLED && wl_emit_is_large(*module, unit->inst_count))
            size = WL_LIFT_LOOPS; /* masks that nothing is known of */
        else
            break;
        LLVMDisposeModule(*module);
    }
    wl_affine_destroy(affine);
    return status;
}

static enum wl_status generate(const struct wl_unit *unit, struct wl_translate_result *result) {
    LLVMTargetMachineRef machine = wl_emit_machine(unit->request->cpu, unit->request->features, false);
    if (!machine)
        return WL_INTERNAL;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = NULL;
    enum wl_status status = build(unit, machine, context, &module, result);
    LLVMMemoryBufferRef object = NULL;
    uint64_t start = wl_now();
    if (!status)
        status = generate_code(unit, module, machine, &object);
    result->codegen_ns = wl_now() - start;
    if (!status) {
        result->size = LLVMGetBufferSize(object);
        result->object = malloc(result->size);
        if (result->object)
            memcpy(result->object, LLVMGetBufferStart(object), result->size);
        else
            status = wl_fail(WL_OUT_OF_MEMORY, "no memory for %zu bytes of native code", result->size);
        LLVMDisposeMemoryBuffer(object);
    }
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    LLVMDisposeTargetMachine(machine);
    return status;
}

EXPORT enum wl_status wl_translate(const struct wl_translate_request *request, struct wl_translate_result *result) {
    *result = (struct wl_translate_result){0};
    uint64_t start = wl_now();
    struct wl_decoder *decoder = NULL;
    enum wl_status status = wl_decoder_create(&decoder, request->processor, request->wave_size);
    if (status)
        return status;
    struct wl_unit unit;
    status = wl_unit_build(&unit, decoder, request, request->entry);
    if (!status) {
        if (request->is_kernel && request->mode == WL_MODE_FULL)
            status = wl_unit_verify_callees(&unit, decoder);
        if (!status)
            wl_unit_find_divisions(&unit);
        if (!status)
            status = wl_unit_join_matrices(&unit);
        if (!status)
            status = wl_unit_schedule(&unit);
        if (!status)
            wl_unit_liveness(&unit);
        if (!status)
            status = request->sanitize ? WL_OK : wl_strip_loops_find(&unit);
        result->instructions = unit.inst_count;
        result->decode_ns = wl_now() - start;
        if (!status)
            status = generate(&unit, result);
        wl_unit_destroy(&unit);
    }
    wl_decoder_destroy(decoder);
    if (!status && request->dump)
        dump_object(request, result);
    return status;
}

EXPORT void wl_translate_free(struct wl_translate_result *result) {
    free(result->object);
    result->object = NULL;
}

static const char *host_cpu, *host_features;
static pthread_once_t host_once = PTHREAD_ONCE_INIT;

static void find_host(void) {
    host_cpu = wl_options()->cpu;
    if (host_cpu) {
        host_features = wl_cpu_find(host_cpu)->features;
        return;
    }
    host_cpu = LLVMGetHostCPUName();
    host_features = LLVMGetHostCPUFeatures();
}

EXPORT void wl_translate_host(const char **cpu, const char **features) {
    pthread_once(&host_once, find_host);
    *cpu = host_cpu;
    *features = host_features;
}

EXPORT const char *wl_translate_failure(void) { return wl_failure(); }
