#include "spmv.h"

kernel void spmv(global const uint *begins, global const uint *columns, global const float *elements, global const float *x, global float *y) {
    local float part[256];
    uint item = get_local_id(0), row = get_global_id(0) / EACH, end = begins[row + 1];
    float sum = 0;
    for (uint i = begins[row] + item % EACH; i < end; i += EACH)
        sum += elements[i] * x[columns[i]];
    part[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_ = EACH / 2; half_ > 0; half_ /= 2) {
        if (item % EACH < half_)
            part[item] += part[item + half_];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item % EACH == 0)
        y[row] = part[item];
}
