/* The native side where the products are summed in f32. Behind product.h; before it WIDEN(x), a factor as float. */
#include <math.h>

static float *wide_a, *panels;

static void make_panels(void) {
    wide_a = host_array(sizeof *wide_a * N * N);
    panels = host_array(sizeof *panels * N * N);
}

/* Converts both factors, the second one into panels of 64 columns, then sums 4 rows of 64 columns in registers. */
static void native(void) {
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < N * N; i++)
            wide_a[i] = WIDEN(a[i]);
#pragma omp for schedule(static)
        for (int j0 = 0; j0 < N; j0 += 64)
            for (int j = 0; j < 64; j++)
                for (int k = 0; k < N; k++)
                    panels[(j0 * N) + k * 64 + j] = WIDEN(b[(j0 + j) * N + k]);
#pragma omp for collapse(2) schedule(static)
        for (int j0 = 0; j0 < N; j0 += 64)
            for (int i0 = 0; i0 < N; i0 += 4) {
                float sum[4][64] = {{0}};
                const float *panel = panels + j0 * N;
                for (int k = 0; k < N; k++)
                    for (int i = 0; i < 4; i++)
                        for (int j = 0; j < 64; j++)
                            sum[i][j] = fmaf(wide_a[(i0 + i) * N + k], panel[k * 64 + j], sum[i][j]);
                for (int i = 0; i < 4; i++)
                    for (int j = 0; j < 64; j++)
                        c[(i0 + i) * N + j0 + j] = sum[i][j];
            }
    }
}
