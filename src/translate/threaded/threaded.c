/* The door of libwavelift-threaded.so: threaded code, and instructions as text. No LLVM. */
#include "translate/interface/translate.h"

#include "base/clock.h"
#include "base/cpu.h"
#include "base/options.h"
#include "machine/sanitize.h"
#include "translate/decode/decoder.h"
#include "translate/interface/marks.h"
#include "translate/rewrite/rewrite.h"
#include "translate/steps/steps.h"

#define EXPORT __attribute__((visibility("default")))

/* The native semantics and the steps around them are compiled for such a host (CMakeLists.txt). */
static bool host_runs_steps(void) {
#if defined(__x86_64__)
    return wl_cpu_level() >= WL_CPU_AVX2 && __builtin_cpu_supports("bmi2");
#else
    return true;
#endif
}

/* Of LLVM's features, those that a form of the semantics may ask for. */
static const char *host_features(void) {
    static const char *const features[] = {
        [WL_CPU_BASE] = "", [WL_CPU_AVX2] = "+avx2,+fma", [WL_CPU_AVX512] = "+avx2,+fma,+avx512f,+avx512dq"};
    const char *cpu = wl_options()->cpu;

    return cpu ? wl_cpu_find(cpu)->features : features[wl_cpu_level()];
}

EXPORT enum wl_status wl_translate_steps(const struct wl_translate_request *asked, struct wl_steps_result *result) {
    struct wl_translate_request own = *asked, *request = &own;
    *result = (struct wl_steps_result){0};
    uint64_t start = wl_now();
    if (!host_runs_steps())
        return wl_fail(WL_UNSUPPORTED, "threaded code needs AVX2, FMA, BMI2 and F16C");
    if (!own.features)
        own.features = host_features();
    struct wl_decoder *decoder = NULL;
    enum wl_status status = wl_decoder_create(&decoder, request->processor, request->wave_size);
    if (status)
        return status;
    struct wl_unit unit;
    status = wl_unit_build(&unit, decoder, request, request->entry);
    if (!status) {
        if (request->is_kernel)
            status = wl_unit_verify_callees(&unit, decoder);
        if (!status)
            wl_unit_find_divisions(&unit);
        if (!status)
            status = wl_unit_join_matrices(&unit);
        result->decode_ns = wl_now() - start;
        if (request->sanitize & WL_SANITIZE_INITCHECK)
            wl_unit_liveness(&unit);
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

EXPORT uint32_t wl_translate_steps_mark(struct wl_wave *wave, const struct wl_steps *steps, struct wl_mark_point *point) {
    return wl_steps_run_to_mark(wave, steps, point);
}

EXPORT void wl_translate_steps_free(struct wl_steps *steps) { wl_steps_destroy(steps); }

EXPORT const char *wl_threaded_failure(void) { return wl_failure(); }
