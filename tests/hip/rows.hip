// Kernels that find an item's place by dividing its number by the length of a row, where waves lie in one row or in several.
#include "check.h"

#include <vector>

enum { ITEMS = 3000, BLOCK = 192 };

// The quotient by multiplication, as libraries do it: any numbers, also such as are no division.
struct division {
    unsigned factor, shift, length;
};

__host__ __device__ static unsigned divide(unsigned number, division by) {
    return (unsigned)(((unsigned long long)number * by.factor >> 32) + number) >> by.shift;
}

__host__ __device__ static unsigned long long place_of(unsigned i, division by, unsigned long long stride, unsigned step) {
    const unsigned row = divide(i, by), column = i - row * by.length, plane = divide(row, by);
    return row * stride + column * step + plane;
}

// What is stored is the place itself, and what a table has at the row and the column.
__global__ void straight(unsigned long long *places, unsigned *values, const unsigned *table, division by, unsigned long long stride,
                         unsigned step) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= ITEMS)
        return;
    const unsigned row = divide(i, by), column = i - row * by.length;
    places[i] = place_of(i, by, stride, step);
    values[i] = table[row % 64] + table[column % 64];
}

// The same in a loop over the grid, under a condition that some waves fulfil in part.
__global__ void rounds(unsigned long long *places, unsigned *values, const unsigned *table, division by, unsigned long long stride,
                       unsigned step) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < ITEMS; i += gridDim.x * blockDim.x) {
        const unsigned row = divide(i, by), column = i - row * by.length;
        places[i] = place_of(i, by, stride, step);
        unsigned value = table[row % 64];
        if (column % 5 != 1)
            value += table[column % 64];
        values[i] = value;
    }
}

static void check(bool in_rounds, division by, unsigned long long stride, unsigned step) {
    std::vector<unsigned> table(64), got(ITEMS);
    std::vector<unsigned long long> got_places(ITEMS);
    unsigned long long *places;
    unsigned *values, *device_table, wrong = 0;
    for (unsigned i = 0; i < 64; i++)
        table[i] = i * i + 7;
    HIP(hipMalloc((void **)&places, ITEMS * sizeof *places));
    HIP(hipMalloc((void **)&values, ITEMS * sizeof *values));
    HIP(hipMalloc((void **)&device_table, 64 * sizeof *device_table));
    HIP(hipMemcpy(device_table, table.data(), 64 * sizeof *device_table, hipMemcpyHostToDevice));
    if (in_rounds)
        rounds<<<3, BLOCK>>>(places, values, device_table, by, stride, step);
    else
        straight<<<(ITEMS + BLOCK - 1) / BLOCK, BLOCK>>>(places, values, device_table, by, stride, step);
    HIP(hipMemcpy(got.data(), values, ITEMS * sizeof *values, hipMemcpyDeviceToHost));
    HIP(hipMemcpy(got_places.data(), places, ITEMS * sizeof *places, hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < ITEMS; i++) {
        const unsigned row = divide(i, by), column = i - row * by.length;
        const unsigned value = table[row % 64] + (in_rounds && column % 5 == 1 ? 0 : table[column % 64]);
        wrong += got[i] != value || got_places[i] != place_of(i, by, stride, step);
    }
    EXPECT(wrong == 0, "rows of %u: %u of %u items", by.length, wrong, (unsigned)ITEMS);
    HIP(hipFree(places));
    HIP(hipFree(values));
    HIP(hipFree(device_table));
}

// factor and shift for a length, such that the quotient is exact for the numbers here.
static division by_length(unsigned length) {
    unsigned shift = 0;
    while ((1u << shift) < length)
        shift++;
    return {(unsigned)(((1ull << 32) * ((1ull << shift) - length)) / length + 1), shift, length};
}

int main() {
    check_name = "rows";
    static const unsigned lengths[] = {1, 3, 16, 17, 64, 100, 128, 192, 1000, 2999, 3000};
    for (int in_rounds = 0; in_rounds < 2; in_rounds++) {
        for (unsigned length : lengths)
            check(in_rounds, by_length(length), 0x3fffffff5ull, 0x80000001u);
        check(in_rounds, {0xfffffffbu, 9, 77}, 1ull << 40, 3);
        check(in_rounds, {0x12345678u, 31, 1}, 5, 7);
    }
    return finish();
}
