/* A unit as the translator would emit it, compiled by the C compiler: read-only data, a jump table, calls of libm and
 * memset, pointers in data, a line table. Adds f(lane) to the words that the kernel argument points to. */
#include "machine/wave.h"
#include "translate/interface/translate.h"

#include <math.h>
#include <string.h>

/* struct wl_unit_info with its resume point. */
__attribute__((visibility("default"))) const struct {
    uint32_t abi, rows, instructions, resume_count, may_wait, keeps_wave, may_workgroup_mode, reserved;
    struct wl_resume_point resume;
} wl_unit_info = {WL_WAVE_ABI, 8, 5, 1, 0, 0, 0, 0, {4096, 0, 0, 0}};

static const float factors[4] = {1.5f, 2.5f, 3.5f, 4.5f};
static const float *const chosen[2] = {&factors[1], &factors[3]};

/* A jump table on most hosts. */
static int pick(unsigned n) {
    switch (n) {
    case 0:
        return 11;
    case 1:
        return 7;
    case 2:
        return 23;
    case 3:
        return 5;
    case 4:
        return 91;
    case 5:
        return 17;
    case 6:
        return 3;
    default:
        return 0;
    }
}

__attribute__((visibility("default"))) uint32_t wl_unit(struct wl_wave *wave);

#line 1 "unit"
uint32_t wl_unit(struct wl_wave *wave) { /* line 1: the first AMD instruction */
    uint32_t *out;
    memcpy(&out, (void *)(uintptr_t)(wave->sgpr[0] | (uint64_t)wave->sgpr[1] << 32), 8);
    uint32_t zero[64];
    memset(zero, (int)wave->sgpr[60], sizeof zero);
    __asm__ volatile("" ::"r"(zero) : "memory");
    for (uint32_t l = 0; l < wave->wave_size; l++)
        out[l] = (uint32_t)(fmaf(*chosen[l & 1], 2, (float)pick(l % 8)) + (float)zero[l]); /* line 5: the fault */
    return WL_EXIT_END;
}
