/* y = A x, A sparse in CSR form: rows of 0 to 800 elements, most of them short, whose columns are near the diagonal or anywhere.
 * On the devices 8 items sum a row. */
#include "spmv.h"
#include "bench.h"

static uint32_t *begins, *columns;
static float *elements, *x, *y;
static struct buffer dbegins, dcolumns, delements, dx, dy;

static uint32_t length(struct random *random) {
    uint32_t kind = random_below(random, 100);
    return kind < 80 ? random_below(random, 13) : kind < 99 ? random_below(random, 41) : random_below(random, 801);
}

/* Small integers: their sums are exact in any order. */
static void make(struct result *result) {
    struct random random = {1};
    begins = host_array(sizeof(uint32_t) * (ROWS + 1));
    for (uint32_t i = 0; i < ROWS; i++)
        begins[i + 1] = begins[i] + length(&random);
    uint32_t count = begins[ROWS];
    columns = host_array(sizeof(uint32_t) * count);
    elements = host_array(sizeof(float) * count);
    x = host_array(sizeof(float) * ROWS);
    y = host_array(sizeof(float) * ROWS);
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t i = begins[row]; i < begins[row + 1]; i++) {
            uint32_t near = row + random_below(&random, 1024);
            columns[i] = random_below(&random, 4) ? near % ROWS : random_below(&random, ROWS);
            elements[i] = (float)(int)random_below(&random, 17) - 8;
        }
    for (uint32_t i = 0; i < ROWS; i++)
        x[i] = (float)(int)random_below(&random, 17) - 8;
    *result = (struct result){y, sizeof(float) * ROWS, BITS, 0, 0};
}

static void native(void) {
#pragma omp parallel for schedule(static, 256)
    for (int row = 0; row < ROWS; row++) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (uint32_t i = begins[row]; i < begins[row + 1]; i++)
            sum += elements[i] * x[columns[i]];
        y[row] = sum;
    }
}

static void upload(void) {
    uint32_t count = begins[ROWS];
    dbegins = new_buffer(sizeof(uint32_t) * (ROWS + 1), begins);
    dcolumns = new_buffer(sizeof(uint32_t) * count, columns);
    delements = new_buffer(sizeof(float) * count, elements);
    dx = new_buffer(sizeof(float) * ROWS, x);
    dy = new_buffer(sizeof(float) * ROWS, NULL);
}

static void device(void) {
    LAUNCH("spmv", EXTENT(ROWS * EACH / 256), EXTENT(256), BUFFER(dbegins), BUFFER(dcolumns), BUFFER(delements), BUFFER(dx), BUFFER(dy));
}

static void fetch(void) { read_buffer(y, dy, sizeof(float) * ROWS); }

const struct benchmark bench_spmv = {make, native, upload, device, fetch, 1e-9 * ROWS, "Grow", 0, "exact in any order: small integers"};
