#include "translate/interface/translate.h"

#include "base/array.h"
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
#include "translate/steps/steps.h"
#include "translate/unit/unit.h"

#include <llvm-c/Analysis.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* ---- verification: what a kernel calls by name is implemented ---- */

struct reach {
    uint64_t *entries;
    size_t count, capacity;
};

static enum wl_status reach_add(struct reach *reach, uint64_t entry) {
    for (size_t i = 0; i < reach->count; i++)
        if (reach->entries[i] == entry)
            return WL_OK;
    if (!WL_ARRAY_RESERVE(reach->entries, reach->count, reach->capacity, 16))
        return wl_fail(WL_OUT_OF_MEMORY, "no memory to follow calls");
    reach->entries[reach->count++] = entry;
    return WL_OK;
}

static enum wl_status reach_callees(struct reach *reach, const struct wl_unit *unit) {
    enum wl_status status = WL_OK;
    for (uint32_t i = 0; i < unit->callee_count && !status; i++)
        status = reach_add(reach, unit->callees[i]);
    return status;
}

/* Functions that are reached through pointers are not looked at: there may be thousands, of which few are called. A wave of the kernel
 * gets registers for all of it: long kernels jump to parts of themselves, which are units of their own. */
static enum wl_status verify_reachable(struct wl_unit *kernel, struct wl_decoder *decoder) {
    struct reach reach = {0};
    enum wl_status status = reach_callees(&reach, kernel);
    for (size_t i = 0; i < reach.count && !status; i++) {
        struct wl_unit unit;
        status = wl_unit_build(&unit, decoder, kernel->request, reach.entries[i]);
        if (!status) {
            status = reach_callees(&reach, &unit);
            if (unit.rows > kernel->rows)
                kernel->rows = unit.rows;
            wl_unit_destroy(&unit);
        }
    }
    free(reach.entries);
    return status;
}

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
    if (!wl_unit_is_unoptimized(unit) && wl_emit_can_optimize_code(module))
        return wl_emit_object(module, machine, object);
    LLVMTargetMachineRef quick = wl_emit_machine(unit->request->cpu, unit->request->features, true);
    if (!quick)
        return WL_INTERNAL;
    enum wl_status status = wl_emit_object(module, quick, object);
    LLVMDisposeTargetMachine(quick);
    return status;
}

/* Lifts and optimizes the unit in an empty module. */
static enum wl_status build(const struct wl_unit *unit, LLVMTargetMachineRef machine, bool unrolls, LLVMModuleRef module,
                            struct wl_translate_result *result) {
    const struct wl_translate_request *request = unit->request;
    char *triple = LLVMGetTargetMachineTriple(machine);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetTarget(module, triple);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    LLVMDisposeMessage(triple);

    uint64_t start = wl_now();
    struct wl_affine *affine = wl_affine_create(unit);
    enum wl_status status = wl_lift_unit(unit, affine, unrolls, module);
    wl_affine_destroy(affine);
    if (!status && request->dump)
        dump(request, module, "lifted");
    char *message = NULL;
    if (!status && LLVMVerifyModule(module, LLVMReturnStatusAction, &message)) /* a message instead of a crash in a pass */
        status = wl_fail(WL_INTERNAL, "%s: lifted code is malformed: %.600s", request->name, message);
    LLVMDisposeMessage(message);
    uint64_t lifted = wl_now();
    if (!status)
        status = wl_emit_optimize(module, machine, wl_unit_is_unoptimized(unit));
    if (!status && !wl_unit_is_unoptimized(unit) && request->mode != WL_MODE_WORKGROUP && wl_emit_promote_rows(module, request->wave_size))
        status = wl_emit_clean_up(module, machine);
    if (!status && !wl_unit_is_unoptimized(unit))
        wl_emit_outline_addresses(module);
    if (!status && request->mode != WL_MODE_WORKGROUP)
        wl_emit_note_kept_wave(module);
    if (!status && request->dump)
        dump(request, module, "optimized");
    result->lift_ns += lifted - start;
    result->optimize_ns += wl_now() - lifted;
    return status;
}

static enum wl_status generate(const struct wl_unit *unit, struct wl_translate_result *result) {
    LLVMTargetMachineRef machine = wl_emit_machine(unit->request->cpu, unit->request->features, false);
    if (!machine)
        return WL_INTERNAL;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("unit", context);
    enum wl_status status = build(unit, machine, true, module, result);
    if (!status && unit->request->mode == WL_MODE_WORKGROUP && wl_emit_is_large(module, unit->inst_count)) {
        LLVMDisposeModule(module); /* masks that nothing is known of: again, as loops */
        module = LLVMModuleCreateWithNameInContext("unit", context);
        status = build(unit, machine, false, module, result);
    }
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
            status = verify_reachable(&unit, decoder);
        if (!status)
            status = wl_unit_schedule(&unit);
        if (!status)
            wl_unit_liveness(&unit);
        if (!status)
            status = wl_strip_loops_find(&unit);
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

/* The native semantics and the steps around them are compiled for such a host (CMakeLists.txt). */
static bool host_runs_steps(void) {
#if defined(__x86_64__)
    return wl_cpu_level() >= WL_CPU_AVX2 && __builtin_cpu_supports("bmi2");
#else
    return true;
#endif
}

EXPORT enum wl_status wl_translate_steps(const struct wl_translate_request *request, struct wl_steps_result *result) {
    *result = (struct wl_steps_result){0};
    uint64_t start = wl_now();
    if (!host_runs_steps())
        return wl_fail(WL_UNSUPPORTED, "threaded code needs AVX2, FMA, BMI2 and F16C");
    struct wl_decoder *decoder = NULL;
    enum wl_status status = wl_decoder_create(&decoder, request->processor, request->wave_size);
    if (status)
        return status;
    struct wl_unit unit;
    status = wl_unit_build(&unit, decoder, request, request->entry);
    if (!status) {
        if (request->is_kernel)
            status = verify_reachable(&unit, decoder);
        result->decode_ns = wl_now() - start;
        if (!status)
            status = wl_steps_build(&unit, &result->steps);
        if (!status) {
            result->info = result->steps->info;
            result->control = result->steps->control;
        }
        result->build_ns = wl_now() - start - result->decode_ns;
        wl_unit_destroy(&unit);
    }
    wl_decoder_destroy(decoder);
    return status;
}

EXPORT uint32_t wl_translate_steps_run(struct wl_wave *wave, const struct wl_steps *steps) { return wl_steps_run(wave, steps); }

EXPORT void wl_translate_steps_free(struct wl_steps *steps) { wl_steps_destroy(steps); }

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
