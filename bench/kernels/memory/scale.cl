kernel void scale(global double *restrict a, global const double *restrict b, double s) {
    int i = get_global_id(0);
    a[i] = s * b[i];
}
