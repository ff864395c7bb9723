/* C = A B: the host side of the products with tiles in LDS. Before it:
 *   KERNEL, TILE   the kernel's name, and the side of a workgroup's tile; a workgroup is 16 x 16
 *   N              the side of the matrices
 *   SCALAR         of what they are, MULTIPLY_ADD (fma), and FILL(seed, array, count), which makes numbers */
#include "bench.h"

#include <math.h>

#define BYTES (sizeof(SCALAR) * N * N)

static SCALAR *a, *b, *c;
static struct buffer da, db, dc;

static void make(struct result *result) {
    a = host_array(BYTES);
    b = host_array(BYTES);
    c = host_array(BYTES);
    FILL(1, a, (size_t)N * N);
    FILL(2, b, (size_t)N * N);
    *result = (struct result){c, BYTES, BITS, 0, 0};
}

enum { COLUMNS = 256 / sizeof(SCALAR) };

/* Blocked for registers: 4 rows of 256 bytes. The sums run in the order of k, as in the kernels. */
static void product(const SCALAR *restrict x, const SCALAR *restrict y, SCALAR *restrict z) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int j0 = 0; j0 < N; j0 += COLUMNS)
        for (int i0 = 0; i0 < N; i0 += 4) {
            SCALAR sum[4][COLUMNS] = {{0}};
            for (int k = 0; k < N; k++)
                for (int i = 0; i < 4; i++)
                    for (int j = 0; j < COLUMNS; j++)
                        sum[i][j] = MULTIPLY_ADD(x[(i0 + i) * N + k], y[k * N + j0 + j], sum[i][j]);
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < COLUMNS; j++)
                    z[(i0 + i) * N + j0 + j] = sum[i][j];
        }
}

static void native(void) { product(a, b, c); }

static void upload(void) {
    da = new_buffer(BYTES, a);
    db = new_buffer(BYTES, b);
    dc = new_buffer(BYTES, NULL);
}

static void device(void) { LAUNCH(KERNEL, EXTENT(N / TILE, N / TILE), EXTENT(16, 16), BUFFER(da), BUFFER(db), BUFFER(dc), INT(N)); }

static void fetch(void) { read_buffer(c, dc, BYTES); }

/* The benchmark, with its note. */
#define PRODUCT(note) {make, native, upload, device, fetch, 2e-9 * N * N * N, "GFLOP", 0, note}
