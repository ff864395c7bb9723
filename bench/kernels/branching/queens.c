/* In how many ways queens stand on a board without threatening each other: each item has the first rows set, and searches the others with
 * a stack of its own, in arrays that are indexed by the row. */
#include "queens.h"
#include "bench.h"

static uint32_t *starts, *found, count;
static struct buffer dstarts, dfound;

static uint32_t set(uint32_t row, uint32_t columns, uint32_t left, uint32_t right, uint32_t *to) {
    if (row == FIRST) {
        if (to) {
            to[0] = columns;
            to[1] = left;
            to[2] = right;
        }
        return 1;
    }
    uint32_t sum = 0;
    for (uint32_t bit = 1; bit < LAST; bit <<= 1)
        if (!(bit & (columns | left | right)))
            sum += set(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1, to ? to + (size_t)3 * sum : NULL);
    return sum;
}

static void make(struct result *result) {
    count = set(0, 0, 0, 0, NULL);
    starts = host_array(sizeof(uint32_t) * 3 * count);
    found = host_array(sizeof(uint32_t) * count);
    (void)set(0, 0, 0, 0, starts);
    *result = (struct result){found, sizeof(uint32_t) * count, BITS, 0, 0};
}

static uint32_t search(const uint32_t *start) {
    uint32_t columns[DEPTH], left[DEPTH], right[DEPTH], free[DEPTH], solutions = 0;
    int row = FIRST;
    columns[row] = start[0];
    left[row] = start[1];
    right[row] = start[2];
    free[row] = (LAST - 1) & ~(columns[row] | left[row] | right[row]);
    while (row >= FIRST) {
        uint32_t bit = free[row] & -free[row];
        if (bit == 0) {
            row--;
            continue;
        }
        free[row] ^= bit;
        if (row == SIDE - 1) {
            solutions++;
            continue;
        }
        columns[row + 1] = columns[row] | bit;
        left[row + 1] = (left[row] | bit) << 1;
        right[row + 1] = (right[row] | bit) >> 1;
        row++;
        free[row] = (LAST - 1) & ~(columns[row] | left[row] | right[row]);
    }
    return solutions;
}

static void native(void) {
#pragma omp parallel for schedule(dynamic, 64)
    for (uint32_t i = 0; i < count; i++)
        found[i] = search(starts + (size_t)3 * i);
}

static void upload(void) {
    dstarts = new_buffer(sizeof(uint32_t) * 3 * count, starts);
    dfound = new_buffer(sizeof(uint32_t) * count, NULL);
}

static void device(void) { LAUNCH("queens", EXTENT((count + 255) / 256), EXTENT(256), BUFFER(dstarts), UINT(count), BUFFER(dfound)); }

static void fetch(void) { read_buffer(found, dfound, sizeof(uint32_t) * count); }

const struct benchmark bench_queens = {make, native, upload, device, fetch, 1e-9, "Gboard", 0, "a stack in arrays for each item"};
