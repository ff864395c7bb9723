kernel void copy(global double *restrict a, global const double *restrict b) {
    int i = get_global_id(0);
    a[i] = b[i];
}
