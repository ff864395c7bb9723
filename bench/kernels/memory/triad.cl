kernel void triad(global double *restrict a, global const double *restrict b, global const double *restrict c, double s) {
    int i = get_global_id(0);
    a[i] = fma(s, c[i], b[i]);
}
