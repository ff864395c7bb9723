#include <hip/hip_runtime.h>

#include "cg.h"

/* The group's sum of `value`, in all its work items of which item 0 uses it. */
__device__ static inline double group_sum(double value, double *sums) {
    int item = (int)threadIdx.x;
    sums[item] = value;
    for (int reach = GROUP / 2; reach > 0; reach /= 2) {
        __syncthreads();
        if (item < reach)
            sums[item] += sums[item + reach];
    }
    return sums[0];
}

/* The sum of the partial sums, in item 0. */
__device__ static inline double total(const double *partial, double *sums) {
    return group_sum(threadIdx.x < GROUPS ? partial[threadIdx.x] : 0, sums);
}

extern "C" __global__ void cg_start(const double *right, double *x, double *r, double *p, double *partial) {
    __shared__ double sums[GROUP];
    double sum = 0;
    for (int i = blockIdx.x * GROUP + threadIdx.x; i < COUNT; i += GROUP * GROUPS) {
        x[i] = 0;
        r[i] = p[i] = right[i];
        sum = fma(right[i], right[i], sum);
    }
    sum = group_sum(sum, sums);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}

extern "C" __global__ void cg_first(const double *partial, double *words) {
    __shared__ double sums[GROUP];
    double sum = total(partial, sums);
    if (threadIdx.x == 0)
        words[RR] = sum;
}

extern "C" __global__ void cg_apply(const double *__restrict p, double *__restrict q, double *__restrict partial) {
    __shared__ double sums[GROUP];
    double sum = 0;
    for (int i = blockIdx.x * GROUP + threadIdx.x; i < COUNT; i += GROUP * GROUPS) {
        int column = i % N, row = i / N;
        double west = column > 0 ? p[i - 1] : 0, east = column < N - 1 ? p[i + 1] : 0;
        double up = row > 0 ? p[i - N] : 0, down = row < N - 1 ? p[i + N] : 0;
        double value = fma(4.0, p[i], -((west + east) + (up + down)));
        q[i] = value;
        sum = fma(p[i], value, sum);
    }
    sum = group_sum(sum, sums);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}

extern "C" __global__ void cg_alpha(const double *partial, double *words) {
    __shared__ double sums[GROUP];
    double sum = total(partial, sums);
    if (threadIdx.x == 0)
        words[ALPHA] = words[RR] / sum;
}

extern "C" __global__ void cg_update(double *__restrict x, double *__restrict r, const double *__restrict p, const double *__restrict q,
                                     double *__restrict partial, const double *__restrict words) {
    __shared__ double sums[GROUP];
    double sum = 0, alpha = words[ALPHA];
    for (int i = blockIdx.x * GROUP + threadIdx.x; i < COUNT; i += GROUP * GROUPS) {
        x[i] = fma(alpha, p[i], x[i]);
        double rest = fma(-alpha, q[i], r[i]);
        r[i] = rest;
        sum = fma(rest, rest, sum);
    }
    sum = group_sum(sum, sums);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}

extern "C" __global__ void cg_beta(const double *partial, double *words) {
    __shared__ double sums[GROUP];
    double sum = total(partial, sums);
    if (threadIdx.x == 0) {
        words[BETA] = sum / words[RR];
        words[RR] = sum;
    }
}

extern "C" __global__ void cg_direction(double *__restrict p, const double *__restrict r, const double *__restrict words) {
    int i = blockIdx.x * GROUP + threadIdx.x;
    p[i] = fma(words[BETA], p[i], r[i]);
}
