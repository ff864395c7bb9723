#include "queens.h"

kernel void queens(global const uint *starts, uint count, global uint *found) {
    uint i = get_global_id(0);
    if (i >= count)
        return;
    uint columns[DEPTH], left[DEPTH], right[DEPTH], free[DEPTH], solutions = 0;
    int row = FIRST;
    columns[row] = starts[3 * i];
    left[row] = starts[3 * i + 1];
    right[row] = starts[3 * i + 2];
    free[row] = (LAST - 1) & ~(columns[row] | left[row] | right[row]);
    while (row >= FIRST) {
        uint bit = free[row] & -free[row];
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
    found[i] = solutions;
}
