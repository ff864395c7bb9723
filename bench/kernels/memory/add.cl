kernel void add(global double *restrict a, global const double *restrict b, global const double *restrict c) {
    int i = get_global_id(0);
    a[i] = b[i] + c[i];
}
