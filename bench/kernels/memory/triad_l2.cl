kernel void triad_passes(global float *restrict a, global const float *restrict b, global const float *restrict c, float s, int n, int passes) {
    for (int pass = 0; pass < passes; pass++)
        for (int i = get_global_id(0); i < n; i += get_global_size(0))
            a[i] = fma(s, c[i], b[i]);
}
