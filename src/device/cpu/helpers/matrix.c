/* wl_helpers.matrix: the kernels for this host, under the rounding that they define. */
#include "machine/matrix.h"

#include "base/cpu.h"
#include "device/cpu/helpers/lanes.h"

#include <pthread.h>

static wl_matrix_fn *kernels = wl_matrix_base;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void choose_kernels(void) {
#if defined(__x86_64__)
    static wl_matrix_fn *const by_host[] = {wl_matrix_base, wl_matrix_avx2, wl_matrix_avx512};
    kernels = by_host[wl_cpu_level()];
    if (wl_cpu_has_dot())
        kernels = wl_matrix_dot;
#endif
}

void wl_help_matrix(struct wl_wave *wave, const struct wl_matrix_product *product, uint32_t count, uint32_t shape, uint32_t modifiers) {
    enum { NEAREST_WITH_DENORMALS = 0xf0 };
    pthread_once(&once, choose_kernels);
    uint32_t control = wl_float_enter(NEAREST_WITH_DENORMALS);
    kernels(wave->wave_size, product, count, shape, modifiers);
    wl_float_leave(control);
}
