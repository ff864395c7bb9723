#include "cg.h"

/* The group's sum of `value`, in all its work items of which item 0 uses it. */
static double group_sum(double value, local double *sums) {
    int item = get_local_id(0);
    sums[item] = value;
    for (int reach = GROUP / 2; reach > 0; reach /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < reach)
            sums[item] += sums[item + reach];
    }
    return sums[0];
}

/* The sum of the partial sums, in item 0. */
static double total(global const double *partial, local double *sums) { return group_sum(get_local_id(0) < GROUPS ? partial[get_local_id(0)] : 0, sums); }

kernel void cg_start(global const double *right, global double *x, global double *r, global double *p, global double *partial) {
    local double sums[GROUP];
    double sum = 0;
    for (int i = get_global_id(0); i < COUNT; i += GROUP * GROUPS) {
        x[i] = 0;
        r[i] = p[i] = right[i];
        sum = fma(right[i], right[i], sum);
    }
    sum = group_sum(sum, sums);
    if (get_local_id(0) == 0)
        partial[get_group_id(0)] = sum;
}

kernel void cg_first(global const double *partial, global double *words) {
    local double sums[GROUP];
    double sum = total(partial, sums);
    if (get_local_id(0) == 0)
        words[RR] = sum;
}

kernel void cg_apply(global const double *restrict p, global double *restrict q, global double *restrict partial) {
    local double sums[GROUP];
    double sum = 0;
    for (int i = get_global_id(0); i < COUNT; i += GROUP * GROUPS) {
        int column = i % N, row = i / N;
        double west = column > 0 ? p[i - 1] : 0, east = column < N - 1 ? p[i + 1] : 0;
        double up = row > 0 ? p[i - N] : 0, down = row < N - 1 ? p[i + N] : 0;
        double value = fma(4.0, p[i], -((west + east) + (up + down)));
        q[i] = value;
        sum = fma(p[i], value, sum);
    }
    sum = group_sum(sum, sums);
    if (get_local_id(0) == 0)
        partial[get_group_id(0)] = sum;
}

kernel void cg_alpha(global const double *partial, global double *words) {
    local double sums[GROUP];
    double sum = total(partial, sums);
    if (get_local_id(0) == 0)
        words[ALPHA] = words[RR] / sum;
}

kernel void cg_update(global double *restrict x, global double *restrict r, global const double *restrict p, global const double *restrict q,
                 global double *restrict partial, global const double *restrict words) {
    local double sums[GROUP];
    double sum = 0, alpha = words[ALPHA];
    for (int i = get_global_id(0); i < COUNT; i += GROUP * GROUPS) {
        x[i] = fma(alpha, p[i], x[i]);
        double rest = fma(-alpha, q[i], r[i]);
        r[i] = rest;
        sum = fma(rest, rest, sum);
    }
    sum = group_sum(sum, sums);
    if (get_local_id(0) == 0)
        partial[get_group_id(0)] = sum;
}

kernel void cg_beta(global const double *partial, global double *words) {
    local double sums[GROUP];
    double sum = total(partial, sums);
    if (get_local_id(0) == 0) {
        words[BETA] = sum / words[RR];
        words[RR] = sum;
    }
}

kernel void cg_direction(global double *restrict p, global const double *restrict r, global const double *restrict words) {
    int i = get_global_id(0);
    p[i] = fma(words[BETA], p[i], r[i]);
}
