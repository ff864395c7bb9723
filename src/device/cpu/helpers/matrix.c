/* wl_helpers.matrix: the kernels for this host, under the rounding that they define. */
#include "machine/matrix.h"

#include "base/cpu.h"
#include "device/cpu/helpers/lanes.h"

#include <pthread.h>

/* Rows by a hash of their numbers. */
enum { SLOTS = 256 };
static struct slot {
    uint32_t number;
    const struct wl_matrix *row;
} slots[SLOTS];

static wl_matrix_fn *kernels = wl_matrix_base;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static struct slot *find_slot(uint32_t number) {
    uint32_t at = number * UINT32_C(0x9e3779b1) >> 24;
    while (slots[at].row && slots[at].number != number)
        at = (at + 1) % SLOTS;
    return &slots[at];
}

static void prepare(void) {
    _Static_assert((unsigned)WL_MATRIX_COUNT < SLOTS, "a slot stays free, where looking ends");
    for (const struct wl_matrix *row = wl_matrices; row < wl_matrices + WL_MATRIX_COUNT; row++) {
        const uint32_t number = wl_matrix_number(row);
        *find_slot(number) = (struct slot){number, row};
    }
#if defined(__x86_64__)
    static wl_matrix_fn *const by_host[] = {wl_matrix_base, wl_matrix_avx2, wl_matrix_avx512};
    kernels = by_host[wl_cpu_level()];
    if (wl_cpu_has_dot())
        kernels = wl_matrix_dot;
#endif
}

void wl_help_matrix(struct wl_wave *wave, const struct wl_matrix_product *product, uint32_t count, uint32_t number, uint32_t modifiers) {
    enum { NEAREST_WITH_DENORMALS = 0xf0, NEAREST_WITHOUT_DENORMALS = 0xc0, BOTH = WL_MATRIX_PAIRED | WL_MATRIX_FLUSH };
    pthread_once(&once, prepare);
    uint32_t control = wl_float_enter((modifiers & BOTH) == BOTH ? NEAREST_WITHOUT_DENORMALS : NEAREST_WITH_DENORMALS);
    kernels(wave->wave_size, product, count, find_slot(number)->row, modifiers);
    wl_float_leave(control);
}
