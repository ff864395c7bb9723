#include "machine/matrix.h"

#include <string.h>

enum { DENSE, SPARSE };
#define ROW(NAME, D, A, B, M, K, BLOCKS, LAYOUT, SPARSE, SCALES)                                                                           \
    {#NAME, WL_MATRIX_##D, WL_MATRIX_##A, WL_MATRIX_##B, M, K, BLOCKS, WL_MATRIX_##LAYOUT, SPARSE, SCALES}

const struct wl_matrix wl_matrices[WL_MATRIX_COUNT] = {
#define MATRIX(NAME, ...)       [WL_MATRIX_ROW_##NAME] = ROW(NAME, __VA_ARGS__),
#define MATRIX_GFX11(NAME, ...) [WL_MATRIX_GFX11_##NAME] = ROW(NAME, __VA_ARGS__),
#include "machine/matrix_rows.inc"
};

const struct wl_matrix *wl_matrix_of_gfx11(const struct wl_matrix *row) {
    for (const struct wl_matrix *r = wl_matrices; r < wl_matrices + WL_MATRIX_COUNT; r++)
        if (r->layout == WL_MATRIX_WMMA11 && strcmp(r->name, row->name) == 0)
            return r;
    return NULL;
}

uint32_t wl_matrix_number(const struct wl_matrix *row) {
    return (uint32_t)row->a | (uint32_t)row->b << 4 | (uint32_t)row->d << 8 | (uint32_t)row->m << 12 | (uint32_t)row->k << 18 |
           (uint32_t)(row->blocks - 1 + 2 * (row->scale_block == 16)) << 25 | (uint32_t)row->layout << 29 | (uint32_t)row->sparse << 31;
}
