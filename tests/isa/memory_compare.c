/* What both machines of memory_run.h need: random states, and their comparison. */
#include "memory_run.h"

#include <stdio.h>
#include <string.h>

unsigned mem_checks, mem_failures;
bool mem_sram_ecc;
uint64_t mem_base;

static uint32_t seed = 11;

uint32_t mem_random(void) {
    seed = seed * 1664525 + 1013904223;
    return seed >> 8 ^ seed << 13;
}

/* ---- comparison ---- */

static bool is_nan(uint64_t bits, unsigned width) {
    if (width == 16)
        return (bits & 0x7fff) > 0x7c00;
    if (width == 17) /* bf16 */
        return (bits & 0x7fff) > 0x7f80;
    return width == 32 ? (bits & 0x7fffffff) > 0x7f800000 : (bits & ~(UINT64_C(1) << 63)) > UINT64_C(0x7ff0000000000000);
}

/* `high` words (of 64-bit floats) may be anywhere: registers hold them in rows of their own. */
static bool same_dword(uint32_t got, uint32_t want, unsigned width) {
    if (got == want || !width)
        return got == want;
    if (width == 16 || width == 17) {
        bool low = (uint16_t)got == (uint16_t)want || (is_nan(got & 0xffff, width) && is_nan(want & 0xffff, width));
        bool high = got >> 16 == want >> 16 || (is_nan(got >> 16, width) && is_nan(want >> 16, width));
        return low && high;
    }
    if (width == 32)
        return is_nan(got, 32) && is_nan(want, 32);
    /* A half of a NaN: the upper one tells by itself; the lower one of a NaN that was made here is 0. */
    return (is_nan((uint64_t)got << 32 | 1, 64) && is_nan((uint64_t)want << 32 | 1, 64)) || got == 0 || want == 0;
}

static unsigned differences;

static void compare_bytes(const uint8_t *got, const uint8_t *want, size_t size, unsigned width, const char *where, const char *what) {
    if (memcmp(got, want, size) == 0)
        return;
    for (size_t i = 0; i < size; i += 4) {
        uint32_t g, w;
        memcpy(&g, got + i, 4);
        memcpy(&w, want + i, 4);
        if (!same_dword(g, w, width) && differences++ < 4)
            fprintf(stderr, "%s: %s %zu: %08x, expected %08x\n", what, where, i, g, w);
    }
}

void mem_compare(const struct mem_state *got, const struct mem_state *want, unsigned wave_size, unsigned float_bits, const char *what) {
    char where[16];
    mem_checks++;
    differences = 0;
    for (unsigned r = 0; r < MEM_ROWS; r++) {
        snprintf(where, sizeof where, "v%u, byte", r);
        compare_bytes((const uint8_t *)got->v[r], (const uint8_t *)want->v[r], wave_size * sizeof(uint32_t), float_bits, where, what);
    }
    compare_bytes((const uint8_t *)got->s, (const uint8_t *)want->s, 106 * sizeof(uint32_t), 0, "scalar byte", what);
    compare_bytes(got->memory, want->memory, MEM_MEMORY, float_bits, "memory", what);
    compare_bytes(got->lds, want->lds, MEM_LDS, float_bits, "LDS", what);
    compare_bytes(got->scratch, want->scratch, MEM_SCRATCH, float_bits, "scratch", what);
    mem_failures += differences != 0;
}

void mem_fill(struct mem_state *state) {
    uint32_t *words = (uint32_t *)(void *)state;
    for (size_t i = 0; i < sizeof *state / 4; i++)
        words[i] = mem_random();
    state->s[125] &= 1; /* SCC */
}

uint8_t *mem_scratch(struct mem_state *state, uint32_t offset, unsigned lane, unsigned wave_size) {
    return state->scratch + (size_t)(offset / 4) * wave_size * 4 + lane * 4 + offset % 4;
}
